"""A detector asked behind a wall: whatever it does, every pair gets a Score."""

from __future__ import annotations

import math
import queue
import re
import threading
from collections.abc import Sequence
from itertools import islice
from numbers import Real
from typing import NamedTuple

from confute import text
from confute.contract import Victim
from confute.records import Pair, Score, ScoreState
from confute.victims.detector import Detector
from confute.victims.rubric import RubricError, total_of
from confute.victims.segmentation import passages

_BATCH = 64
_TIMEOUTS_IN_A_ROW = 3
_FAILURES_IN_A_ROW = 64
_MESSAGE_CHARS = 300
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]+")


class Failure(NamedTuple):
    """Why a call gave no scores: `raised`, `timeout` or `wrong_length`, and what was said."""

    code: str
    message: str


class IsolatedDetector:
    """Turns what a detector gives, or fails to give, into Scores.

    The detector is asked with passages cut by the contract's segmentation. A pair without a passage is NO_EVIDENCE
    and one whose claim is blank is ERROR `empty_claim`; neither reaches it. ERROR codes of one pair: `raised`,
    `timeout`, `wrong_length`, `not_a_number`, `not_finite`, and those of a RubricError. A call that fails is repeated
    pair by pair, so that only the guilty pair is an ERROR. Each call has `timeout_s`; one that takes longer is left
    behind in its thread. After three of those in a row, or 64 pairs in a row of which each alone made it fail, the
    detector is not asked again: the rest is ERROR `unavailable`.
    """

    def __init__(self, detector: Detector, victim: Victim) -> None:
        self._detector = detector
        self._victim = victim
        self._batch = _BATCH
        self._timeouts = 0
        self._failures = 0
        self._last = ""

    def measure(self, pairs: Sequence[Pair]) -> tuple[Score, ...]:
        """Return one Score a pair, in order; a pair that stands more than once is scored once."""
        cut = [Pair(claim=pair.claim, evidence=passages(pair.evidence, self._victim.segmentation)) for pair in pairs]
        scores = {pair: score for pair in cut if (score := _unaskable(pair)) is not None}
        asked = [pair for pair in dict.fromkeys(cut) if pair not in scores]
        while asked:
            batch, asked = asked[: self._batch], asked[self._batch :]
            scores |= zip(batch, self._score(batch), strict=True)
        return tuple(scores[pair] for pair in cut)

    def _score(self, pairs: Sequence[Pair]) -> list[Score]:
        if (gone := self._is_gone()) is not None:
            return [_error("unavailable", gone)] * len(pairs)
        given = self._call(pairs)
        if not isinstance(given, Failure):
            self._failures = 0
            return given
        if len(pairs) == 1:
            self._failures += 1
            self._last = f"{given.code}: {given.message}"
            return [_error(*given)]
        if given.code == "timeout":
            self._batch = max(1, self._batch // 2)
        return [score for pair in pairs for score in self._score([pair])]

    def _is_gone(self) -> str | None:
        """Return why the detector is not asked any more, or None where it is."""
        if self._timeouts >= _TIMEOUTS_IN_A_ROW:
            return f"{_TIMEOUTS_IN_A_ROW} calls in a row took too long"
        if self._failures >= _FAILURES_IN_A_ROW:
            return f"{_FAILURES_IN_A_ROW} calls in a row failed, the last: {self._last}"
        return None

    def _call(self, pairs: Sequence[Pair]) -> list[Score] | Failure:
        outbox: queue.SimpleQueue[list[Score] | Failure] = queue.SimpleQueue()
        threading.Thread(target=lambda: outbox.put(self._answer(pairs)), daemon=True).start()
        try:
            given = outbox.get(timeout=self._victim.timeout_s)
        except queue.Empty:
            self._timeouts += 1
            return Failure("timeout", f"no answer within {self._victim.timeout_s:g} s")
        self._timeouts = 0
        return given

    def _answer(self, pairs: Sequence[Pair]) -> list[Score] | Failure:
        """Ask with copies, which the detector may spoil, and read what it gives where its code cannot end the run."""
        given = _ask(self._detector, [pair.model_copy() for pair in pairs])
        if isinstance(given, Failure):
            return given
        return [score_of(value, higher_is_safer=self._victim.higher_is_safer) for value in given]


def risk_of(score: float, *, higher_is_safer: bool) -> float:
    """Return the risk that a detector's score stands for: the score itself, or 1 - score where higher is safer.

    Safer scores are best declared in [0, 1], where 0.9 safe is a risk of 0.1; others keep their order.
    """
    return 1.0 - score if higher_is_safer else score


def _ask(detector: Detector, pairs: Sequence[Pair]) -> list[object] | Failure:
    expected = f"expected {len(pairs)} score{'s' * (len(pairs) != 1)}"
    try:
        given = detector.score(pairs)
        if isinstance(given, str | bytes | dict) or not hasattr(given, "__iter__"):
            return Failure("wrong_length", f"{expected} in a sequence, got {type(given).__name__}")
        values: list[object] = list(islice(given, len(pairs) + 1))
    except BaseException as error:  # whatever a detector raises, SystemExit among it, is its failure alone
        return Failure("raised", _told(error))
    if len(values) != len(pairs):
        return Failure("wrong_length", f"{expected}, got {len(values) if len(values) < len(pairs) else 'more'}")
    return values


def _unaskable(pair: Pair) -> Score | None:
    if text.is_blank(pair.claim):
        return _error("empty_claim", "the claim is blank")
    return None if pair.evidence else Score(state=ScoreState.NO_EVIDENCE)


def score_of(value: object, *, higher_is_safer: bool) -> Score:
    """Return what a detector gave for one pair as a Score: MEASURED for a finite number or a rubric, else an ERROR."""
    try:
        number = total_of(value) if isinstance(value, dict) and "criteria" in value else _number(value)
    except RubricError as error:
        return _error(error.code, str(error))
    if number is None:
        return _error("not_a_number", f"a score is a number, got {type(value).__name__}")
    risk = risk_of(number, higher_is_safer=higher_is_safer)
    if not math.isfinite(risk):
        return _error("not_finite", f"a score is finite, got {number}")
    return Score(state=ScoreState.MEASURED, value=risk)


def _number(value: object) -> float | None:
    """Return a real number or a one-element array of one as a float; None for anything else, bool among it."""
    try:
        bare = value.item() if hasattr(value, "item") else value
        return float(bare) if isinstance(bare, Real) and not isinstance(bare, bool) else None
    except OverflowError:
        return math.inf
    except BaseException:  # the code of a score that is not a number is a user's own
        return None


def _error(code: str, message: str) -> Score:
    return Score(state=ScoreState.ERROR, error_code=code, error_message=message)


def _told(error: BaseException) -> str:
    try:
        said = f"{type(error).__name__}: {error}"
    except BaseException:
        said = type(error).__name__
    readable = _UNSEEN.sub(" ", said[:_MESSAGE_CHARS].encode("utf-8", "replace").decode("utf-8"))
    return _ADDRESS.sub("0x...", readable)
