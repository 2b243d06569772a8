from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confute.harness.stats.combined import Weighted, weighted_sum
from confute.harness.stats.proportion import Interval, wilson
from confute.harness.stats.selective import RiskCoveragePoint, aurc, aurc_interval, best_aurc, risk_coverage

SCORED = st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=1, max_size=30)


def test_the_curve_of_four_claims_by_hand() -> None:
    # Sorted by risk: 0.1 right, 0.2 wrong and 0.2 right together, 0.9 wrong.
    found = risk_coverage([0.9, 0.2, 0.1, 0.2], [True, True, False, False])
    assert found == (RiskCoveragePoint(0.1, 1, 0), RiskCoveragePoint(0.2, 3, 1), RiskCoveragePoint(0.9, 4, 2))


def test_the_area_of_four_claims_by_hand() -> None:
    # (0 + 1/3 + 1/3 + 2/4) / 4 = 7/24
    assert aurc([0.9, 0.2, 0.1, 0.2], [True, True, False, False]) == pytest.approx(7 / 24)


@given(SCORED)
def test_the_area_is_the_mean_selective_risk_at_the_items_thresholds(scored: list[tuple[float, bool]]) -> None:
    risks, wrong = np.array([risk for risk, _ in scored]), np.array([is_wrong for _, is_wrong in scored])
    expected = np.mean([wrong[risks <= risk].mean() for risk in risks])
    assert aurc(list(risks), list(wrong)) == pytest.approx(float(expected))


@given(SCORED)
def test_no_order_is_better_than_the_one_with_all_wrong_items_last(scored: list[tuple[float, bool]]) -> None:
    wrong = [is_wrong for _, is_wrong in scored]
    best = best_aurc(len(wrong), sum(wrong))
    found = aurc([risk for risk, _ in scored], wrong)
    assert best is not None
    assert found is not None
    assert best - 1e-12 <= found <= 1.0
    assert aurc([place + len(wrong) * is_wrong for place, is_wrong in enumerate(wrong)], wrong) == pytest.approx(best)


def test_a_constant_risk_has_the_share_of_wrong_items_as_its_area() -> None:
    assert aurc([0.5] * 4, [True, False, False, False]) == 0.25


@given(SCORED, st.floats(0.1, 9))
def test_only_the_order_of_risks_counts(scored: list[tuple[float, bool]], factor: float) -> None:
    risks, wrong = [risk for risk, _ in scored], [is_wrong for _, is_wrong in scored]
    assert aurc([factor * risk - 3.0 for risk in risks], wrong) == pytest.approx(aurc(risks, wrong))


def test_no_item_has_no_area_and_nan_is_refused() -> None:
    assert aurc([], []) is None
    assert best_aurc(0, 0) is None
    assert risk_coverage([], []) == ()
    with pytest.raises(ValueError, match="NaN"):
        aurc([float("nan")], [True])
    with pytest.raises(ValueError, match=r"0\.\.n"):
        best_aurc(2, 3)


def test_the_interval_agrees_with_scipy_s_bootstrap_of_items() -> None:
    # With one item a cluster, resampling clusters is resampling items, which scipy does by its own code.
    draws = np.random.default_rng(7)
    risks = draws.random(60)
    wrong = draws.random(60) < risks

    def area(places: np.ndarray) -> float:
        found = aurc(list(risks[places]), list(wrong[places]))
        assert found is not None
        return found

    expected = stats.bootstrap(
        (np.arange(60),), area, n_resamples=2000, vectorized=False, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    found = aurc_interval(list(risks), list(wrong), [str(place) for place in range(60)], seed="s", replicates=4000)
    assert found is not None
    assert found == pytest.approx((expected.low, expected.high), abs=0.03)


def test_one_cluster_has_no_interval() -> None:
    assert aurc_interval([0.1, 0.2], [True, False], ["a", "a"], seed="s") is None


def test_the_interval_of_one_part_is_its_own() -> None:
    assert weighted_sum([Weighted(1.0, 0.3, Interval(0.2, 0.45))]) == pytest.approx((0.2, 0.45))


def test_the_interval_of_two_parts_by_hand() -> None:
    # value .5*.4 + .5*.2 = .3; below sqrt((.5*.1)^2 + (.5*.1)^2) = .0707; above sqrt((.5*.2)^2 + (.5*.1)^2) = .1118
    found = weighted_sum([Weighted(0.5, 0.4, Interval(0.3, 0.6)), Weighted(0.5, 0.2, Interval(0.1, 0.3))])
    assert found == pytest.approx((0.3 - 0.0707107, 0.3 + 0.1118034))


@pytest.mark.parametrize("base_rate", [0.05, 0.3])
def test_the_interval_of_a_mix_holds_the_truth_about_as_often_as_it_says(base_rate: float) -> None:
    draws = np.random.default_rng(3)
    held, rounds, p1, p0, n = 0, 2000, 0.8, 0.1, 60
    truth = base_rate * p1 + (1 - base_rate) * p0
    for k1, k0 in zip(draws.binomial(n, p1, rounds), draws.binomial(n, p0, rounds), strict=True):
        first, second = wilson(int(k1), n), wilson(int(k0), n)
        assert first is not None
        assert second is not None
        found = weighted_sum([Weighted(base_rate, k1 / n, first), Weighted(1 - base_rate, k0 / n, second)])
        held += found.low <= truth <= found.high
    assert 0.93 <= held / rounds <= 0.985


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        weighted_sum([Weighted(-0.1, 0.5, Interval(0.4, 0.6))])
