from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from conformance import checks_of, failing, fails

from confute.records import Pair
from confute.testing import DetectorConformance
from confute.victims.grounding import GroundingCheck
from confute.victims.overlap import WordOverlap

SOUND = WordOverlap()


class Planted:
    """Word overlap with one thing wrong: `spoil` makes the scores of what was asked and of the sound scores."""

    def __init__(self, spoil: Callable[[list[Pair], list[float]], Any]) -> None:
        self._spoil = spoil

    def score(self, pairs: Sequence[Pair]) -> Any:
        return self._spoil(pairs, list(SOUND.score(pairs)))  # type: ignore[arg-type]


class Counting:
    """Every score depends on how many were asked before."""

    def __init__(self) -> None:
        self.asked = 0

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        self.asked += len(pairs)
        return [score + 0.01 * self.asked for score in SOUND.score(pairs)]


class OfItsInstance:
    """Every score depends on the instance that is asked."""

    made = 0

    def __init__(self) -> None:
        OfItsInstance.made += 1
        self._offset = 0.01 * OfItsInstance.made

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [score + self._offset for score in SOUND.score(pairs)]


class OfTheClaim:
    """Every claim has the score that it got first, whatever the evidence is."""

    def __init__(self) -> None:
        self._known: dict[str, float] = {}

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [
            self._known.setdefault(pair.claim, score) for pair, score in zip(pairs, SOUND.score(pairs), strict=True)
        ]


def _once_each(pairs: list[Pair], _: list[float]) -> list[float]:
    return list(SOUND.score(list(dict.fromkeys(pairs))))


def _pops(pairs: list[Pair], scores: list[float]) -> list[float]:
    pairs.pop() if pairs else None
    return scores


def _no_surrogates(pairs: list[Pair], scores: list[float]) -> list[float]:
    for pair in pairs:
        pair.claim.encode("utf-8")
    return scores


def _no_long_evidence(pairs: list[Pair], scores: list[float]) -> list[float]:
    return [
        float("nan") if sum(map(len, pair.evidence)) > 50_000 else score
        for pair, score in zip(pairs, scores, strict=True)
    ]


def _safe_without_evidence(pairs: list[Pair], scores: list[float]) -> list[float]:
    return [score if pair.evidence else -1.0 for pair, score in zip(pairs, scores, strict=True)]


def _nan_without_evidence(pairs: list[Pair], scores: list[float]) -> list[float]:
    return [score if pair.evidence else float("nan") for pair, score in zip(pairs, scores, strict=True)]


BUGS: dict[str, tuple[str, Callable[[], Any]]] = {
    "one score too few": ("test_every_pair_gets_one_score", lambda: Planted(lambda _, scores: scores[1:])),
    "a dictionary": ("test_every_pair_gets_one_score", lambda: Planted(lambda _, scores: dict(enumerate(scores)))),
    "one score for none": ("test_every_pair_gets_one_score", lambda: Planted(lambda _, scores: scores or [0.0])),
    "duplicates dropped": ("test_every_pair_gets_one_score", lambda: Planted(_once_each)),
    "by claim alone": ("test_a_batch_of_one_equals_a_batch_of_many", OfTheClaim),
    "by claim alone, turned round": ("test_the_order_of_a_batch_changes_no_score", OfTheClaim),
    "wrong over eight": (
        "test_a_large_batch_changes_no_score",
        lambda: Planted(lambda _, scores: scores if len(scores) <= 8 else [0.0] * len(scores)),
    ),
    "NaN": ("test_every_score_is_a_finite_number", lambda: Planted(lambda _, scores: [float("nan")] * len(scores))),
    "a bool": (
        "test_every_score_is_a_finite_number",
        lambda: Planted(lambda _, scores: [score > 0 for score in scores]),
    ),
    "None": ("test_every_score_is_a_finite_number", lambda: Planted(lambda _, scores: [None] * len(scores))),
    "ranked in its batch": (
        "test_a_batch_of_one_equals_a_batch_of_many",
        lambda: Planted(lambda _, scores: [score / (max(scores) or 1.0) for score in scores]),
    ),
    "a constant for one alone": (
        "test_a_batch_of_one_equals_a_batch_of_many",
        lambda: Planted(lambda _, scores: scores if len(scores) != 1 else [0.123]),
    ),
    "by place": (
        "test_the_order_of_a_batch_changes_no_score",
        lambda: Planted(lambda _, scores: [score + place for place, score in enumerate(scores)]),
    ),
    "sorted": ("test_the_order_of_a_batch_changes_no_score", lambda: Planted(lambda _, scores: sorted(scores))),
    "drawn": (
        "test_the_same_pairs_get_the_same_scores",
        lambda: Planted(lambda _, scores: [random.SystemRandom().random() for _ in scores]),
    ),
    "counting": ("test_the_same_pairs_get_the_same_scores", Counting),
    "of its instance": ("test_the_same_pairs_get_the_same_scores", OfItsInstance),
    "pops the batch": ("test_the_batch_is_left_as_it_was", lambda: Planted(_pops)),
    "safe without evidence": ("test_missing_evidence_lowers_no_risk", lambda: Planted(_safe_without_evidence)),
    "NaN without evidence": ("test_missing_evidence_lowers_no_risk", lambda: Planted(_nan_without_evidence)),
    "raises on surrogates": ("test_hostile_text_is_scored", lambda: Planted(_no_surrogates)),
    "NaN for long evidence": ("test_hostile_text_is_scored", lambda: Planted(_no_long_evidence)),
}


def suite(make: Callable[[], Any], **attributes: Any) -> type[DetectorConformance]:
    return type("Suite", (DetectorConformance,), {"make_detector": lambda _: make(), **attributes})


@pytest.mark.parametrize("make", [WordOverlap, GroundingCheck])
def test_the_built_in_detectors_conform(make: Callable[[], Any]) -> None:
    assert failing(suite(make)) == set()


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_check_that_is_there_for_it(name: str) -> None:
    check, make = BUGS[name]
    assert fails(suite(make), check)


def test_every_check_can_fail() -> None:
    assert {check for check, _ in BUGS.values()} == checks_of(DetectorConformance)


def test_a_detector_that_refuses_a_pair_without_evidence_conforms() -> None:
    def refuse(pairs: list[Pair], scores: list[float]) -> list[float]:
        if not all(pair.evidence for pair in pairs):
            raise ValueError("no evidence")
        return scores

    assert failing(suite(lambda: Planted(refuse))) == set()


def test_a_detector_of_safety_is_read_as_one() -> None:
    turned = suite(lambda: Planted(lambda _, scores: [1.0 - score for score in scores]), higher_is_safer=True)
    assert failing(turned) == set()


def test_a_detector_that_is_declared_to_be_random_need_not_repeat_itself() -> None:
    drawn = suite(
        lambda: Planted(lambda _, scores: [1.0 + random.SystemRandom().random() for _ in scores]),
        deterministic=False,
        tolerance=1.0,
    )
    assert failing(drawn) == set()


def test_a_suite_that_makes_no_detector_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="make_detector"):
        DetectorConformance().test_every_pair_gets_one_score()
