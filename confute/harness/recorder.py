"""The one place where a step is measured and written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from confute.errors import LedgerError
from confute.harness.ledger import Ledger, key_of
from confute.records import (
    Arm,
    AttackGoal,
    Attempt,
    Decision,
    Edit,
    Label,
    Outcome,
    Pair,
    Ruling,
    Score,
    ScoreState,
    Validity,
)
from confute.victims.frozen import FrozenVictim

_UNMEASURED = {ScoreState.ERROR: Outcome.ERROR, ScoreState.NO_EVIDENCE: Outcome.NO_EVIDENCE}
_REFUSED = {Validity.INVALID: Outcome.INVALID, Validity.UNKNOWN: Outcome.UNKNOWN}


@dataclass(frozen=True)
class Step:
    """A step about to be taken; `label` is what the victim's decision is judged by, None where nothing is judged.

    `failure` says that the step cannot be taken and why; a step whose ruling is not VALID never reaches the victim, but
    for one that judges may `settle`: they are asked for its ruling once the victim has decided as the goal wants it.
    """

    case_id: str
    goal: AttackGoal | None
    arm: Arm
    index: int
    pair: Pair
    label: Label | None
    edits: tuple[Edit, ...] = ()
    ruling: Ruling | None = None
    repeat: int = 0
    probe: bool = False
    level: int | None = None
    queries: int = 0
    failure: Score | None = None
    settle: Callable[[], Ruling] | None = None

    @property
    def asks_victim(self) -> bool:
        """Whether the step is measured."""
        is_ruled_in = self.ruling is None or self.ruling.validity is Validity.VALID
        return self.failure is None and (is_ruled_in or self.settle is not None)


class Recorder:
    """Takes steps in batches: what the ledger has is read from it, the rest is measured at once and written."""

    def __init__(self, contract_digest: str, victim: FrozenVictim, ledger: Ledger) -> None:
        self._contract_digest = contract_digest
        self._victim = victim
        self._ledger = ledger

    def record(self, steps: Sequence[Step]) -> tuple[Attempt, ...]:
        """Return one attempt a step, in order, each written before this returns.

        Raises LedgerError where the ledger holds another step in a step's place.
        """
        drafts = [self._draft(step) for step in steps]
        found = [self._ledger.find(key_of(draft)) for draft in drafts]
        for step, draft, known in zip(steps, drafts, found, strict=True):
            if known is not None and (_without_result(known, step) != draft or _ruled(step, known) != known.ruling):
                raise _drift(draft, known)
        fresh = [index for index, known in enumerate(found) if known is None]
        scores = self._measure([steps[index] for index in fresh])
        written = {
            index: self._finish(drafts[index], steps[index], score) for index, score in zip(fresh, scores, strict=True)
        }
        if written:
            self._ledger.append(list(written.values()))
        return tuple(known or written[index] for index, known in enumerate(found))

    def _draft(self, step: Step) -> Attempt:
        return Attempt(
            contract_digest=self._contract_digest,
            case_id=step.case_id,
            goal=step.goal,
            arm=step.arm,
            step=step.index,
            repeat=step.repeat,
            probe=step.probe,
            level=step.level,
            claim=step.pair.claim,
            evidence=step.pair.evidence,
            edits=step.edits,
            ruling=step.ruling,
            score=None,
            decision=None,
            outcome=None,
            queries=step.queries,
        )

    def _measure(self, steps: Sequence[Step]) -> list[Score | None]:
        scores: list[Score | None] = [step.failure for step in steps]
        for repeat in sorted({step.repeat for step in steps if step.asks_victim}):
            asked = [index for index, step in enumerate(steps) if step.asks_victim and step.repeat == repeat]
            for index, score in zip(asked, self._victim.measure([steps[i].pair for i in asked]), strict=True):
                scores[index] = score
        return scores

    def _finish(self, draft: Attempt, step: Step, score: Score | None) -> Attempt:
        decision = None if score is None else self._victim.decide(score)
        measured = draft.model_copy(update={"score": score, "decision": decision})
        ruling = _ruled(step, measured)
        label = step.label if step.settle is None or ruling is None else ruling.label
        return measured.model_copy(
            update={"ruling": ruling, "outcome": outcome_of(ruling, score, decision, label)},
        )


def is_wanted(goal: AttackGoal | None, decision: Decision | None) -> bool:
    """Tell whether a decision is the one that a goal looks for, whatever the claim deserves."""
    wanted = Decision.ACCEPT if goal is AttackGoal.FALSE_ACCEPTANCE else Decision.REJECT
    return goal is not None and decision is wanted


def is_wrong(label: Label, decision: Decision) -> bool:
    """Tell whether a decision is wrong for a label: only SUPPORTED is rightly accepted."""
    return (label is Label.SUPPORTED) != (decision is Decision.ACCEPT)


def own_goal(label: Label) -> AttackGoal:
    """Return the wrong decision that is possible on a case of a label as it stands."""
    return AttackGoal.FALSE_REJECTION if label is Label.SUPPORTED else AttackGoal.FALSE_ACCEPTANCE


def outcome_of(
    ruling: Ruling | None, score: Score | None, decision: Decision | None, label: Label | None
) -> Outcome | None:
    """Return what a step showed; None where nothing is judged."""
    if score is not None and score.state in _UNMEASURED:
        return _UNMEASURED[score.state]
    if ruling is not None and ruling.validity in _REFUSED:
        return _REFUSED[ruling.validity]
    if label is None or decision is None:
        return None
    return Outcome.SUCCEEDED if is_wrong(label, decision) else Outcome.RESISTED


def _ruled(step: Step, attempt: Attempt) -> Ruling | None:
    """Return the ruling on a measured step; judges, or the ledger of their verdicts, are asked where it needs them."""
    if step.settle is None or not is_wanted(step.goal, attempt.decision):
        return step.ruling
    return step.settle()


def _without_result(attempt: Attempt, step: Step) -> Attempt:
    ruling = attempt.ruling if step.settle is None else step.ruling
    return attempt.model_copy(update={"ruling": ruling, "score": None, "decision": None, "outcome": None})


def _drift(draft: Attempt, known: Attempt) -> LedgerError:
    return LedgerError(
        "the ledger holds another step in this one's place, so the run cannot be continued",
        field=f"{draft.arm}/{draft.case_id!r}/{draft.step}",
        allowed=f"{known.claim!r:.200}",
        got=draft.claim,
        hint="start a new run: the attacker, the oracle or the cases have changed",
    )
