"""One arm of the attack on one probe: an agent proposes frames, each is ruled on, replayed, and verified anew."""

from __future__ import annotations

from collections.abc import Sequence

from confute.agents.agent import Agent, Feedback, Proposal, Question, View
from confute.agents.feedback import cut
from confute.harness.attacker_model import Asked
from confute.harness.meter import Meter
from confute.harness.persona.attack.ground import Ground
from confute.harness.persona.attack.trial import Trial, has_failed
from confute.harness.persona.attack.work import Work, answered
from confute.harness.replies import ReplyKey
from confute.models.chat import ReplyCode
from confute.persona_plan import Replays
from confute.records import Arm, Candidate, Decision, Record, Ruling

_FRUITLESS_ROUNDS = 64
_SPENT = "budget_exhausted"
_NOT_TRIED = Feedback(validity=None, reason="budget_exhausted", decision=None, score=None)


class Searched(Record):
    """How an arm ended: its success, verified and confirmed on fresh replays, if any, and what it spent.

    `trial` is the success as it was confirmed, and `candidate` the same for shrinking. `unverified` counts candidates
    that failed stably at first and did not when they were replayed afresh, or could not be; `unconfirmed` those that
    did, and not in the replays that confirm. `confirming` is what these took, beside the `queries` of the search.
    """

    status: str
    queries: int
    confirming: int
    unverified: int
    unconfirmed: int
    trial: Trial | None
    candidate: Candidate | None


class Searching:
    """Runs one agent on one probe until its first confirmed success, its end or its budget.

    What is confirmed is paid for from `spare`, all else from `meter`. `asks` says that the agent may ask a model, which
    is paid for by the call; else each proposal is a call of the attacker where it `pays` for them.
    """

    def __init__(  # noqa: PLR0913  what a search is made of
        self, ground: Ground, arm: Arm, meter: Meter, spare: Meter, plan: Replays, *, asks: bool, pays: bool
    ) -> None:
        self._ground, self._arm, self._meter, self._spare = ground, arm, meter, spare
        self._plan, self._asks, self._pays = plan, asks, pays
        self._questions = self._trials = self._unverified = self._unconfirmed = 0
        self._is_spare_spent = False
        self._is_refused = False
        self._success: tuple[Trial, Candidate] | None = None

    def run(self, agent: Agent, view: View) -> Work[Searched]:
        """Return how the arm ended; an agent that raises ends it with `agent_error`."""
        generator = agent.search(view)
        feedback: Sequence[Feedback] | None = None
        fruitless = 0
        while fruitless < _FRUITLESS_ROUNDS:
            try:
                batch = next(generator) if feedback is None else generator.send(feedback)
            except StopIteration:
                return self._ended(_SPENT if self._is_refused else "finished")
            except Exception as error:  # an agent may be anybody's code
                return self._ended(f"agent_error: {type(error).__name__}: {error}"[:200])
            feedback = yield from self._told(batch, view)
            if self._success is not None:
                return self._ended("succeeded")
            if self._is_spare_spent:
                return self._ended(f"{_SPENT}:{_confirming(self._spare)}")
            if _NOT_TRIED in feedback:
                return self._ended(_SPENT)
            fruitless = fruitless + 1 if all(one.decision is None for one in feedback) else 0
        return self._ended("fruitless")

    def _ended(self, status: str) -> Searched:
        trial, candidate = self._success or (None, None)
        if status == _SPENT:
            status = f"{_SPENT}:{self._meter.exhausted or 'total'}"
        elif status in {"finished", "fruitless"} and not self._trials:
            status = "no_proposal"
        return Searched(
            status=status,
            queries=self._meter.spent("victim_queries"),
            confirming=self._spare.spent("victim_queries"),
            unverified=self._unverified,
            unconfirmed=self._unconfirmed,
            trial=trial,
            candidate=candidate,
        )

    def _told(self, batch: Sequence[Proposal | Question], view: View) -> Work[Sequence[Feedback]]:
        questions = [one for one in batch if isinstance(one, Question)]
        if questions:
            return (yield from self._heard(questions, view))
        feedback: list[Feedback] = []
        for one in batch:
            told = None
            if isinstance(one, Proposal) and self._success is None:
                told = yield from self._tried(one.candidate)
            feedback.append(_NOT_TRIED if told is None else cut(told, view.knowledge))
        return feedback

    def _heard(self, questions: Sequence[Question], view: View) -> Work[Sequence[Feedback]]:
        if not self._asks:
            raise TypeError("asked a model where the contract names none")
        numbered = enumerate(questions, start=self._questions)
        probe = self._ground.probe.id
        asked = [Asked(ReplyKey(probe, view.goal, self._arm, number), one, self._meter) for number, one in numbered]
        self._questions += len(questions)
        replies = yield from answered(asked)
        self._is_refused |= any(reply.code is ReplyCode.BUDGET_SPENT for reply in replies)
        return [Feedback(validity=None, reason=one.code, decision=None, score=None, reply=one) for one in replies]

    def _tried(self, proposed: Candidate) -> Work[Feedback | None]:
        """Return what came of a candidate; None where a budget refused it."""
        if self._pays and not self._meter.try_spend("attacker_calls"):
            return None
        candidate = self._ground.normal(proposed)
        trial = yield from self._ground.tried(self._arm, candidate, self._meter, times=self._plan.search)
        if trial is None:
            return None
        self._trials += 1
        if trial.fails:
            yield from self._verified(candidate, trial.ruling)
        return _feedback(trial)

    def _verified(self, candidate: Candidate, ruling: Ruling | None) -> Work[None]:
        """Have a candidate that failed replayed afresh, and where it fails again, once more to confirm it."""
        times = self._plan.search
        again = yield from self._ground.tried(
            self._arm, candidate, self._meter, times=times, first=times, ruling=ruling
        )
        if again is None or not again.fails:
            self._unverified += 1
            return
        last = yield from self._ground.tried(
            self._arm,
            candidate,
            self._spare,
            times=self._plan.confirmed,
            first=2 * times,
            ruling=ruling,
            confirms=True,
        )
        if last is not None and last.fails:
            self._success = last, candidate
        else:
            self._unconfirmed += 1
            self._is_spare_spent = last is None


def _confirming(spare: Meter) -> str:
    """Return the name that the contract has for the budget that was too small to confirm by."""
    return "shrink_queries" if spare.exhausted in {None, "victim_queries"} else str(spare.exhausted)


def _feedback(trial: Trial) -> Feedback:
    assert trial.ruling is not None
    counts = trial.counts
    rate = None if counts is None else counts.failure_rate
    decision = None
    if counts is not None and rate is not None:
        decision = Decision.ACCEPT if has_failed(counts) else Decision.REJECT
    return Feedback(
        validity=trial.ruling.validity,
        reason=trial.ruling.reason,
        decision=decision,
        score=None if rate is None else 1.0 - rate,
    )
