"""Hallucination Energy: the share of a claim's direction that its evidence does not span."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from confute.models.embedder import Embedder
from confute.records import Pair
from confute.victims.projection import Array, Projector

Rank = int | Literal["full"]

_RCOND = 1e-6


class HallucinationEnergy:
    """Scores H(c, E) = clip(1 - ||U^T c||^2, 0, 1), in [0, 1]; each item of a pair's evidence is one row of E.

    c and the rows of E are unit vectors, not centred; U holds the first `rank` right singular directions of E, or all
    of them for `full`, without those whose singular value is at most 1e-6 of the largest, so that a copied passage
    adds no direction. A higher rank never raises H; at full rank, nor does added evidence, but for what
    the cut-off drops.
    """

    def __init__(self, embedder: Embedder, rank: Rank) -> None:
        self._projector = Projector(embedder, lambda stack: bases(stack, rank))

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one energy per pair. Raises VictimError where the embedder's vectors are unusable."""
        return self._projector.reduce(pairs, energy_of)


def bases(stack: Array, rank: Rank) -> list[Array]:
    """Return an orthonormal basis (k, dimension), 1 <= k <= rank, for each set of a (sets, rows, dimension) stack.

    E^T = Q R and R = A S B^T give the right singular directions Q A of E: backward stable like the SVD of E itself,
    at half its cost where rows are few, and, unlike the eigenvectors of the Gram matrix, exact down to the cut-off.
    """
    q, r = np.linalg.qr(stack.transpose(0, 2, 1))
    left, values, _ = np.linalg.svd(r, full_matrices=False)
    directions = q @ left
    kept = (values > _RCOND * values[:, :1]).sum(axis=1)
    if rank != "full":
        kept = np.minimum(kept, rank)
    return [np.ascontiguousarray(basis[:, :count].T) for basis, count in zip(directions, kept, strict=True)]


def energy_of(coordinates: Array) -> Array:
    """Return clip(1 - ||x||^2, 0, 1) for each row x of coordinates, shape (pairs, directions)."""
    energies: Array = np.clip(1.0 - np.square(coordinates).sum(axis=1), 0.0, 1.0)
    return energies
