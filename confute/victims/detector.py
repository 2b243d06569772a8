"""What a detector is: it gives each claim a risk against its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from confute.records import Pair


class Detector(Protocol):
    """Scores a batch of pairs; higher is riskier unless the contract declares `higher_is_safer`."""

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return one risk per pair, in the pairs' order. No pair comes without evidence."""
        ...
