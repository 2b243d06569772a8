from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from conformance import checks_of, failing, fails

from confute.agents import load
from confute.agents.agent import Proposal, Question, Reply, Search, View
from confute.contract import Attacker, StrategyName
from confute.edits import applied
from confute.models.chat import ChatRequest, Message, ReplyCode
from confute.records import AttackGoal, Candidate, Edit, Knowledge
from confute.testing import AgentConformance

BUILT_IN = [name for name in StrategyName if name is not StrategyName.LLM]


class Planted:
    """Proposes every move alone, in order; what is passed in spoils one thing of it."""

    def __init__(self, spoil: Callable[[View], Search] | None = None, **changes: Any) -> None:
        self._spoil = spoil
        self._changes = changes

    def search(self, view: View) -> Search:
        if self._spoil is not None:
            return self._spoil(view)
        return self._plain(view)

    def _plain(self, view: View) -> Search:
        for candidate in singles(view):
            yield [Proposal(candidate=candidate.model_copy(update=self._changes))]


def singles(view: View) -> Iterator[Candidate]:
    for move in view.moves:
        made = applied(view.start, (move,))
        assert made is not None
        yield made


def _never_proposes(_: View) -> Search:
    return
    yield []


def _makes_up_edits(view: View) -> Search:
    for move in view.moves:
        invented = move.model_copy(update={"slot": "mine"})
        made = applied(view.start, (invented,))
        assert made is not None
        yield [Proposal(candidate=made)]


def _edits_too_much(view: View) -> Search:
    chosen: list[Edit] = []
    for move in view.moves:
        if move.slot not in {one.slot for one in chosen}:
            chosen.append(move)
    made = applied(view.start, tuple(chosen))
    if made is not None and chosen:
        yield [Proposal(candidate=made)]


def _yields_nothing(view: View) -> Search:
    yield []
    for candidate in singles(view):
        yield [Proposal(candidate=candidate)]


def _mixes(view: View) -> Search:
    question = Question(request=ChatRequest(messages=(Message(role="user", content="?"),)))
    for candidate in singles(view):
        yield [Proposal(candidate=candidate), question]


def _does_not_close(view: View) -> Search:
    try:
        for candidate in singles(view):
            yield [Proposal(candidate=candidate)]
    finally:
        yield [Proposal(candidate=view.start)]


def _goes_on_for_ever(view: View) -> Search:
    while True:
        yield [Proposal(candidate=one) for one in singles(view)] or [Proposal(candidate=view.start)]


def _draws_globally(view: View) -> Search:
    moves = list(singles(view))
    random.shuffle(moves)
    for candidate in moves:
        yield [Proposal(candidate=candidate)]


def _needs_scores(view: View) -> Search:
    best = 0.0
    for candidate in singles(view):
        for one in (yield [Proposal(candidate=candidate)]):
            if one.validity is not None and one.decision is not None:
                best = max(best, one.score + 0.0)  # type: ignore[operator]


def _needs_the_disclosure(view: View) -> Search:
    assert view.disclosure is not None
    yield from Planted().search(view)


def _reads_the_disclosure(view: View) -> Search:
    len(view.disclosure.description)  # type: ignore[union-attr]
    yield from Planted().search(view)


def _needs_a_decision(view: View) -> Search:
    for candidate in singles(view):
        for one in (yield [Proposal(candidate=candidate)]):
            one.decision.lower()  # type: ignore[union-attr]


def _chokes_on_surrogates(view: View) -> Search:
    view.start.claim.encode("utf-8")
    yield from Planted().search(view)


class Sharing:
    """Two searches of one instance share what was tried."""

    def __init__(self) -> None:
        self._left: list[Candidate] | None = None

    def search(self, view: View) -> Search:
        if self._left is None:
            self._left = list(singles(view))
        return self._rest()

    def _rest(self) -> Search:
        while self._left:
            yield [Proposal(candidate=self._left.pop())]


BUGS: dict[str, tuple[str, Callable[[], Any]]] = {
    "never proposes": ("test_it_proposes_something", lambda: Planted(_never_proposes)),
    "another case": ("test_every_candidate_is_made_of_the_view", lambda: Planted(case_id="other")),
    "another goal": ("test_every_candidate_is_made_of_the_view", lambda: Planted(goal=AttackGoal.FALSE_REJECTION)),
    "another claim": ("test_every_candidate_is_made_of_the_view", lambda: Planted(claim="Something else.")),
    "other evidence": ("test_every_candidate_is_made_of_the_view", lambda: Planted(evidence=("Mine.",))),
    "no edit": ("test_every_candidate_is_made_of_the_view", lambda: Planted(edits=())),
    "invented edits": ("test_every_candidate_is_made_of_the_view", lambda: Planted(_makes_up_edits)),
    "too many edits": ("test_every_candidate_is_made_of_the_view", lambda: Planted(_edits_too_much)),
    "an empty batch": ("test_every_batch_is_of_one_kind_and_holds_something", lambda: Planted(_yields_nothing)),
    "a mixed batch": ("test_every_batch_is_of_one_kind_and_holds_something", lambda: Planted(_mixes)),
    "does not close": ("test_it_ends_when_the_budget_does", lambda: Planted(_does_not_close)),
    "goes on for ever": ("test_it_ends_where_there_is_no_move", lambda: Planted(_goes_on_for_ever)),
    "global random": ("test_the_same_seed_gives_the_same_proposals", lambda: Planted(_draws_globally)),
    "shared state": ("test_two_searches_of_one_agent_do_not_mix", Sharing),
    "needs scores": ("test_it_asks_for_nothing_above_its_knowledge", lambda: Planted(_needs_scores)),
    "needs the disclosure": ("test_it_asks_for_nothing_above_its_knowledge", lambda: Planted(_needs_the_disclosure)),
    "reads the disclosure": ("test_it_asks_for_nothing_above_its_knowledge", lambda: Planted(_reads_the_disclosure)),
    "needs a decision": ("test_it_bears_refusals_and_failures", lambda: Planted(_needs_a_decision)),
    "chokes on surrogates": ("test_it_bears_hostile_text", lambda: Planted(_chokes_on_surrogates)),
}


def suite(make: Callable[[], Any], **attributes: Any) -> type[AgentConformance]:
    return type("Suite", (AgentConformance,), {"make_agent": lambda _: make(), **attributes})


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("knowledge", [Knowledge.DECISION, Knowledge.SCORE])
def test_the_built_in_strategies_conform(name: StrategyName, knowledge: Knowledge) -> None:
    attacker = Attacker(strategy=name, knowledge=knowledge)
    assert failing(suite(lambda: load.load(attacker))) == set()


def test_the_planted_agent_conforms_without_its_bug() -> None:
    assert failing(suite(Planted)) == set()


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_check_that_is_there_for_it(name: str) -> None:
    check, make = BUGS[name]
    assert fails(suite(make), check)


def test_every_check_can_fail() -> None:
    assert {check for check, _ in BUGS.values()} == checks_of(AgentConformance)


def test_an_agent_that_asks_gets_the_suite_s_reply() -> None:
    heard: list[Sequence[Any]] = []

    def ask(view: View) -> Search:
        question = Question(request=ChatRequest(messages=(Message(role="user", content="What now?"),)))
        heard.append((yield [question]))
        yield from Planted().search(view)

    answering = suite(
        lambda: Planted(ask),
        reply=lambda _, question: Reply(code=ReplyCode.OK, text=question.request.messages[0].content),
    )
    assert failing(answering) == set()
    assert heard[0][0].reply.text == "What now?"


def test_edits_of_its_own_are_allowed_where_they_are_declared() -> None:
    assert failing(suite(lambda: Planted(_makes_up_edits), makes_own_edits=True)) == set()
