"""How candidates are made, ordered and drawn."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, islice

import pytest
from playing_field import make_edit, make_view, number_grid, play
from scipy.stats import chisquare

from confute.agents.agent import Feedback, Proposal
from confute.agents.drafts import Drafts, Trial, blind_draws, by_loss, by_prior, loss, one_of_each_kind, shuffled
from confute.agents.random_search import RandomSearch
from confute.records import AttackGoal, Mechanism, Validity


def test_a_candidate_is_made_once_and_never_again() -> None:
    claim, moves = number_grid()
    drafts = Drafts(make_view(claim, moves))
    made = drafts.draft([moves[0], moves[5]])
    assert made is not None
    assert made.claim == "11 11 10 10"
    assert drafts.draft([moves[5], moves[0]]) is None


def test_edits_that_overlap_give_no_candidate() -> None:
    claim, moves = number_grid()
    assert Drafts(make_view(claim, moves)).draft(moves[:2]) is None


def test_no_more_edits_are_made_together_than_the_view_allows() -> None:
    claim, moves = number_grid()
    drafts = Drafts(make_view(claim, moves, max_edits=2))
    assert drafts.draft([moves[0], moves[5], moves[10]]) is None
    assert drafts.draft([]) is None


def test_a_move_that_changes_nothing_but_case_and_width_gives_no_candidate() -> None:
    view = make_view("Ten cats", [make_edit("case", (0, 3, "TEN")), make_edit("width", (0, 3, "\uff34en"))])
    drafts = Drafts(view)
    assert [drafts.draft([move]) for move in view.moves] == [None, None]


def test_what_was_refused_for_its_size_is_not_tried_in_that_size_again() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, max_edits=4)

    def judge(proposal: Proposal) -> Feedback:
        size = len(proposal.candidate.edits)
        refused = size > 1
        return Feedback(
            validity=Validity.INVALID if refused else Validity.VALID,
            reason="over_budget" if refused else "closure",
            decision=None,
            score=None,
        )

    # The 20 single moves are 2 batches of 8 and 1 of 4; no pair is proposed after the one batch that holds the first.
    batches = play(RandomSearch(batch=8), view, judge)
    assert sum(len(one.candidate.edits) == 1 for batch in batches for one in batch) == 20
    pairs = [one for batch in batches for one in batch if len(one.candidate.edits) > 1]
    assert 0 < len(pairs) <= 8
    assert all(len(one.candidate.edits) == 2 for one in pairs)


def test_a_search_gives_up_after_64_refusals_in_a_row() -> None:
    claim, moves = number_grid()

    def judge(proposal: Proposal) -> Feedback:
        return Feedback(validity=Validity.UNKNOWN, reason="unrecognised_edit", decision=None, score=None)

    assert sum(map(len, play(RandomSearch(batch=8), make_view(claim, moves), judge))) == 64


@pytest.mark.parametrize(("goal", "expected"), [(AttackGoal.FALSE_ACCEPTANCE, 0.3), (AttackGoal.FALSE_REJECTION, -0.3)])
def test_loss_falls_towards_the_goal(goal: AttackGoal, expected: float) -> None:
    assert loss(0.3, goal) == expected


def test_no_score_is_no_loss() -> None:
    assert loss(None, AttackGoal.FALSE_ACCEPTANCE) is None


def test_trials_without_a_score_come_last_and_refused_ones_not_at_all() -> None:
    a, b, c, d = (Trial((), valid, value) for valid, value in [(True, None), (True, 0.5), (False, 0.1), (True, -0.5)])
    assert by_loss([a, b, c, d]) == [d, b, a]


def test_before_any_answer_a_false_acceptance_starts_with_words_of_the_evidence_and_small_changes() -> None:
    # "Some" stands in the evidence; "12" and "1000000" do not, and differ from "10" in 1 and in 5 characters.
    moves = [make_edit("a", (0, 2, text)) for text in ("1000000", "12", "Some")]
    view = make_view("10 of them", moves)
    assert [move.replacements[0].text for move in by_prior(view)] == ["Some", "12", "1000000"]
    rejection = make_view("10 of them", moves, goal=AttackGoal.FALSE_REJECTION)
    assert [move.replacements[0].text for move in by_prior(rejection)] == ["1000000", "12", "Some"]


def test_one_of_each_kind_is_the_first_of_every_mechanism_in_every_slot() -> None:
    a, b = make_edit("a", (0, 1, "x")), make_edit("a", (0, 1, "y"))
    c = make_edit("a", (0, 1, "z"), mechanism=Mechanism.POLARITY)
    d = make_edit("b", (2, 3, "x"))
    assert one_of_each_kind([a, b, c, d]) == [a, c, d]


def test_single_moves_are_drawn_before_pairs_and_every_set_once() -> None:
    claim, moves = number_grid()
    drawn = list(blind_draws(make_view(claim, moves[:6], max_edits=3), random.Random(0)))
    assert [len(edits) for edits in drawn] == [1] * 6 + [2] * 15 + [3] * 20
    expected = {frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(moves[:6], size)}
    assert {frozenset(edits) for edits in drawn} == expected


def test_a_lazy_shuffle_draws_every_order_alike() -> None:
    orders = Counter(tuple(shuffled(4, random.Random(f"{seed}"))) for seed in range(4800))
    assert len(orders) == 24
    assert chisquare(list(orders.values())).pvalue > 0.001


def test_a_shuffle_of_billions_starts_at_once() -> None:
    drawn = list(islice(shuffled(10**12, random.Random(1)), 100))
    assert len(set(drawn)) == 100
