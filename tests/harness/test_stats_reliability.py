from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.harness.stats.reliability import one_way, panel_size, runs_needed, two_level

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_icc_of_six_targets_and_four_raters_is_the_published_one() -> None:
    # Shrout and Fleiss 1979, table 4: ICC(1,1) = .17 from MSB 11.24 and MSW 6.26.
    found = one_way(SHROUT_FLEISS)
    assert found.icc == pytest.approx(0.17, abs=5e-3)
    assert found.within == pytest.approx(6.26, abs=5e-3)
    assert found.between == pytest.approx((11.24 - 6.26) / 4, abs=5e-3)


def test_unequal_sizes_use_the_corrected_mean_size() -> None:
    # Sizes 2 and 4: m0 = (6 - 20/6) / 1 = 2.6667. Means 1 and 5, grand 22/6: MSB = 2 * 7.1111 + 4 * 1.7778 = 21.3333;
    # MSW = (2 + 4) / 4 = 1.5; between = (21.3333 - 1.5) / 2.6667 = 7.4375.
    found = one_way([[0, 2], [4, 4, 6, 6], []])
    assert found.n_cases == 2
    assert (found.between, found.within) == pytest.approx((7.4375, 1.5))
    assert found.icc == pytest.approx(7.4375 / 8.9375)


@pytest.mark.parametrize("values", [[], [[1.0, 1.0]], [[1.0], [0.0]], [[1.0, 1.0], [1.0, 1.0]]])
def test_without_two_cases_repeats_or_any_variance_there_is_no_icc(values: list[list[float]]) -> None:
    found = one_way(values)
    assert found.icc is None
    assert found.runs_needed == {"0.8": None, "0.9": None}


def test_cases_that_never_flip_need_one_run() -> None:
    assert one_way([[1, 1], [0, 0]]).runs_needed == {"0.8": 1, "0.9": 1}


def test_runs_needed_are_the_published_ones() -> None:
    # Coin flip: .447 of the variance within: .8 needs 4 * .808 = 3.2, .9 needs 9 * .808 = 7.3.
    assert runs_needed(0.553, 0.8) == 4
    assert runs_needed(0.553, 0.9) == 8
    # An ICC of one half at .8: 4 exactly, which no rounding may make 5.
    assert runs_needed(0.5, 0.8) == 4
    assert runs_needed(0.0, 0.8) is None
    assert runs_needed(None, 0.8) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        runs_needed(0.5, 1.0)


def test_a_steady_judge_on_two_different_artifacts_has_only_outer_flake() -> None:
    found = two_level([[[True, True], [False, False]]])
    assert (found.inner, found.total, found.outer) == (0.0, 1.0, 1.0)


def test_a_flaky_judge_on_alike_artifacts_has_only_inner_flake() -> None:
    # Within an artifact of T F: D = 1; between two of them: .5 * .5 * 2 = .5. The estimate of the rest is -.5.
    found = two_level([[[True, False], [True, False]]])
    assert (found.inner, found.total, found.outer) == (1.0, 0.5, -0.5)


def test_cases_without_two_artifacts_of_two_votes_are_left_out() -> None:
    assert two_level([[[True, True]], [[True], [False]], []]).model_dump() == {
        "n_cases": 0,
        "inner": None,
        "total": None,
        "outer": None,
    }


def test_both_levels_are_unbiased() -> None:
    # Two artifacts with rates .2 and .7, two votes each, over all 16 outcomes.
    rates, inner, total = (0.2, 0.7), 0.0, 0.0
    for votes in product([True, False], repeat=4):
        chance = np.prod([rate if vote else 1 - rate for vote, rate in zip(votes, (0.2, 0.2, 0.7, 0.7), strict=True)])
        found = two_level([[list(votes[:2]), list(votes[2:])]])
        inner += chance * (found.inner or 0.0)
        total += chance * (found.total or 0.0)
    assert inner == pytest.approx(np.mean([2 * rate * (1 - rate) for rate in rates]))
    assert total == pytest.approx(0.2 * 0.3 + 0.8 * 0.7)


def test_copies_of_one_judge_are_worth_one_judge() -> None:
    votes = [[True] * 3, [False] * 3, [True] * 3, [False] * 3]
    found = panel_size(votes, [True, True, False, False])
    assert (found.judges, found.raw, found.within_class) == (3, pytest.approx(1.0), pytest.approx(1.0))


def test_judges_that_agree_only_on_the_truth_are_worth_all_of_them_within_a_class() -> None:
    # Within each class the two judges' votes are uncorrelated; over both classes they follow the truth.
    inside = [(True, True), (True, False), (False, True), (False, False)]
    votes = [*inside, *[(True, True)] * 4, *inside, *[(False, False)] * 4]
    truth = [True] * 8 + [False] * 8
    found = panel_size(votes, truth)
    raw = float(np.corrcoef(np.asarray(votes, dtype=float), rowvar=False)[0, 1])
    assert found.raw == pytest.approx(2 / (1 + raw))
    # Each class holds 4 cases with no correlation and 4 that add the class's own vote: rho is 1/3 there by hand
    # (shares .75, variance .1875, covariance 5/8 - 9/16 = .0625).
    assert found.within_class == pytest.approx(2 / (1 + 1 / 3))


def test_a_panel_that_never_varies_has_no_size() -> None:
    found = panel_size([[True, True], [True, True]], [True, False])
    assert (found.raw, found.within_class) == (None, None)
    assert panel_size([], []).raw is None
    with pytest.raises(ValueError, match="needs its true class"):
        panel_size([[True]], [])


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=2, max_size=30), st.data())
def test_a_panel_is_worth_between_one_judge_and_all(votes: list[list[bool]], data: st.DataObject) -> None:
    truth = data.draw(st.lists(st.booleans(), min_size=len(votes), max_size=len(votes)))
    found = panel_size(votes, truth)
    for value in (found.raw, found.within_class):
        assert value is None or 1 - 1e-9 <= value <= 3 + 1e-9


def test_cases_that_differ_less_than_their_runs_have_an_icc_of_nothing() -> None:
    # MSB = 0 and MSW = .5: the estimate between cases is below 0, and is taken for 0.
    found = one_way([[1, 0], [1, 0]])
    assert (found.icc, found.between, found.within) == (0.0, 0.0, 0.5)
    assert found.runs_needed == {"0.8": None, "0.9": None}


@pytest.mark.parametrize("values", [[[0.1] * 3] * 2, [[1 / 3] * 5, [1 / 3] * 2, [1 / 3] * 7], [[1e9 + 0.1] * 3] * 4])
def test_ratings_that_are_all_the_same_have_no_icc_whatever_rounding_makes_of_them(values: list[list[float]]) -> None:
    found = one_way(values)
    assert (found.icc, found.between, found.within) == (None, 0.0, 0.0)
    assert found.runs_needed == {"0.8": None, "0.9": None}


def test_rounding_is_no_variance_within_cases_or_between_them() -> None:
    assert one_way([[0.1] * 3, [0.7] * 3]).icc == 1.0
    assert one_way([[0.1, 0.3], [0.3, 0.1], [0.1, 0.3]]).icc == 0.0
    # A millionth of the values is no rounding: the cases differ, and their runs do not.
    assert one_way([[1.0, 1.0], [1.000001, 1.000001]]).icc == 1.0


def test_a_number_of_runs_beyond_all_numbers_is_none() -> None:
    assert runs_needed(1e-320, 0.9) is None
