from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from confute.harness.stats.sequential import Sprt, SprtState

PLAN = Sprt()


def answer(plan: Sprt, failures: int, n: int) -> SprtState:
    ratio = stats.binom.logpmf(failures, n, plan.p1) - stats.binom.logpmf(failures, n, plan.p0)
    if ratio >= 2.8903717578961645:  # ln(.90 / .05)
        return SprtState.FLAKY
    if ratio <= -2.2512917986064953:  # ln(.10 / .95)
        return SprtState.CLEARED
    return SprtState.INCONCLUSIVE if n >= plan.cap else SprtState.OPEN


def test_fourteen_repeats_that_agree_with_the_first_clear_a_case_and_thirteen_do_not() -> None:
    # ln(.95 / .80) = .171850; 2.251292 / .171850 = 13.1.
    assert PLAN.state("a" * 14) is SprtState.OPEN
    assert PLAN.state("a" * 15) is SprtState.CLEARED
    assert PLAN.state("") is SprtState.OPEN


def test_three_that_differ_from_three_make_a_case_flaky() -> None:
    # ln(.20 / .05) = 1.386294: three minorities in five runs are 4.1589 - .3437 = 3.815 >= 2.890, and two, 2.7726 at
    # the most, never are.
    assert PLAN.state("aabba") is SprtState.OPEN
    assert PLAN.state("aaabbb") is SprtState.FLAKY
    assert PLAN.state("abcbca") is SprtState.FLAKY


def test_a_first_repeat_of_the_minority_is_one_failure_and_not_the_measure_of_all_others() -> None:
    # One failure in n runs: 1.386294 - .171850 (n - 1) <= -2.251292 from n = 23 on.
    assert PLAN.state("a" + "b" * 22) is SprtState.OPEN
    assert PLAN.state("a" + "b" * 23) is SprtState.CLEARED


def test_what_comes_after_the_answer_changes_nothing() -> None:
    assert PLAN.state("a" * 15 + "b" * 30) is SprtState.CLEARED


def test_a_case_still_open_at_the_cap_is_inconclusive() -> None:
    # One failure in 8 drifts by (7 * -.17185 + 1.38629) = .183 each round, and 6 rounds stay below 2.89.
    said = "a" + ("a" * 7 + "b") * 6 + "aa"
    assert PLAN.state(said[:50]) is SprtState.OPEN
    assert PLAN.state(said) is SprtState.INCONCLUSIVE
    assert PLAN.state(said + "b" * 10) is SprtState.INCONCLUSIVE


@given(st.text("ab", max_size=60) | st.text("aaaaaaab", max_size=60) | st.text("abc", max_size=60))
def test_the_state_is_the_first_that_the_likelihood_ratio_gives(said: str) -> None:
    expected = SprtState.OPEN
    for n in range(1, len(said) + 1):
        minority = n - max(Counter(said[:n]).values())
        expected = answer(PLAN, minority, n - 1)
        if expected is not SprtState.OPEN:
            break
    assert PLAN.state(said) is expected


def test_the_two_error_rates_hold_for_a_first_repeat_that_is_itself_a_draw() -> None:
    # Held against the first repeat alone, a minority of .05 would be called flaky 7.6 % of the time.
    assert PLAN.chances(0.05)[SprtState.FLAKY] == pytest.approx(0.034, abs=5e-4)
    assert PLAN.chances(0.20)[SprtState.CLEARED] == pytest.approx(0.071, abs=1e-3)


@pytest.mark.parametrize("p", [0.02, 0.1, 0.2, 0.5])
def test_the_exact_chances_are_those_of_draws(p: float) -> None:
    # 2000 draws leave a standard error of at most 1.1 %.
    draw = random.Random(f"sequential/{p}")
    drawn = Counter(PLAN.state(["b" if draw.random() < p else "a" for _ in range(51)]) for _ in range(2000))
    exact = PLAN.chances(p)
    assert sum(exact.values()) == pytest.approx(1.0)
    assert exact == pytest.approx(PLAN.chances(1.0 - p))
    for state, chance in exact.items():
        assert drawn[state] / 2000 == pytest.approx(chance, abs=0.04)


def test_a_test_of_one_look_needs_the_binomials_least_size() -> None:
    n = PLAN.fixed_size()

    def holds(size: int) -> bool:
        limit = int(stats.binom.ppf(0.95, size, 0.05))
        return bool(stats.binom.cdf(limit, size, 0.20) <= 0.10)

    assert holds(n)
    assert not any(holds(size) for size in range(1, n))


def test_a_plan_whose_rates_do_not_rise_is_refused() -> None:
    with pytest.raises(ValidationError, match="p0 must be below p1"):
        Sprt(p0=0.3, p1=0.2)
