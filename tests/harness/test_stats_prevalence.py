from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from confute.harness.stats.prevalence import Count, information_low, known_rates, lang_reiczigel, rogan_gladen


def test_a_corrected_rate_and_its_interval_go_through_one_transform() -> None:
    # Handed case g08: (.2 + .95 - 1) / .85 = .1765; Wilson of 20/100 is .13337 to .28883, and the handed .2809 is
    # (.2888 - .05) / .85 of the end already rounded.
    found = known_rates(Count(k=20, n=100), 0.9, 0.95)
    assert found.corrected == pytest.approx(0.1765, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((0.0981, 0.2809), abs=1e-4)
    assert found.observed == 0.2
    assert found.reason is None


def test_a_rate_below_the_false_alarms_is_clipped_to_none_at_all() -> None:
    found = known_rates(Count(k=1, n=100), 0.9, 0.9)
    assert (found.corrected, found.low) == (0.0, 0.0)
    assert rogan_gladen(1.0, 0.9, 0.9) == 1.0


def test_a_judge_that_says_little_is_not_corrected_for() -> None:
    # .6 + .6 - 1 = .2, the limit itself.
    found = known_rates(Count(k=20, n=100), 0.6, 0.6)
    assert (found.corrected, found.low, found.high, found.reason) == (None, None, None, "judge_uninformative")
    assert found.observed == 0.2


def test_a_calibration_too_small_to_show_that_it_says_much_is_refused() -> None:
    few = lang_reiczigel(Count(k=20, n=100), Count(k=4, n=5), Count(k=4, n=5))
    many = lang_reiczigel(Count(k=20, n=100), Count(k=80, n=100), Count(k=80, n=100))
    assert (few.corrected, few.reason) == (None, "judge_uninformative")
    assert many.reason is None
    assert many.corrected == pytest.approx(0.0)


def test_what_was_not_measured_is_refused_with_its_reason() -> None:
    calibrated = Count(k=40, n=40)
    assert lang_reiczigel(Count(k=0, n=0), calibrated, calibrated).reason == "nothing_judged"
    assert known_rates(Count(k=0, n=0), 0.9, 0.9).reason == "nothing_judged"
    assert lang_reiczigel(Count(k=1, n=10), Count(k=0, n=0), calibrated).reason == "not_calibrated"
    with pytest.raises(ValueError, match="both classes"):
        information_low(Count(k=0, n=0), calibrated)
    with pytest.raises(ValueError, match="must exceed 1"):
        rogan_gladen(0.2, 0.5, 0.5)


def test_the_interval_is_the_formula_by_hand() -> None:
    # z = 1.959964, z^2 = 3.841459; p~ = (30 + 1.920729)/(100 + 3.841459) = .307399; q0~ = (36 + 1)/42 = .880952,
    # q1~ = (38 + 1)/42 = .928571; theta = (.307399 + .880952 - 1)/.809524 = .232670;
    # v0 = .880952 * .119048/42 = .00249703, v1 = .928571 * .071429/42 = .00157920;
    # shift = 2 z^2 (.232670 v1 - .767330 v0) = -.011898;
    # half = z sqrt(.307399 * .692601/103.841459 + .588797 v0 + .054135 v1)/.809524 = .145389.
    found = lang_reiczigel(Count(k=30, n=100), Count(k=38, n=40), Count(k=36, n=40))
    assert (found.low, found.high) == pytest.approx((0.07538, 0.36616), abs=5e-5)
    assert found.corrected == pytest.approx((0.3 + 0.9 - 1) / 0.85)


def test_a_large_calibration_leaves_the_interval_of_known_rates() -> None:
    known = known_rates(Count(k=30, n=100), 0.9, 0.95)
    measured = lang_reiczigel(Count(k=30, n=100), Count(k=900_000, n=1_000_000), Count(k=950_000, n=1_000_000))
    assert (measured.low, measured.high) == pytest.approx((known.low, known.high), abs=5e-3)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(theta: float) -> None:
    # Nominal 95 %; 400 draws leave a standard error of about 1.1 %.
    draw = random.Random(f"coverage/{theta}")

    def count(n: int, p: float) -> Count:
        return Count(k=sum(draw.random() < p for _ in range(n)), n=n)

    held = 0
    for _ in range(400):
        observed = count(200, theta * 0.9 + (1 - theta) * 0.1)
        found = lang_reiczigel(observed, count(60, 0.9), count(60, 0.9))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= theta <= found.high
    assert 0.92 <= held / 400 <= 0.995


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_bound_on_information_agrees_with_statsmodels(found: int, cleared: int) -> None:
    low, _ = confint_proportions_2indep(found, 40, 40 - cleared, 40, method="newcomb")
    assert information_low(Count(k=found, n=40), Count(k=cleared, n=40)) == pytest.approx(low, abs=1e-9)


def test_an_interval_that_clipping_would_leave_without_width_becomes_a_bound() -> None:
    # Wilson of 0/100 ends at .0370, below the false alarms of .2; 1 - .05^(1/100) = .029513, over .9: .032792.
    below = known_rates(Count(k=0, n=100), 0.9, 0.8)
    assert (below.corrected, below.low, below.high, below.outside) == (
        0.0,
        0.0,
        pytest.approx(0.032792, abs=5e-6),
        "below_false_alarms",
    )
    above = known_rates(Count(k=100, n=100), 0.8, 0.9)
    assert (above.corrected, above.low, above.high, above.outside) == (
        1.0,
        pytest.approx(1 - 0.032792, abs=5e-6),
        1.0,
        "above_sensitivity",
    )
    # Each at .975: 1 - .025^(1/100) = .036217 over .025^(1/40) = .911897 is .039716.
    measured = lang_reiczigel(Count(k=0, n=100), Count(k=40, n=40), Count(k=30, n=40))
    assert (measured.outside, measured.high) == ("below_false_alarms", pytest.approx(0.039716, abs=5e-6))


def test_the_bound_below_the_false_alarms_holds_the_truth_about_as_often_as_it_says() -> None:
    draw = random.Random("below")

    def count(n: int, p: float) -> Count:
        return Count(k=sum(draw.random() < p for _ in range(n)), n=n)

    found = [lang_reiczigel(count(100, 0.02 * 0.9 + 0.98 * 0.2), count(60, 0.9), count(60, 0.8)) for _ in range(2000)]
    told = [one.high for one in found if one.outside is not None and one.high is not None]
    assert told
    assert sum(high >= 0.02 for high in told) / len(told) >= 0.95


@given(st.integers(0, 60), st.integers(0, 40), st.integers(0, 40))
def test_no_interval_is_of_zero_width_or_leaves_its_share_out_by_clipping(k: int, found: int, cleared: int) -> None:
    result = lang_reiczigel(Count(k=k, n=60), Count(k=found, n=40), Count(k=cleared, n=40))
    if result.reason is None:
        assert result.low is not None
        assert result.high is not None
        assert result.low < result.high


@given(st.integers(0, 60), st.integers(30, 40), st.integers(30, 40))
def test_an_interval_stays_within_0_and_1_and_is_ordered(k: int, found: int, cleared: int) -> None:
    result = lang_reiczigel(Count(k=k, n=60), Count(k=found, n=40), Count(k=cleared, n=40))
    assert result.low is not None
    assert result.high is not None
    assert 0.0 <= result.low <= result.high <= 1.0
