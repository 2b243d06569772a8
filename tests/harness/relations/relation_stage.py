"""Detectors that break one rule each, a stage to measure them on, and steps with scores written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

from confute.contract import Suite
from confute.harness.relations.figures import Step
from confute.harness.relations.scenes import Material, built_in
from confute.harness.relations.trials import Trial
from confute.oracles.relations.relation import Expected
from confute.records import Decision, Pair, Score, ScoreState
from confute.victims.overlap import WordOverlap

built_once = lru_cache(maxsize=2)(built_in)


def stage() -> Material:
    return built_once(0, Suite.DEVELOPMENT, 1)


class Drifting:
    """Gives a little more at each call."""

    def __init__(self) -> None:
        self._calls = 0

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        self._calls += 1
        return [one + 0.01 * self._calls for one in WordOverlap().score(pairs)]


class Alternating:
    """Gives half more at every second call."""

    def __init__(self) -> None:
        self._calls = 0

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        self._calls += 1
        return [one + 0.5 * (self._calls % 2) for one in WordOverlap().score(pairs)]


class ByBatch:
    """Looks at how many pairs stand beside one."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [one + (0.6 if len(pairs) == 1 else 0.0) for one in WordOverlap().score(pairs)]


class LastPassage:
    """Reads one passage alone, so that order matters to it."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return WordOverlap().score([Pair(claim=pair.claim, evidence=pair.evidence[-1:]) for pair in pairs])


class Failing:
    """Gives no number to claims with a `the`."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [
            float("nan") if "the" in pair.claim.split() else one
            for pair, one in zip(pairs, WordOverlap().score(pairs), strict=True)
        ]


class Constant:
    """Gives every pair the same."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [0.5] * len(pairs)


class Saturated:
    """Gives the highest risk to every tenth claim, and a low one that varies to the others."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [1.0 if crc32(pair.claim.encode()) % 10 == 0 else len(pair.claim) / 1000 for pair in pairs]


def measured(value: float) -> Score:
    return Score(state=ScoreState.MEASURED, value=value)


ERROR = Score(state=ScoreState.ERROR, error_code="raised", error_message="no")
NO_EVIDENCE = Score(state=ScoreState.NO_EVIDENCE)


def step(
    before: Score, after: Score, group: str = "g", tau: float = 0.5, expected: Expected = Expected.INVARIANT
) -> Step:
    def decide(score: Score) -> Decision | None:
        if score.value is None:
            return None
        return Decision.ACCEPT if score.value <= tau else Decision.REJECT

    pair = Pair(claim="c", evidence=("e",))
    return Step(Trial("X", expected, group, pair, pair), before, after, (decide(before), decide(after)))
