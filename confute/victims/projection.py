"""Claims projected on the rows that their evidence gives, for ragged evidence and without a loop over pairs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from confute.errors import VictimError
from confute.models.embedder import Embedder
from confute.records import Pair

Array = NDArray[np.float64]
Passages = tuple[str, ...]

_CACHE_BYTES = 128 * 2**20
_STACK_FLOATS = 2**22


class Projector:
    """Gives every pair the coordinates of its claim on the rows of its evidence.

    `rows_of` turns unit passage vectors, stacked as (sets, passages, dimension), into one (rows, dimension) array for
    each set. Rows are worked out once for each distinct evidence set and kept, so that a search which edits claims
    alone pays for projections alone. Every number is bitwise independent of what else stands in the batch: sets are
    factorised, and claims projected, each by one LAPACK or BLAS call of its own shape.
    """

    def __init__(self, embedder: Embedder, rows_of: Callable[[Array], Sequence[Array]]) -> None:
        self._embedder = embedder
        self._rows_of = rows_of
        self._kept: OrderedDict[Passages, Array] = OrderedDict()
        self._kept_bytes = 0

    def reduce(self, pairs: Sequence[Pair], measure: Callable[[Array], Array]) -> list[float]:
        """Return `measure` of each pair's coordinates; it maps (pairs, rows) to (pairs,).

        Raises VictimError where a vector is not finite, has no length, or has another dimension than the rest.
        """
        if not pairs:
            return []
        sets = list(dict.fromkeys(pair.evidence for pair in pairs))
        claims = list(dict.fromkeys(pair.claim for pair in pairs))
        missing = [passages for passages in sets if passages not in self._kept]
        texts = list(dict.fromkeys([*claims, *chain.from_iterable(missing)]))
        places = {text: place for place, text in enumerate(texts)}
        vectors = self._embed(texts)
        fresh = self._rows(missing, places, vectors)
        rows = [fresh[passages] if passages in fresh else self._kept[passages] for passages in sets]
        self._keep(sets, rows)
        place_of_set = {passages: place for place, passages in enumerate(sets)}
        chosen = np.array([place_of_set[pair.evidence] for pair in pairs])
        return _reduce(rows, chosen, vectors[[places[pair.claim] for pair in pairs]], measure)

    def _embed(self, texts: Sequence[str]) -> Array:
        vectors = np.asarray(self._embedder.embed(texts), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise VictimError("the embedder must give one vector a text", got=vectors.shape)
        lengths = np.sqrt(np.einsum("td,td->t", vectors, vectors))
        bad = np.flatnonzero(~np.isfinite(lengths) | (lengths <= 0))
        if bad.size:
            raise VictimError("the embedder gave a vector that is not finite or has no length", got=texts[bad[0]])
        unit: Array = vectors / lengths[:, None]
        return unit

    def _rows(self, sets: Sequence[Passages], places: dict[str, int], vectors: Array) -> dict[Passages, Array]:
        rows: dict[Passages, Array] = {}
        for count in sorted({len(passages) for passages in sets}):
            group = [passages for passages in sets if len(passages) == count]
            step = max(1, _STACK_FLOATS // (count * vectors.shape[1]))
            for start in range(0, len(group), step):
                chunk = group[start : start + step]
                stack = vectors[[[places[passage] for passage in passages] for passages in chunk]]
                rows |= zip(chunk, self._rows_of(stack), strict=True)
        return rows

    def _keep(self, sets: Sequence[Passages], rows: Sequence[Array]) -> None:
        for passages, array in zip(sets, rows, strict=True):
            if passages not in self._kept:
                self._kept_bytes += array.nbytes
            self._kept[passages] = array
            self._kept.move_to_end(passages)
        while self._kept_bytes > _CACHE_BYTES and self._kept:
            self._kept_bytes -= self._kept.popitem(last=False)[1].nbytes


def _reduce(
    rows: Sequence[Array], chosen: NDArray[np.intp], claims: Array, measure: Callable[[Array], Array]
) -> list[float]:
    counts = np.array([len(array) for array in rows])
    if any(array.shape[1] != claims.shape[1] for array in rows):
        raise VictimError("the embedder changed the dimension of its vectors", got=claims.shape[1])
    risks = np.empty(len(chosen))
    for count in sorted(set(counts.tolist())):
        places = np.flatnonzero(counts == count)
        stack = np.stack([rows[place] for place in places.tolist()])
        within = np.searchsorted(places, chosen)
        members = np.flatnonzero(counts[chosen] == count)
        step = max(1, _STACK_FLOATS // stack[0].size)
        for start in range(0, len(members), step):
            chunk = members[start : start + step]
            coordinates = np.matmul(stack[within[chunk]], claims[chunk, :, None])[:, :, 0]
            risks[chunk] = measure(coordinates)
    return [float(risk) for risk in risks]
