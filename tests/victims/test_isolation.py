import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Victim
from confute.records import Pair, ScoreState
from confute.victims.isolation import IsolatedDetector, risk_of

EVIDENCE = ("Some evidence.",)


class Scripted:
    """Answers by the claim: a value, an exception to raise, or an event to wait for without end."""

    def __init__(self, answers):
        self.answers = answers
        self.calls = []

    def score(self, pairs):
        self.calls.append([pair.claim for pair in pairs])
        return [self._answer(self.answers[pair.claim]) for pair in pairs]

    def _answer(self, answer):
        if isinstance(answer, threading.Event):
            answer.wait()
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def forever():
    event = threading.Event()
    yield event
    event.set()


def pairs(*claims):
    return [Pair(claim=claim, evidence=EVIDENCE) for claim in claims]


def isolated(detector, **settings):
    return IsolatedDetector(detector, Victim(detector="own:detector", **settings))


def told(scores):
    return [score.error_code if score.state is ScoreState.ERROR else score.value for score in scores]


def measure(answers, **settings):
    return isolated(Scripted(answers), **settings).measure(pairs(*answers))


def test_scores_come_back_in_the_order_of_the_pairs():
    assert told(measure({"a": 0.1, "b": 0.9, "c": -3})) == [0.1, 0.9, -3.0]


def test_a_pair_asked_twice_is_scored_once_and_answered_twice():
    detector = Scripted({"a": 0.1, "b": 0.2})
    assert told(isolated(detector).measure(pairs("a", "b", "a", "a"))) == [0.1, 0.2, 0.1, 0.1]
    assert detector.calls == [["a", "b"]]


def test_a_detector_is_asked_with_passages_in_the_unit_of_the_contract():
    seen = []

    def score(asked):
        seen.extend(pair.evidence for pair in asked)
        return [0.0] * len(asked)

    detector = type("Own", (), {"score": staticmethod(score)})
    isolated(detector).measure([Pair(claim="a", evidence=("One here. Two here.", " "))])
    assert seen == [("One here.", "Two here.")]


@pytest.mark.parametrize("evidence", [(), ("",), (" ", "\u200b", "\x00")])
def test_a_pair_without_a_passage_is_no_evidence_and_never_reaches_the_detector(evidence):
    detector = Scripted({"b": 0.5})
    none, measured = isolated(detector).measure([Pair(claim="a", evidence=evidence), *pairs("b")])
    assert (none.state, none.value, measured.value) == (ScoreState.NO_EVIDENCE, None, 0.5)
    assert detector.calls == [["b"]]


def test_a_blank_claim_is_an_error_and_never_reaches_the_detector():
    detector = Scripted({})
    assert told(isolated(detector).measure(pairs("", " \t", "\u200b"))) == ["empty_claim"] * 3
    assert detector.calls == []


def test_only_the_pair_that_raises_is_an_error():
    scores = measure({"a": 0.1, "b": KeyError("lost"), "c": 0.3})
    assert told(scores) == [0.1, "raised", 0.3]
    assert scores[1].error_message == "KeyError: 'lost'"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), RecursionError(), MemoryError()])
def test_whatever_a_detector_raises_stays_within_its_score(error):
    assert told(measure({"a": error, "b": 0.2})) == ["raised", 0.2]


def test_a_message_is_capped_readable_and_the_same_in_every_process():
    class RudeError(Exception):
        def __str__(self):
            raise RuntimeError

    long, hostile, rude = measure(
        {"a": ValueError("x" * 9999), "b": ValueError(f"\x00\ud800<b>\n{object()!r}"), "c": RudeError()}
    )
    assert len(long.error_message) == 300
    assert hostile.error_message == "ValueError:  ?<b> <object object at 0x...>"
    assert rude.error_message == "RudeError"
    assert "Traceback" not in hostile.error_message


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float32("nan"), 10**400])
def test_a_score_that_is_not_finite_is_an_error(value):
    assert told(measure({"a": value, "b": 0.2})) == ["not_finite", 0.2]
    assert told(measure({"a": value, "b": 0.25}, higher_is_safer=True)) == ["not_finite", 0.75]


@pytest.mark.parametrize("value", [None, "0.5", True, [0.5], 1j, {}, np.array([0.1, 0.2]), np.bool_(True), Decimal(1)])
def test_a_score_that_is_not_a_number_is_an_error(value):
    assert told(measure({"a": value, "b": 0.2})) == ["not_a_number", 0.2]


@pytest.mark.parametrize("value", [1, Fraction(1), np.float32(1), np.int64(1), np.array(1.0), np.array([1.0])])
def test_every_kind_of_real_number_is_a_score(value):
    assert told(measure({"a": value})) == [1.0]


def test_an_array_and_a_generator_are_sequences_of_scores():
    for answer in (np.array([[0.25], [0.5]]), (value for value in (0.25, 0.5))):
        detector = type("Own", (), {"score": staticmethod(lambda asked, answer=answer: answer)})
        assert told(isolated(detector).measure(pairs("a", "b"))) == [0.25, 0.5]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda asked: [0.5] * (len(asked) + 1), "expected 1 score, got more"),
        (lambda asked: [], "expected 1 score, got 0"),
        (lambda asked: iter(lambda: 0.5, None), "expected 1 score, got more"),
        (lambda asked: None, "expected 1 score in a sequence, got NoneType"),
        (lambda asked: 0.5, "expected 1 score in a sequence, got float"),
        (lambda asked: "0", "expected 1 score in a sequence, got str"),
        (lambda asked: {"a": 1}, "expected 1 score in a sequence, got dict"),
    ],
)
def test_the_wrong_number_of_scores_is_an_error_of_each_pair_that_has_it_alone(answer, said):
    scores = isolated(type("Own", (), {"score": staticmethod(answer)})).measure(pairs("a", "b"))
    assert told(scores) == ["wrong_length"] * 2
    assert {score.error_message for score in scores} == {said}


def test_a_detector_that_miscounts_one_pair_loses_that_pair_alone():
    detector = type("Own", (), {"score": staticmethod(lambda asked: [0.5 for pair in asked if pair.claim != "b"])})
    assert told(isolated(detector).measure(pairs("a", "b", "c"))) == [0.5, "wrong_length", 0.5]


def test_only_the_pair_that_hangs_is_a_timeout(forever):
    scores = measure({"a": 0.1, "b": forever, "c": 0.3}, timeout_s=0.5)
    assert told(scores) == [0.1, "timeout", 0.3]
    assert scores[1].error_message == "no answer within 0.5 s"


def test_a_detector_is_asked_in_batches_that_halve_when_one_takes_too_long(forever):
    answers = {f"claim {place}": 0.5 for place in range(150)}
    steady, slow = Scripted(answers), Scripted(answers | {"claim 0": forever})
    isolated(steady).measure(pairs(*answers))
    assert [len(call) for call in steady.calls] == [64, 64, 22]
    isolated(slow, timeout_s=0.5).measure(pairs(*answers))
    assert [len(call) for call in slow.calls if len(call) > 1] == [64, 32, 32, 22]


def test_after_three_timeouts_in_a_row_the_detector_is_not_asked_again(forever):
    detector = Scripted(dict.fromkeys("abcdefgh", forever))
    hanging = isolated(detector, timeout_s=0.01)
    # The batch, then a and b alone: three timeouts.
    assert told(hanging.measure(pairs(*"abcdefgh"))) == ["timeout"] * 2 + ["unavailable"] * 6
    assert told(hanging.measure(pairs("z"))) == ["unavailable"]
    assert [len(call) for call in detector.calls] == [8, 1, 1]


def test_a_detector_that_fails_for_64_pairs_in_a_row_is_not_asked_again():
    detector = Scripted({str(number): OSError("gone") for number in range(200)})
    found = told(isolated(detector).measure(pairs(*detector.answers)))
    assert found == ["raised"] * 64 + ["unavailable"] * 136
    assert len(detector.calls) == 1 + 64


def test_an_answer_in_between_makes_failures_count_from_zero():
    answers = {str(number): OSError("gone") for number in range(100)}
    answers["63"] = 0.5
    assert told(isolated(Scripted(answers)).measure(pairs(*answers))).count("unavailable") == 0


def test_an_answer_in_between_makes_timeouts_count_from_zero(forever):
    answers = {"a": forever, "b": 0.2, "c": forever, "d": 0.4, "e": forever, "f": 0.6}
    hanging = isolated(Scripted(answers), timeout_s=0.4)
    assert [told(hanging.measure(pairs(claim)))[0] for claim in answers] == [
        "timeout",
        0.2,
        "timeout",
        0.4,
        "timeout",
        0.6,
    ]


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_safer_score_is_never_the_greater_risk(left, right):
    if left >= right:
        assert risk_of(left, higher_is_safer=True) <= risk_of(right, higher_is_safer=True)


@given(st.lists(st.sampled_from("abcdefghij"), max_size=300))
def test_the_batches_that_pairs_are_asked_in_do_not_show(claims):
    answers = {claim: place if place % 3 else ValueError(claim) for place, claim in enumerate("abcdefghij")}
    whole = isolated(Scripted(answers)).measure(pairs(*claims))
    assert whole == tuple(isolated(Scripted(answers)).measure(pairs(claim))[0] for claim in claims)


def test_a_call_that_never_ends_does_not_keep_the_process():
    detector = type("Own", (), {"score": staticmethod(lambda asked: [float(threading.current_thread().daemon)])})
    assert told(isolated(detector).measure(pairs("a"))) == [1.0]


def test_a_detector_that_spoils_its_pairs_spoils_its_own_copies():
    class Spoils:
        def score(self, pairs):
            for pair in pairs:
                pair.__dict__["claim"] = "spoiled"
            return [0.5 for _ in pairs]

    pair = Pair(claim="claim", evidence=("evidence",))
    (score,) = IsolatedDetector(Spoils(), Victim(detector="test:spoils")).measure([pair])
    assert (score.value, pair.claim) == (0.5, "claim")


def test_a_score_whose_own_code_ends_the_process_is_no_number():
    class Exits:
        def item(self):
            raise SystemExit(9)

    class Gives:
        def score(self, pairs):
            return [Exits() for _ in pairs]

    (score,) = IsolatedDetector(Gives(), Victim(detector="test:gives")).measure(
        [Pair(claim="claim", evidence=("evidence",))]
    )
    assert score.error_code == "not_a_number"
