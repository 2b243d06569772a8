"""Wald's sequential test of how often repeats differ: look after each, and stop as soon as the answer is clear."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
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
    """A plan: a minority of at most `p0` clears a case, of `p1` or more makes it flaky (Wald 1945).

    `alpha` is the chance to call a case at p0 flaky, `beta` the chance to clear one at p1, both as Wald's bounds have
    them; `chances` tells what they are. At `cap` repeats after the first without an answer the case is inconclusive.
    By default 14 repeats that agree with the first clear a case.
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

    def state(self, said: Sequence[Hashable]) -> SprtState:
        """Return the first answer within the repeats; those after it, or after the cap, change nothing.

        A failure is a repeat that does not say what most have said so far: the first is a draw as any other, and may
        itself be of the minority. One repeat has nothing to differ from, so n of them are n - 1 runs.
        """
        counts: Counter[Hashable] = Counter()
        for runs, one in enumerate(said):
            counts[one] += 1
            state = self.answer(runs + 1 - max(counts.values()), runs)
            if state is not SprtState.OPEN:
                return state
        return SprtState.OPEN

    def chances(self, p: float) -> dict[SprtState, float]:
        """Return the exact chance of each answer for a case of two verdicts, one of which comes with probability p."""
        answers = dict.fromkeys((SprtState.CLEARED, SprtState.FLAKY, SprtState.INCONCLUSIVE), 0.0)
        open_paths = {0: 1.0}
        for runs in range(self.cap + 1):
            reached = {
                count: open_paths.get(count, 0.0) * (1.0 - p) + open_paths.get(count - 1, 0.0) * p
                for count in range(runs + 2)
            }
            states = {count: self.answer(min(count, runs + 1 - count), runs) for count in reached}
            for count, state in states.items():
                if state is not SprtState.OPEN:
                    answers[state] += reached[count]
            open_paths = {count: reached[count] for count, state in states.items() if state is SprtState.OPEN}
        return answers

    def fixed_size(self) -> int:
        """Return how many runs a test of one look needs for the same two error rates: the exact binomial's least n."""
        n, allowed = 1, 0
        while True:
            while _at_most(allowed, n, self.p0) < 1.0 - self.alpha:
                allowed += 1
            if _at_most(allowed, n, self.p1) <= self.beta:
                return n
            n += 1

    def answer(self, failures: int, runs: int) -> SprtState:
        """Return what so many failures in so many runs say, where no answer came before them."""
        step = math.log((1.0 - self.p1) / (1.0 - self.p0))
        ratio = failures * math.log(self.p1 / self.p0) + (runs - failures) * step
        if ratio >= math.log((1.0 - self.beta) / self.alpha):
            return SprtState.FLAKY
        if ratio <= math.log(self.beta / (1.0 - self.alpha)):
            return SprtState.CLEARED
        return SprtState.INCONCLUSIVE if runs >= self.cap else SprtState.OPEN


def _at_most(k: int, n: int, p: float) -> float:
    return math.fsum(math.comb(n, j) * p**j * (1.0 - p) ** (n - j) for j in range(min(k, n) + 1))
