"""What a frozen policy does on cases that had no part in choosing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from confute.harness.policy.choosing import Chosen
from confute.harness.policy.loads import Load, load_at
from confute.harness.policy.policy import Policy, Route, decide
from confute.harness.rates import Estimate, Mark, Rate, estimate, rate
from confute.harness.stats.proportion import Interval
from confute.harness.stats.ranking import with_width
from confute.harness.stats.selective import RiskCoveragePoint, aurc, aurc_interval, best_aurc, risk_coverage
from confute.records import Case, Label, Outcome, Record, Score, ScoreState

COVERAGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_UNMEASURED = {ScoreState.ERROR: Outcome.ERROR, ScoreState.NO_EVIDENCE: Outcome.NO_EVIDENCE}


class Routed(NamedTuple):
    """A case with where its risk leads; None where it was not measured."""

    case: Case
    score: Score
    route: Route | None

    @property
    def supported(self) -> bool:
        """Whether the evidence supports the claim."""
        return self.case.label is Label.SUPPORTED

    def mark(self, hit: bool) -> Mark:
        """Return whether it is a hit, with its cluster; what was not measured is neither."""
        if self.route is None:
            return Mark(self.case.group, _UNMEASURED.get(self.score.state, Outcome.ERROR))
        return Mark(self.case.group, Outcome.SUCCEEDED if hit else Outcome.RESISTED)

    def goes(self, route: Route) -> Mark:
        """Return whether it goes there."""
        return self.mark(self.route is route)


class Share(Record):
    """Where the claims of one kind go."""

    kind: str
    accept: Rate
    review: Rate
    reject: Rate


class CurvePoint(Record):
    """The least threshold at which at least a share `coverage` of the measured claims is accepted; `wrong` of them."""

    coverage: float
    threshold: float
    wrong: Rate


class Cost(Record):
    """What one bound on false rejection costs: the share that is still decided without a person, and what is reviewed.

    `high` is chosen on the calibration cases, everything else is measured.
    """

    target: float
    high: float
    false_rejection: Rate
    coverage: Rate
    reviewed_supported: Rate


class Measured(Record):
    """A frozen policy measured: routes, coverage, the risk-coverage curve, costs, and loads by base rate.

    `coverage` is the share that the policy decides by itself, `selective_risk` the share of those decided wrongly; both
    are of this mix of labels. `aurc` accepts claims by rising risk and counts those without support as wrong:
    `aurc_constant` is that of a detector which says nothing, `aurc_best` that of a perfect order.
    """

    chosen: Chosen
    cases: int = Field(ge=0)
    groups: int = Field(ge=0)
    routed: tuple[Share, ...]
    coverage: Rate
    selective_risk: Rate
    curve: tuple[CurvePoint, ...]
    aurc: Estimate
    aurc_constant: float | None
    aurc_best: float | None
    costs: tuple[Cost, ...]
    loads: tuple[Load, ...]


def measure(  # noqa: PLR0913  what is measured, and for which mixes of claims
    chosen: Chosen,
    alternatives: Sequence[Chosen],
    cases: Sequence[Case],
    scores: Sequence[Score],
    *,
    base_rates: Sequence[float],
    seed: int,
) -> Measured:
    """Return what a chosen policy does on other cases; `alternatives` bound the false rejections otherwise."""
    routed = routes(chosen.policy, cases, scores)
    supported = _share("supported", [one for one in routed if one.supported])
    unsupported = _share("not supported", [one for one in routed if not one.supported])
    measured = [one for one in routed if one.score.value is not None]
    risks = [one.score.value for one in measured if one.score.value is not None]
    wrong, groups = [not one.supported for one in measured], [one.case.group for one in measured]
    found = aurc(risks, wrong)
    return Measured(
        chosen=chosen,
        cases=len(cases),
        groups=len({case.group for case in cases}),
        routed=(supported, unsupported),
        coverage=_coverage(routed),
        selective_risk=rate(one.mark(_is_wrong(one)) for one in routed if one.route is not Route.REVIEW),
        curve=_curve(measured, risk_coverage(risks, wrong)),
        aurc=estimate(found, _aurc_interval(found, risks, wrong, groups, seed), len(set(groups))),
        aurc_constant=sum(wrong) / len(wrong) if wrong else None,
        aurc_best=best_aurc(len(wrong), sum(wrong)),
        costs=tuple(_cost(one, cases, scores) for one in alternatives),
        loads=tuple(load_at(base_rate, _rates(unsupported), _rates(supported)) for base_rate in base_rates),
    )


def routes(policy: Policy, cases: Sequence[Case], scores: Sequence[Score]) -> list[Routed]:
    """Return where each case goes, in order."""
    return [
        Routed(case, score, None if score.value is None else decide(score.value, policy))
        for case, score in zip(cases, scores, strict=True)
    ]


def _share(kind: str, routed: Sequence[Routed]) -> Share:
    accept, review, reject = (rate(one.goes(route) for one in routed) for route in Route)
    return Share(kind=kind, accept=accept, review=review, reject=reject)


def _rates(share: Share) -> dict[Route, Rate]:
    return {Route.ACCEPT: share.accept, Route.REVIEW: share.review, Route.REJECT: share.reject}


def _coverage(routed: Sequence[Routed]) -> Rate:
    return rate(one.mark(one.route is not Route.REVIEW) for one in routed)


def _is_wrong(one: Routed) -> bool:
    return one.route is (Route.REJECT if one.supported else Route.ACCEPT)


def _cost(chosen: Chosen, cases: Sequence[Case], scores: Sequence[Score]) -> Cost:
    routed = routes(chosen.policy, cases, scores)
    supported = [one for one in routed if one.supported]
    return Cost(
        target=chosen.targets.false_rejection,
        high=chosen.policy.high,
        false_rejection=rate(one.goes(Route.REJECT) for one in supported),
        coverage=_coverage(routed),
        reviewed_supported=rate(one.goes(Route.REVIEW) for one in supported),
    )


def _curve(measured: Sequence[Routed], points: Sequence[RiskCoveragePoint]) -> tuple[CurvePoint, ...]:
    n = len(measured)
    reached: list[RiskCoveragePoint] = []
    for wanted in COVERAGES if points else ():
        point = next(point for point in points if point.covered >= wanted * n - 1e-9)
        if point not in reached:
            reached.append(point)
    return tuple(
        CurvePoint(
            coverage=point.covered / n,
            threshold=point.threshold,
            wrong=rate(one.mark(not one.supported) for one in measured if _lies_within(one, point.threshold)),
        )
        for point in reached
    )


def _lies_within(one: Routed, threshold: float) -> bool:
    return one.score.value is not None and one.score.value <= threshold


def _aurc_interval(
    value: float | None, risks: Sequence[float], wrong: Sequence[bool], groups: Sequence[str], seed: int
) -> Interval | None:
    if value is None:
        return None
    return with_width(aurc_interval(risks, wrong, groups, seed=f"{seed}/aurc"), value, len(set(groups)))
