from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from confute.harness.stats.sequential import Sprt, SprtState

PLAN = Sprt()


def operating(plan: Sprt, p: float) -> tuple[dict[SprtState, float], float]:
    """Return the exact chance of each answer and the mean number of runs, by following every count of failures."""
    answers: Counter[SprtState] = Counter()
    open_paths, runs = {0: 1.0}, 0.0
    for n in range(1, plan.cap + 1):
        runs += sum(open_paths.values())
        following: Counter[int] = Counter()
        for failures, chance in open_paths.items():
            following[failures] += chance * (1 - p)
            following[failures + 1] += chance * p
        open_paths = {}
        for failures, chance in following.items():
            # The ratio depends on the counts alone, so any order that was still open before this run does.
            state = answer(plan, failures, n)
            if state is SprtState.OPEN:
                open_paths[failures] = chance
            else:
                answers[state] += chance
    return dict(answers), runs


def answer(plan: Sprt, failures: int, n: int) -> SprtState:
    ratio = stats.binom.logpmf(failures, n, plan.p1) - stats.binom.logpmf(failures, n, plan.p0)
    if ratio >= 2.8903717578961645:  # ln(.90 / .05)
        return SprtState.FLAKY
    if ratio <= -2.2512917986064953:  # ln(.10 / .95)
        return SprtState.CLEARED
    return SprtState.INCONCLUSIVE if n >= plan.cap else SprtState.OPEN


def test_fourteen_clean_runs_clear_a_case_and_thirteen_do_not() -> None:
    # ln(.95 / .80) = .171850; 2.251292 / .171850 = 13.1.
    assert PLAN.state([False] * 13) is SprtState.OPEN
    assert PLAN.state([False] * 14) is SprtState.CLEARED


def test_three_failures_at_once_make_a_case_flaky() -> None:
    # ln(.20 / .05) = 1.386294; 2.890372 / 1.386294 = 2.08.
    assert PLAN.state([True, True]) is SprtState.OPEN
    assert PLAN.state([True, True, True]) is SprtState.FLAKY


def test_what_comes_after_the_answer_changes_nothing() -> None:
    assert PLAN.state([False] * 14 + [True] * 30) is SprtState.CLEARED


def test_a_case_still_open_at_the_cap_is_inconclusive() -> None:
    # One failure in 8 drifts by (7 * -.17185 + 1.38629) = .183 each round, and 6 rounds stay below 2.89.
    runs = ([False] * 7 + [True]) * 6 + [False] * 2
    assert PLAN.state(runs[:49]) is SprtState.OPEN
    assert PLAN.state(runs) is SprtState.INCONCLUSIVE
    assert PLAN.state([*runs, *[True] * 10]) is SprtState.INCONCLUSIVE


@given(st.lists(st.booleans(), max_size=60))
def test_the_state_is_the_first_that_the_likelihood_ratio_gives(failures: list[bool]) -> None:
    expected = SprtState.OPEN
    for n in range(1, len(failures) + 1):
        expected = answer(PLAN, sum(failures[:n]), n)
        if expected is not SprtState.OPEN:
            break
    assert PLAN.state(failures) is expected


@pytest.mark.parametrize(("p", "mean"), [(0.5, 6.1), (0.3, 11.7), (0.2, 20.8), (0.05, 23.6), (0.1, 33.9)])
def test_the_mean_number_of_runs_is_the_published_one(p: float, mean: float) -> None:
    # The published means are of an uncapped test, by simulation.
    assert operating(Sprt(cap=600), p)[1] == pytest.approx(mean, abs=0.2)


def test_the_two_error_rates_hold() -> None:
    assert operating(PLAN, 0.05)[0][SprtState.FLAKY] <= 0.05
    assert operating(PLAN, 0.20)[0][SprtState.CLEARED] <= 0.10


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
