"""The nested shortlists of a sweep: for each claim, the most similar eligible evidence sets, nearest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confute.harness.mining.bases import Floats, Places

NONE = -1
"""Stands where a shortlist has no further eligible set."""

Keys = NDArray[np.uint64]

_CLAIMS_AT_ONCE, _CELLS_AT_ONCE, _CELLS_SORTED_AT_ONCE = 256, 2**25, 2**17
_GROUPS = 8

# A key holds, from the highest bit: 8 bits of the row in its block, 32 of the distance, 24 of the column.
_ROW_SHIFT, _COLUMN_BITS = np.uint64(56), np.uint64(24)
_COLUMN, _DISTANCE, _INFINITY = np.uint64(2**24 - 1), np.uint64(2**32 - 1), np.uint64(0xFF800000)


@dataclass(frozen=True)
class Ineligible:
    """For each claim the sets that it may not be given, as rising set numbers: sets[offsets[i]:offsets[i + 1]]."""

    offsets: NDArray[np.intp]
    sets: Places

    def of(self, claim: int) -> Places:
        """Return the ineligible sets of one claim."""
        return self.sets[self.offsets[claim] : self.offsets[claim + 1]]

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many sets are ineligible for each claim."""
        return np.diff(self.offsets)

    def mark(self, block: Floats, start: int, value: float) -> None:
        """Write a value into the ineligible cells of a (claims, sets) block that begins at claim `start`."""
        low, high = self.offsets[start], self.offsets[start + len(block)]
        rows = np.repeat(np.arange(len(block)), self.counts[start : start + len(block)])
        block[rows, self.sets[low:high]] = value


def ineligible(lists: list[list[int]]) -> Ineligible:
    """Return the ineligible sets of each claim from one list a claim."""
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.intp)
    return Ineligible(offsets, np.array([place for one in lists for place in sorted(one)], dtype=np.intp))


def nearest(claims: Floats, centroids: Floats, excluded: Ineligible, k: int) -> NDArray[np.int32]:
    """Return the `k` eligible sets of highest cosine to each unit claim, shape (claims, min(k, sets)).

    Nearest first, a tie by set number; NONE where there is no further eligible set. The first columns are the
    shortlist of every smaller k. There may be at most 2^24 sets.
    """
    width = min(k, len(centroids))
    found = np.empty((len(claims), width), dtype=np.int32)
    step, distinct = _step(centroids), _distinct(centroids)
    for start in range(0, len(claims), step):
        distances = _distances(claims[start : start + step], distinct)
        excluded.mark(distances, start, np.inf)
        found[start : start + step] = _least(distances, width)
    return found


def depth(claims: Floats, centroids: Floats, excluded: Ineligible, chosen: Places) -> Places:
    """Return the place (from 1) of each claim's chosen set among its eligible sets by similarity; 0 for NONE."""
    places = np.zeros(len(claims), dtype=np.intp)
    step, distinct = _step(centroids), _distinct(centroids)
    numbers = np.arange(len(centroids))
    for start in range(0, len(claims), step):
        distances = _distances(claims[start : start + step], distinct)
        excluded.mark(distances, start, np.inf)
        own = chosen[start : start + step]
        at = distances[np.arange(len(own)), own][:, None]
        before = (distances < at) | ((distances == at) & (numbers < own[:, None]))
        places[start : start + step] = np.where(own == NONE, 0, 1 + before.sum(axis=1))
    return places


def _step(centroids: Floats) -> int:
    return min(_CLAIMS_AT_ONCE, max(1, _CELLS_AT_ONCE // max(1, len(centroids))))


class _Distinct(NamedTuple):
    """Centroids without repeats, and where each of all is among them; None where nothing repeats."""

    centroids: Floats
    places: Places | None


def _distinct(centroids: Floats) -> _Distinct:
    """Part repeats from the product: what it rounds to depends on the column, and equal centroids are to tie."""
    if len(np.unique(centroids[:, 0])) == len(centroids):
        return _Distinct(centroids, None)
    rows = np.ascontiguousarray(centroids + np.float32(0))  # adding 0 makes a negative zero positive
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    _, first, places = np.unique(whole, return_index=True, return_inverse=True)
    return _Distinct(centroids, None) if len(first) == len(centroids) else _Distinct(rows[first], places)


def _distances(block: Floats, distinct: _Distinct) -> Floats:
    found: Floats = -block @ distinct.centroids.T
    return found if distinct.places is None else found[:, distinct.places]


def _least(distances: Floats, width: int) -> NDArray[np.int32]:
    """Return the columns of the `width` least cells of each row, least first, ties by column; NONE for infinity."""
    columns = distances.shape[1]
    if _GROUPS * width <= columns:
        keys = _least_by_bound(distances, width)
    else:
        step = max(1, _CELLS_SORTED_AT_ONCE // columns)
        keys = np.concatenate(
            [_least_by_sort(distances[at : at + step], width) for at in range(0, len(distances), step)]
        )
    found = (keys & _COLUMN).astype(np.int32)
    found[(keys >> _COLUMN_BITS & _DISTANCE) >= _INFINITY] = NONE
    return found


def _least_by_sort(distances: Floats, width: int) -> Keys:
    keys = _keys(distances, np.arange(distances.shape[1], dtype=np.uint64))
    keys.partition(width - 1, axis=1)
    keys = keys[:, :width].copy()
    keys.sort(axis=1)
    return keys


def _least_by_bound(distances: Floats, width: int) -> Keys:
    """Sort only cells at or below a bound that at least `width` cells of a row keep.

    The bound is the `width`-th least of the minima of disjoint groups of cells.
    """
    rows, columns = distances.shape
    groups = _GROUPS // 2 * width
    minima = distances[:, :groups].copy()
    for start in range(groups, columns - groups + 1, groups):
        np.minimum(minima, distances[:, start : start + groups], out=minima)
    minima.partition(width - 1, axis=1)
    cells = np.flatnonzero((distances <= minima[:, width - 1 : width]).ravel())
    row, column = np.divmod(cells, columns)
    keys = _keys(distances.ravel()[cells], column.astype(np.uint64))
    keys |= row.astype(np.uint64) << _ROW_SHIFT
    keys.sort()
    first = np.searchsorted(row, np.arange(rows))
    least: Keys = keys[first[:, None] + np.arange(width)]
    return least


def _keys(distances: Floats, columns: Keys) -> Keys:
    """Return whole numbers in the order of (distance, column)."""
    bits = (distances + np.float32(0)).view(np.int32)  # adding 0 makes a negative zero positive
    keys: Keys = (bits ^ ((bits >> 31) | np.int32(-(2**31)))).view(np.uint32).astype(np.uint64)
    keys <<= _COLUMN_BITS
    keys |= columns
    return keys
