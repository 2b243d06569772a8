"""Handed cases of kind d, as far as they are about victims and their scores."""

import pytest

from confute.contract import Calibration, Threshold, Victim
from confute.errors import CalibrationError
from confute.records import Case, Decision, Label, Pair, ScoreState
from confute.victims.calibration import threshold
from confute.victims.frozen import freeze


class Fixed:
    """Gives the scores that a case hands it, one a pair."""

    def __init__(self, *scores):
        self.scores = scores
        self.calls = 0

    def score(self, pairs):
        self.calls += 1
        return [self.scores[int(pair.claim)] for pair in pairs]


def frozen(detector, value=0.5, **settings):
    victim = Victim(detector="own:detector", threshold=Threshold(value=value), **settings)
    return freeze(victim, detector, None, [], [])


def measure(*scores, **settings):
    pairs = [Pair(claim=str(place), evidence=("e",)) for place in range(len(scores))]
    return frozen(Fixed(*scores), **settings).measure(pairs)


def labelled(count, prefix="case", label=Label.SUPPORTED):
    return [
        Case(
            case_id=f"{prefix}-{place}",
            claim=str(place),
            evidence=("e",),
            label=label,
            domain="d",
            source="s",
            group=f"{prefix}-{place}",
        )
        for place in range(count)
    ]


def test_d01_a_nan_score_is_unmeasured_and_neither_passes_nor_fails():
    (score,) = measure(float("nan"))
    assert (score.state, score.value, score.error_code) == (ScoreState.ERROR, None, "not_finite")
    for value in (0.5, 0.0, 1e300):
        assert frozen(Fixed(float("nan")), value).decide(score) is None


def test_d04_a_missing_score_stays_apart_from_the_measured_ones():
    scores = measure(*[None] * 8, 0.0, 0.0)
    assert [score.state for score in scores] == [ScoreState.ERROR] * 8 + [ScoreState.MEASURED] * 2
    assert {score.error_code for score in scores[:8]} == {"not_a_number"}


def test_d06_scores_that_are_all_nan_set_no_threshold_and_are_never_zero():
    scores = measure(*[float("nan")] * 20)
    assert {score.value for score in scores} == {None}
    with pytest.raises(
        CalibrationError, match=r"measured none of 20 calibration pairs\n  got: '20 times: a score is finite, got nan'"
    ):
        threshold(labelled(20), scores, Calibration())


def test_d08_a_threshold_of_zero_counts():
    victim = frozen(Fixed(0.0, -0.1), 0.0, higher_is_safer=True)
    scores = victim.measure([Pair(claim=claim, evidence=("e",)) for claim in "01"])
    assert [victim.decide(score) for score in scores] == [Decision.ACCEPT, Decision.REJECT]  # 0.0 >= 0, -0.1 < 0
    riskier = frozen(Fixed(0.0, 0.1), 0.0)
    scores = riskier.measure([Pair(claim=claim, evidence=("e",)) for claim in "01"])
    assert [riskier.decide(score) for score in scores] == [Decision.ACCEPT, Decision.REJECT]


def test_d13_the_same_number_is_another_risk_in_the_other_direction():
    assert measure(0.9, higher_is_safer=True)[0].value == pytest.approx(0.1)
    assert measure(0.9, higher_is_safer=False)[0].value == 0.9


def test_d16_a_threshold_set_on_the_reported_cases_is_refused_and_one_set_elsewhere_carries_its_set():
    victim = Victim(detector="own:detector")
    detector, cases = Fixed(*[n / 20 for n in range(20)]), labelled(20)
    with pytest.raises(CalibrationError, match="leaky_threshold"):
        freeze(victim, detector, None, cases, cases)
    calibration = freeze(victim, detector, None, cases, labelled(20, "reported")).manifest.calibration
    assert calibration.set_digest


def test_d17_an_error_survives_the_turn_of_direction():
    (score,) = measure(float("nan"), higher_is_safer=True)
    assert (score.state, score.value) == (ScoreState.ERROR, None)


def test_d20_two_distinct_scores_are_a_warning_and_no_tuned_threshold():
    given = [0, 1, 1, 0, 1, 0] * 2
    cases = labelled(12)
    scores = measure(*given)
    found = {rate: threshold(cases, scores, Calibration(target_rate=rate)) for rate in (0.01, 0.3, 0.9)}
    assert {one.warnings for one in found.values()} == {("binary_scores",)}
    assert {one.value for one in found.values()} == {0.0}


def test_d22_a_blank_claim_never_reaches_the_detector_and_is_counted_as_an_error():
    detector = Fixed(1.0)
    victim = frozen(detector)
    (score,) = victim.measure([Pair(claim=" \n", evidence=("e",))])
    assert (score.state, score.error_code, victim.decide(score)) == (ScoreState.ERROR, "empty_claim", None)
    assert detector.calls == 0


def test_d23_a_misconfigured_detector_is_an_error_with_the_real_message_and_no_score():
    class Misconfigured:
        def score(self, pairs):
            raise ValueError("missing required field expected")

    (score,) = frozen(Misconfigured()).measure([Pair(claim="0", evidence=("e",))])
    assert (score.state, score.value) == (ScoreState.ERROR, None)
    assert score.error_message == "ValueError: missing required field expected"
