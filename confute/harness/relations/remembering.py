"""An embedder that gives each text to another one once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from confute.models.embedder import Embedder, Vectors


class RememberingEmbedder:
    """Keeps every vector in memory, so that many scorings of the same texts embed each of them once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the embedder whose vectors are kept."""
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, dimension), float32, rows of unit length."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors |= zip(missing, self._embedder.embed(missing), strict=True)
        return np.stack([self._vectors[text] for text in texts]) if texts else self._embedder.embed([])
