"""A detector of your own, to control with `confute control --detector control_detector:check` from this folder.

It flags a claim that has a number which its evidence does not have: novelty, not contradiction. The control says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from confute.records import Pair

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def check(pairs: Sequence[Pair]) -> list[float]:
    """Return a risk for each pair: 1 where the claim has a number that no passage has, else 0."""
    return [float(not _numbers(pair.claim) <= _numbers(" ".join(pair.evidence))) for pair in pairs]


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))
