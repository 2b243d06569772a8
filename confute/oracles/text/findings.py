"""What a guard says of one change, and the places of a claim where a change can be understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from confute.records import Mechanism


class Effect(StrEnum):
    """What one change does to the truth of a claim.

    SAME: the two claims are equivalent. WEAKER: the source entails the edited claim. FALSE: evidence that supports
    the source does not support the edited claim. NEITHER: too small a change to count as an error, and no
    equivalence either. UNSURE: the guards cannot tell.
    """

    SAME = "same"
    WEAKER = "weaker"
    FALSE = "false"
    NEITHER = "neither"
    UNSURE = "unsure"


class Family(StrEnum):
    """How false changes combine: new values add up, a second of any other kind may undo the first.

    A COMPLEMENT is the new value p that stands for 100 % - p: negated, it is the source again.
    """

    VALUE = "value"
    COMPLEMENT = "complement"
    NAME = "name"
    NEGATION = "negation"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class Finding:
    """The effect of one change, the mechanism that it belongs to, and why."""

    effect: Effect
    mechanism: Mechanism
    reason: str
    family: Family = Family.STRUCTURE


@dataclass(frozen=True, slots=True)
class Slot:
    """A span of the claim, the texts offered in its place, and the guard that judges any other text there.

    `judge` is given the new text and returns None where it does not recognise it.
    """

    start: int
    end: int
    name: str
    offers: tuple[str, ...]
    judge: Callable[[str], Finding | None]


@dataclass(frozen=True, slots=True)
class Swap:
    """Two spans of the claim that may change places, what stands in each then, and what that does."""

    left: tuple[int, int]
    right: tuple[int, int]
    new_left: str
    new_right: str
    name: str
    finding: Finding


def unsure(mechanism: Mechanism, reason: str) -> Finding:
    """Return the finding of a guard that cannot tell."""
    return Finding(Effect.UNSURE, mechanism, reason)
