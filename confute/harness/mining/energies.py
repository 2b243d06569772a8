"""Energies of many claims against many evidence sets: grouped by set for a shortlist, one product for all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confute.harness.mining.bases import Bases, Floats, Places
from confute.harness.mining.shortlist import NONE, Ineligible
from confute.victims.energy import Rank

# Measured on one core: a pair of a shortlist costs about two and a half times a pair of the full product, since its
# claims are gathered for each set anew.
_COST_OF_A_SHORTLISTED_PAIR = 2.5
_CLAIMS_AT_ONCE, _SETS_AT_ONCE = 1024, 1024
_CELLS_AT_ONCE = 2**26
_PAIRS_AT_ONCE = 2**16


class Least(NamedTuple):
    """The least energy of each claim over its eligible sets and the set that gives it; inf and NONE without one."""

    energies: Floats
    sets: NDArray[np.int32]


def shortlisted(claims: Floats, bases: Bases, shortlist: NDArray[np.int32], ranks: Sequence[Rank]) -> Floats:
    """Return the energy of each unit claim with each set of its shortlist, shape (ranks, claims, k); inf for NONE.

    Each rank is the cumulative sum of one product, since the bases of ranks are nested.
    """
    if shortlist.shape[1] * _COST_OF_A_SHORTLISTED_PAIR < bases.n_sets:
        return _grouped(claims, bases, shortlist, ranks)
    energies = np.full((len(ranks), *shortlist.shape), np.inf, dtype=np.float32)
    for start, stop, explained in _products(claims, bases, ranks):
        chosen = shortlist[start:stop]
        found = 1 - np.take_along_axis(explained, np.maximum(chosen, 0)[None], axis=2)
        energies[:, start:stop] = np.where(chosen == NONE, np.inf, np.maximum(found, 0))
    return energies


def least(claims: Floats, bases: Bases, excluded: Ineligible, ranks: Sequence[Rank]) -> tuple[Least, ...]:
    """Return the least energy of each unit claim over all its eligible sets, for each rank; ties by set number."""
    energies = np.full((len(ranks), len(claims)), np.inf, dtype=np.float32)
    sets = np.full((len(ranks), len(claims)), NONE, dtype=np.int32)
    for start, stop, explained in _products(claims, bases, ranks):
        for at in range(len(ranks)):
            excluded.mark(explained[at], start, -np.inf)
            best = explained[at].argmax(axis=1)
            value = 1 - explained[at][np.arange(stop - start), best]
            energies[at, start:stop] = np.maximum(value, 0)
            sets[at, start:stop] = np.where(np.isinf(value), NONE, best)
    return tuple(Least(*pair) for pair in zip(energies, sets, strict=True))


def _products(claims: Floats, bases: Bases, ranks: Sequence[Rank]) -> Iterator[tuple[int, int, Floats]]:
    """Yield blocks of claims with what every set explains of them, shape (ranks, claims, sets)."""
    step = min(_CLAIMS_AT_ONCE, max(1, _CELLS_AT_ONCE // max(1, bases.n_sets * len(ranks))))
    for start in range(0, len(claims), step):
        block = claims[start : start + step]
        explained = np.empty((len(ranks), len(block), bases.n_sets), dtype=np.float32)
        for stack in bases.stacks:
            for low in range(0, len(stack.places), _SETS_AT_ONCE):
                part = slice(low, low + _SETS_AT_ONCE)
                _explain(block, stack.directions[part], stack.places[part], ranks, explained)
        yield start, start + len(block), explained


def _explain(block: Floats, directions: Floats, places: Places, ranks: Sequence[Rank], explained: Floats) -> None:
    sums = np.zeros((len(block), len(places)), dtype=np.float32)
    product = np.empty_like(sums)
    columns = _columns(places)
    last = directions.shape[1]
    for direction in range(last):
        np.matmul(block, directions[:, direction].T, out=product)
        np.multiply(product, product, out=product)
        sums += product
        for at, rank in enumerate(ranks):
            if _stop(rank, last) == direction + 1:
                explained[at][:, columns] = sums


def _grouped(claims: Floats, bases: Bases, shortlist: NDArray[np.int32], ranks: Sequence[Rank]) -> Floats:
    energies = np.full((len(ranks), shortlist.size), np.inf, dtype=np.float32)
    positions, bounds = _by_set(shortlist, bases)
    first = 0
    for stack in bases.stacks:
        own = bounds[first : first + len(stack.places) + 1]
        first += len(stack.places)
        for low, high in _tiles(own):
            places = positions[own[low] : own[high]]
            coordinates = _coordinates(
                claims, stack.directions[low:high], places // shortlist.shape[1], own[low : high + 1]
            )
            for at, rank in enumerate(ranks):
                share = coordinates[:, : _stop(rank, coordinates.shape[1])]
                energies[at, places] = np.maximum(1 - np.einsum("pr,pr->p", share, share), 0)
    return energies.reshape(len(ranks), *shortlist.shape)


def _coordinates(claims: Floats, directions: Floats, chosen: Places, bounds: Places) -> Floats:
    """Return the coordinates of chosen[bounds[i]:bounds[i + 1]], counted from the first bound, on basis i."""
    coordinates = np.empty((len(chosen), directions.shape[1]), dtype=np.float32)
    edges = (bounds - bounds[0]).tolist()
    take, dot = claims.take, np.dot
    for low, high, basis in zip(edges, edges[1:], directions.transpose(0, 2, 1), strict=False):
        if low < high:
            dot(take(chosen[low:high], 0), basis, coordinates[low:high])
    return coordinates


def _by_set(shortlist: NDArray[np.int32], bases: Bases) -> tuple[Places, Places]:
    """Return the flat positions of a shortlist, sets in the order of the stacks, and where each set's begin."""
    order = np.empty(bases.n_sets + 1, dtype=np.int64)
    order[np.concatenate([stack.places for stack in bases.stacks])] = np.arange(bases.n_sets)
    order[NONE] = bases.n_sets
    keys = (order[shortlist.ravel()] << 32) | np.arange(shortlist.size, dtype=np.int64)
    keys.sort()
    bounds = np.searchsorted(keys, np.arange(bases.n_sets + 1, dtype=np.int64) << 32)
    keys &= 0xFFFFFFFF
    return keys, bounds


def _tiles(bounds: Places) -> Iterator[tuple[int, int]]:
    """Yield runs of sets, half open, of about _PAIRS_AT_ONCE pairs each."""
    tile_of = (bounds[1:] - bounds[0]) // _PAIRS_AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(tile_of)) + 1).tolist(), len(tile_of)]
    yield from pairwise(edges)


def _stop(rank: Rank, directions: int) -> int:
    return directions if rank == "full" else min(rank, directions)


def _columns(places: Places) -> slice | Places:
    whole = int(places[-1]) - int(places[0]) + 1 == len(places)
    return slice(int(places[0]), int(places[-1]) + 1) if whole else places
