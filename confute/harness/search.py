"""Searches run in lockstep: every live search proposes, one batch is measured, and each learns what it may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from confute.agents.agent import Agent, Feedback, Proposal, Question, Reply, View
from confute.agents.feedback import cut
from confute.contract import Budgets
from confute.harness import lockstep
from confute.harness.attacker_model import Asked, AttackerModel
from confute.harness.gate import Gate
from confute.harness.meter import Meter
from confute.harness.recorder import Recorder, Step
from confute.harness.replies import ReplyKey
from confute.models.chat import ReplyCode
from confute.oracles.oracle import Screened
from confute.records import Arm, Attempt, Case, Outcome, Record, Score, ScoreState, Validity, digest_of

AGENT_RAISED = "agent_raised"
"""The error code of a step on which the agent itself failed."""

NO_PROPOSAL = "no_proposal"
"""The error code of the one step of a search whose model never answered with anything that could be tried."""

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
    """Runs one agent over many items at once; a search ends with its first success or its budget.

    Without a `model` each proposal is a call of the attacker; with one, each question to it is.
    """

    def __init__(
        self,
        gate: Gate,
        recorder: Recorder,
        budgets: Budgets,
        advanced: Callable[[int], None],
        model: AttackerModel | None = None,
    ) -> None:
        self._gate = gate
        self._recorder = recorder
        self._budgets = budgets
        self._advanced = advanced
        self._model = model

    def run(self, agent: Agent, items: Sequence[Item], arm: Arm) -> tuple[SearchResult, ...]:
        """Return one result an item, in order; every step is in the ledger before its agent learns of it."""
        asks = self._model is not None
        searches = [_Search(item, arm, agent, self._gate, Meter(self._budgets), asks=asks) for item in items]
        lockstep.run(searches, self._recorder, self._advanced, lambda: self._answer(searches))
        return tuple(search.result() for search in searches)

    def _answer(self, searches: Sequence[_Search]) -> None:
        """Have all questions answered together, until every search that goes on has a proposal."""
        while self._model is not None and (asking := [search for search in searches if search.questions]):
            asked = [question for search in asking for question in search.asked()]
            replies = iter(self._model.answer(asked))
            for search in asking:
                search.hear([next(replies) for _ in search.questions])


class _Search:
    def __init__(self, item: Item, arm: Arm, agent: Agent, gate: Gate, meter: Meter, *, asks: bool) -> None:  # noqa: PLR0913
        self._status: str | None = None
        self._asks = asks
        self._asked = 0
        self._is_refused = False
        self._item = item
        self._arm = arm
        self._gate = gate
        self._meter = meter
        self._generator = agent.search(item.view)
        self._proposals: Sequence[Proposal] = ()
        self.questions: Sequence[Question] = ()
        self._taken: dict[int, Screened | None] = {}
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

    def asked(self) -> list[Asked]:
        """Return the questions with their places in the search, and the meter that pays for them."""
        case_id, goal = self._item.case.case_id, self._item.view.goal
        numbered = enumerate(self.questions, start=self._asked)
        return [Asked(ReplyKey(case_id, goal, self._arm, index), one, self._meter) for index, one in numbered]

    def hear(self, replies: Sequence[Reply]) -> None:
        """Tell the agent what its model answered."""
        self._asked += len(replies)
        self._fruitless += 1
        self._is_refused |= any(reply.code is ReplyCode.BUDGET_SPENT for reply in replies)
        if self._fruitless > _FRUITLESS_ROUNDS:
            self._end("fruitless")
        else:
            self._advance([_answered(reply) for reply in replies])

    def propose(self) -> list[Step]:
        """Turn the agent's proposals into steps, each ruled on and paid for; what the budget refuses is no step."""
        self._taken, steps = {}, []
        if self._failure is not None:
            return [self._step(Proposal(candidate=self._item.view.start), None, self._failure)]
        for index, proposal in enumerate(self._proposals):
            if not self._asks and not self._meter.try_spend("attacker_calls"):
                break
            screened = None if proposal.probe else self._gate.screen(self._item.case, proposal.candidate)
            if screened is None or screened.is_open or screened.ruling.validity is Validity.VALID:
                if not self._meter.charge_queries([digest_of(proposal.candidate.pair.model_dump())]):
                    continue
                self._queries = self._meter.spent("victim_queries")
            self._taken[index] = screened
            steps.append(self._step(proposal, screened, None))
        return steps

    def learn(self, attempts: Sequence[Attempt]) -> None:
        """Tell the agent what it may know of its proposals, and see whether the search has ended."""
        if self._failure is not None:
            self._status = "no_proposal" if self._failure.error_code == NO_PROPOSAL else "agent_error"
            return
        self._success = next((attempt for attempt in attempts if attempt.outcome is Outcome.SUCCEEDED), None)
        self._fruitless = 0 if any(attempt.score is not None for attempt in attempts) else self._fruitless + 1
        if self._success is not None:
            self._end("succeeded")
        elif len(attempts) < len(self._proposals):
            self._end(f"budget_exhausted:{self._meter.exhausted}")
        elif self._fruitless > _FRUITLESS_ROUNDS:
            self._end("fruitless")
        feedback = [_BUDGET_EXHAUSTED for _ in self._proposals]
        for (index, screened), attempt in zip(self._taken.items(), attempts, strict=True):
            told = _oracle_alone(screened) if self._arm is Arm.NO_FEEDBACK else _feedback(attempt, screened)
            feedback[index] = cut(told, self._item.view.knowledge)
        if self._status is None:
            self._advance(feedback)

    def result(self) -> SearchResult:
        """Return how the search ended."""
        return SearchResult(
            item_id=f"{self._item.case.case_id}/{self._item.view.goal}",
            status=self._status or "running",
            queries=self._queries,
            requested=self._meter.requested,
            success=self._success,
        )

    def _end(self, status: str) -> None:
        self._status = status
        self.questions = ()
        self._generator.close()

    def _advance(self, feedback: Sequence[Feedback] | None) -> None:
        self._proposals, self.questions = (), ()
        try:
            batch = next(self._generator) if feedback is None else self._generator.send(feedback)
            self._proposals = [one for one in batch if isinstance(one, Proposal)]
            self.questions = [one for one in batch if isinstance(one, Question)]
            if self.questions and (self._proposals or not self._asks):
                raise TypeError("asked a model beside proposing, or where the contract names none")
        except StopIteration:
            self._finish()
        except Exception as error:
            self.questions = ()
            self._failure = _failed(AGENT_RAISED, f"{type(error).__name__}: {error}"[:200])

    def _finish(self) -> None:
        """End a search whose agent has nothing more; one that asked and never proposed leaves a step that says so."""
        if self._asks and not self._steps:
            self._failure = _failed(NO_PROPOSAL, f"none came of {self._asked} questions")
        else:
            self._status = f"budget_exhausted:{self._meter.exhausted or 'total'}" if self._is_refused else "finished"

    def _step(self, proposal: Proposal, screened: Screened | None, failure: Score | None) -> Step:
        index, self._steps = self._steps, self._steps + 1
        ruling = None if screened is None else screened.ruling
        is_open = screened is not None and screened.is_open
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
            settle=partial(self._gate.rule, self._item.case, proposal.candidate) if is_open else None,
        )


def _failed(code: str, message: str) -> Score:
    return Score(state=ScoreState.ERROR, error_code=code, error_message=message)


def _answered(reply: Reply) -> Feedback:
    return Feedback(validity=None, reason=reply.code, decision=None, score=None, reply=reply)


def _feedback(attempt: Attempt, screened: Screened | None) -> Feedback:
    return Feedback(
        is_open=screened is not None and screened.is_open and attempt.ruling == screened.ruling,
        validity=attempt.ruling.validity if attempt.ruling else None,
        reason=attempt.ruling.reason if attempt.ruling else "probe",
        decision=attempt.decision,
        score=attempt.score.value if attempt.score else None,
    )


def _oracle_alone(screened: Screened | None) -> Feedback:
    """Return what a search without feedback learns: nothing that depends on the victim, but what was screened."""
    if screened is None:
        return Feedback(validity=None, reason="probe", decision=None, score=None)
    ruling, is_open = screened
    return Feedback(validity=ruling.validity, reason=ruling.reason, decision=None, score=None, is_open=is_open)
