"""Searches run in lockstep: every live search proposes, one batch is measured, and each learns what it may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from confute.agents.agent import Agent, Feedback, Proposal, View
from confute.agents.feedback import cut
from confute.contract import Budgets
from confute.harness import lockstep
from confute.harness.gate import Gate
from confute.harness.meter import Meter
from confute.harness.recorder import Recorder, Step
from confute.records import Arm, Attempt, Case, Outcome, Record, Ruling, Score, ScoreState, Validity, digest_of

AGENT_RAISED = "agent_raised"
"""The error code of a step on which the agent itself failed."""

_FRUITLESS_ROUNDS = 256
_BUDGET_EXHAUSTED = Feedback(validity=None, reason="budget_exhausted", decision=None, score=None)


@dataclass(frozen=True)
class Item:
    """One case attacked towards one goal: what the agent sees of it, and the case itself."""

    case: Case
    view: View


class SearchResult(Record):
    """How one search ended, and the step that succeeded first, if any."""

    item_id: str
    status: str
    queries: int
    requested: int
    success: Attempt | None


class Searches:
    """Runs one agent over many items at once; a search ends with its first success or its budget."""

    def __init__(self, gate: Gate, recorder: Recorder, budgets: Budgets, advanced: Callable[[int], None]) -> None:
        self._gate = gate
        self._recorder = recorder
        self._budgets = budgets
        self._advanced = advanced

    def run(self, agent: Agent, items: Sequence[Item], arm: Arm) -> tuple[SearchResult, ...]:
        """Return one result an item, in order; every step is in the ledger before its agent learns of it."""
        searches = [_Search(item, arm, agent, self._gate, Meter(self._budgets)) for item in items]
        lockstep.run(searches, self._recorder, self._advanced)
        return tuple(search.result() for search in searches)


class _Search:
    def __init__(self, item: Item, arm: Arm, agent: Agent, gate: Gate, meter: Meter) -> None:
        self._status: str | None = None
        self._item = item
        self._arm = arm
        self._gate = gate
        self._meter = meter
        self._generator = agent.search(item.view)
        self._proposals: Sequence[Proposal] = ()
        self._taken: list[int] = []
        self._steps = 0
        self._queries = 0
        self._fruitless = 0
        self._failure: Score | None = None
        self._success: Attempt | None = None
        self._advance(None)

    @property
    def has_ended(self) -> bool:
        """Whether it proposes no more."""
        return self._status is not None

    def propose(self) -> list[Step]:
        """Turn the agent's proposals into steps, each ruled on and paid for; what the budget refuses is no step."""
        self._taken, steps = [], []
        if self._failure is not None:
            return [self._step(Proposal(candidate=self._item.view.start), None, self._failure)]
        for index, proposal in enumerate(self._proposals):
            if not self._meter.try_spend("attacker_calls"):
                break
            ruling = None if proposal.probe else self._gate.rule(self._item.case, proposal.candidate)
            asks = ruling is None or ruling.validity is Validity.VALID
            if asks:
                if not self._meter.charge_queries([digest_of(proposal.candidate.pair.model_dump())]):
                    continue
                self._queries = self._meter.spent("victim_queries")
            self._taken.append(index)
            steps.append(self._step(proposal, ruling, None))
        return steps

    def learn(self, attempts: Sequence[Attempt]) -> None:
        """Tell the agent what it may know of its proposals, and see whether the search has ended."""
        if self._failure is not None:
            self._status = "agent_error"
            return
        self._success = next((attempt for attempt in attempts if attempt.outcome is Outcome.SUCCEEDED), None)
        self._fruitless = 0 if any(attempt.score is not None for attempt in attempts) else self._fruitless + 1
        if self._success is not None:
            self._status = "succeeded"
        elif len(attempts) < len(self._proposals):
            self._status = f"budget_exhausted:{self._meter.exhausted}"
        elif self._fruitless > _FRUITLESS_ROUNDS:
            self._status = "fruitless"
        feedback = [_BUDGET_EXHAUSTED for _ in self._proposals]
        for index, attempt in zip(self._taken, attempts, strict=True):
            feedback[index] = cut(_feedback(attempt), self._item.view.knowledge)
        self._generator.close() if self._status else self._advance(feedback)

    def result(self) -> SearchResult:
        """Return how the search ended."""
        return SearchResult(
            item_id=f"{self._item.case.case_id}/{self._item.view.goal}",
            status=self._status or "running",
            queries=self._queries,
            requested=self._meter.requested,
            success=self._success,
        )

    def _advance(self, feedback: Sequence[Feedback] | None) -> None:
        try:
            self._proposals = next(self._generator) if feedback is None else self._generator.send(feedback)
        except StopIteration:
            self._status = "finished"
        except Exception as error:
            self._failure = Score(
                state=ScoreState.ERROR,
                error_code=AGENT_RAISED,
                error_message=f"{type(error).__name__}: {error}"[:200],
            )

    def _step(self, proposal: Proposal, ruling: Ruling | None, failure: Score | None) -> Step:
        index, self._steps = self._steps, self._steps + 1
        return Step(
            case_id=self._item.case.case_id,
            goal=self._item.view.goal,
            arm=self._arm,
            index=index,
            pair=proposal.candidate.pair,
            label=None if ruling is None else ruling.label,
            edits=proposal.candidate.edits,
            ruling=ruling,
            probe=proposal.probe,
            queries=self._queries,
            failure=failure,
        )


def _feedback(attempt: Attempt) -> Feedback:
    return Feedback(
        validity=attempt.ruling.validity if attempt.ruling else None,
        reason=attempt.ruling.reason if attempt.ruling else "probe",
        decision=attempt.decision,
        score=attempt.score.value if attempt.score else None,
    )
