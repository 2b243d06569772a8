"""What the model of a risk expects, and where it leads a search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing_field import make_edit, make_view, number_grid, play, scored

from confute.agents.lexical import FEATURES, Lexical
from confute.agents.linear_model import LinearModel
from confute.agents.pool import SHARED, Pool
from confute.agents.surrogate import SurrogateSearch
from confute.edits import applied
from confute.records import Candidate, Knowledge, Mechanism, PassageChange

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)


def test_the_posterior_is_that_of_a_regression_with_a_normal_prior() -> None:
    # One weight, prior N(1, 4), noise variance 1, one loss of 7 seen at the row 2: precision 1/4 + 4 = 4.25, weighted
    # 1/4 + 14 = 14.25, so the mean is 14.25 / 4.25 = 3.352941..., and the loss expected at 2 is twice that.
    model = LinearModel(np.array([1.0]), np.array([4.0]), 1.0)
    model.learn(np.array([2.0]), 7.0)
    assert model.expected(np.array([[2.0]])) == pytest.approx([6.705882352941176])


def test_what_is_said_in_the_words_of_a_passage_is_nearest_to_it() -> None:
    picture = Lexical(("Ann met Bo in May.", "Cy sang."))
    same, other = picture.features("Ann met Bo in May."), picture.features("A whale dived.")
    # The passage itself: cosine 1, within the span, no new token. Of the other's words none but the full stop is known:
    # 3 of 4 tokens are new.
    assert same == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert other[2] == 0.75
    assert other[0] > 0.5
    assert other[1] > 0.5


@given(st.lists(ANY_TEXT, max_size=3), ANY_TEXT)
def test_any_text_has_features_between_nought_and_one(evidence: list[str], claim: str) -> None:
    features = Lexical(evidence).features(claim)
    assert len(features) == len(FEATURES)
    assert all(-1e-9 <= one <= 1 + 1e-9 for one in features)


def test_the_pool_holds_sets_with_a_move_and_none_that_overlap_or_are_too_many() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves[:10], max_edits=2).model_copy(update={"companions": moves[15:]})
    pool = Pool(view, np.ones(SHARED))
    assert pool.matrix.shape == (len(pool.sets), pool.width)
    assert len(set(pool.sets)) == len(pool.sets)
    for edits in pool.sets:
        assert set(edits) & set(moves[:10])
        assert len(edits) <= 2
        assert applied(view.start, edits) is not None
    assert {(moves[0], moves[15]), (moves[0],)} <= set(pool.sets)


def test_a_companion_alone_is_never_proposed() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves[:5]).model_copy(update={"companions": moves[15:]})
    batches = play(SurrogateSearch(), view, scored(lambda _: 0.5))
    proposed = [set(one.candidate.edits) for batch in batches for one in batch]
    assert all(edits & set(moves[:5]) for edits in proposed)
    assert any(edits & set(moves[15:]) for edits in proposed)


def additive(candidate: Candidate) -> float:
    """A risk that the companion to 15 lowers by 0.4, and the first move by 0.3; every other edit raises it by 0.1."""
    effects = {"15": -0.4, "11": -0.3}
    words = zip(candidate.claim.split(), ["10", "10", "10", "10"], strict=True)
    return 1.0 + sum(effects.get(new, 0.1) for new, old in words if new != old)


def test_the_scores_lead_to_the_best_of_two_hundred_sets_within_twelve_queries() -> None:
    # 5 moves, 15 companions in three other slots: sets of one to three edits, of which the best holds the move to 11
    # and two companions to 15, with the risk 1 - 0.3 - 0.4 - 0.4 = -0.1. A blind draw finds it once in some 400.
    claim, moves = number_grid()
    view = make_view(claim, moves[:5]).model_copy(update={"companions": moves[5:]})
    batches = play(SurrogateSearch(), view, scored(additive), at_most=24)
    risks = [additive(one.candidate) for batch in batches for one in batch]
    assert min(risks) == pytest.approx(-0.1)


def test_without_scores_the_order_is_that_of_the_evidence_alone() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, knowledge=Knowledge.DECISION)

    def claims(landscape: float) -> list[str]:
        judge = scored(lambda _: landscape)
        blind = lambda one: judge(one).model_copy(update={"score": None})  # noqa: E731
        return [one.candidate.claim for batch in play(SurrogateSearch(), view, blind, 40) for one in batch]

    assert claims(0.1) == claims(0.9)


def test_a_search_over_evidence_never_changes_the_claim_too() -> None:
    claim, moves = number_grid()
    empty = make_edit("added", mechanism=Mechanism.INFLATION)
    added = empty.model_copy(update={"passages": (PassageChange(text="More."),)})
    view = make_view(claim, (*moves[:3], added))
    proposed = [one.candidate for batch in play(SurrogateSearch(), view, scored(lambda _: 0.5)) for one in batch]
    assert any(one.evidence != view.start.evidence for one in proposed)
    assert all(one.claim == claim or one.evidence == view.start.evidence for one in proposed)
