"""How well the victim's score tells supported claims from others, beside its errors at the frozen threshold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pydantic import Field

from confute.harness.manifest import CaseSummary
from confute.harness.outcome import ItemOutcome
from confute.harness.rates import Estimate, Mark, Rate, estimate, rate
from confute.harness.stats.ranking import auc, auc_interval
from confute.records import Arm, AttackGoal, Attempt, Outcome, Record

LEVELS = (
    "unrelated evidence",
    "dataset-native",
    "same domain",
    "semantic neighbour",
    "detector-aware search",
    "structural edit",
)
"""The rungs of the difficulty ladder, from level 0."""

_NATIVE, _DETECTOR_AWARE, _STRUCTURAL = 1, 4, 5


class Discrimination(Record):
    """One kind of negative: its false acceptances, the false rejections of the supported cases, and the AUC.

    `auc` is the chance that a negative is scored riskier than a supported case, a tie counting half.
    """

    name: str
    level: int | None = Field(default=None, ge=0, le=5)
    false_acceptance: Rate
    false_rejection: Rate
    auc: Estimate


class Scores:
    """The scored steps of a run as positives (supported baselines) and negatives."""

    def __init__(self, cases: Sequence[CaseSummary], attempts: Sequence[Attempt]) -> None:
        self._groups = {case.case_id: case.group for case in cases}
        self._attempts = attempts
        self._supported = self._baselines(AttackGoal.FALSE_REJECTION)

    def ladder(self) -> tuple[Discrimination, ...]:
        """Return one row a level; level 1 is the set's own unsupported items, level 5 the control arm."""
        return tuple(self._row(name, level, self._level(level)) for level, name in enumerate(LEVELS))

    def baseline(self) -> Discrimination:
        """Return how the un-attacked cases are told apart."""
        return self._row("baseline", None, self._baselines(AttackGoal.FALSE_ACCEPTANCE))

    def under_attack(self, items: Sequence[ItemOutcome]) -> Discrimination:
        """Return how the adversarial candidates of the search are told from the supported cases."""
        traces = [item.search for item in items if item.goal is AttackGoal.FALSE_ACCEPTANCE]
        return self._row(
            "under attack",
            None,
            [one.candidate.model_copy(update={"outcome": one.outcome}) for one in traces if one.candidate is not None],
        )

    def _baselines(self, goal: AttackGoal) -> list[Attempt]:
        return [one for one in self._attempts if one.arm is Arm.BASELINE and one.goal is goal]

    def _level(self, level: int) -> list[Attempt]:
        steps = [one for one in self._attempts if one.arm is Arm.LADDER and one.level == level]
        if level == _NATIVE:
            return [*steps, *self._baselines(AttackGoal.FALSE_ACCEPTANCE)]
        if level == _DETECTOR_AWARE:
            return _least_risky(steps)
        if level == _STRUCTURAL:
            controls = [one for one in self._attempts if one.arm is Arm.CONTROL]
            return [*steps, *(one for one in controls if one.goal is AttackGoal.FALSE_ACCEPTANCE)]
        return steps

    def _row(self, name: str, level: int | None, negatives: Sequence[Attempt]) -> Discrimination:
        return Discrimination(
            name=name,
            level=level,
            false_acceptance=rate(self._marks(negatives)),
            false_rejection=rate(self._marks(self._supported)),
            auc=self._auc(negatives, seed=f"auc/{name}"),
        )

    def _marks(self, attempts: Sequence[Attempt]) -> list[Mark]:
        return [Mark(self._groups[one.case_id], one.outcome or Outcome.UNKNOWN) for one in attempts]

    def _auc(self, negatives: Sequence[Attempt], *, seed: str) -> Estimate:
        lower, lower_groups = self._scores(self._supported)
        higher, higher_groups = self._scores(negatives)
        interval = auc_interval(lower, higher, lower_groups, higher_groups, seed=seed)
        return estimate(auc(lower, higher), interval, len({*lower_groups, *higher_groups}))

    def _scores(self, attempts: Sequence[Attempt]) -> tuple[list[float], list[str]]:
        scored = [
            (one.score.value, self._groups[one.case_id])
            for one in attempts
            if one.score is not None and one.score.value is not None
        ]
        return [value for value, _ in scored], [group for _, group in scored]


def _least_risky(steps: Sequence[Attempt]) -> list[Attempt]:
    """Return, for each case, the step that a detector-aware choice takes: the lowest risk, else an unmeasured one."""
    by_case: dict[str, list[Attempt]] = defaultdict(list)
    for step in steps:
        by_case[step.case_id].append(step)
    return [min(some, key=_risk) for some in by_case.values()]


def _risk(step: Attempt) -> float:
    return float("inf") if step.score is None or step.score.value is None else step.score.value
