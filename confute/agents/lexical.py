"""How near a claim is to its evidence in its letters and words, without a model and without a query."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confute import text

Array = NDArray[np.float64]

FEATURES = ("nearest", "span", "new_tokens")

_DIMENSION = 512
_GRAM = 3
_MAX_CHARS = 4000
_MAX_PASSAGES = 128
_RCOND = 1e-6


class Lexical:
    """The picture of one evidence set: character trigrams and words, hashed into 512 counts of unit length.

    Only the first 128 passages, and of a text the first 4000 characters, are read.
    """

    def __init__(self, evidence: Sequence[str]) -> None:
        folded = [text.fold(passage[:_MAX_CHARS]) for passage in evidence[:_MAX_PASSAGES]]
        self._known = {token for passage in folded for token in text.tokens(passage)}
        self._rows = np.stack([_vector(passage) for passage in folded]) if folded else np.zeros((1, _DIMENSION))
        _, values, directions = np.linalg.svd(self._rows, full_matrices=False)
        self._basis = directions[values > _RCOND * max(values[0], _RCOND)]

    def features(self, claim: str) -> tuple[float, ...]:
        """Return the claim's features, each in [0, 1], in the order of FEATURES; lower is nearer to the evidence.

        `nearest` is 1 - the highest cosine with a passage, `span` the share of the claim's vector that the passages do
        not span, `new_tokens` the share of its tokens that stand in no passage.
        """
        folded = text.fold(claim[:_MAX_CHARS])
        vector, tokens = _vector(folded), text.tokens(folded)
        nearest = 1.0 - float((self._rows @ vector).max())
        span = 1.0 - float(np.square(self._basis @ vector).sum())
        new = sum(token not in self._known for token in tokens) / max(1, len(tokens))
        return nearest, span, new


def _vector(folded: str) -> Array:
    padded = f" {folded} "
    grams = [padded[at : at + _GRAM] for at in range(len(padded) - _GRAM + 1)]
    counts = np.zeros(_DIMENSION)
    for gram in (*grams, *text.tokens(folded)):
        counts[zlib.crc32(gram.encode("utf-8", "surrogatepass")) % _DIMENSION] += 1.0
    return counts / max(float(np.linalg.norm(counts)), 1.0)
