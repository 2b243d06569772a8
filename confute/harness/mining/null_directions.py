"""The energy with directions that the evidence does not have: a known mistake, kept to show what it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from confute.models.embedder import Embedder
from confute.records import Pair
from confute.victims.energy import Rank, energy_of
from confute.victims.projection import Array, Projector


class NullDirectionsEnergy:
    """Scores clip(1 - ||V c||^2, 0, 1), V the first `rank` right singular vectors of the unit rows in float32.

    Vectors of zero singular values are among them: LAPACK returns some, and copies of a passage then lower the energy.
    """

    def __init__(self, embedder: Embedder, rank: Rank) -> None:
        self._projector = Projector(embedder, lambda stack: _directions(stack, rank))

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one energy per pair. Raises VictimError where the embedder's vectors are unusable."""
        return self._projector.reduce(pairs, energy_of)


def _directions(stack: Array, rank: Rank) -> list[Array]:
    right = np.linalg.svd(stack.astype(np.float32), full_matrices=False)[2]
    kept = right if rank == "full" else right[:, :rank]
    return [np.ascontiguousarray(basis, dtype=np.float64) for basis in kept]
