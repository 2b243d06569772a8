"""Wald's sequential test of a failure rate: look after every run, and stop as soon as the answer is clear."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field, model_validator

from confute.records import Record


class SprtState(StrEnum):
    """What a sequential test says so far; INCONCLUSIVE is what stays open at the cap."""

    OPEN = "OPEN"
    CLEARED = "CLEARED"
    FLAKY = "FLAKY"
    INCONCLUSIVE = "INCONCLUSIVE"


class Sprt(Record):
    """A plan: failures at a rate of at most `p0` clear a case, at `p1` or more they make it flaky (Wald 1945).

    `alpha` is the chance to call a case at p0 flaky, `beta` the chance to clear one at p1; at `cap` runs without an
    answer the case is inconclusive. By default 14 clean runs clear a case.
    """

    p0: float = Field(default=0.05, gt=0, lt=1)
    p1: float = Field(default=0.20, gt=0, lt=1)
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    beta: float = Field(default=0.10, gt=0, lt=0.5)
    cap: int = Field(default=50, ge=1)

    @model_validator(mode="after")
    def _rising(self) -> Sprt:
        if self.p0 >= self.p1:
            raise ValueError(f"p0 must be below p1; got {self.p0} and {self.p1}")
        return self

    def state(self, failures: Sequence[bool]) -> SprtState:
        """Return what the first answer within the runs is; runs after it, or after the cap, change nothing."""
        ratio = 0.0
        for failed in failures[: self.cap]:
            ratio += self._step(failed)
            if ratio >= math.log((1.0 - self.beta) / self.alpha):
                return SprtState.FLAKY
            if ratio <= math.log(self.beta / (1.0 - self.alpha)):
                return SprtState.CLEARED
        return SprtState.INCONCLUSIVE if len(failures) >= self.cap else SprtState.OPEN

    def fixed_size(self) -> int:
        """Return how many runs a test of one look needs for the same two error rates: the exact binomial's least n."""
        n, allowed = 1, 0
        while True:
            while _at_most(allowed, n, self.p0) < 1.0 - self.alpha:
                allowed += 1
            if _at_most(allowed, n, self.p1) <= self.beta:
                return n
            n += 1

    def _step(self, failed: bool) -> float:
        if failed:
            return math.log(self.p1 / self.p0)
        return math.log((1.0 - self.p1) / (1.0 - self.p0))


def _at_most(k: int, n: int, p: float) -> float:
    return math.fsum(math.comb(n, j) * p**j * (1.0 - p) ** (n - j) for j in range(min(k, n) + 1))
