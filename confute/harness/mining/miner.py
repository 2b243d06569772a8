"""The wrong evidence that each mode of mining gives a claim, from random to the lowest energy of all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confute.curve_plan import Strategy, Toggles
from confute.errors import VictimError
from confute.harness.mining import bases, energies, shortlist
from confute.harness.mining.bases import Floats
from confute.harness.mining.pool import Pool, kept_apart
from confute.harness.mining.shortlist import NONE, Ineligible, ineligible
from confute.harness.mining.support import Support
from confute.records import Case
from confute.victims.energy import Rank

Chosen = NDArray[np.intp]


@dataclass(frozen=True)
class Found:
    """The set chosen for each claim, NONE where there was none to choose, and its place by similarity, from 1.

    A claim with fewer eligible sets than the budget has none: it is a stated state, never a smaller search. A place
    of 0 beside a set tells that the set was drawn, not searched.
    """

    sets: Chosen
    depths: Chosen


@dataclass(frozen=True)
class Sweep:
    """What energy-aware mining found at one rank: for each budget, and among all eligible sets where that was asked."""

    rank: Rank
    budgets: dict[int, Found]
    exhaustive: Found | None


class Miner:
    """Mines a pool for a frozen set of claims; every choice is a function of the claims, the pool and the seed.

    `vectors` (claims, dimension) are the claims' embeddings, of any length. Sets that support a claim, by `support` or
    because they hold its whole evidence, are no choice for it under any toggle. Raises VictimError for a vector that
    is not finite or has no length.
    """

    def __init__(  # noqa: PLR0913  one value for each thing that a choice depends on
        self,
        claims: Sequence[Case],
        vectors: Floats,
        pool: Pool,
        *,
        toggles: Toggles,
        seed: int,
        support: Support | None = None,
    ) -> None:
        self._claims = claims
        self._vectors = _unit(claims, vectors)
        self._pool = pool
        self._toggles = toggles
        self._seed = seed
        self.kept = kept_apart(claims, pool, guarded=toggles.source_guard, support=support)
        self._excluded = self.kept.out

    @property
    def eligible(self) -> NDArray[np.intp]:
        """How many sets each claim may be given."""
        return len(self._pool.sets) - self._excluded.counts

    def drawn(self, draw: Strategy) -> Chosen:
        """Return one eligible set for each claim, drawn uniformly without asking anybody; NONE without one."""
        everything = np.arange(len(self._pool.sets))
        chosen = []
        for row, claim in enumerate(self._claims):
            some = np.setdiff1d(everything, self._excluded.of(row), assume_unique=True)
            if draw is Strategy.SAME_DOMAIN:
                some = np.array([place for place in some if claim.domain in self._pool.sets[place].domains])
            generator = random.Random(f"{self._seed}/mining/{draw}/{claim.case_id}")  # noqa: S311  a draw, no secret
            chosen.append(int(some[generator.randrange(len(some))]) if len(some) else NONE)
        return np.array(chosen, dtype=np.intp)

    def sweep(self, ranks: Sequence[Rank], budgets: Sequence[int], *, exhaustive: bool = True) -> tuple[Sweep, ...]:
        """Return what the lowest energy among the nearest K gives, for each rank, all budgets from one pass.

        The first place of the shortlist is the semantic neighbour: at K = 1 nothing is left to choose.
        """
        made = bases.build(self._pool.rows, self._pool.offsets, ranks, keep_null=not self._toggles.drop_null_directions)
        nearest = shortlist.nearest(self._vectors, made.centroids, self._out_of_shortlist(), max(budgets))
        found = energies.shortlisted(self._vectors, made, nearest, ranks)
        if not self._toggles.eligible_budget:
            found = np.where(self._is_excluded(nearest), np.inf, found)
        least = energies.least(self._vectors, made, self._excluded, ranks) if exhaustive else None
        return tuple(
            Sweep(
                rank=rank,
                budgets={k: self._best(nearest, found[at], k) for k in budgets},
                exhaustive=None if least is None else self._with_depths(least[at].sets.astype(np.intp), made.centroids),
            )
            for at, rank in enumerate(ranks)
        )

    def _out_of_shortlist(self) -> Ineligible:
        return self._excluded if self._toggles.eligible_budget else ineligible([[] for _ in self._claims])

    def _is_excluded(self, nearest: NDArray[np.int32]) -> NDArray[np.bool_]:
        return np.array([np.isin(row, self._excluded.of(at)) for at, row in enumerate(nearest)])

    def _best(self, nearest: NDArray[np.int32], found: Floats, k: int) -> Found:
        """Choose the least energy of the first k places; a tie goes to the nearer set."""
        column = found[:, :k].argmin(axis=1)
        rows = np.arange(len(column))
        sets = nearest[rows, column].astype(np.intp)
        lacking = np.isinf(found[rows, column])
        if not self._toggles.eligible_budget:
            for row in np.flatnonzero(lacking).tolist():
                draw = f"{self._seed}/mining/left over/{k}/{self._claims[row].case_id}"
                generator = random.Random(draw)  # noqa: S311  a draw, no secret
                sets[row] = generator.randrange(len(self._pool.sets))
            return Found(sets, np.where(lacking, 0, column + 1))
        lacking |= self.eligible < k
        return Found(np.where(lacking, NONE, sets), np.where(lacking, 0, column + 1))

    def _with_depths(self, sets: Chosen, centroids: Floats) -> Found:
        return Found(sets, shortlist.depth(self._vectors, centroids, self._excluded, sets))


def _unit(claims: Sequence[Case], vectors: Floats) -> Floats:
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unusable = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)))
    if len(unusable):
        raise VictimError(
            "the vector of a claim is not finite or has no length",
            field=claims[unusable[0]].case_id,
            got=f"{len(unusable)} of {len(claims)} claims",
            hint="leave these claims out, or give an embedder that knows their text",
        )
    unit: Floats = vectors / lengths
    return unit
