import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confute.harness.stats.proportion import clopper_pearson, wilson
from confute.harness.stats.special import beta_cdf, beta_quantile, t_quantile

counts = st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (10, 10, 0.7225, 1.0),  # handed case g01
        (1, 1, 0.2065, 1.0),  # g03
        (8, 10, 0.4902, 0.9433),  # g05
        (0, 10, 0.0, 0.2775),  # g01 mirrored: 1 - 0.7225
    ],
)
def test_wilson_gives_the_handed_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_eight_of_ten_does_not_show_three_quarters() -> None:
    interval = wilson(8, 10)
    assert interval is not None
    assert interval.low < 0.75


def test_a_perfect_score_shows_95_per_cent_from_73_draws_on() -> None:
    # g26: n / (n + 1.96^2) >= 0.95 from n = 72.99 on.
    lows = {n: interval.low for n in range(1, 100) if (interval := wilson(n, n)) is not None}
    assert min(n for n, low in lows.items() if low >= 0.95) == 73


@given(counts)
def test_wilson_agrees_with_scipy(count: tuple[int, int]) -> None:
    successes, n = count
    interval = wilson(successes, n)
    if n == 0:
        assert interval is None
        return
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert interval == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert interval is not None
    assert interval.low <= successes / n <= interval.high
    assert interval.low < interval.high


@given(counts, st.sampled_from([0.8, 0.95, 0.999]))
def test_clopper_pearson_agrees_with_scipy(count: tuple[int, int], level: float) -> None:
    successes, n = count
    both, one = clopper_pearson(successes, n, level), clopper_pearson(successes, n, level, sides=1)
    if n == 0:
        assert both is None
        assert one is None
        return
    expected = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    assert both == pytest.approx((expected.low, expected.high), abs=1e-9)
    lower = stats.binomtest(successes, n, alternative="greater").proportion_ci(level, method="exact").low
    upper = stats.binomtest(successes, n, alternative="less").proportion_ci(level, method="exact").high
    assert one == pytest.approx((lower, upper), abs=1e-9)


@pytest.mark.parametrize(("n", "bound"), [(5, 0.451), (10, 0.259), (20, 0.139), (30, 0.095), (60, 0.049), (300, 0.010)])
def test_no_failure_in_n_leaves_the_published_upper_bound(n: int, bound: float) -> None:
    interval = clopper_pearson(0, n, sides=1)
    assert interval is not None
    assert interval.high == pytest.approx(bound, abs=5e-4)
    assert interval.high == pytest.approx(1 - 0.05 ** (1 / n), abs=1e-12)


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_more_successes_than_draws_are_refused(interval: object) -> None:
    assert callable(interval)
    with pytest.raises(ValueError, match="successes must lie in"):
        interval(3, 2)


positive = st.floats(0.05, 5000)


@given(st.floats(0, 1), positive, positive)
def test_the_beta_distribution_agrees_with_scipy(x: float, a: float, b: float) -> None:
    assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-9)


@given(st.floats(1e-4, 1 - 1e-4), st.floats(0.5, 2000), st.floats(0.5, 2000))
def test_the_beta_quantile_undoes_the_distribution(probability: float, a: float, b: float) -> None:
    assert stats.beta.cdf(beta_quantile(probability, a, b), a, b) == pytest.approx(probability, abs=1e-8)


@given(st.floats(1e-4, 1 - 1e-4), st.integers(1, 500))
def test_the_t_quantile_agrees_with_scipy(probability: float, degrees: int) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-6, abs=1e-6)


def test_the_t_quantile_has_the_tabled_values() -> None:
    # The printed table of Student's t, two-sided 95 %.
    tabled = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 29: 2.045}
    assert {df: round(t_quantile(0.975, df), 3) for df in tabled} == tabled
