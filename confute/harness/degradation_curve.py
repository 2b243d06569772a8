"""One curve made of the rows of a ledger: claims with their own evidence, and with what each point found for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from confute.curve_plan import Budget, Strategy
from confute.harness import degradation_figures as figures
from confute.harness.degradation import Monotony, Negatives, RankCurve
from confute.harness.degradation_figures import Resampled, Scored
from confute.harness.degradation_manifest import CurveManifest
from confute.harness.degradation_rows import OWN, Point, PointRow
from confute.harness.manifest import CaseSummary, VictimSummary
from confute.harness.rates import Estimate, estimate
from confute.harness.recorder import outcome_of
from confute.harness.stats.ranking import auc, auc_interval
from confute.records import Label, Outcome, Validity

_ROUNDING = 1e-5

Rows = Mapping[Point, Sequence[PointRow]]


def rank_curve(manifest: CurveManifest, claims: Sequence[str], victim: VictimSummary, rows: Rows) -> RankCurve:
    """Return every figure of one rank, from the rows of all its points; `claims` are the ids of the positives."""
    return _Curve(manifest, claims, victim, rows).made()


class _Curve:
    def __init__(self, manifest: CurveManifest, claims: Sequence[str], victim: VictimSummary, rows: Rows) -> None:
        self._manifest = manifest
        self._victim = victim
        self._cases = {case.case_id: case for case in manifest.cases}
        self._rank = next(iter(rows)).rank
        own = next(some for point, some in rows.items() if point.kind == OWN)
        self._labelled = [(self._cases[row.case_id], row) for row in own]
        measured = {row.case_id for row in own if _value(row) is not None}
        self._unmeasured = len(set(claims) - measured)
        self._ids = [case_id for case_id in claims if case_id in measured]
        by_case = {row.case_id: row for row in own}
        self._own = [_scored(self._case(by_case[name]), by_case[name], Label.SUPPORTED) for name in self._ids]
        kept = set(self._ids)
        self._rows = {
            point.name: [row for row in some if row.case_id in kept]
            for point, some in rows.items()
            if point.kind != OWN
        }
        self._budgets: dict[str, Budget] = {point.name: point.budget for point in rows if point.budget is not None}
        self._scores = {kind: [self._negative(row) for row in some] for kind, some in self._rows.items()}

    def made(self) -> RankCurve:
        evaluation, plan = self._manifest.contract.evaluation, self._manifest.plan
        seed = f"curve/{evaluation.seed}"
        sampled = Resampled(self._own, self._scores, Strategy.RANDOM, seed=seed, replicates=plan.resamples)
        numbers = {budget: name for name, budget in self._budgets.items() if isinstance(budget, int)}
        trend = sampled.trend(numbers)
        positives = figures.histogram(self._own)
        points = tuple(self._negatives(kind, sampled, positives) for kind in self._budgets)
        values = [one.value for one in self._own if one.value is not None]
        reached = (one.name for one in points if one.auc.low is not None and one.auc.low <= 0.5)
        others = {kind: self._negatives(kind, sampled, positives) for kind in self._rows if kind not in self._budgets}
        return RankCurve(
            rank=self._rank,
            victim=self._victim,
            claims=len(self._ids),
            groups=len({one.group for one in self._own}),
            unmeasured=self._unmeasured,
            positives_mean=float(np.mean(values)) if values else None,
            positives_histogram=positives,
            supported_acceptance=sampled.supported_acceptance(),
            own_label_auc=self._own_label_auc(),
            own_labels=dict(sorted(Counter(case.label.value for case, _ in self._labelled).items())),
            baseline=others[Strategy.RANDOM],
            same_domain=others.get(Strategy.SAME_DOMAIN),
            semantic_neighbour=others.get(Strategy.SEMANTIC_NEIGHBOUR),
            points=points,
            common_claims=len(trend.claims),
            lambda_adv=trend.slope,
            largest_drop=trend.largest_drop,
            monotony=self._monotony(trend.claims),
            first_accepted_at=self._first_accepted_at(),
            meets_at=next(reached, None),
        )

    def _case(self, row: PointRow) -> CaseSummary:
        return self._cases[row.case_id]

    def _negative(self, row: PointRow) -> Scored:
        return _scored(self._case(row), row, Label.UNSUPPORTED)

    def _negatives(self, kind: str, sampled: Resampled, positives: tuple[int, ...]) -> Negatives:
        found = sampled.figures(kind)
        counts = Counter(row.validity for row in self._rows[kind])
        bins = figures.histogram(self._scores[kind])
        return Negatives(
            name=kind,
            budget=int(kind) if kind.isdecimal() else None,
            claims=len(self._ids),
            mined=len(self._ids) - counts[None],
            too_few_eligible=counts[None],
            ruled_supported=counts[Validity.INVALID],
            fallen_back=sum(row.set_id is not None and not row.depth for row in self._rows[kind])
            if kind in self._budgets
            else 0,
            unchecked=counts[Validity.UNKNOWN],
            mean=found.mean,
            gap=found.gap,
            auc=found.auc,
            false_acceptance=found.false_acceptance,
            induced=found.induced,
            overlap=figures.overlap(positives, bins),
            histogram=bins,
            depth=figures.depth_of([row.depth for row in self._rows[kind]]),
        )

    def _own_label_auc(self) -> Estimate:
        """Return how well SUPPORTED rows are told from the rest on each row's own evidence."""
        sides: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
        for case, row in self._labelled:
            if (value := _value(row)) is not None:
                sides[case.label is Label.SUPPORTED].append((value, case.group))
        lower, higher = ([value for value, _ in sides[side]] for side in (True, False))
        lower_groups, higher_groups = ([group for _, group in sides[side]] for side in (True, False))
        interval = auc_interval(
            lower,
            higher,
            lower_groups,
            higher_groups,
            seed="curve/own labels",
            replicates=self._manifest.plan.resamples,
        )
        return estimate(auc(lower, higher), interval, len({*lower_groups, *higher_groups}))

    def _monotony(self, claims: Sequence[int]) -> Monotony:
        pairs = [
            (self._scores[before][claim], self._scores[after][claim])
            for before, after in pairwise(self._budgets)
            for claim in claims
        ]
        rises = [
            second.value - first.value
            for first, second in pairs
            if first.value is not None and second.value is not None
        ]
        return Monotony(
            compared=len(rises),
            rises=sum(rise > _ROUNDING for rise in rises),
            largest=max([0.0, *rises]),
        )

    def _first_accepted_at(self) -> dict[str, int]:
        firsts = [
            next((kind for kind in self._budgets if self._scores[kind][row].outcome is Outcome.SUCCEEDED), "never")
            for row in range(len(self._ids))
        ]
        counts = Counter(firsts)
        return {kind: counts[kind] for kind in (*self._budgets, "never")}


def _scored(case: CaseSummary, row: PointRow, label: Label) -> Scored:
    if row.score is None:
        return Scored(case.group, None, None, Outcome.UNKNOWN)
    outcome = outcome_of(None, row.score, row.decision, label) or Outcome.UNKNOWN
    return Scored(group=case.group, value=row.score.value, decision=row.decision, outcome=outcome)


def _value(row: PointRow) -> float | None:
    return None if row.score is None else row.score.value
