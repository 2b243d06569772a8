"""Units of measure: how they are written, and their exact size."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from confute.victims.grounding.unit_table import OFFSETS, TABLE

COUNT = "none"
"""The unit of a bare number."""

PERCENT, POINTS, BASIS_POINT, YEAR = "pct", "pp", "bp", "year"


class Unit(NamedTuple):
    """A unit: its dimension, and value_in_base = value * factor + offset, both exact."""

    name: str
    dimension: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    def convert(self, value: Fraction, other: Unit) -> Fraction:
        """Return a value of this unit in another unit of the same dimension."""
        return (value * self.factor + self.offset - other.offset) / other.factor


_CASED_LETTERS = frozenset("mgtlLhsdCFKWJ")
_BY_NAME = {
    name: Unit(name, dimension, Fraction(factor), OFFSETS.get(name, Fraction(0)))
    for dimension, units in TABLE.items()
    for name, factor, _ in units
}
_BY_WRITING = {
    writing.replace("\u00a0", " "): _BY_NAME[name]
    for units in TABLE.values()
    for name, _, writings in units
    for writing in writings.split(" ")
    if writing
}

WRITINGS = tuple(sorted(_BY_WRITING, key=lambda writing: (-len(writing), writing)))
"""Every way to write a unit, the longest first."""


def written(text: str) -> Unit | None:
    """Return the unit that a text writes in full, or None; only a single letter must have its own case."""
    if len(text) == 1 and text.isalpha() and text not in _CASED_LETTERS:
        return None
    return _BY_WRITING.get(text) or _BY_WRITING.get(" ".join(text.lower().split()))


def named(name: str) -> Unit:
    """Return the unit of a pool's entry: one of the table, or else a thing that is counted, such as `steps`."""
    return _BY_NAME.get(name) or written(name) or counted(name)


def counted(noun: str) -> Unit:
    """Return the unit of counted things; singular and plural are one, and `none` is the bare number."""
    lowered = noun.lower()
    if lowered in {COUNT, ""}:
        return Unit(COUNT, COUNT)
    return Unit(noun, f"count {singular(lowered)}")


def singular(noun: str) -> str:
    """Return a noun without its plural ending."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
