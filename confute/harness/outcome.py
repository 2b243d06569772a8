"""What a run showed of each item, a case attacked towards one goal: its baseline, controls, search and worst case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from confute.errors import ReportError
from confute.harness.manifest import CaseSummary
from confute.harness.rates import Mark
from confute.harness.recorder import is_wanted, own_goal
from confute.records import Arm, AttackGoal, Attempt, Mechanism, Outcome, Validity

_ATTACKS = {Arm.CONTROL, Arm.SEARCH, Arm.NO_FEEDBACK}


@dataclass(frozen=True)
class Trace:
    """What one search did to one item.

    `candidate` is the first success, else the valid measured candidate whose risk came closest to the goal, else the
    closest of those that no judge was asked about since the victim decided them rightly, else the last step that the
    victim did not measure. `outcome` is its outcome, RESISTED where it was not judged, and UNKNOWN where there is none.
    `queries` is what the search spent on the victim.
    """

    outcome: Outcome
    candidate: Attempt | None
    queries: int

    @property
    def queries_to_success(self) -> int | None:
        """What the search had spent when it succeeded; None where it did not."""
        return self.candidate.queries if self.candidate and self.outcome is Outcome.SUCCEEDED else None

    @property
    def mechanism(self) -> Mechanism | None:
        """The mechanism of the candidate; None without one."""
        return mechanism_of(self.candidate) if self.candidate else None

    def within(self, queries: int) -> Outcome:
        """Return whether a success came within so many victim queries; an item without one stays RESISTED.

        Only an item that the victim never measured is left out of the denominator, as ERROR or NO_EVIDENCE.
        """
        if self.queries_to_success is not None and self.queries_to_success <= queries:
            return Outcome.SUCCEEDED
        return self.outcome if self.outcome in {Outcome.ERROR, Outcome.NO_EVIDENCE} else Outcome.RESISTED


@dataclass(frozen=True)
class ItemOutcome:
    """One item: `baseline` is None where the un-attacked case cannot fail in the item's direction."""

    case: CaseSummary
    goal: AttackGoal
    baseline: Outcome | None
    controls: Mapping[Mechanism, Outcome]
    search: Trace
    no_feedback: Trace

    def mark(self, outcome: Outcome) -> Mark:
        """Return an outcome with the item's cluster."""
        return Mark(self.case.group, outcome)

    def control(self, trace: Trace) -> Outcome:
        """Return the outcome of the paired control: the blind draw of the candidate's mechanism.

        Where the case can be decided wrongly towards the goal as it stands, so that an attack keeps its label, it is
        the item itself. UNKNOWN where there is none.
        """
        if trace.mechanism is None:
            return Outcome.UNKNOWN
        if own_goal(self.case.label) is self.goal:
            return self.baseline or Outcome.UNKNOWN
        return self.controls.get(trace.mechanism, Outcome.UNKNOWN)

    def induced(self, trace: Trace, outcome: Outcome) -> Outcome | None:
        """Return an outcome for the induced rate: None where the victim had failed without the search.

        An item whose control was not measured cannot be said to be induced, and has the control's outcome.
        """
        control = self.control(trace)
        if control is Outcome.SUCCEEDED:
            return None
        return outcome if control is Outcome.RESISTED else control

    @property
    def worst(self) -> Outcome:
        """SUCCEEDED where the baseline, a control or any step of a search broke the item."""
        seen = [self.search.outcome, self.no_feedback.outcome, *self.controls.values()]
        seen += [] if self.baseline is None else [self.baseline]
        ranked = (Outcome.SUCCEEDED, Outcome.RESISTED, Outcome.ERROR, Outcome.NO_EVIDENCE)
        return next((outcome for outcome in ranked if outcome in seen), Outcome.UNKNOWN)


def items(cases: Sequence[CaseSummary], attempts: Iterable[Attempt]) -> tuple[ItemOutcome, ...]:
    """Return the outcome of every attacked item, in the order of the cases and goals.

    Raises ReportError for an attempt on a case that is not among them.
    """
    by_id = {case.case_id: case for case in cases}
    steps: dict[tuple[str, AttackGoal], dict[Arm, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    baselines: dict[tuple[str, AttackGoal], Outcome] = {}
    for attempt in attempts:
        if attempt.goal is None or attempt.arm not in {*_ATTACKS, Arm.BASELINE}:
            continue
        if attempt.case_id not in by_id:
            raise ReportError(
                "an attempt names a case that the run did not attack", field="case_id", got=attempt.case_id
            )
        if attempt.arm is Arm.BASELINE:
            baselines[attempt.case_id, attempt.goal] = attempt.outcome or Outcome.UNKNOWN
        else:
            steps[attempt.case_id, attempt.goal][attempt.arm].append(attempt)
    return tuple(
        _item(by_id[case_id], goal, baselines.get((case_id, goal)), steps[case_id, goal])
        for case_id in by_id
        for goal in AttackGoal
        if (case_id, goal) in steps
    )


def mechanism_of(attempt: Attempt) -> Mechanism | None:
    """Return the mechanism of an attempt's first edit that changes content, else of its first edit."""
    mechanisms = [edit.mechanism for edit in attempt.edits]
    changing = [mechanism for mechanism in mechanisms if mechanism is not Mechanism.PARAPHRASE]
    return next(iter([*changing, *mechanisms]), None)


def _item(
    case: CaseSummary, goal: AttackGoal, baseline: Outcome | None, steps: Mapping[Arm, Sequence[Attempt]]
) -> ItemOutcome:
    controls = {
        mechanism: attempt.outcome or Outcome.UNKNOWN
        for attempt in steps.get(Arm.CONTROL, ())
        if (mechanism := mechanism_of(attempt)) is not None
    }
    return ItemOutcome(
        case=case,
        goal=goal,
        baseline=baseline,
        controls=controls,
        search=trace(steps.get(Arm.SEARCH, ()), goal),
        no_feedback=trace(steps.get(Arm.NO_FEEDBACK, ()), goal),
    )


def is_unjudged(attempt: Attempt) -> bool:
    """Tell whether an attempt was left to judges that nobody asked, since the victim decided it rightly."""
    is_open = attempt.ruling is not None and attempt.ruling.validity is Validity.UNKNOWN
    return is_open and attempt.decision is not None and not is_wanted(attempt.goal, attempt.decision)


def trace(steps: Sequence[Attempt], goal: AttackGoal) -> Trace:
    """Return what the steps of one search came to; a probe never counts as a candidate."""
    ordered = sorted(steps, key=lambda step: step.step)
    queries = max((step.queries for step in ordered), default=0)
    valid = [step for step in ordered if not step.probe and step.ruling and step.ruling.validity is Validity.VALID]
    success = next((step for step in valid if step.outcome is Outcome.SUCCEEDED), None)
    resisted = [step for step in valid if step.outcome is Outcome.RESISTED]
    if success is not None:
        return Trace(Outcome.SUCCEEDED, success, queries)
    if resisted:
        return Trace(Outcome.RESISTED, _closest(resisted, goal), queries)
    unjudged = [step for step in ordered if not step.probe and is_unjudged(step)]
    if unjudged:
        return Trace(Outcome.RESISTED, _closest(unjudged, goal), queries)
    failed = [step for step in ordered if step.outcome in {Outcome.ERROR, Outcome.NO_EVIDENCE}]
    if failed:
        return Trace(failed[-1].outcome or Outcome.ERROR, failed[-1], queries)
    return Trace(Outcome.UNKNOWN, None, queries)


def _closest(steps: Sequence[Attempt], goal: AttackGoal) -> Attempt:
    scored = [(step.score.value, step) for step in steps if step.score and step.score.value is not None]
    if not scored:
        return steps[-1]
    choose = min if goal is AttackGoal.FALSE_ACCEPTANCE else max
    return choose(scored, key=lambda pair: pair[0])[1]
