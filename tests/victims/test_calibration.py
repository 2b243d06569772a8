import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Calibration
from confute.errors import CalibrationError
from confute.records import AttackGoal, Case, Label, Score, ScoreState
from confute.victims.calibration import BINARY_SCORES, check_disjoint, check_enough, split, threshold

FR, FA = AttackGoal.FALSE_REJECTION, AttackGoal.FALSE_ACCEPTANCE
RISKS = st.lists(st.integers(0, 12).map(lambda n: n / 8) | st.floats(-5, 5), min_size=10, max_size=60)
RATES = st.integers(1, 999).map(lambda n: n / 1000)


def case(index, label=Label.SUPPORTED, group=None):
    return Case(
        case_id=f"case-{index}",
        claim=f"claim {index}",
        evidence=("evidence",),
        label=label,
        domain="d",
        source="s",
        group=group or f"group-{index}",
    )


def measured(value):
    return Score(state=ScoreState.MEASURED, value=value)


def error(message="ValueError: no"):
    return Score(state=ScoreState.ERROR, error_code="raised", error_message=message)


def calibrated(risks, *, goal=FR, rate=0.1, others=(-9.0, 9.0), failed=0):
    """Cases that the error can befall with the given risks, and two others so that there are values enough."""
    mine, other = (Label.SUPPORTED, Label.REFUTED) if goal is FR else (Label.NEI, Label.SUPPORTED)
    labels = [mine] * (len(risks) + failed) + [other] * len(others)
    scores = [*map(measured, risks), *[error()] * failed, *map(measured, others)]
    cases = [case(index, label) for index, label in enumerate(labels)]
    return threshold(cases, scores, Calibration(error=goal, target_rate=rate))


def test_false_rejection_takes_the_smallest_threshold_within_the_rate():
    found = calibrated([n / 10 for n in range(20)], rate=0.1)
    # floor(0.1 * 20) = 2 may lie above, 1.8 and 1.9, so the threshold is 1.7, the 18th of 20.
    assert (found.value, found.n, found.k, found.errors) == (1.7, 20, 18, 2)


def test_false_acceptance_takes_the_largest_observed_threshold_within_the_rate():
    found = calibrated([n / 10 for n in range(20)], goal=FA, rate=0.1)
    # 2 may lie at or below: 0.0 and 0.1.
    assert (found.value, found.n, found.k, found.errors) == (0.1, 20, 2, 2)


def test_a_tie_is_never_cut_in_two():
    rejection = calibrated([0.1] * 17 + [0.5] * 3, rate=0.1)
    assert (rejection.value, rejection.errors) == (0.5, 0)  # 2 of the three 0.5 cannot be rejected without the third
    acceptance = calibrated([0.1] * 3 + [0.5] * 17, goal=FA, rate=0.1)
    assert (acceptance.value, acceptance.errors) == (math.nextafter(0.1, -math.inf), 0)


def test_where_no_false_acceptance_is_allowed_the_threshold_lies_just_below_the_least_risk():
    assert calibrated([0.25 + n for n in range(12)], goal=FA, rate=0.05).value == math.nextafter(0.25, 0)


def test_a_rate_is_taken_as_the_decimal_that_was_written():
    # In binary floats 0.29 * 100 = 28.999..., which would allow 28 only.
    assert calibrated([float(n) for n in range(100)], rate=0.29).errors == 29


@given(RISKS, RATES, st.sampled_from([FR, FA]))
def test_the_rate_is_kept_and_no_better_threshold_keeps_it(risks, rate, goal):
    found = calibrated(risks, goal=goal, rate=rate, others=(-9.0, 9.0, 8.0))
    allowed = math.floor(Fraction(str(rate)) * len(risks))

    def errors(tau):
        return sum(risk > tau if goal is FR else risk <= tau for risk in risks)

    assert found.errors == errors(found.value) <= allowed
    if goal is FR:
        assert errors(math.nextafter(found.value, -math.inf)) > allowed
    else:
        above = [risk for risk in risks if risk > found.value]
        assert errors(min(above)) > allowed


@given(RISKS)
def test_the_order_of_the_cases_does_not_show(risks):
    cases = [case(index) for index in range(len(risks))] + [case("x", Label.NEI), case("y", Label.NEI)]
    scores = [measured(risk) for risk in [*risks, -9.0, 9.0]]
    assert threshold(cases, scores, Calibration()) == threshold(cases[::-1], scores[::-1], Calibration())


def test_unmeasured_cases_are_counted_and_left_out():
    risks = [n / 10 for n in range(20)]
    found = calibrated(risks, failed=7)
    assert (found.value, found.n, found.unmeasured) == (calibrated(risks).value, 20, 7)


def test_the_digest_is_that_of_the_cases():
    cases = [case(index) for index in range(12)]
    scores = [measured(float(index)) for index in range(12)]
    changed = [*cases[:-1], cases[-1].model_copy(update={"claim": "another"})]
    digests = {threshold(some, scores, Calibration()).set_digest for some in (cases, changed)}
    assert len(digests) == 2


def test_two_values_give_a_warning_and_the_lower_value_whatever_the_rate():
    for rate in (0.01, 0.5):
        found = calibrated([0.0, 1.0] * 6, rate=rate, others=(0.0, 1.0))
        assert (found.value, found.warnings) == (0.0, (BINARY_SCORES,))
    assert calibrated([0.0, 1.0] * 6, others=(0.5,)).warnings == ()


@pytest.mark.parametrize(
    ("risks", "goal", "said"),
    [
        ([], FR, "too few measured SUPPORTED cases"),
        ([float(n) for n in range(9)], FR, r"allowed: at least 10\n  got: '9'"),
        ([float(n) for n in range(9)], FA, "too few measured UNSUPPORTED, REFUTED or NEI cases"),
    ],
)
def test_too_few_cases_of_the_label_are_refused(risks, goal, said):
    with pytest.raises(CalibrationError, match=said):
        calibrated(risks, goal=goal)


def test_cases_of_the_label_that_have_evidence_are_counted_before_any_is_measured():
    supported = [case(index).model_copy(update={"evidence": ("e",)}) for index in range(10)]
    others = [case(index, Label.REFUTED).model_copy(update={"evidence": ("e",)}) for index in range(10, 19)]
    check_enough([*supported, *others], Calibration(error=FR))
    with pytest.raises(CalibrationError, match=r"too few SUPPORTED cases with evidence .*\n.*\n  got: '9, of 10 in"):
        check_enough([*supported[1:], supported[0].model_copy(update={"evidence": (" ",)})], Calibration(error=FR))
    with pytest.raises(CalibrationError, match="got: '9, of 19 in that half'"):
        check_enough([*supported, *others], Calibration(error=FA))


def test_a_detector_that_fails_everywhere_is_refused_with_its_own_message():
    with pytest.raises(
        CalibrationError, match=r"measured none of 12 calibration pairs\n  got: '12 times: ValueError: no'"
    ):
        calibrated([], failed=12)


def test_a_constant_detector_is_refused():
    with pytest.raises(CalibrationError, match="every case has the same score"):
        calibrated([0.5] * 20, others=(0.5,))


def grouped(groups):
    return [case(index, group=f"group-{group}") for index, group in enumerate(groups)]


@given(st.lists(st.integers(0, 999), min_size=4, max_size=60), st.integers(0, 9), st.sampled_from([0.3, 0.5, 0.7]))
def test_a_split_parts_the_cases_by_group_as_near_to_the_share_as_it_says(groups, seed, share):
    cases = grouped(groups)
    sizes = [groups.count(group) for group in set(groups)]
    try:
        left, right = split(cases, share, seed)
    except CalibrationError:
        assert max(sizes) * 2 > min(share, 1 - share) * len(cases)  # one group is too large to stand on a side
        return
    assert sorted([*left, *right], key=lambda one: one.case_id) == sorted(cases, key=lambda one: one.case_id)
    assert not {one.group for one in left} & {one.group for one in right}
    assert abs(len(left) - share * len(cases)) <= max(sizes) / 2
    assert split(cases, share, seed) == (left, right)
    check_disjoint(left, right)


def test_groups_of_one_give_the_exact_share_and_keep_their_order():
    cases = grouped(range(100))
    left, right = split(cases, 0.3, seed=1)
    assert (len(left), len(right)) == (30, 70)
    assert list(left) == [one for one in cases if one in set(left)]
    assert split(cases[::-1], 0.3, seed=1)[0] == left[::-1]
    assert split(cases, 0.3, seed=2)[0] != left


def test_one_group_cannot_be_split():
    with pytest.raises(CalibrationError, match="20 cases in 1 groups"):
        split(grouped([1] * 20), 0.5, seed=0)


@pytest.mark.parametrize("reported", [case("1", group="elsewhere"), case("other", group="group-1")])
def test_a_shared_case_or_group_is_a_leak(reported):
    check_disjoint([case("2")], [reported])
    with pytest.raises(CalibrationError, match="leaky_threshold: 1 reported cases"):
        check_disjoint([case("1")], [reported])
