"""Nearest-passage cosine: how far a claim is from the passage most like it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from confute.models.embedder import Embedder
from confute.records import Pair
from confute.victims.projection import Array, Projector


class NearestPassage:
    """Scores 1 - max cosine(claim, passage), in [0, 2]."""

    def __init__(self, embedder: Embedder) -> None:
        self._projector = Projector(embedder, list)

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one risk per pair. Raises VictimError where the embedder's vectors are unusable."""
        return self._projector.reduce(pairs, _distance)


def _distance(cosines: Array) -> Array:
    distances: Array = np.clip(1.0 - cosines.max(axis=1), 0.0, 2.0)
    return distances
