"""What an embedder is: it turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors; the vector of a text does not depend on what else stands in the batch."""

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights, the tokenizer and the settings."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, dimension), float32, rows of unit length."""
        ...


class TruncatingEmbedder(Embedder, Protocol):
    """An embedder that reads only the beginning of a long text, and says of how many texts."""

    def truncated(self, texts: Sequence[str]) -> int:
        """Return how many of the texts are longer than the model reads."""
        ...
