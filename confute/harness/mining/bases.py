"""One orthonormal basis for each evidence set, made in stacked batches and kept by row count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confute.errors import VictimError
from confute.victims import energy
from confute.victims.energy import Rank

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Places = NDArray[np.intp]

# Rounding in float32 is magnified by the trace of the inverse Gram matrix, one a row where rows are orthogonal: above
# this much a row, the basis is made by the detector's own factorisation in float64.
_MOST_TRACE = 4.0
_TINY = 1e-24
_ROWS_AT_ONCE = 512


@dataclass(frozen=True)
class Stack:
    """The bases of all sets with the same number of directions.

    `places` (sets,) are their numbers in the pool, rising; `directions` (sets, directions, dimension) are unit vectors,
    and zeros in place of those that the cut-off drops. Where some rank truncates them they stand in the order of
    falling singular values, so that the bases of all ranks are nested.
    """

    places: Places
    directions: Floats


@dataclass(frozen=True)
class Bases:
    """The bases of a pool's sets, stacked by row count, with the unit centroid of each set's unit rows."""

    stacks: tuple[Stack, ...]
    centroids: Floats

    @property
    def n_sets(self) -> int:
        """How many evidence sets there are."""
        return len(self.centroids)


def build(rows: Floats, offsets: Places, ranks: Sequence[Rank] = ("full",), *, keep_null: bool = False) -> Bases:
    """Return the bases of ragged evidence: set i has rows[offsets[i]:offsets[i + 1]], of any positive length.

    The bases serve each of the ranks. Rows need no unit length. `keep_null` keeps the directions of zero singular
    values that LAPACK happens to return in float32, as a reference to a known mistake. Raises VictimError for a set
    without rows, and for a row that is not finite or has no length.
    """
    counts = np.diff(offsets)
    if len(counts) and counts.min() < 1:
        raise VictimError("an evidence set has no rows", got=int(counts.argmin()))
    centroids = np.empty((len(counts), rows.shape[1]), dtype=np.float32)
    stacks = [
        _stack(rows, offsets, np.flatnonzero(counts == count), ranks, centroids, keep_null=keep_null)
        for count in np.unique(counts)
    ]
    return Bases(stacks=tuple(stacks), centroids=centroids)


def _stack(  # noqa: PLR0913  one value for each thing read or written
    rows: Floats, offsets: Places, places: Places, ranks: Sequence[Rank], centroids: Floats, *, keep_null: bool
) -> Stack:
    """Return the bases of the sets at `places`, all of one row count, and write their centroids."""
    count, dimension = int(offsets[places[0] + 1] - offsets[places[0]]), rows.shape[1]
    whole = min(count, dimension)
    kept = max(whole if rank == "full" else min(rank, whole) for rank in ranks)
    is_nested = any(rank != "full" and rank < whole for rank in ranks)
    step = max(1, _ROWS_AT_ONCE // count)
    space = np.empty((step, count, dimension), dtype=np.float32)
    directions = np.empty((len(places), kept, dimension), dtype=np.float32)
    for start in range(0, len(places), step):
        chunk = places[start : start + step]
        stack, made = _gathered(rows, offsets[chunk], space[: len(chunk)]), directions[start : start + step]
        gram, scales = _gram(stack, is_nested=is_nested)
        if keep_null:
            made[:] = np.linalg.svd(_unit(stack, scales), full_matrices=False)[2][:, :kept]
        else:
            _write_directions(gram, scales, stack, made, is_nested=is_nested)
        centroids[chunk] = _centroids(gram, scales, stack)
    return Stack(places=places, directions=directions)


def _centroids(gram: Doubles, scales: Doubles, stack: Floats) -> Floats:
    """Return the unit mean of each set's unit rows; no direction where they cancel."""
    squares = gram.sum(axis=(1, 2))
    shares = np.where(squares > _TINY**0.5, 1.0 / np.sqrt(np.maximum(squares, _TINY)), 0.0)
    centroids: Floats = np.matmul((scales * shares[:, None]).astype(np.float32)[:, None, :], stack)[:, 0]
    return centroids


def _gathered(rows: Floats, starts: Places, stack: Floats) -> Floats:
    """Return the rows that begin at `starts` as a stack: where they lie without a gap, without a copy."""
    n_sets, count, dimension = stack.shape
    if starts[-1] - starts[0] == (n_sets - 1) * count and (np.diff(starts) == count).all():
        return rows[starts[0] : starts[0] + n_sets * count].reshape(n_sets, count, dimension)
    return rows.take(starts[:, None] + np.arange(count), axis=0, out=stack, mode="clip")


def _gram(stack: Floats, *, is_nested: bool) -> tuple[Doubles, Doubles]:
    """Return the Gram matrices of the unit rows, and the scales that make the rows unit.

    In float64 where directions are told apart by their singular values: their order then rests on small gaps.
    """
    exact = stack.astype(np.float64) if is_nested else stack
    with np.errstate(invalid="ignore", over="ignore"):
        gram = np.matmul(exact, exact.transpose(0, 2, 1)).astype(np.float64, copy=False)
    squares = np.einsum("srr->sr", gram)
    if not (np.isfinite(squares).all() and (squares > 0).all()):
        raise VictimError("an evidence row is not finite or has no length")
    scales: Doubles = 1.0 / np.sqrt(squares)
    gram *= scales[:, :, None]
    gram *= scales[:, None, :]
    return gram, scales


def _write_directions(gram: Doubles, scales: Doubles, stack: Floats, directions: Floats, *, is_nested: bool) -> None:
    kept = directions.shape[1]
    weights = _nested_weights(gram, kept) if is_nested else _weights(gram, kept)
    unsafe = np.flatnonzero(~(np.einsum("sdr,sdr->s", weights, weights) < _MOST_TRACE * stack.shape[1]))
    weights *= scales[:, None, :]
    np.matmul(weights.astype(np.float32), stack, out=directions)
    if len(unsafe):
        exact = stack[unsafe].astype(np.float64)
        exact /= np.linalg.norm(exact, axis=2, keepdims=True)
        for place, basis in zip(unsafe, energy.bases(exact, kept), strict=True):
            directions[place] = 0
            directions[place, : len(basis)] = basis


def _unit(stack: Floats, scales: Doubles) -> Floats:
    return (stack * scales[:, :, None]).astype(np.float32)


def _weights(gram: Doubles, kept: int) -> Doubles:
    """Return any weights W with W E orthonormal: with E E^T = L L^T, W = L^-1, a third of the cost of eigenvectors."""
    try:
        inverse: Doubles = np.linalg.inv(np.linalg.cholesky(gram))
    except np.linalg.LinAlgError:
        return _nested_weights(gram, kept)
    return inverse


def _nested_weights(gram: Doubles, kept: int) -> Doubles:
    """Return W with W E the right singular directions of E, singular values falling: E E^T = A S^2 A^T, W = A^T/S."""
    squares, left = np.linalg.eigh(gram)
    values = np.sqrt(np.maximum(squares[:, ::-1][:, :kept], _TINY))
    weights: Doubles = left[:, :, ::-1].transpose(0, 2, 1)[:, :kept] / values[:, :, None]
    return weights
