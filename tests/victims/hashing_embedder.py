"""A deterministic embedder for tests: each word is a random direction fixed by its hash, and words of a text add up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from confute.models.embedder import Vectors


class HashingEmbedder:
    def __init__(self, dimension: int = 48) -> None:
        self.dimension = dimension
        self.asked: list[list[str]] = []

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"hashing/{self.dimension}".encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        words = text.lower().split() or [""]
        total = np.sum([self._word(word) for word in words], axis=0)
        return (total / np.linalg.norm(total)).astype(np.float32)

    def _word(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8])
        return np.random.default_rng(seed).normal(size=self.dimension)


class TableEmbedder:
    """Gives each text the vector that a test wrote down for it."""

    def __init__(self, table: dict[str, Sequence[float]]) -> None:
        self.table = table

    @property
    def fingerprint(self) -> str:
        return "table"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.table[text] for text in texts], dtype=np.float32)
