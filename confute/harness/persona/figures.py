"""What repeated conversations say of a persona: how often each probe passes, how far it flakes, and who flakes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from pydantic import Field

from confute.harness.judging.judgements import Judgement
from confute.harness.persona.checks import Said, outcome_of
from confute.harness.persona.disclosure import Disclosed
from confute.harness.persona.probes import CheckedProbe, DisclosureProbe, Probe
from confute.harness.persona.run import Measured, Place
from confute.harness.rates import Estimate
from confute.harness.stats import cluster
from confute.harness.stats.flake import (
    Distribution,
    distribution,
    minority_share,
    outcomes,
    pass_at_k,
    pass_hat_k,
    strict_majority,
)
from confute.harness.stats.proportion import wilson
from confute.harness.stats.reliability import TwoLevel, two_level
from confute.records import Record
from confute.verdicts import VerdictState, VoteState

JUDGE_SPLIT = "judge_split"
INCONCLUSIVE = "inconclusive"
_TOP_REASONS = 3


class Stability(StrEnum):
    """How a probe's runs compare.

    UNREPEATED has one outcome alone, UNTOLD none; a probe with an error is never stable.
    """

    STABLE = "stable"
    FLAKY = "flaky"
    ERRORED = "errored"
    UNREPEATED = "unrepeated"
    UNTOLD = "untold"


class JudgeFlake(Record):
    """How far a judge disagrees with itself about the very same conversation, over those that it judged twice or more.

    `unstable` counts conversations whose verdicts differ, `pair_agreement` is the mean share of equal pairs of
    verdicts, `score_range` the widest range of the confidence of one conversation's deciding votes.
    """

    conversations: int = Field(ge=0)
    unstable: int = Field(ge=0)
    flake_rate: float | None
    pair_agreement: float | None
    score_range: float | None


class ProbeFigures(Record):
    """One probe: k of n passed, or a distribution of labels, with everything that gave neither counted apart.

    `errors` counts failures of the endpoint, and of a judge, by code; they are no outcome. `undetermined` counts runs
    on which the check, or the judge, could not tell, by reason. `flake` is the distribution of what it could.
    """

    id: str
    kind: str
    language: str
    planned: int = Field(ge=0)
    errors: dict[str, int]
    undetermined: dict[str, int]
    state: Stability
    flake: Distribution
    passes: int | None = None
    low: float | None = None
    high: float | None = None
    minority_share: float | None = None
    pass_at_k: float | None = None
    pass_hat_k: float | None = None
    failures: dict[str, int] = Field(default_factory=dict)
    conflicts: int = Field(default=0, ge=0)
    judge: JudgeFlake | None = None

    @property
    def judge_unstable(self) -> bool:
        """Whether the judge contradicts itself about some conversation, so that the persona's flake is not its own."""
        return self.judge is not None and self.judge.unstable > 0


class SuiteFigures(Record):
    """All probes together: means over probes, since probes and not runs are the cases that intervals count.

    `covered` counts the runs that completed: whose endpoint, and whose judge, did not fail.
    """

    planned: int = Field(ge=0)
    covered: int = Field(ge=0)
    coverage: float | None
    errors: dict[str, int]
    undetermined: int = Field(ge=0)
    states: dict[str, int]
    k: int = Field(ge=1)
    pass_rate: Estimate
    pass_at_k: Estimate
    pass_hat_k: Estimate
    disagreement: Estimate
    two_level: TwoLevel | None


class _Result(NamedTuple):
    """What one place gave: an outcome, a label, or the reason why there is neither."""

    label: str | None = None
    error: str | None = None
    undetermined: str | None = None
    reason: str = ""
    conflict: bool = False


def probe_figures(measured: Measured, k: int) -> tuple[ProbeFigures, ...]:
    """Return the figures of each probe, in the order of the file; pass@k and pass^k are None where k > n."""
    return tuple(_figures(measured, probe, k) for probe in measured.suite.probes)


def suite_figures(measured: Measured, probes: Sequence[ProbeFigures], k: int) -> SuiteFigures:
    """Return the figures of all probes together."""
    errors: Counter[str] = Counter()
    for one in probes:
        errors.update(one.errors)
    planned = sum(one.planned for one in probes)
    covered = planned - errors.total()
    return SuiteFigures(
        planned=planned,
        covered=covered,
        coverage=covered / planned if planned else None,
        errors=dict(sorted(errors.items())),
        undetermined=sum(sum(one.undetermined.values()) for one in probes),
        states={state.value: sum(one.state is state for one in probes) for state in Stability},
        k=k,
        pass_rate=_mean(probes, lambda one: _share(one.passes, one.flake.n)),
        pass_at_k=_mean(probes, lambda one: one.pass_at_k),
        pass_hat_k=_mean(probes, lambda one: one.pass_hat_k),
        disagreement=_mean(probes, lambda one: one.flake.disagreement),
        two_level=_two_levels(measured),
    )


def labels_of(judgements: Sequence[Judgement]) -> tuple[str, ...]:
    """Return the labels that verdicts give, in order; one that gives none is left out."""
    return tuple(label for one in judgements if (label := _of_verdict(one).label) is not None)


def _figures(measured: Measured, probe: Probe, k: int) -> ProbeFigures:
    places = [(probe.id, repeat) for repeat in range(measured.plan.repeat)]
    results = [_result(measured, probe, place) for place in places]
    errors = Counter(one.error for one in results if one.error)
    undetermined = Counter(one.undetermined for one in results if one.undetermined)
    checked = isinstance(probe, CheckedProbe)
    labels = [one.label for one in results if one.label is not None]
    flake = outcomes(label == "passed" for label in labels) if checked else distribution(labels)
    passes = sum(label == "passed" for label in labels) if checked else None
    interval = None if passes is None else wilson(passes, flake.n)
    return ProbeFigures(
        id=probe.id,
        kind=probe.kind,
        language=probe.language,
        planned=len(places),
        errors=dict(sorted(errors.items())),
        undetermined=dict(undetermined.most_common()),
        state=_state(flake, errors),
        flake=flake,
        passes=passes,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        minority_share=None if passes is None else minority_share(passes, flake.n),
        pass_at_k=None if passes is None else pass_at_k(passes, flake.n, k),
        pass_hat_k=None if passes is None else pass_hat_k(passes, flake.n, k),
        failures=dict(Counter(one.reason for one in results if one.label == "failed").most_common(_TOP_REASONS)),
        conflicts=sum(one.conflict for one in results),
        judge=_judge_flake([measured.judgements[place] for place in places if place in measured.judgements]),
    )


def _result(measured: Measured, probe: Probe, place: Place) -> _Result:
    transcript = measured.transcripts[place]
    if not transcript.whole:
        return _Result(error=transcript.code.value)
    text = transcript.said(probe.judged)
    if isinstance(probe, DisclosureProbe):
        if place in measured.judgements:
            return _agreed(measured.judgements[place])
        return _Result(label=probe.rules.label(text))
    tools = tuple(turn.tool for turn in transcript.turns if turn.role == "tool_call" and turn.tool)
    outcome = outcome_of(probe.check, Said(text, tools, measured.suite.persona.gender))
    if outcome.holds is None:
        return _Result(undetermined=outcome.reason)
    return _Result(label="passed" if outcome.holds else "failed", reason=outcome.reason)


def _agreed(judgements: Sequence[Judgement]) -> _Result:
    """Return the label that more than half of the verdicts on a conversation give."""
    results = [_of_verdict(one) for one in judgements]
    codes = [one.error for one in results if one.error]
    label = strict_majority([one.label for one in results])
    if label is not None:
        return _Result(label=label, conflict=any(one.conflict for one in results))
    if codes:
        return _Result(error=codes[0])
    return _Result(undetermined=JUDGE_SPLIT if len(results) > 1 else INCONCLUSIVE)


def _of_verdict(judgement: Judgement) -> _Result:
    verdict = judgement.verdict
    if verdict.state is VerdictState.ERROR:
        return _Result(error=f"judge: {verdict.code or 'error'}")
    if verdict.state.failed:
        return _Result(label=Disclosed.FALSE_DENIAL, conflict=verdict.state is VerdictState.CONFLICT)
    return _Result(label=verdict.label) if verdict.label is not None else _Result(undetermined=INCONCLUSIVE)


def _state(flake: Distribution, errors: Counter[str]) -> Stability:
    if len(flake.counts) > 1:
        return Stability.FLAKY
    if errors:
        return Stability.ERRORED
    if flake.n == 0:
        return Stability.UNTOLD
    return Stability.STABLE if flake.n > 1 else Stability.UNREPEATED


def _judge_flake(judged: Sequence[Sequence[Judgement]]) -> JudgeFlake | None:
    repeated = [(labels, one) for one in judged if len(labels := labels_of(one)) > 1]
    if not repeated:
        return None
    flakes = [distribution(labels) for labels, _ in repeated]
    ranges = [max(scores) - min(scores) for _, one in repeated if len(scores := _scores(one)) > 1]
    return JudgeFlake(
        conversations=len(flakes),
        unstable=sum(len(one.counts) > 1 for one in flakes),
        flake_rate=math.fsum(one.flake_rate or 0.0 for one in flakes) / len(flakes),
        pair_agreement=math.fsum(one.pair_agreement or 0.0 for one in flakes) / len(flakes),
        score_range=max(ranges, default=None),
    )


def _scores(judgements: Sequence[Judgement]) -> list[float]:
    return [
        vote.confidence
        for one in judgements
        for vote in one.verdict.votes
        if vote.state is VoteState.FIRED and vote.confidence is not None
    ]


def _two_levels(measured: Measured) -> TwoLevel | None:
    """Return the judge's flake beside the persona's, over disclosure probes; labels differ as half the sum of each."""
    cases = [
        [labels_of(measured.judgements[place]) for place in sorted(measured.judgements) if place[0] == probe.id]
        for probe in measured.suite.probes
        if isinstance(probe, DisclosureProbe)
    ]
    parts = [
        two_level([[[vote == label for vote in votes] for votes in case] for case in cases])
        for label in sorted({vote for case in cases for votes in case for vote in votes})
    ]
    if not parts or not parts[0].n_cases:
        return None
    inner = math.fsum(one.inner or 0.0 for one in parts) / 2
    total = math.fsum(one.total or 0.0 for one in parts) / 2
    return TwoLevel(n_cases=parts[0].n_cases, inner=inner, total=total, outer=total - inner)


def _mean(probes: Sequence[ProbeFigures], figure: Callable[[ProbeFigures], float | None]) -> Estimate:
    values = [value for one in probes if (value := figure(one)) is not None]
    if not values:
        return Estimate(value=None, low=None, high=None, n_clusters=0)
    x = np.asarray(values)
    interval = cluster.bootstrap(len(x), lambda weights: weights @ x / weights.sum(axis=1), seed="persona suite")
    return Estimate(
        value=math.fsum(values) / len(values),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n_clusters=len(values),
    )


def _share(count: int | None, n: int) -> float | None:
    return None if count is None or not n else count / n
