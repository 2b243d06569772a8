from __future__ import annotations

import math

import pytest
from relation_stage import ERROR, NO_EVIDENCE, measured, step
from scipy import stats

from confute.harness.relations.figures import ROUNDING, figures, mean_of, not_applicable
from confute.oracles.relations.relation import Expected


def of(expected: Expected, *pairs: tuple[float, float], tolerance: float = 0.1):
    steps = [step(measured(one), measured(two), f"g{n}") for n, (one, two) in enumerate(pairs)]
    return figures("X", "v", expected, steps, tolerance)


def counts(rate):
    return rate.numerator, rate.denominator


def test_an_invariance_is_broken_by_a_move_over_the_tolerance_or_by_a_turned_decision():
    # At tau .5: kept; moved .2; turned by .05; both at once; exactly the tolerance moves nothing.
    found = of(Expected.INVARIANT, (0.1, 0.15), (0.1, 0.3), (0.48, 0.53), (0.3, 0.8), (0.0, 0.1))
    assert counts(found.violations) == (3, 5)
    assert {name: counts(part) for name, part in found.parts.items()} == {"moved": (2, 5), "turned": (2, 5)}


def test_a_rise_must_rise_and_be_rejected_and_both_are_told():
    # rises and rejected; rises and accepted; falls and rejected; stays and accepted.
    found = of(Expected.RISES, (0.2, 0.6), (0.2, 0.3), (0.9, 0.8), (0.2, 0.2))
    assert counts(found.violations) == (3, 4)
    assert {name: counts(part) for name, part in found.parts.items()} == {
        "did not rise": (2, 4),
        "not rejected": (2, 4),
    }


def test_a_tie_at_the_threshold_accepts():
    assert counts(of(Expected.RISES, (0.2, 0.5)).parts["not rejected"]) == (1, 1)


@pytest.mark.parametrize(("expected", "sign"), [(Expected.NOT_BELOW, -1), (Expected.NOT_ABOVE, 1)])
def test_an_inequality_may_be_missed_by_rounding_alone(expected, sign):
    found = of(expected, (0.5, 0.5 + sign * ROUNDING / 2), (0.5, 0.5 + sign * ROUNDING * 2), (0.5, 0.5 - sign * 0.3))
    assert counts(found.violations) == (1, 3)


def test_a_highest_control_is_rejected_and_no_lower_than_with_its_own_evidence():
    found = of(Expected.HIGHEST, (0.2, 0.9), (0.2, 0.4), (0.9, 0.8))
    assert {name: counts(part) for name, part in found.parts.items()} == {
        "accepted": (1, 3),
        "below its own evidence": (1, 3),
    }


def test_a_low_control_is_accepted():
    assert counts(of(Expected.LOW, (0.9, 0.5), (0.1, 0.6)).violations) == (1, 2)


def test_a_probe_has_parts_and_neither_passes_nor_fails():
    found = of(Expected.FLAGGED, (0.9, 0.1), (0.1, 0.1))
    assert found.is_probe
    assert {name: counts(part) for name, part in found.parts.items()} == {"fell": (1, 2), "accepted": (2, 2)}


def test_what_was_not_measured_is_counted_apart_and_never_passes():
    steps = [step(measured(0.1), ERROR), step(ERROR, measured(0.1)), step(measured(0.1), NO_EVIDENCE)]
    found = figures("X", "v", Expected.INVARIANT, steps, 0.1)
    assert (found.violations.denominator, found.violations.errors, found.violations.no_evidence) == (0, 2, 1)
    assert found.violations.value is None
    assert found.mean_change.value is None


def test_a_row_that_does_not_apply_has_a_reason_and_no_number():
    found = not_applicable("E16", "v", "has no rank")
    assert (found.why_not, found.violations.value, found.trials) == ("has no rank", None, 0)


def test_the_interval_of_a_mean_is_student_s_over_clusters():
    # Three clusters of one: mean 2, SE = sqrt(3/2 * (1 + 0 + 1)) / 3 = sqrt(3) / 3, t(.975; 2) from scipy.
    found = mean_of([(1.0, "a"), (2.0, "b"), (3.0, "c")])
    half = stats.t.ppf(0.975, 2) * math.sqrt(3) / 3
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0 - half, 2.0 + half))


def test_superiority_counts_a_tie_as_half():
    assert of(Expected.RISES, (0.1, 0.2), (0.2, 0.2), (0.3, 0.2), (0.3, 0.9)).superiority.value == 0.625


def test_superiority_of_ties_alone_has_no_interval():
    found = of(Expected.INVARIANT, (0.1, 0.1), (0.2, 0.2)).superiority
    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_the_p_value_is_that_of_a_binomial_with_the_share_that_the_tolerance_leaves():
    # Three of ten move, each its own cluster: P(X >= 3 | 10, .05), from scipy.
    found = of(Expected.INVARIANT, *[(0.1, 0.4)] * 3, *[(0.1, 0.1)] * 7)
    assert found.p_value == pytest.approx(stats.binom.sf(2, 10, 0.05))
