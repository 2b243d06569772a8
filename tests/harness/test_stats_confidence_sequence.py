from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from confute.harness.stats.confidence_sequence import confidence_sequence
from confute.harness.stats.proportion import wilson

COUNTS = st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS.filter(lambda count: 0 < count[0] < count[1]), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_ends_are_scipy_s_roots_of_the_mixture(count: tuple[int, int], level: float) -> None:
    k, n = count

    def over(p: float) -> float:
        mixture = special.betaln(k + 1, n - k + 1) - special.xlogy(k, p) - special.xlog1py(n - k, -p)
        return float(mixture + special.log1p(-level))

    found = confidence_sequence(k, n, level)
    assert found.low == pytest.approx(optimize.brentq(over, 1e-300, k / n, xtol=1e-14), abs=1e-9)
    assert found.high == pytest.approx(optimize.brentq(over, k / n, 1 - 1e-16, xtol=1e-14), abs=1e-9)


def test_no_failure_in_14_runs_leaves_the_bound_by_hand() -> None:
    # (1 - p)^14 = 0.05 * B(1, 15) = 0.05 / 15, so p = 1 - (1/300)^(1/14) = 0.3347; Clopper-Pearson would say 0.193.
    found = confidence_sequence(0, 14)
    assert found.low == 0.0
    assert found.high == pytest.approx(1 - (1 / 300) ** (1 / 14))


def _chance_of_ever_missing(interval: Any, p: float, looks: int) -> float:
    """Add up the exact chance that the interval leaves p out at some look, path by path."""
    inside = lru_cache(maxsize=None)(lambda k, n: interval(k, n)[0] <= p <= interval(k, n)[1])
    open_paths, missed = {0: 1.0}, 0.0
    for n in range(1, looks + 1):
        reached: dict[int, float] = {}
        for k, chance in open_paths.items():
            reached[k] = reached.get(k, 0.0) + chance * (1 - p)
            reached[k + 1] = reached.get(k + 1, 0.0) + chance * p
        missed += sum(chance for k, chance in reached.items() if not inside(k, n))
        open_paths = {k: chance for k, chance in reached.items() if inside(k, n)}
    return missed


@pytest.mark.parametrize("p", [0.05, 0.2, 0.5, 0.9])
def test_looking_after_every_run_misses_the_truth_at_most_as_often_as_it_says(p: float) -> None:
    assert _chance_of_ever_missing(confidence_sequence, p, 100) <= 0.05


def test_looking_at_wilson_after_every_run_misses_it_far_more_often() -> None:
    assert _chance_of_ever_missing(wilson, 0.2, 50) > 0.2


@given(COUNTS)
def test_it_holds_the_share_and_is_wider_than_wilson(count: tuple[int, int]) -> None:
    k, n = count
    found = confidence_sequence(k, n)
    assert 0.0 <= found.low <= (k / n if n else 0.5) <= found.high <= 1.0
    plain = wilson(k, n)
    if plain is not None and n > 5:
        assert found.high - found.low > plain.high - plain.low


def test_without_a_run_nothing_is_known_and_more_successes_than_runs_are_refused() -> None:
    assert confidence_sequence(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="successes"):
        confidence_sequence(3, 2)
