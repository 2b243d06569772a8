import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.harness.stats.cluster import Floats, bootstrap, cluster_se, effective_n

draws = st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), min_size=1, max_size=60)


def test_the_clustered_error_is_the_formula_by_hand() -> None:
    # Mean 1/2. Residual sums: a = 1/2 + 1/2 = 1, b = -1/2 - 1/2 = -1. SE = sqrt(2/1 * (1 + 1)) / 4 = 1/2.
    assert cluster_se([1, 1, 0, 0], ["a", "a", "b", "b"]) == pytest.approx(0.5)


def test_one_draw_a_cluster_gives_the_plain_error() -> None:
    values = [1.0, 0.0, 0.0, 1.0, 1.0]
    expected = np.std(values, ddof=1) / math.sqrt(len(values))
    assert cluster_se(values, list("abcde")) == pytest.approx(expected)


def test_one_cluster_has_no_error() -> None:
    assert cluster_se([1, 0, 1], ["a", "a", "a"]) is None


def test_draws_of_their_own_cluster_are_worth_themselves() -> None:
    assert effective_n([True, False, True], ["a", "b", "c"]) == 3


def test_copies_within_a_cluster_are_worth_nothing() -> None:
    # 40 clusters of 5 equal draws, half of them hits: SE^2 = 40/39 * 40 * 2.5^2 / 200^2 = 1/156, so 0.25 * 156 = 39.
    clusters = [str(cluster) for cluster in range(40) for _ in range(5)]
    hits = [cluster % 2 == 0 for cluster in range(40) for _ in range(5)]
    assert effective_n(hits, clusters) == pytest.approx(39)


def test_few_clusters_are_paid_for_with_student_s_t() -> None:
    # 10 clusters of 5 copies: 0.25 / SE^2 = 9, times (1.959964 / 2.262157)^2 with 9 degrees of freedom.
    clusters = [str(cluster) for cluster in range(10) for _ in range(5)]
    hits = [cluster % 2 == 0 for cluster in range(10) for _ in range(5)]
    assert effective_n(hits, clusters) == pytest.approx(9 * (1.959964 / 2.262157) ** 2, rel=1e-5)


def test_draws_that_all_agree_are_worth_their_clusters() -> None:
    assert effective_n([True] * 6, ["a", "a", "a", "b", "b", "c"]) == 3


@given(draws)
def test_clustered_draws_are_worth_between_one_and_all_of_them(sample: list[tuple[bool, str]]) -> None:
    worth = effective_n([hit for hit, _ in sample], [cluster for _, cluster in sample])
    assert 1 <= worth <= len(sample)


def _mean_of(values: list[float]) -> Callable[[Floats], Floats]:
    def mean(weights: Floats) -> Floats:
        result: Floats = weights @ np.asarray(values) / weights.sum(axis=1)
        return result

    return mean


def test_the_bootstrap_of_a_mean_is_close_to_its_normal_interval() -> None:
    values = [float(value) for value in np.random.default_rng(1).normal(size=200)]
    interval = bootstrap(200, _mean_of(values), seed="mean")
    half = 1.96 * np.std(values, ddof=1) / math.sqrt(200)
    assert interval == pytest.approx((np.mean(values) - half, np.mean(values) + half), abs=0.02)


def test_the_bootstrap_is_the_same_for_the_same_seed_alone() -> None:
    first, again, other = (
        bootstrap(50, _mean_of([index**1.5 for index in range(50)]), seed=seed) for seed in ("a", "a", "b")
    )
    assert first == again
    assert first != other


def test_the_bootstrap_leaves_out_what_cannot_be_computed() -> None:
    def of_first_alone(weights: Floats) -> Floats:
        values: Floats = np.where(weights[:, 0] > 0, 3.0, np.nan)
        return values

    assert bootstrap(4, of_first_alone, seed="x") == (3.0, 3.0)
    assert bootstrap(4, lambda weights: np.full(len(weights), np.nan), seed="x") is None


def test_one_cluster_cannot_be_resampled() -> None:
    assert bootstrap(1, _mean_of([1]), seed="x") is None


def test_clusters_that_differ_in_a_character_of_no_width_are_two() -> None:
    # "a" and "a" with a NUL are as far apart as "a" and "b": NumPy's own strings would drop the NUL.
    values = [0.0, 1.0, 1.0, 0.0]
    assert cluster_se(values, ["a", "a\0", "b", "b"]) == cluster_se(values, ["a", "x", "b", "b"])
    assert cluster_se([0.0, 1.0], ["a", "a\0"]) == pytest.approx(0.5)  # sqrt(2 * (.25 + .25)) / 2
