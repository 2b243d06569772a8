"""How far a panel's verdict on one and the same exhibit depends on the draw, and on the wording of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import groupby

import numpy as np

from confute.harness.judging.comparing import Comparisons, Rights, compare
from confute.harness.judging.expense import Expense, expense
from confute.harness.judging.figures import is_right
from confute.harness.judging.judgements import Judgement
from confute.harness.rates import Estimate, Mark, Rate, estimate, rate
from confute.harness.stats import cluster
from confute.harness.stats.cluster import Floats
from confute.harness.stats.flake import Distribution, distribution
from confute.harness.stats.ranking import with_width
from confute.harness.stats.reliability import Reliability, TwoLevel, one_way, two_level
from confute.harness.stats.sequential import Sprt, SprtState
from confute.judges.judge import JudgeCase
from confute.records import Outcome, Record
from confute.verdicts import Verdict, VerdictState

OWN_WORDING = ""
"""The arm of the panel as its family declares it."""

JUDGE_UNSTABLE = "judge_unstable"


class CaseState(StrEnum):
    """What repeats of one case show: stable if all verdicts are the same and none failed; a failure is never flake."""

    STABLE = "stable"
    FLAKY = "flaky"
    ERRORED = "errored"


class CaseStability(Record):
    """The verdicts on one case in one wording.

    `votes` are the verdicts in the order of the repeats. `said` leaves failed ones out, and `right` is whether the
    usual one of them fits the case's label. `warning` is `judge_unstable`
    where the verdicts differ, so that a flake of what is judged is not read off this case. `confidence_range` is the
    widest range of one judge's confidence, None where none tells any. `sprt` is the sequential test's answer.
    """

    case_id: str
    group: str
    wording: str
    votes: tuple[VerdictState, ...]
    said: Distribution
    right: bool | None
    state: CaseState
    warning: str | None
    confidence_range: float | None
    sprt: SprtState | None = None


class Wording(Record):
    """One wording of the questions: how stable the verdicts are, and how often the usual one is the family's own's."""

    name: str
    cases: int
    flaky: Rate
    disagreement: Estimate
    same_as_own: Rate | None


class Savings(Record):
    """What stopping early spared, in judgements.

    `fixed` is what a test of one look with the same error rates needs, `cap` what running each case to the cap would
    take; both count the first judgement of a case, which has none before it to differ from. `false_flaky` is the exact
    chance to call a case flaky of which one verdict comes at the rate `p0` of the plan, `false_cleared` to clear one at
    `p1`, where it has two verdicts.
    """

    plan: Sprt
    made: int
    fixed: int
    cap: int
    states: dict[SprtState, int]
    false_flaky: float
    false_cleared: float

    @property
    def saved(self) -> int:
        """Judgements spared against a test of one look; below 0 where most cases were undecided for long."""
        return self.fixed - self.made


class Stability(Record):
    """How stable a panel is; every figure counts cases, clustered by group, never single runs.

    `flaky` is the share of cases whose verdicts differ, with cases that failed beside it as errors. `disagreement` is
    the mean over cases of the share of pairs of verdicts that differ. `reliability` is of "called succeeded".
    `levels` tells the flake of repeats (inner) from what other wordings add (outer), and `comparisons` which of them is
    right about other cases; both are None with one wording.
    """

    family: str
    judge: str
    versions: dict[str, str]
    cases_name: str
    cases_digest: str
    repeats: int
    stable: int
    errored: int
    flaky: Rate
    disagreement: Estimate
    reliability: Reliability
    wordings: tuple[Wording, ...]
    levels: TwoLevel | None
    comparisons: Comparisons | None
    savings: Savings | None
    redrawn: int
    cases: tuple[CaseStability, ...]
    expense: Expense


def case_stability(
    case: JudgeCase, judgements: Sequence[Judgement], wording: str, plan: Sprt | None = None
) -> CaseStability:
    """Return what repeats of one case in one wording show."""
    verdicts = [one.verdict for one in judgements]
    states = tuple(verdict.state for verdict in verdicts)
    said = distribution(state.value for state in states if state is not VerdictState.ERROR)
    state = _state(states)
    return CaseStability(
        case_id=case.case_id,
        group=case.group,
        wording=wording,
        votes=states,
        said=said,
        right=None if said.modal is None else is_right(case, VerdictState(said.modal)),
        state=state,
        warning=JUDGE_UNSTABLE if len(said.counts) > 1 else None,
        confidence_range=_confidence_range(verdicts),
        sprt=None if plan is None else plan.state([state for state in states if state is not VerdictState.ERROR]),
    )


def suite(  # noqa: PLR0913  what the figures are made of
    cases: Sequence[CaseStability],
    judgements: Iterable[Judgement],
    *,
    family: str,
    judge: str,
    versions: Mapping[str, str],
    cases_name: str,
    cases_digest: str,
    repeats: int,
    redrawn: int,
    plan: Sprt | None,
    seed: int,
) -> Stability:
    """Return the figures of all cases, those of the family's own wording first."""
    own = [one for one in cases if one.wording == OWN_WORDING]
    own_usual = {one.case_id: one.said.modal for one in own}
    others = sorted({one.wording for one in cases} - {OWN_WORDING})
    wordings = [(name, [one for one in cases if one.wording == name]) for name in (OWN_WORDING, *others)]
    return Stability(
        family=family,
        judge=judge,
        versions=dict(versions),
        cases_name=cases_name,
        cases_digest=cases_digest,
        repeats=repeats,
        stable=sum(one.state is CaseState.STABLE for one in own),
        errored=sum(one.state is CaseState.ERRORED for one in own),
        flaky=_flaky(own),
        disagreement=_disagreement(own, f"{seed}/disagreement"),
        reliability=one_way([_called_succeeded(one) for one in own]),
        wordings=tuple(_wording(name, part, own_usual, seed) for name, part in wordings),
        levels=_levels(cases) if others else None,
        comparisons=compare(_rights(own), {name: _rights(part) for name, part in wordings[1:]}),
        savings=None if plan is None else _savings(own, plan),
        redrawn=redrawn,
        cases=tuple(cases),
        expense=expense(one.verdict for one in judgements),
    )


def _state(states: Sequence[VerdictState]) -> CaseState:
    if not states or VerdictState.ERROR in states:
        return CaseState.ERRORED
    return CaseState.STABLE if len(set(states)) == 1 else CaseState.FLAKY


def _confidence_range(verdicts: Iterable[Verdict]) -> float | None:
    told: dict[str, list[float]] = {}
    for verdict in verdicts:
        for vote in verdict.votes:
            if vote.confidence is not None and not vote.clamped:
                told.setdefault(vote.judge, []).append(vote.confidence)
    return max((max(values) - min(values) for values in told.values()), default=None)


def _rights(cases: Iterable[CaseStability]) -> Rights:
    return {one.case_id: one.right for one in cases}


def _called_succeeded(case: CaseStability) -> list[bool]:
    return [state.failed for state in case.votes if state is not VerdictState.ERROR]


def _flaky(cases: Iterable[CaseStability]) -> Rate:
    outcomes = {
        CaseState.FLAKY: Outcome.SUCCEEDED,
        CaseState.STABLE: Outcome.RESISTED,
        CaseState.ERRORED: Outcome.ERROR,
    }
    return rate(Mark(one.group, outcomes[one.state]) for one in cases)


def _disagreement(cases: Iterable[CaseStability], seed: str) -> Estimate:
    known = [(one.group, one.said.disagreement) for one in cases if one.said.disagreement is not None]
    names = sorted({group for group, _ in known})
    row = {name: index for index, name in enumerate(names)}
    sums = np.zeros((len(names), 2))
    for group, value in known:
        sums[row[group]] += (value, 1.0)
    if not known:
        return estimate(None, None, 0)
    value = float(_mean(sums.sum(axis=0)[None, :])[0])
    interval = cluster.bootstrap(len(names), lambda weights: _mean(weights @ sums), seed=seed)
    return estimate(value, with_width(interval, value, len(names)), len(names))


def _mean(sums: Floats) -> Floats:
    mean: Floats = sums[:, 0] / sums[:, 1]
    return mean


def _wording(name: str, cases: Sequence[CaseStability], own_usual: Mapping[str, str | None], seed: int) -> Wording:
    return Wording(
        name=name or "own",
        cases=len(cases),
        flaky=_flaky(cases),
        disagreement=_disagreement(cases, f"{seed}/disagreement/{name}"),
        same_as_own=None if name == OWN_WORDING else rate(_compared(one, own_usual[one.case_id]) for one in cases),
    )


def _compared(case: CaseStability, own: str | None) -> Mark:
    usual = case.said.modal
    if usual is None or own is None:
        return Mark(case.group, Outcome.UNKNOWN)
    return Mark(case.group, Outcome.SUCCEEDED if usual == own else Outcome.RESISTED)


def _levels(cases: Sequence[CaseStability]) -> TwoLevel:
    by_case = sorted(cases, key=lambda one: one.case_id)
    return two_level(
        [[_called_succeeded(one) for one in part] for _, part in groupby(by_case, lambda one: one.case_id)]
    )


def _savings(cases: Sequence[CaseStability], plan: Sprt) -> Savings:
    return Savings(
        plan=plan,
        made=sum(len(one.votes) for one in cases),
        fixed=len(cases) * (plan.fixed_size() + 1),
        cap=len(cases) * (plan.cap + 1),
        states=dict(sorted(Counter(one.sprt for one in cases if one.sprt is not None).items())),
        false_flaky=plan.chances(plan.p0)[SprtState.FLAKY],
        false_cleared=plan.chances(plan.p1)[SprtState.CLEARED],
    )
