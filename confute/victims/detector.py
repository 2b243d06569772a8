"""What a detector is: it gives each claim a risk against its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from confute.records import Pair
from confute.victims.rubric import Rubric


class Detector(Protocol):
    """Scores a batch of pairs; higher is riskier unless the contract declares `higher_is_safer`."""

    def score(self, pairs: Sequence[Pair]) -> Sequence[float | Rubric]:
        """Return one risk per pair, in the pairs' order; a Rubric stands for the mean of its criteria.

        No pair comes without evidence.
        """
        ...


@runtime_checkable
class Explains(Protocol):
    """A detector that also offers an attacker of the level `white_box` something of its inside."""

    def attributions(self, pair: Pair) -> Sequence[tuple[int, int, float]]:
        """Return spans of a claim, start and end in characters, and how much the score rises where each is left out."""
        ...
