"""A quantity as prose states it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from confute.victims.grounding.units import Unit


class Bound(StrEnum):
    """What a text says of a value: that it is so, about so, or on which side of a number it lies."""

    EXACT = "exact"
    ABOUT = "about"
    MORE = "more"
    AT_LEAST = "at_least"
    LESS = "less"
    AT_MOST = "at_most"


class Reason(StrEnum):
    """Why a number is no quantity to check."""

    DATE = "date"
    CLOCK = "clock"
    ORDINAL = "ordinal"
    REFERENCE = "reference"
    VERSION = "version"
    WINDOW = "window"
    IDENTIFIER = "identifier"
    PRONOUN = "pronoun"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, as a text states it; `start` and `end` are character offsets of `token`.

    `readings` are the values that the digits may mean, with the sign, the likeliest first; `upper` is the other end of
    a range. `half_unit` is half a unit of the last digit shown, `coarse` the same with trailing zeros taken for not
    shown. `direction` is -1 after a word such as `down`, 1 after `up`. `noun` is the word that a bare number counts.
    `before` and `after` are the words around it, up to the next quantity. `skipped` tells why it is not checked.
    """

    token: str
    start: int
    end: int
    readings: tuple[Fraction, ...]
    unit: Unit
    half_unit: Fraction = Fraction(0)
    coarse: Fraction = Fraction(0)
    upper: Fraction | None = None
    bound: Bound = Bound.EXACT
    signed: bool = False
    direction: int = 0
    noun: str | None = None
    needs_locale: bool = False
    skipped: Reason | None = None

    @property
    def value(self) -> Fraction:
        """The likeliest value."""
        return self.readings[0]
