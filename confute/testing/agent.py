"""The conformance suite of an Agent."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence

from confute.agents.agent import Agent, Feedback, Proposal, Question, Reply, Search, View
from confute.agents.feedback import cut
from confute.edits import applied, evidence_size
from confute.errors import shown
from confute.models.chat import ReplyCode
from confute.records import (
    AttackGoal,
    Candidate,
    Decision,
    Edit,
    Knowledge,
    Label,
    Mechanism,
    Replacement,
    Validity,
)
from confute.testing.hostile import HOSTILE

CLAIM = "The bridge of 1990 is 120 metres long and 14 metres wide."
_ROUNDS = 300
_LONGEST = 5_000

Batch = tuple[Proposal | Question, ...]
Judging = Callable[[Proposal], Feedback]


class AgentConformance:
    """What every Agent must do; inherit it as `class TestMine(AgentConformance)` and say how one is made.

    Set `makes_own_edits` to True for one that writes edits besides those of the view, as a language model does, and
    give `reply` for one that asks questions.
    """

    makes_own_edits = False

    def make_agent(self) -> Agent:
        """Return a new agent."""
        raise NotImplementedError("give your suite a method make_agent that returns your agent")

    def reply(self, question: Question) -> Reply:
        """Return what the agent's own model answers; by default it has nothing to say."""
        del question
        return Reply(code=ReplyCode.EMPTY)

    def test_it_proposes_something(self) -> None:
        """Where moves are offered and the budget allows, it proposes at least one of them."""
        assert any(self._proposals(view_of(CLAIM))), "no candidate was proposed, though there are moves to make"

    def test_every_candidate_is_made_of_the_view(self) -> None:
        """A candidate keeps case and goal and is what offered edits make of the source; a probe may be any text."""
        for view in (view_of(CLAIM), view_of(CLAIM, goal=AttackGoal.FALSE_REJECTION), view_of(CLAIM, max_edits=1)):
            for proposal in self._proposals(view):
                self._check(view, proposal)

    def test_every_batch_is_of_one_kind_and_holds_something(self) -> None:
        """A batch holds proposals or questions, never both, and never nothing."""
        for batch in self._play(view_of(CLAIM), scored):
            assert batch, "an empty batch asks for nothing, and would go on for ever"
            assert len({type(one) for one in batch}) == 1, "a batch holds proposals or questions, never both"

    def test_it_ends_when_the_budget_does(self) -> None:
        """Once the budget is spent the harness closes the search, and the search lets itself be closed."""
        for queries in (1, 7):
            search = self.make_agent().search(view_of(CLAIM, victim_queries=queries))
            spent, batch = 0, next(search, None)
            while batch is not None and spent < queries:
                spent += len(batch)
                batch = _sent(search, [self._answer(one, scored, Knowledge.SCORE) for one in batch])
            try:
                search.close()
            except RuntimeError as error:
                raise AssertionError(f"the search goes on after its end: {error}") from error

    def test_it_ends_where_there_is_no_move(self) -> None:
        """Without a move to make, and where every proposal is refused, it ends by itself."""
        view = view_of(CLAIM).model_copy(update={"moves": (), "companions": ()})
        assert self._ends(view), f"without any move it still proposed after {_ROUNDS} rounds"

    def test_the_same_seed_gives_the_same_proposals(self) -> None:
        """Neither another instance nor the state of the global generator changes what is proposed."""
        before = random.getstate()
        try:
            random.seed(1)
            first = self._play(view_of(CLAIM, seed=5), scored)
            random.seed(2)
            second = self._play(view_of(CLAIM, seed=5), scored)
        finally:
            random.setstate(before)
        assert first == second, "two searches of one view and one seed proposed different candidates"

    def test_two_searches_of_one_agent_do_not_mix(self) -> None:
        """A search is a function of its view and its feedback: what runs beside it changes nothing."""
        alone = self._play(view_of(CLAIM), scored, self.make_agent())
        agent = self.make_agent()
        other = agent.search(view_of(CLAIM.replace("120", "130"), seed=9))
        batch = next(other, None)
        beside = self._play(view_of(CLAIM), scored, agent)
        if batch is not None:
            _sent(other, [self._answer(one, scored, Knowledge.SCORE) for one in batch])
        other.close()
        assert alone == beside, "a search proposed other candidates because another search of the agent had begun"

    def test_it_asks_for_nothing_above_its_knowledge(self) -> None:
        """With decisions alone, and without a disclosure, it searches on."""
        for knowledge in (Knowledge.DECISION, Knowledge.SCORE):
            self._bears(view_of(CLAIM, knowledge=knowledge), scored, f"knowledge {knowledge}")

    def test_it_bears_refusals_and_failures(self) -> None:
        """Proposals that are refused, that are not measured, or that the budget leaves out are no reason to raise."""
        for name, judging in {"refused": refused, "not measured": unmeasured, "left out": left_out}.items():
            self._bears(view_of(CLAIM), judging, name)

    def test_it_bears_hostile_text(self) -> None:
        """Odd text in claim, evidence and moves is no reason to raise."""
        for name, text in HOSTILE.items():
            self._bears(hostile_view(text[:_LONGEST]), scored, name)

    def _check(self, view: View, proposal: Proposal) -> None:
        candidate = proposal.candidate
        assert (candidate.case_id, candidate.goal) == (view.start.case_id, view.goal), "it changed case or goal"
        if proposal.probe:
            return  # a text to score only, whatever it is
        made = applied(view.start, candidate.edits)
        pair = None if made is None else made.pair
        assert pair == candidate.pair, f"its edits do not make the candidate {shown(candidate.claim)}"
        assert len(candidate.edits) <= view.max_edits, f"{len(candidate.edits)} edits, and {view.max_edits} are allowed"
        for size, limit in zip(evidence_size(candidate.edits), (view.max_additions, view.max_removals), strict=True):
            assert limit is None or size <= limit, f"{size} passages changed, and {limit} are allowed"
        if self.makes_own_edits:
            return
        offered = {*view.moves, *view.companions}
        assert candidate.edits, "a candidate without an edit is the source itself"
        assert set(candidate.edits) <= offered, "an edit that the view does not offer was made"

    def _proposals(self, view: View) -> Iterator[Proposal]:
        for batch in self._play(view, scored):
            yield from (one for one in batch if isinstance(one, Proposal))

    def _bears(self, view: View, judging: Judging, name: str) -> None:
        try:
            self._play(view, judging)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{name}: raised {type(error).__name__}: {shown(str(error))}") from error

    def _ends(self, view: View) -> bool:
        return len(self._play(view, refused)) < _ROUNDS

    def _play(self, view: View, judging: Judging, agent: Agent | None = None) -> list[Batch]:
        """Return the batches of a search until it ends, the budget is spent, or it has gone on for very long."""
        search = (agent or self.make_agent()).search(view)
        batches: list[Batch] = []
        spent, batch = 0, next(search, None)
        while batch is not None and len(batches) < _ROUNDS:
            batches.append(tuple(batch))
            feedback = [self._answer(one, judging, view.knowledge) for one in batches[-1]]
            spent += sum(one.decision is not None for one in feedback)
            if spent >= view.victim_queries:
                break
            batch = _sent(search, feedback)
        search.close()
        return batches

    def _answer(self, asked: Proposal | Question, judging: Judging, knowledge: Knowledge) -> Feedback:
        if isinstance(asked, Question):
            reply = self.reply(asked)
            return Feedback(validity=None, reason=reply.code, decision=None, score=None, reply=reply)
        return cut(judging(asked), knowledge)


def view_of(  # noqa: PLR0913  the parts of a view that a check turns
    claim: str,
    *,
    goal: AttackGoal = AttackGoal.FALSE_ACCEPTANCE,
    knowledge: Knowledge = Knowledge.SCORE,
    victim_queries: int = 24,
    max_edits: int = 3,
    seed: int = 0,
) -> View:
    """Return a view of a claim whose numbers can each be replaced by four others."""
    start = Candidate(case_id="case", goal=goal, edits=(), claim=claim, evidence=("The bridge has a length.",))
    moves = tuple(
        _edit(match.start(), match.end(), str(int(match.group()[-4:]) + step), f"number-{place}")
        for place, match in enumerate(re.finditer(r"[0-9]+", claim))
        for step in range(1, 5)
    )
    return View(
        goal=goal,
        knowledge=knowledge,
        start=start,
        moves=moves,
        victim_queries=victim_queries,
        max_edits=max_edits,
        seed=seed,
    )


def hostile_view(text: str) -> View:
    """Return a view whose claim, evidence and only moves hold a text."""
    view = view_of(f"{text} 10")
    end = len(view.start.claim)
    moves = (_edit(end - 2, end, text, "last"), _edit(end - 2, end, "11", "last"))
    start = view.start.model_copy(update={"evidence": (text,)})
    return view.model_copy(update={"start": start, "moves": moves})


def scored(proposal: Proposal) -> Feedback:
    """Rule a proposal VALID and reject it at a risk that its text decides."""
    digest = hashlib.sha256(proposal.candidate.claim.encode("utf-8", "surrogatepass")).digest()
    return Feedback(
        validity=None if proposal.probe else Validity.VALID,
        reason="probe" if proposal.probe else "closure",
        decision=Decision.REJECT,
        score=0.5 + int.from_bytes(digest[:4], "big") / 2**33,
    )


def refused(proposal: Proposal) -> Feedback:
    """Refuse a proposal before it is measured."""
    return Feedback(
        validity=None if proposal.probe else Validity.INVALID, reason="over_budget", decision=None, score=None
    )


def unmeasured(proposal: Proposal) -> Feedback:
    """Rule a proposal VALID, and let the victim fail on it."""
    validity = None if proposal.probe else Validity.VALID
    return Feedback(validity=validity, reason="closure", decision=None, score=None)


def left_out(proposal: Proposal) -> Feedback:
    """Leave a proposal out for want of budget."""
    del proposal
    return Feedback(validity=None, reason="budget_exhausted", decision=None, score=None)


def _edit(start: int, end: int, text: str, slot: str) -> Edit:
    change = Replacement(start=start, end=end, text=text)
    return Edit(mechanism=Mechanism.QUANTITY, slot=slot, replacements=(change,), expected_label=Label.REFUTED)


def _sent(search: Search, feedback: Sequence[Feedback]) -> Sequence[Proposal | Question] | None:
    try:
        return search.send(feedback)
    except StopIteration:
        return None
