"""What an attack came to over many items: validity, success, success that it induced, and the worst case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import Field

from confute.harness.manifest import CaseSummary
from confute.harness.outcome import ItemOutcome, mechanism_of
from confute.harness.rates import Estimate, Mark, Rate, product, rate
from confute.records import Arm, AttackGoal, Attempt, Mechanism, Outcome, Record, Validity


class ValidityCounts(Record):
    """How many proposals of the search an oracle vouched for, and why it did not vouch for the others.

    `wrong_by_reason` is, for each reason that it did vouch for, the share of measured proposals decided wrongly: an
    edit beyond what a victim is declared to see has a reason, and so an arm, of its own.
    """

    attempted: int = Field(ge=0)
    valid: int = Field(ge=0)
    unknown: int = Field(ge=0)
    invalid: int = Field(ge=0)
    rate: Rate
    reasons: dict[str, int]
    wrong_by_reason: dict[str, Rate]


class AttackSummary(Record):
    """The outcome of a group of items: `baseline` and `control` are without any search, `asr_*` are of the search."""

    items: int = Field(ge=0)
    validity: ValidityCounts
    baseline: Rate
    control: Rate
    asr_all: Rate
    asr_induced: Rate
    worst_case: Rate


class DirectionSummary(Record):
    """An attack towards one goal, with its potency: validity rate x ASR_all."""

    goal: AttackGoal
    attack: AttackSummary
    potency: Estimate


class MechanismSummary(Record):
    """An attack towards one goal where the adversarial candidate, or the control, used one mechanism."""

    goal: AttackGoal
    mechanism: Mechanism
    attack: AttackSummary


class DomainSummary(Record):
    """An attack towards one goal on the cases of one domain."""

    goal: AttackGoal
    domain: str
    attack: AttackSummary


class Evidence:
    """The items and attempts of a run, cut by goal, mechanism and domain."""

    def __init__(self, cases: Sequence[CaseSummary], items: Sequence[ItemOutcome], attempts: Sequence[Attempt]) -> None:
        self._cases = {case.case_id: case for case in cases}
        self._items = items
        self._item = {(item.goal, item.case.case_id): item for item in items}
        self._steps: dict[tuple[Arm, AttackGoal | None, str], list[Attempt]] = defaultdict(list)
        for one in attempts:
            if not one.probe:
                self._steps[one.arm, one.goal, one.case_id].append(one)

    def by_direction(self) -> tuple[DirectionSummary, ...]:
        """Return one summary for each goal."""
        return tuple(
            DirectionSummary(
                goal=goal,
                attack=self._summary(goal, list(self._cases)),
                potency=self._potency(goal),
            )
            for goal in AttackGoal
        )

    def by_mechanism(self) -> tuple[MechanismSummary, ...]:
        """Return one summary for each goal and mechanism that was tried."""
        found = [
            MechanismSummary(goal=goal, mechanism=mechanism, attack=self._of_mechanism(goal, mechanism))
            for goal in AttackGoal
            for mechanism in Mechanism
        ]
        return tuple(one for one in found if one.attack.items or one.attack.validity.attempted)

    def by_domain(self) -> tuple[DomainSummary, ...]:
        """Return one summary for each goal and domain that was tried."""
        domains: dict[str, list[str]] = defaultdict(list)
        for case in self._cases.values():
            domains[case.domain].append(case.case_id)
        found = [
            DomainSummary(goal=goal, domain=domain, attack=self._summary(goal, domains[domain]))
            for goal in AttackGoal
            for domain in sorted(domains)
        ]
        return tuple(one for one in found if one.attack.items or one.attack.baseline.denominator)

    def _summary(self, goal: AttackGoal, case_ids: Sequence[str]) -> AttackSummary:
        found = [self._item.get((goal, case_id)) for case_id in case_ids]
        return _summary(
            [item for item in found if item is not None],
            baselines=self._marks(Arm.BASELINE, goal, case_ids),
            controls=self._marks(Arm.CONTROL, goal, case_ids),
            proposals=self._of(Arm.SEARCH, goal, case_ids),
            cases=self._cases,
        )

    def _of(self, arm: Arm, goal: AttackGoal, case_ids: Iterable[str]) -> list[Attempt]:
        return [one for case_id in case_ids for one in self._steps.get((arm, goal, case_id), ())]

    def _of_mechanism(self, goal: AttackGoal, mechanism: Mechanism) -> AttackSummary:
        chosen = [item for item in self._items if item.goal is goal and item.search.mechanism is mechanism]
        return _summary(
            chosen,
            baselines=[item.mark(item.baseline) for item in chosen if item.baseline is not None],
            controls=[
                item.mark(item.controls[mechanism])
                for item in self._items
                if item.goal is goal and mechanism in item.controls
            ],
            proposals=[one for one in self._of(Arm.SEARCH, goal, self._cases) if mechanism_of(one) is mechanism],
            cases=self._cases,
        )

    def _marks(self, arm: Arm, goal: AttackGoal, case_ids: Iterable[str]) -> list[Mark]:
        return [
            Mark(self._cases[one.case_id].group, one.outcome or Outcome.UNKNOWN)
            for one in self._of(arm, goal, case_ids)
        ]

    def _potency(self, goal: AttackGoal) -> Estimate:
        return product(
            _validity_marks(self._of(Arm.SEARCH, goal, self._cases), self._cases),
            [item.mark(item.search.outcome) for item in self._items if item.goal is goal],
            seed=f"potency/{goal}",
        )


def _summary(
    chosen: Sequence[ItemOutcome],
    *,
    baselines: Iterable[Mark],
    controls: Iterable[Mark],
    proposals: Sequence[Attempt],
    cases: dict[str, CaseSummary],
) -> AttackSummary:
    induced = [(item, item.induced(item.search, item.search.outcome)) for item in chosen]
    return AttackSummary(
        items=len(chosen),
        validity=_validity(proposals, cases),
        baseline=rate(baselines),
        control=rate(controls),
        asr_all=rate(item.mark(item.search.outcome) for item in chosen),
        asr_induced=rate(item.mark(outcome) for item, outcome in induced if outcome is not None),
        worst_case=rate(item.mark(item.worst) for item in chosen),
    )


def _validity(proposals: Sequence[Attempt], cases: dict[str, CaseSummary]) -> ValidityCounts:
    rulings = [one.ruling for one in proposals if one.ruling is not None]
    counts = Counter(ruling.validity for ruling in rulings)
    reasons = Counter(ruling.reason for ruling in rulings if ruling.validity is not Validity.VALID)
    return ValidityCounts(
        attempted=len(rulings),
        valid=counts[Validity.VALID],
        unknown=counts[Validity.UNKNOWN],
        invalid=counts[Validity.INVALID],
        rate=rate(_validity_marks(proposals, cases)),
        reasons=dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
        wrong_by_reason=_wrong_by_reason(proposals, cases),
    )


def _wrong_by_reason(proposals: Sequence[Attempt], cases: dict[str, CaseSummary]) -> dict[str, Rate]:
    marks: dict[str, list[Mark]] = {}
    for one in proposals:
        if one.ruling is not None and one.ruling.validity is Validity.VALID and one.outcome is not None:
            marks.setdefault(one.ruling.reason, []).append(Mark(cases[one.case_id].group, one.outcome))
    return {reason: rate(marks[reason]) for reason in sorted(marks)}


def _validity_marks(proposals: Sequence[Attempt], cases: dict[str, CaseSummary]) -> list[Mark]:
    return [
        Mark(
            cases[one.case_id].group,
            Outcome.SUCCEEDED if one.ruling.validity is Validity.VALID else Outcome.RESISTED,
        )
        for one in proposals
        if one.ruling is not None
    ]
