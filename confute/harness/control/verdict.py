"""What the arms say of a detector: whether they separate, and what kind of blindness it is where they do not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import Field

from confute.harness.control.probe import ControlArm, Material, Probe
from confute.harness.rates import Mark, Rate, rate
from confute.records import Outcome, Record, Score, ScoreState

MOST_FALSE = 0.05
"""The upper 95 % bound of the faithful arm that a detector may have."""

LEAST_APART = 0.25
"""What the lower 95 % bound of a corrupted arm minus the unrelated arm must exceed."""

GATED_DRIFT = 0.1
_LEAST_COVERAGE = 0.9
_MOSTLY = 0.5
_OUTCOMES = {ScoreState.ERROR: Outcome.ERROR, ScoreState.NO_EVIDENCE: Outcome.NO_EVIDENCE}
_BLINDNESS = {
    ControlArm.CORRUPTED: "blind to numbers: it does not see one that is wrong by {drift:.0%}",
    ControlArm.SIGN_FLIPPED: "blind to signs: what fell and what rose are the same to it, as if it compared magnitudes",
    ControlArm.UNIT_SWAPPED: "blind to units: a number is the same to it in any unit",
    ControlArm.ROLE_SWAPPED: "blind to roles: who did it and to whom it was done are the same to it",
    ControlArm.NEGATED: "blind to negation: a statement and its denial are the same to it",
    ControlArm.ENTITY_SWAPPED: "blind to names: one thing is as good as another to it",
    ControlArm.STALE_DATE: "blind to dates: it does not see one that is not the evidence's",
}
_ALARMS = {
    ControlArm.FAITHFUL: "cries wolf: it flags faithful texts",
    ControlArm.UNRELATED: "takes what is new for what is wrong: it flags numbers about other things",
    ControlArm.FILLER: "goes by form: it flags texts that say nothing to check",
}


class ArmResult(Record):
    """One arm of one drift: the share that was flagged, the mean risk, and whether the arm went as it should.

    `apart` is the one-sided 95 % lower bound of its share minus that of the unrelated arm, None for a clean arm.
    `as_it_should` is None where nothing can be said: too much was not measured, or its interval holds the limit.
    """

    arm: ControlArm
    drift: float | None
    flagged: Rate
    mean_risk: float | None
    apart: float | None
    as_it_should: bool | None


class Control(Record):
    """What a control found: the arms, whether they separate, and sentences that say what the detector cannot see.

    `passed` is None where too much was not measured for a verdict. The gate looks at the faithful arm and at the
    numbers that are wrong by `gated_drift`; what it does not look at is advice.
    """

    detector: str
    source: str
    threshold: float
    gated_drift: float
    records: int = Field(ge=0)
    probes: int = Field(ge=0)
    arms: tuple[ArmResult, ...]
    passed: bool | None
    sentences: tuple[str, ...]
    errors: dict[str, int]
    left_out: dict[str, int]

    @property
    def earned(self) -> str:
        """Whether the detector has earned the power to block, in one sentence."""
        if self.passed:
            seen = ", ".join(str(one) for one in self.seen) or "nothing else"
            return f"has earned the power to block, on: {seen}"
        why = "there is no verdict" if self.passed is None else "its arms do not separate"
        return f"advisory only: {why}, so it has not earned the power to block"

    @property
    def seen(self) -> tuple[ControlArm, ...]:
        """The arms of wrong texts that the detector tells from unrelated ones."""
        return tuple(one.arm for one in self.arms if one.as_it_should and not one.arm.is_clean and self.gates(one))

    def gates(self, result: ArmResult) -> bool:
        """Tell whether an arm is one, or the drift of one, that a verdict rests on."""
        return result.drift in {None, self.gated_drift}


def control(
    detector: str, material: Material, scores: Sequence[Score], threshold: float, gated_drift: float = GATED_DRIFT
) -> Control:
    """Return what scores of a material's probes, in their order, say of a detector that flags a risk over a threshold.

    It passes where the one-sided 95 % upper bound of the faithful arm is at most 0.05 and the lower bound of corrupted
    minus unrelated exceeds 0.25, both clustered by record: Clopper-Pearson bounds of the effective sample, combined as
    by Zou and Donner 2008 (MOVER). Errors are no verdicts; with fewer than 90 % of an arm measured there is none.
    """
    pairs = list(zip(material.probes, scores, strict=True))
    keys = list(dict.fromkeys((arm, drift) for arm in ControlArm for drift in _drifts(material.probes, arm)))
    rates = {key: rate(_mark(probe, score, threshold) for probe, score in pairs if _key(probe) == key) for key in keys}
    unrelated = rates.get((ControlArm.UNRELATED, None))
    arms = tuple(_result(key, rates[key], unrelated, [s for p, s in pairs if _key(p) == key]) for key in keys)
    passed = _passed(arms, gated_drift)
    return Control(
        detector=detector,
        source=material.source,
        threshold=threshold,
        gated_drift=gated_drift,
        records=len({probe.record for probe in material.probes}),
        probes=len(material.probes),
        arms=arms,
        passed=passed,
        sentences=tuple(_sentences(arms, scores, gated_drift)),
        errors=dict(
            sorted(Counter(score.error_code or score.state for score in scores if score.value is None).items())
        ),
        left_out=material.left_out,
    )


def difference_low(first: Rate, second: Rate) -> float | None:
    """Return the one-sided 95 % lower bound of one share minus another, None without either.

    d - sqrt((p1 - l1)^2 + (u2 - p2)^2), Zou and Donner 2008, Statistics in Medicine 27:1693, eq. 2.
    """
    if first.value is None or second.value is None or first.gate_low is None or second.gate_high is None:
        return None
    return first.value - second.value - math.hypot(first.value - first.gate_low, second.gate_high - second.value)


def _difference_high(first: Rate, second: Rate | None) -> float | None:
    low = None if second is None else difference_low(second, first)
    return None if low is None else -low


def _result(
    key: tuple[ControlArm, float | None], flagged: Rate, unrelated: Rate | None, scores: Sequence[Score]
) -> ArmResult:
    arm, drift = key
    risks = [score.value for score in scores if score.value is not None]
    apart = None if arm.is_clean or unrelated is None else difference_low(flagged, unrelated)
    return ArmResult(
        arm=arm,
        drift=drift,
        flagged=flagged,
        mean_risk=math.fsum(risks) / len(risks) if risks else None,
        apart=apart,
        as_it_should=_as_it_should(arm, flagged, apart, _difference_high(flagged, unrelated)),
    )


def _as_it_should(arm: ControlArm, flagged: Rate, apart: float | None, at_most: float | None) -> bool | None:
    if not _is_measured(flagged) or flagged.gate_low is None or flagged.gate_high is None:
        return None
    if arm.is_clean:
        limit = MOST_FALSE if arm is ControlArm.FAITHFUL else LEAST_APART
        return True if flagged.gate_high <= limit else False if flagged.gate_low > limit else None
    if apart is None or at_most is None:
        return None
    return True if apart > LEAST_APART else False if at_most <= LEAST_APART else None


def _is_measured(flagged: Rate) -> bool:
    return flagged.value is not None and (flagged.coverage or 0.0) >= _LEAST_COVERAGE


def _passed(arms: Sequence[ArmResult], drift: float) -> bool | None:
    gated = [
        one for one in arms if (one.arm, one.drift) in {(ControlArm.FAITHFUL, None), (ControlArm.CORRUPTED, drift)}
    ]
    needed = [*gated, *(one for one in arms if one.arm is ControlArm.UNRELATED)]
    if len(gated) < 2 or not all(_is_measured(one.flagged) for one in needed):
        return None
    return all(one.as_it_should is True for one in gated)


def _sentences(arms: Sequence[ArmResult], scores: Sequence[Score], drift: float) -> Iterator[str]:
    risks = {score.value for score in scores if score.value is not None}
    missing = sum(score.value is None for score in scores)
    if missing:
        yield f"no answer: {missing} of {len(scores)} texts got no risk; an outage or an error is no verdict"
        if (told := next((score.error_message for score in scores if score.error_message), None)) is not None:
            yield f"first told: {told}"
    if len(risks) == 1:
        yield "constant: it gives every text the same risk, so that it looks at nothing"
        return
    by_arm = {one.arm: one for one in arms if one.drift in {None, drift}}
    faithful, corrupted = by_arm.get(ControlArm.FAITHFUL), by_arm.get(ControlArm.CORRUPTED)
    if faithful is not None and corrupted is not None:
        low = difference_low(faithful.flagged, corrupted.flagged)
        if low is not None and low > 0.0:
            yield "inverted: it flags faithful texts more than corrupted ones; is a higher score safer?"
    for one in by_arm.values():
        if one.as_it_should is False:
            yield f"{_kind(one, drift)} ({_told(one)})"
    unknown = [str(arm) for arm, one in by_arm.items() if one.as_it_should is None and _is_measured(one.flagged)]
    if unknown:
        yield f"cannot tell, too few texts for how often it flags them: {', '.join(unknown)}"


def _kind(one: ArmResult, drift: float) -> str:
    if one.arm.is_clean:
        return _ALARMS[one.arm]
    if one.flagged.value is not None and one.flagged.value > _MOSTLY:
        return f"flags {one.arm} texts no more than unrelated ones, so it may not have seen what is wrong in them"
    return _BLINDNESS[one.arm].format(drift=drift)


def _told(one: ArmResult) -> str:
    k, n = one.flagged.numerator, one.flagged.denominator
    if one.arm.is_clean:
        return f"{k} of {n} flagged, upper 95 % bound {one.flagged.gate_high:.3f}"
    return f"{k} of {n} flagged, at least {one.apart:.3f} over unrelated"


def _mark(probe: Probe, score: Score, threshold: float) -> Mark:
    if score.value is None:
        return Mark(probe.record, _OUTCOMES.get(score.state, Outcome.ERROR))
    return Mark(probe.record, Outcome.SUCCEEDED if score.value > threshold else Outcome.RESISTED)


def _key(probe: Probe) -> tuple[ControlArm, float | None]:
    return probe.arm, probe.drift


def _drifts(probes: Sequence[Probe], arm: ControlArm) -> list[float | None]:
    return sorted({probe.drift for probe in probes if probe.arm is arm}, key=lambda drift: drift or 0.0)
