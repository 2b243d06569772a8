"""What a curve measures: for each point of its sweep a row a claim, mined, ruled on and scored by a frozen victim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from confute.curve_plan import CurvePlan, Rank, Strategy
from confute.harness.campaign import Progress
from confute.harness.degradation_rows import OWN, Kind, Point, PointLedger, PointRow, Variant
from confute.harness.mining.miner import Found, Miner
from confute.harness.mining.pool import Pool
from confute.harness.mining.shortlist import NONE
from confute.harness.mining.support import Support
from confute.records import Case, Pair, Validity
from confute.victims.frozen import FrozenVictim

_NEAREST = 1


@dataclass(frozen=True)
class Frozen:
    """One way to mine with everything set: its claims, what mines for them, and a frozen victim for each rank."""

    variant: Variant
    claims: tuple[Case, ...]
    miner: Miner
    victims: Mapping[Rank, FrozenVictim]


@dataclass(frozen=True)
class Measurer:
    """Measures the points of a sweep that its ledger does not hold yet, each in one transaction."""

    contract_digest: str
    plan: CurvePlan
    labelled: tuple[Case, ...]
    pool: Pool
    support: Support
    ledger: PointLedger
    progress: Progress

    def measure(self, frozen: Frozen) -> None:
        """Write every missing point of one way to mine, in order."""
        points = [point for rank in frozen.variant.ranks for point in frozen.variant.points(self.plan, rank)]
        self.progress.begin("measure", len(points))
        missing = [point for point in points if point not in self.ledger]
        self.progress.advance(len(points) - len(missing))
        found = self._mined(frozen) if any(point.kind != OWN for point in missing) else {}
        for point in missing:
            self.ledger.append(self._rows(point, frozen, found))
            self.progress.advance(1)

    def _mined(self, frozen: Frozen) -> dict[Point, Found]:
        """Return the sets of every point; the semantic neighbour is the nearest set, where no energy can choose."""
        variant, miner, count = frozen.variant, frozen.miner, len(frozen.claims)
        numbers = sorted({_NEAREST, *self.plan.numbers})
        sweeps = miner.sweep(variant.ranks, numbers, exhaustive="all" in self.plan.budgets)
        draws = {
            kind: Found(miner.drawn(kind), np.zeros(count, dtype=np.intp))
            for kind in (Strategy.RANDOM, Strategy.SAME_DOMAIN)
            if kind in self.plan.strategies
        }
        mined: dict[Point, Found] = {}
        for sweep in sweeps:
            by_kind: dict[tuple[Kind, object], Found | None] = {(kind, None): one for kind, one in draws.items()}
            by_kind[Strategy.SEMANTIC_NEIGHBOUR, None] = sweep.budgets[_NEAREST]
            by_kind |= {(Strategy.ENERGY_AWARE, budget): one for budget, one in sweep.budgets.items()}
            by_kind[Strategy.ENERGY_AWARE, "all"] = sweep.exhaustive
            for point in variant.points(self.plan, sweep.rank):
                if (one := by_kind.get((point.kind, point.budget))) is not None:
                    mined[point] = one
        return mined

    def _rows(self, point: Point, frozen: Frozen, found: Mapping[Point, Found]) -> tuple[PointRow, ...]:
        victim = frozen.victims[point.rank]
        if point.kind == OWN:
            return tuple(self._own(point, victim))
        return tuple(self._negatives(point, frozen, found[point]))

    def _own(self, point: Point, victim: FrozenVictim) -> Iterator[PointRow]:
        scores = victim.measure([case.pair for case in self.labelled])
        for case, score in zip(self.labelled, scores, strict=True):
            yield PointRow(
                contract_digest=self.contract_digest,
                point=point,
                case_id=case.case_id,
                score=score,
                decision=victim.decide(score),
            )

    def _negatives(self, point: Point, frozen: Frozen, found: Found) -> Iterator[PointRow]:
        victim, claims, supporting = frozen.victims[point.rank], frozen.claims, frozen.miner.kept.supporting
        validity = [
            Validity.INVALID if place in supporting.of(row) else self._word(claims[row], place)
            for row, place in enumerate(found.sets)
        ]
        asked = [row for row, word in enumerate(validity) if word in {Validity.VALID, Validity.UNKNOWN}]
        pairs = [Pair(claim=claims[row].claim, evidence=self.pool.sets[found.sets[row]].evidence) for row in asked]
        scores = dict(zip(asked, victim.measure(pairs), strict=True))
        for row, case in enumerate(claims):
            score = scores.get(row)
            yield PointRow(
                contract_digest=self.contract_digest,
                point=point,
                case_id=case.case_id,
                set_id=None if found.sets[row] == NONE else self.pool.sets[found.sets[row]].set_id,
                depth=int(found.depths[row]),
                validity=validity[row],
                score=score,
                decision=None if score is None else victim.decide(score),
            )

    def _word(self, case: Case, place: int) -> Validity | None:
        return None if place == NONE else self.support.word(case, self.pool.sets[place].evidence)
