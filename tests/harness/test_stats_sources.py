from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from confute.harness.stats.cluster import cluster_se
from confute.harness.stats.flake import disagreement, minority_share, pass_at_k, pass_hat_k
from confute.harness.stats.paired import mcnemar_exact
from confute.harness.stats.reliability import one_way, runs_needed

DRAWN = st.lists(st.tuples(st.integers(0, 8), st.sampled_from("abcdef")), min_size=4, max_size=40)


@given(DRAWN.filter(lambda drawn: len({name for _, name in drawn}) > 1))
@settings(max_examples=40)
def test_the_clustered_error_is_that_of_statsmodels(drawn: list[tuple[int, str]]) -> None:
    # OLS on a constant with clustered covariance; its correction C/(C-1) * (n-1)/(n-k) is ours, since k = 1.
    values, clusters = [float(value) for value, _ in drawn], [name for _, name in drawn]
    codes = np.unique(clusters, return_inverse=True)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": codes})
        expected = float(fitted.bse[0])
    assert cluster_se(values, clusters) == pytest.approx(0.0 if math.isnan(expected) else expected, abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    expected = 1.0 if first == second == 0 else mcnemar([[5, first], [second, 7]], exact=True).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected, abs=1e-12)


RUNS = st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n)))


@given(RUNS)
def test_passes_among_k_runs_are_hypergeometric(drawn: tuple[int, int, int]) -> None:
    passes, n, k = drawn
    draws = stats.hypergeom(n, passes, k)
    assert pass_at_k(passes, n, k) == pytest.approx(1.0 - draws.pmf(0), abs=1e-9)
    assert pass_hat_k(passes, n, k) == pytest.approx(draws.pmf(k), abs=1e-9)


@given(RUNS.filter(lambda drawn: drawn[1] > 1))
def test_disagreement_is_twice_the_sample_variance_of_passes(drawn: tuple[int, int, int]) -> None:
    passes, n, _ = drawn
    assert disagreement(passes, n) == pytest.approx(2.0 * np.var([1] * passes + [0] * (n - passes), ddof=1))
    assert minority_share(passes, n) == pytest.approx(1.0 - stats.mode([1] * passes + [0] * (n - passes)).count / n)


TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=2, max_size=8)
)


@given(TABLES.filter(lambda table: any(len(set(row)) > 1 for row in table)))
def test_the_icc_is_that_of_scipy_s_analysis_of_variance(table: list[list[int]]) -> None:
    # For k runs a case, ICC(1) = (F - 1) / (F - 1 + k) (Shrout and Fleiss 1979), floored at 0.
    k = len(table[0])
    found = one_way([[float(value) for value in row] for row in table]).icc
    f = float(stats.f_oneway(*table).statistic)
    assert found == pytest.approx(max(0.0, (f - 1.0) / (f - 1.0 + k)), abs=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.5, 0.99))
def test_the_runs_needed_are_the_first_that_spearman_and_brown_let_reach_the_target(icc: float, target: float) -> None:
    m = runs_needed(icc, target)
    assert m is not None
    assert m * icc / (1 + (m - 1) * icc) >= target - 1e-9
    assert m == 1 or (m - 1) * icc / (1 + (m - 2) * icc) < target + 1e-9
