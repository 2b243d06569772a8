from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from confute.harness.stats.comparisons import holm, sidak
from confute.harness.stats.proportion import clopper_pearson, least_n_all_right, wilson

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_holm_adjusts_the_handed_values() -> None:
    # g19: 3 * .001, then max(.003, 2 * .02), then max(.04, 1 * .04).
    assert holm([0.001, 0.02, 0.04]) == pytest.approx((0.003, 0.04, 0.04))


def test_the_best_of_23_prompts_is_not_significant() -> None:
    # Handed case g20: one less .991 to the 23rd.
    assert sidak(0.009, 23) == pytest.approx(0.188, abs=5e-4)
    assert sidak(0.009, 23) > 0.05


@settings(max_examples=15)  # statsmodels collects garbage at each call
@given(p_values)
def test_holm_agrees_with_statsmodels_in_any_order(values: list[float]) -> None:
    assert holm(values) == pytest.approx(tuple(multipletests(values, method="holm")[1]), abs=1e-12)


@settings(max_examples=15)
@given(st.floats(0, 1), st.integers(1, 20))
def test_sidak_agrees_with_statsmodels(value: float, comparisons: int) -> None:
    with np.errstate(divide="ignore"):  # statsmodels takes the logarithm of 1 - p where p is 1
        expected = multipletests([value, *[1.0] * (comparisons - 1)], method="sidak")[1][0]
    assert sidak(value, comparisons) == pytest.approx(expected, abs=1e-9)


def test_no_value_adjusts_to_none_and_wrong_ones_are_refused() -> None:
    assert holm([]) == ()
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"lies in 0\.\.1"):
            holm([0.5, wrong])
    with pytest.raises(ValueError, match="at least 1"):
        sidak(0.5, 0)


def wilson_low(n: int) -> float:
    interval = wilson(n, n)
    assert interval is not None
    return interval.low


def exact_low(n: int) -> float:
    interval = clopper_pearson(n, n, sides=1)
    assert interval is not None
    return interval.low


def test_a_perfect_score_needs_73_cases_to_show_95_per_cent() -> None:
    # g26: Wilson's lower end of n of n is n / (n + 1.96^2), at 10 it is .7225.
    assert wilson_low(10) == pytest.approx(0.7225, abs=5e-5)
    assert least_n_all_right(0.95, wilson_low) == 73
    # Clopper-Pearson, one-sided: .05^(1/n) >= .95 from ln .05 / ln .95 = 58.4 on.
    assert least_n_all_right(0.95, exact_low) == 59


@given(st.floats(0, 0.995))
def test_the_least_n_is_the_first_that_shows_it(required: float) -> None:
    n = least_n_all_right(required, wilson_low)
    assert wilson_low(n) >= required
    assert n == 1 or wilson_low(n - 1) < required


def test_no_number_of_cases_shows_certainty() -> None:
    with pytest.raises(ValueError, match="1 not included"):
        least_n_all_right(1.0, wilson_low)


def test_a_bound_that_just_reaches_what_is_required_shows_it() -> None:
    # n / (n + 1) is .5 at 1 and .75 at 3, exactly.
    assert least_n_all_right(0.5, lambda n: n / (n + 1)) == 1
    assert least_n_all_right(0.75, lambda n: n / (n + 1)) == 3
