from __future__ import annotations

import math
import re
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confute.harness.stats.flake import (
    disagreement,
    distribution,
    minority_share,
    outcomes,
    pass_at_k,
    pass_hat_k,
    strict_majority,
)

counts = st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_no_results_have_no_flake_rate() -> None:
    # Handed case g11.
    found = outcomes([])
    assert (found.n, found.flake_rate, found.disagreement, found.modal, found.reason) == (
        0,
        None,
        None,
        None,
        "no_results",
    )


@pytest.mark.parametrize("result", [re.search("a", "a"), 1, "yes", 0.0])
def test_a_result_that_is_no_truth_value_is_refused(result: object) -> None:
    # g12: ten match objects would be ten different values, and one truth.
    with pytest.raises(TypeError, match="must be True, False or None"):
        outcomes([True, result])  # type: ignore[list-item]


def test_a_run_without_a_result_is_left_out() -> None:
    assert outcomes([True, None, True]).counts == {"passed": 2}


@pytest.mark.parametrize(
    ("votes", "majority"),
    [
        ([True, False, None], None),  # g14: two of three seats are needed, in whatever order they sit
        ([False, True, None], None),
        ([None, False, True], None),
        ([True, None, True], True),
        ([False, False, True], False),
        ([True, None, None, True], None),
        ([], None),
        (["full", "none", "full"], "full"),
        (["full", "none", None, "full"], None),
    ],
)
def test_a_majority_counts_empty_seats(votes: list[bool | str | None], majority: bool | str | None) -> None:
    assert strict_majority(votes) == majority


def test_three_outcomes_stay_a_distribution() -> None:
    # g31: -(.4 log2 .4 + 2 * .3 log2 .3) = .5288 + 1.0422 = 1.571; pairs alike (12 + 6 + 6) / 90.
    found = distribution(["full"] * 4 + ["partial"] * 3 + ["none"] * 3)
    assert (found.modal, found.majority, found.modal_share) == ("full", None, 0.4)
    assert found.flake_rate == pytest.approx(0.6)
    assert found.entropy_bits == pytest.approx(1.571, abs=5e-4)
    assert found.pair_agreement == pytest.approx(24 / 90)
    assert list(found.counts) == ["full", "none", "partial"]


def test_an_even_tie_is_flaky_and_has_no_modal_label() -> None:
    found = outcomes([True, False])
    assert (found.modal, found.majority, found.flake_rate, found.disagreement) == (None, None, 0.5, 1.0)


def test_one_run_says_nothing_of_flake() -> None:
    assert disagreement(1, 1) is None
    assert disagreement(0, 0) is None
    assert outcomes([True]).pair_agreement is None
    assert minority_share(0, 0) is None


def test_scores_on_both_sides_of_a_threshold_flake_as_handed() -> None:
    # g23: .2 .2 .7 .7 at .5 are two failures and two passes; 2 of 6 pairs agree.
    found = outcomes(score >= 0.5 for score in (0.2, 0.2, 0.7, 0.7))
    assert found.flake_rate == 0.5
    assert found.pair_agreement == pytest.approx(0.3333, abs=5e-5)


@given(counts)
def test_disagreement_is_the_share_of_pairs_that_differ(count: tuple[int, int]) -> None:
    passes, n = count
    runs = [True] * passes + [False] * (n - passes)
    pairs = list(combinations(runs, 2))
    expected = sum(left != right for left, right in pairs) / len(pairs) if pairs else None
    assert disagreement(passes, n) == pytest.approx(expected)
    assert outcomes(runs).disagreement == disagreement(passes, n)
    assert minority_share(passes, n) == pytest.approx(outcomes(runs).flake_rate)


@given(st.integers(2, 8), st.floats(0.001, 0.999))
def test_disagreement_is_unbiased(n: int, p: float) -> None:
    expected = sum(stats.binom.pmf(k, n, p) * (disagreement(k, n) or 0.0) for k in range(n + 1))
    assert expected == pytest.approx(2 * p * (1 - p), abs=1e-9)


@pytest.mark.parametrize(("n", "biased"), [(3, 0.240), (5, 0.298), (10, 0.353)])
def test_the_minority_share_is_biased_low_as_published(n: int, biased: float) -> None:
    expected = sum(stats.binom.pmf(k, n, 0.4) * (minority_share(k, n) or 0.0) for k in range(n + 1))
    assert expected == pytest.approx(biased, abs=5e-4)


def test_pass_at_k_and_pass_hat_k_are_not_exchanged() -> None:
    # g21: C(8,2) / C(10,2) = 28/45 and 1 - C(2,2) / C(10,2) = 44/45.
    assert pass_hat_k(8, 10, 2) == pytest.approx(0.6222, abs=5e-5)
    assert pass_at_k(8, 10, 2) == pytest.approx(0.9778, abs=5e-5)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_both_count_draws_of_k_runs(drawn: tuple[int, int, int]) -> None:
    passes, n, k = drawn
    draws = list(combinations([True] * passes + [False] * (n - passes), k))
    assert pass_at_k(passes, n, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(passes, n, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_more_draws_than_runs_are_undefined_and_wrong_counts_are_refused() -> None:
    assert pass_at_k(2, 3, 4) is None
    assert pass_hat_k(2, 3, 4) is None
    with pytest.raises(ValueError, match="passes must lie"):
        pass_at_k(4, 3, 1)
    with pytest.raises(ValueError, match="k must be at least 1"):
        pass_hat_k(2, 3, 0)
    with pytest.raises(ValueError, match="passes must lie"):
        disagreement(-1, 3)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=25))
def test_entropy_agrees_with_scipy(labels: list[str]) -> None:
    found = distribution(labels)
    assert found.entropy_bits == pytest.approx(float(stats.entropy(list(found.counts.values()), base=2)), abs=1e-9)
    assert sum(found.counts.values()) == len(labels)


def test_a_distribution_does_not_depend_on_the_order_of_runs() -> None:
    seen = {distribution(order).model_dump_json() for order in product("ab", repeat=3) if sorted(order) == list("aab")}
    assert len(seen) == 1
    assert math.isclose(distribution("aab").flake_rate or 0, 1 / 3)


def test_half_of_the_runs_are_no_majority() -> None:
    found = distribution("aabc")
    assert (found.modal, found.majority) == ("a", None)
    assert distribution("aaabc").majority == "a"
