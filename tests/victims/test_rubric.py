"""Scores given as criteria: recomputed, and never averaged with a total that disagrees."""

import pytest

from confute.contract import Victim
from confute.records import Pair, ScoreState
from confute.victims.isolation import IsolatedDetector

PAIR = Pair(claim="claim", evidence=("evidence",))


class Grades:
    def __init__(self, given):
        self.given = given

    def score(self, pairs):
        return [self.given for _ in pairs]


def measured(given):
    (score,) = IsolatedDetector(Grades(given), Victim(detector="test:grades")).measure([PAIR])
    return score


def test_d12_a_sum_of_criteria_passed_off_as_the_total_is_a_conflict():
    score = measured({"criteria": [0.8, 0.95, 0.7, 1.0, 0.4], "total": 3.85})
    assert (score.state, score.value, score.error_code) == (ScoreState.ERROR, None, "conflicting_total")
    assert score.error_message == "the criteria give 0.77, the total says 3.85"


@pytest.mark.parametrize("total", [{}, {"total": 0.77}])
def test_d12_the_score_is_the_mean_of_the_criteria(total):
    # (0.8 + 0.95 + 0.7 + 1.0 + 0.4) / 5 = 3.85 / 5
    assert measured({"criteria": [0.8, 0.95, 0.7, 1.0, 0.4], **total}).value == pytest.approx(0.77)


@pytest.mark.parametrize("given", [{"criteria": []}, {"criteria": 0.5}, {"criteria": ["high"]}, {"criteria": [True]}])
def test_a_rubric_without_numbers_is_an_error_and_not_a_zero(given):
    score = measured(given)
    assert (score.state, score.error_code) == (ScoreState.ERROR, "no_criteria")


def test_a_criterion_that_is_not_finite_gives_no_score():
    score = measured({"criteria": [0.5, float("nan")]})
    assert score.state is ScoreState.ERROR
    assert score.value is None
