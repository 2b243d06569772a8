"""What every strategy keeps to, and what makes each of them worth its name."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing_field import Judge, make_edit, make_view, number_grid, play, scored

from confute import text
from confute.agents.agent import Agent, Feedback, Proposal, View
from confute.agents.beam import Beam
from confute.agents.evolutionary import Evolutionary
from confute.agents.feedback import cut
from confute.agents.greedy import Greedy
from confute.agents.random_search import RandomSearch
from confute.edits import edited
from confute.records import AttackGoal, Candidate, Decision, Knowledge, Mechanism, Validity

STRATEGIES: dict[str, Agent] = {
    "random": RandomSearch(),
    "greedy": Greedy(),
    "greedy by deletion": Greedy(importance="deletion"),
    "beam": Beam(),
    "evolutionary": Evolutionary(),
}
every_strategy = pytest.mark.parametrize("agent", STRATEGIES.values(), ids=STRATEGIES)
WORDS = ("10", "cats", "Ten", "\u00e9", "\ud800", "\x00", "<b>", "of", "")


@dataclass(frozen=True)
class Noise:
    """Feedback that depends on the proposal and a seed alone."""

    seed: int
    knowledge: Knowledge

    def __call__(self, proposal: Proposal) -> Feedback:
        drawn = random.Random(f"{self.seed}/{proposal.candidate.claim!r}")
        validity = drawn.choice([Validity.VALID, Validity.VALID, Validity.INVALID, Validity.UNKNOWN])
        measured = proposal.probe or validity is Validity.VALID
        feedback = Feedback(
            validity=None if proposal.probe else validity,
            reason=drawn.choice(["over_budget", "closure", "budget_exhausted"]),
            decision=drawn.choice(list(Decision)) if measured else None,
            score=drawn.choice([None, drawn.uniform(-9, 9), 0.5]) if measured else None,
        )
        return cut(feedback, self.knowledge)


@st.composite
def views(draw: st.DrawFn) -> View:
    """Views over odd texts, with moves that overlap, repeat each other or change nothing."""
    words = draw(st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=6))
    claim = " ".join(words)
    place = st.integers(0, len(claim))
    change = st.tuples(place, place, st.sampled_from(WORDS)).map(lambda one: (min(one[:2]), max(one[:2]), one[2]))
    moves = st.builds(
        lambda slot, mechanism, changes: make_edit(slot, *changes, mechanism=mechanism),
        st.sampled_from("abc"),
        st.sampled_from(list(Mechanism)),
        st.lists(change, min_size=1, max_size=2),
    )
    return make_view(
        claim,
        draw(st.lists(moves, max_size=12)),
        goal=draw(st.sampled_from(list(AttackGoal))),
        knowledge=draw(st.sampled_from([Knowledge.DECISION, Knowledge.SCORE])),
        victim_queries=draw(st.integers(1, 300)),
        max_edits=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 5)),
    )


@every_strategy
@settings(max_examples=60, deadline=None)
@given(view=views(), noise=st.integers(0, 99))
def test_every_claim_is_new_follows_from_its_edits_and_has_no_more_edits_than_allowed(
    agent: Agent, view: View, noise: int
) -> None:
    batches = play(agent, view, Noise(noise, view.knowledge), at_most=300)
    proposals = [proposal for batch in batches for proposal in batch]
    claims = [proposal.candidate.claim for proposal in proposals]
    assert len(set(claims)) == len(claims)
    assert text.fold(view.start.claim) not in map(text.fold, claims)
    assert all(batches)
    for proposal in proposals:
        candidate = proposal.candidate
        assert 0 < len(candidate.edits) <= view.max_edits
        assert edited(view.start.claim, candidate.edits) == candidate.claim
        assert proposal.probe or set(candidate.edits) <= set(view.moves)
        assert (candidate.case_id, candidate.goal, candidate.evidence) == ("case", view.goal, view.start.evidence)


@every_strategy
@settings(max_examples=20, deadline=None)
@given(view=views(), noise=st.integers(0, 99))
def test_the_same_seed_gives_the_same_proposals(agent: Agent, view: View, noise: int) -> None:
    judge = Noise(noise, view.knowledge)
    assert play(agent, view, judge, at_most=200) == play(agent, view, judge, at_most=200)


@every_strategy
def test_every_single_move_is_tried_in_the_end(agent: Agent) -> None:
    claim, moves = number_grid()
    batches = play(agent, make_view(claim, moves), scored(total), at_most=2000)
    tried = {
        edit for batch in batches for one in batch if len(one.candidate.edits) == 1 for edit in one.candidate.edits
    }
    assert set(moves) <= tried


@every_strategy
def test_a_claim_without_moves_is_not_attacked(agent: Agent) -> None:
    assert play(agent, make_view("10", []), scored(total)) == []


@every_strategy
def test_without_scores_every_strategy_goes_on(agent: Agent) -> None:
    claim, moves = number_grid()
    batches = play(agent, make_view(claim, moves, knowledge=Knowledge.DECISION), hiding(scored(total)), at_most=100)
    assert sum(map(len, batches)) >= 100
    assert not any(proposal.probe for batch in batches for proposal in batch)


def test_random_search_learns_nothing_from_scores_and_decisions() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves)
    assert play(RandomSearch(), view, scored(total), 100) == play(RandomSearch(), view, hiding(scored(opposite)), 100)


def test_random_search_depends_on_the_seed() -> None:
    claim, moves = number_grid()
    first, second = (play(RandomSearch(), make_view(claim, moves, seed=seed), scored(total), 16) for seed in (0, 1))
    assert first != second


def test_greedy_search_takes_the_moves_of_the_most_important_slot_first() -> None:
    """A move of slot 2 lowers the risk by 1, others raise it: after one of each slot, the other 4 of slot 2 come."""
    claim, moves = number_grid()

    def landscape(candidate: Candidate) -> float:
        return sum(-1.0 if edit.slot == "slot-2" else 1.0 for edit in candidate.edits)

    batches = play(Greedy(), make_view(claim, moves), scored(landscape), at_most=8)
    assert slots(batches) == [[f"slot-{slot}" for slot in range(4)], ["slot-2"] * 2, ["slot-2"] * 2]


def test_greedy_search_for_a_false_rejection_climbs() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, goal=AttackGoal.FALSE_REJECTION)

    def landscape(candidate: Candidate) -> float:
        return sum(1.0 if edit.slot == "slot-2" else -1.0 for edit in candidate.edits)

    assert slots(play(Greedy(), view, scored(landscape), at_most=8))[1:] == [["slot-2"] * 2] * 2


def test_greedy_search_by_deletion_probes_each_slot_and_then_takes_the_most_important() -> None:
    claim, moves = number_grid()

    def landscape(candidate: Candidate) -> float:
        return -1.0 if candidate.claim == "10 10 10 " else 1.0

    batches = play(Greedy(importance="deletion"), make_view(claim, moves), scored(landscape), at_most=8)
    assert [one.candidate.claim for one in batches[0]] == [" 10 10 10", "10  10 10", "10 10  10", "10 10 10 "]
    assert all(one.probe for one in batches[0])
    assert slots(batches)[1:] == [["slot-3"] * 2] * 2


def test_greedy_search_by_deletion_does_not_probe_with_no_more_queries_than_slots() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, victim_queries=4)
    batches = play(Greedy(importance="deletion"), view, scored(total), at_most=4)
    assert not any(one.probe for one in batches[0])


def test_greedy_search_joins_the_best_moves_of_different_slots_at_last() -> None:
    claim, moves = number_grid()
    batches = play(Greedy(), make_view(claim, moves), scored(total), at_most=22)
    # The lowest numbers are the best, 11 in every slot; after the 20 single moves come pairs of 11 and 11.
    assert batches[-1][0].candidate.claim == "11 11 10 10"
    assert all(len(one.candidate.edits) == 2 for one in batches[-1])


def test_beam_search_reaches_the_best_three_moves_long_before_blind_draws_do() -> None:
    """Among 6840 sets of three, the one best is reached after the 20 single moves and two widenings of at most 72."""
    claim, moves = number_grid()
    best = "15 15 15 10"

    def landscape(candidate: Candidate) -> float:
        return -sum(a == b for a, b in zip(candidate.claim, best, strict=True))

    view = make_view(claim, moves)
    assert queries_until(Beam(), view, landscape, best) <= 20 + 2 * 72
    assert queries_until(RandomSearch(), view, landscape, best) > 20 + 2 * 72


def test_a_narrow_beam_widens_only_its_best() -> None:
    claim, moves = number_grid()
    batches = play(Beam(width=1, branching=3), make_view(claim, moves), scored(total), at_most=23)
    # 11 is the best in every slot: of the three best moves, the best is joined with two, and that with the third.
    assert [one.candidate.claim for batch in batches for one in batch][20:] == [
        "11 11 10 10",
        "11 10 11 10",
        "11 11 11 10",
    ]


def test_beam_search_widens_the_best_pair_even_where_it_is_not_the_pair_of_the_best_moves() -> None:
    """11 is the best in every slot, but the pair in slots 1 and 2 is better than its parts promise."""
    claim, moves = number_grid()

    def landscape(candidate: Candidate) -> float:
        slots = [edit.slot for edit in candidate.edits]
        return total(candidate) - (100 if slots == ["slot-1", "slot-2"] else 0)

    batches = play(Beam(width=2, branching=4), make_view(claim, moves), scored(landscape))
    triples = [one.candidate for batch in batches for one in batch if len(one.candidate.edits) == 3]
    assert {edit.slot for edit in triples[0].edits} == {"slot-0", "slot-1", "slot-2"}
    assert {edit.slot for edit in triples[1].edits} == {"slot-1", "slot-2", "slot-3"}


def test_the_fittest_of_a_large_tournament_is_the_parent_of_all() -> None:
    claim, moves = number_grid()

    def landscape(candidate: Candidate) -> float:
        return sum(-1.0 if edit.slot == "slot-2" else 1.0 for edit in candidate.edits)

    batches = play(Evolutionary(tournament=50), make_view(claim, moves), scored(landscape), at_most=10)
    assert all("slot-2" in {edit.slot for edit in one.candidate.edits} for one in batches[1])


def test_evolution_lowers_the_loss_of_its_offspring() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, goal=AttackGoal.FALSE_REJECTION)
    proposals = [one for batch in play(Evolutionary(), view, scored(total), at_most=120) for one in batch]
    early, late = (mean_total(part) for part in (proposals[:40], proposals[80:120]))
    assert late > early


def test_evolution_reaches_the_best_three_moves_before_blind_draws_do() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, goal=AttackGoal.FALSE_REJECTION)
    needed = [queries_until(agent, view, total, "15 15 15 10") for agent in (Evolutionary(), RandomSearch())]
    assert needed[0] < needed[1]


def total(candidate: Candidate) -> float:
    """The sum of the claim's numbers, where they are all there."""
    return float(sum(int(token) for token in text.tokens(candidate.claim) if token.isdigit()))


def opposite(candidate: Candidate) -> float:
    return -total(candidate)


def mean_total(proposals: list[Proposal]) -> float:
    return sum(total(one.candidate) for one in proposals) / len(proposals)


def hiding(judge: Judge) -> Callable[[Proposal], Feedback]:
    return lambda proposal: cut(judge(proposal), Knowledge.DECISION)


def slots(batches: list[list[Proposal]]) -> list[list[str]]:
    return [[one.candidate.edits[0].slot for one in batch] for batch in batches]


def queries_until(agent: Agent, view: View, landscape: Callable[[Candidate], float], claim: str) -> int:
    claims = [one.candidate.claim for batch in play(agent, view, scored(landscape)) for one in batch]
    return claims.index(claim) + 1 if claim in claims else len(claims) + 1
