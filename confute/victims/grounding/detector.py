"""The grounding check as a detector: a claim against the numbers, and the polarity, of its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from confute.records import Pair, Record
from confute.victims.grounding.check import Grounding, grounding
from confute.victims.grounding.polarity import is_opposite
from confute.victims.grounding.pool import read

_CONTRADICTED, _UNDECIDED = 1.0, 0.5


class Contradiction(StrEnum):
    """What speaks against a claim."""

    NUMERIC = "numeric_contradiction"
    POLARITY = "polarity_contradiction"


class Judgement(Record):
    """What is said of a claim: what contradicts it, None where nothing does, and the findings on its numbers."""

    reason: Contradiction | None
    grounding: Grounding

    @property
    def grounded(self) -> bool:
        """Whether nothing in the evidence contradicts the claim; that does not make it supported."""
        return self.reason is None

    @property
    def risk(self) -> float:
        """1 where the claim is contradicted; else half the share of its numbers that the evidence does not decide.

        A claim without a number is wholly undecided. A new number is no contradiction, and alone never passes 0.5.
        """
        if self.reason is not None:
            return _CONTRADICTED
        return _UNDECIDED * (1.0 - (self.grounding.support.coverage or 0.0))


class GroundingCheck:
    """Scores 1 for a claim that its evidence contradicts by a number or its opposite, else at most 0.5.

    The pool of known values is read from the evidence passages; `locale` is the language of their separators.
    """

    def __init__(self, locale: str | None = None) -> None:
        self._locale = locale

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one risk per pair."""
        return [self.judge(pair).risk for pair in pairs]

    def judge(self, pair: Pair) -> Judgement:
        """Return what the evidence of a pair says against its claim, with a finding for each number."""
        found = grounding(pair.claim, read(pair.evidence, self._locale), self._locale)
        if found.flags:
            return Judgement(reason=Contradiction.NUMERIC, grounding=found)
        opposite = is_opposite(pair.claim, pair.evidence)
        return Judgement(reason=Contradiction.POLARITY if opposite else None, grounding=found)
