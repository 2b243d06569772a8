import pytest
from hashing_embedder import HashingEmbedder

from confute.contract import Threshold, Victim
from confute.records import Score, ScoreState
from confute.victims.canaries import CANARIES, drifted
from confute.victims.frozen import freeze
from confute.victims.load import load

DETECTORS = ["hallucination_energy", "nearest_passage", "word_overlap"]


def measure(detector, dimension=48):
    victim = Victim(detector=detector, threshold=Threshold(value=0.5))
    return freeze(victim, load(victim, lambda _: HashingEmbedder(dimension)), None, [], []).measure(CANARIES)


@pytest.mark.parametrize("detector", DETECTORS)
def test_every_detector_measures_every_canary_and_a_steady_one_does_not_drift(detector):
    scores = measure(detector)
    assert {score.state for score in scores} == {ScoreState.MEASURED}
    assert len({score.value for score in scores}) > 4
    assert drifted(scores, measure(detector)) == ()


def test_another_embedder_shows_on_the_canaries():
    assert drifted(measure("hallucination_energy"), measure("hallucination_energy", 49))


def test_the_smallest_change_of_one_canary_is_drift():
    before = measure("word_overlap")
    value = before[2].value
    after = list(before)
    after[2] = Score(state=ScoreState.MEASURED, value=value + 2**-50)
    after[5] = Score(state=ScoreState.ERROR, error_code="raised")
    assert drifted(before, after) == (2, 5)


def test_a_message_alone_is_no_drift_and_a_lost_canary_is_a_mistake():
    one = Score(state=ScoreState.ERROR, error_code="timeout", error_message="within 1 s")
    assert drifted([one], [one.model_copy(update={"error_message": "within 2 s"})]) == ()
    with pytest.raises(ValueError, match="1 before and 0 after"):
        drifted([one], [])
