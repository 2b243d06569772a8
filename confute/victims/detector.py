"""What a detector is: it gives each claim a risk against its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from confute.records import Pair
from confute.victims.rubric import Rubric


class Detector(Protocol):
    """Scores a batch of pairs; higher is riskier unless the contract declares `higher_is_safer`."""

    def score(self, pairs: Sequence[Pair]) -> Sequence[float | Rubric]:
        """Return one risk per pair, in the pairs' order; a Rubric stands for the mean of its criteria.

        No pair comes without evidence.
        """
        ...
