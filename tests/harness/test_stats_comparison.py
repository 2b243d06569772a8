import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confute.harness.stats.paired import mcnemar_exact
from confute.harness.stats.ranking import auc, auc_interval
from confute.harness.stats.survival import kaplan_meier_median

scores = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30)
risks = st.lists(st.tuples(st.integers(1, 12), st.booleans()), min_size=1, max_size=40)


@given(st.integers(0, 80), st.integers(0, 80))
def test_mcnemar_agrees_with_the_exact_binomial_test(first: int, second: int) -> None:
    expected = 1.0 if first + second == 0 else stats.binomtest(first, first + second, 0.5).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_of_one_against_eight_is_the_sum_by_hand() -> None:
    # 2 * (C(9,0) + C(9,1)) / 2^9 = 20 / 512
    assert mcnemar_exact(1, 8) == pytest.approx(20 / 512)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        mcnemar_exact(-1, 3)


@given(scores, scores)
def test_the_auc_agrees_with_mann_whitney_under_ties(lower: list[float], higher: list[float]) -> None:
    u = stats.mannwhitneyu(higher, lower).statistic
    assert auc(lower, higher) == pytest.approx(u / (len(lower) * len(higher)))


def test_the_auc_counts_a_tie_as_half() -> None:
    # Pairs (1,1) tie, (1,2) right, (2,1) wrong, (2,2) tie: (0.5 + 1 + 0 + 0.5) / 4.
    assert auc([1, 2], [1, 2]) == 0.5


def test_the_auc_of_an_empty_side_is_none() -> None:
    assert auc([], [1.0]) is None
    assert auc([1.0], []) is None
    assert auc_interval([], [1.0], [], ["a"], seed="x") is None


def test_the_auc_refuses_what_is_not_a_number() -> None:
    with pytest.raises(ValueError, match="not NaN"):
        auc([float("nan")], [1.0])


def test_the_auc_interval_holds_its_value_and_widens_with_clusters() -> None:
    lower = [index / 40 for index in range(40)]
    higher = [index / 40 + 0.2 for index in range(40)]
    alone = [str(index) for index in range(40)]
    shared = [str(index // 8) for index in range(40)]
    value = auc(lower, higher)
    narrow = auc_interval(lower, higher, alone, [f"h{name}" for name in alone], seed="x")
    wide = auc_interval(lower, higher, shared, [f"h{name}" for name in shared], seed="x")
    assert value is not None
    assert narrow is not None
    assert wide is not None
    assert narrow.low < value < narrow.high
    assert wide.high - wide.low > narrow.high - narrow.low


def test_perfect_separation_keeps_an_interval_of_some_width() -> None:
    # Wilson for 10 of 10.
    names = [str(index) for index in range(10)]
    assert auc_interval([0.1] * 10, [0.9] * 10, names, names, seed="x") == pytest.approx((0.7225, 1.0), abs=5e-5)


@given(risks)
def test_the_median_agrees_with_scipy_s_survival_function(sample: list[tuple[int, bool]]) -> None:
    times, seen = [time for time, _ in sample], [success for _, success in sample]
    if not any(seen):
        assert kaplan_meier_median(times, seen) is None
        return
    data: stats.CensoredData = stats.CensoredData(
        uncensored=[time for time, success in sample if success],
        right=[time for time, success in sample if not success],
    )
    survival = stats.ecdf(data).sf
    reached = [
        time
        for time, value in zip(survival.quantiles, survival.probabilities, strict=True)
        if value <= 0.5 + 1e-9 and time in {t for t, s in sample if s}
    ]
    assert kaplan_meier_median(times, seen) == (min(reached) if reached else None)


def test_the_median_of_three_in_four_by_hand() -> None:
    # At 2: 1 - 1/4 = 3/4. At 5, where one was lost at 3: 3/4 * (1 - 1/2) = 3/8.
    assert kaplan_meier_median([2, 3, 5, 9], [True, False, True, False]) == 5


def test_no_median_where_most_never_succeed() -> None:
    assert kaplan_meier_median([1, 64, 64], [True, False, False]) is None
    assert kaplan_meier_median([], []) is None
