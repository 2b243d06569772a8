"""Thresholds set on cases of their own, as exact order statistics, before any attack."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from pydantic import Field, FiniteFloat

from confute.contract import Calibration
from confute.errors import CalibrationError
from confute.records import AttackGoal, Case, Label, Record, Score, digest_of

_MIN_CASES = 10
BINARY_SCORES = "binary_scores"


class CalibratedThreshold(Record):
    """A threshold on the risk scale, and what it rests on.

    Of the `n` measured calibration cases of the label that the error can befall, `k` are accepted: `value` is their
    k-th smallest risk, or lies just below the least where k is 0. `unmeasured` counts those of that label without a
    score; `set_digest` is the digest of the whole calibration set. With the warning `binary_scores` the threshold is
    not tuned: it is the lower of the only two values that the detector gave, whatever the target rate.
    """

    value: FiniteFloat
    error: AttackGoal
    target_rate: float
    n: int = Field(ge=1)
    k: int = Field(ge=0)
    unmeasured: int = Field(ge=0)
    set_digest: str
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many of the n cases are decided wrongly."""
        return self.n - self.k if self.error is AttackGoal.FALSE_REJECTION else self.k


def split(cases: Sequence[Case], share: float, seed: int) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return calibration cases and cases to attack, in their given order, no source group on both sides.

    Groups are drawn in an order that the seed alone decides, each taken where it brings the calibration side nearer
    to `share` of the cases: the share is missed by at most half of the largest group left out. Raises
    CalibrationError where one side stays empty.
    """
    sizes = Counter(case.group for case in cases)
    groups = sorted(sizes)
    random.Random(f"{seed}/calibration split").shuffle(groups)  # noqa: S311  a reproducible draw, not a secret
    wanted, taken, chosen = Fraction(repr(share)) * len(cases), 0, set[str]()
    for group in groups:
        if abs(taken + sizes[group] - wanted) < abs(taken - wanted):
            chosen.add(group)
            taken += sizes[group]
    if not 0 < taken < len(cases):
        raise CalibrationError(
            "the cases cannot be split: one side has none, since a source group stays on one side",
            field="victim.threshold.calibrate.share",
            got=f"{len(cases)} cases in {len(sizes)} groups at share {share:g}",
            hint="add cases of more source groups, or give victim.threshold.value",
        )
    return (
        tuple(case for case in cases if case.group in chosen),
        tuple(case for case in cases if case.group not in chosen),
    )


def threshold(cases: Sequence[Case], scores: Sequence[Score], calibration: Calibration) -> CalibratedThreshold:
    """Return the threshold tau that keeps the target rate on the calibration cases; ACCEPT iff risk <= tau.

    With n measured cases of the label and m = floor(target_rate * n): for `false_rejection` the smallest tau with at
    most m SUPPORTED risks above it, which is the (n - m)-th smallest of them; for `false_acceptance` the largest of
    the other labels' risks with at most m of them at or below it, or the float just below the least where there is
    none. Ties can make the realised rate lower, never higher. Scores that were not measured are counted and left out.
    Raises CalibrationError where fewer than 10 cases of the label are measured or all scores are the same.
    """
    rejection = calibration.error is AttackGoal.FALSE_REJECTION
    labelled = [
        score for case, score in zip(cases, scores, strict=True) if (case.label is Label.SUPPORTED) == rejection
    ]
    risks = sorted(score.value for score in labelled if score.value is not None)
    unmeasured = [score for score in labelled if score.value is None]
    values = sorted({score.value for score in scores if score.value is not None})
    _check(risks, unmeasured, values, calibration)
    allowed = math.floor(Fraction(repr(calibration.target_rate)) * len(risks))
    binary = len(values) == 2
    tuned = _smallest(risks, allowed) if rejection else _largest(risks, allowed)
    tau = values[0] if binary else tuned
    return CalibratedThreshold(
        value=tau,
        error=calibration.error,
        target_rate=calibration.target_rate,
        n=len(risks),
        k=sum(risk <= tau for risk in risks),
        unmeasured=len(unmeasured),
        set_digest=digest_of(sorted(digest_of(case.model_dump()) for case in cases)),
        warnings=(BINARY_SCORES,) if binary else (),
    )


def check_enough(cases: Sequence[Case], calibration: Calibration) -> None:
    """Raise CalibrationError where too few cases could be measured to set a threshold, before any is.

    These are the cases that have evidence and a label that the error can befall; 10 of them are the least.
    """
    rejection = calibration.error is AttackGoal.FALSE_REJECTION
    labelled = [case for case in cases if (case.label is Label.SUPPORTED) == rejection]
    count = sum(any(passage.strip() for passage in case.evidence) for case in labelled)
    if count < _MIN_CASES:
        raise _too_few(f"{_label(calibration)} cases with evidence", f"{count}, of {len(cases)} in that half")


def check_disjoint(calibration: Iterable[Case], reported: Iterable[Case]) -> None:
    """Raise CalibrationError `leaky_threshold` where a reported case, or its source group, set the threshold."""
    calibration = list(calibration)
    ids, groups = {case.case_id for case in calibration}, {case.group for case in calibration}
    leaks = [case.case_id for case in reported if case.case_id in ids or case.group in groups]
    if leaks:
        raise CalibrationError(
            f"leaky_threshold: {len(leaks)} reported cases share a case or a source group with the calibration set",
            field="victim.threshold.calibrate",
            got=", ".join(leaks[:5]),
            hint="report on cases of other source groups",
        )


def _smallest(risks: Sequence[float], allowed: int) -> float:
    return risks[len(risks) - 1 - allowed]


def _largest(risks: Sequence[float], allowed: int) -> float:
    below = [risk for risk in risks if risk < risks[allowed]]
    return below[-1] if below else math.nextafter(risks[0], -math.inf)


def _check(
    risks: Sequence[float], unmeasured: Sequence[Score], values: Sequence[float], calibration: Calibration
) -> None:
    if not risks and unmeasured:
        reason, count = Counter(score.error_message or score.state.value for score in unmeasured).most_common(1)[0]
        raise CalibrationError(
            f"the detector measured none of {len(unmeasured)} calibration pairs",
            field="victim.detector",
            got=f"{count} times: {reason}",
            hint="mend the detector, and try it on one pair before you attack it",
        )
    if len(risks) < _MIN_CASES:
        reasons = Counter(score.error_message or score.state.value for score in unmeasured)
        why = "".join(f"; {count} not measured: {reason}" for reason, count in reasons.most_common(1))
        raise _too_few(f"measured {_label(calibration)} cases", f"{len(risks)}{why}")
    if len(values) == 1:
        raise CalibrationError(
            "every case has the same score, so no threshold tells cases apart",
            field="victim.threshold.calibrate",
            got=values[0],
            hint="check the detector, or give victim.threshold.value",
        )


def _label(calibration: Calibration) -> str:
    return "SUPPORTED" if calibration.error is AttackGoal.FALSE_REJECTION else "UNSUPPORTED, REFUTED or NEI"


def _too_few(which: str, got: str) -> CalibrationError:
    return CalibrationError(
        f"too few {which} to calibrate on",
        field="victim.threshold.calibrate",
        allowed=f"at least {_MIN_CASES}",
        got=got,
        hint="add labelled cases, raise share, calibrate the other error, or give victim.threshold.value",
    )
