"""Quantities: how they are written and read, when two are equal, and what they are in another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cached_property

from pydantic import Field

from confute.oracles.facts import numeral
from confute.oracles.facts.fact import Quantity
from confute.records import NonBlank, Record

_MAX_DIGITS = 6
_NEIGHBOURS = 1000
_NUMBER = r"(?:minus |[-−])?[^\W_][\w.,-]{0,30}(?: [^\W_][\w.,-]{0,30}){0,6}?"
_ROUNDING_SHARE = Decimal("0.03")


class Unit(Record):
    """A unit: its dimension, its exact size in the dimension's base unit, and how it is written.

    In `forms` the braces stand for the number; the first form is the long one, and `singular` is that form for one.
    `whole` units count things.
    """

    dimension: NonBlank
    factor: Fraction = Field(gt=0)
    forms: tuple[NonBlank, ...] = Field(min_length=1)
    singular: NonBlank | None = None
    whole: bool = False


class ValueRange(Record):
    """The plausible values of a relation: from `low` to `high` of a unit, with `digits` significant digits."""

    unit: NonBlank
    low: Decimal
    high: Decimal
    digits: int = Field(default=3, ge=1, le=_MAX_DIGITS)


class Units:
    """A table of units."""

    def __init__(self, units: Mapping[str, Unit]) -> None:
        self._units = dict(units)

    def __contains__(self, name: object) -> bool:
        return name in self._units

    def same(self, left: Quantity, right: Quantity) -> bool:
        """Tell whether two quantities are exactly the same amount of one dimension."""
        return self.comparable(left, right) and self._in_base(left) == self._in_base(right)

    def less(self, left: Quantity, right: Quantity) -> bool:
        """Tell whether the left quantity is smaller; False for two dimensions."""
        return self.comparable(left, right) and self._in_base(left) < self._in_base(right)

    def comparable(self, left: Quantity, right: Quantity) -> bool:
        """Tell whether two quantities are of one dimension."""
        return self._units[left.unit].dimension == self._units[right.unit].dimension

    def siblings(self, name: str) -> tuple[str, ...]:
        """Return the other units of the same dimension, up to a thousand times as large or small."""
        own = self._units[name]
        return tuple(
            other
            for other, unit in self._units.items()
            if unit.dimension == own.dimension
            and other != name
            and max(unit.factor / own.factor, own.factor / unit.factor) <= _NEIGHBOURS
        )

    def converted(self, quantity: Quantity, unit: str) -> Quantity | None:
        """Return the same amount in another unit of its dimension, or None where it needs over six digits."""
        ratio = self._in_base(quantity) / self._units[unit].factor
        rounded = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        if Fraction(rounded) != ratio or len(rounded.normalize().as_tuple().digits) > _MAX_DIGITS:
            return None
        if self._units[unit].whole and rounded != rounded.to_integral_value():
            return None
        return Quantity(number=rounded, unit=unit)

    def writings(self, quantity: Quantity) -> dict[str, str]:
        """Return the ways to write a quantity, by a name that two quantities of one unit share."""
        unit, found = self._units[quantity.unit], {}
        for style, number in numeral.forms(quantity.number).items():
            for index, form in enumerate(unit.forms):
                if style == "words" and index > 0:
                    continue
                singular = unit.singular if index == 0 and quantity.number == 1 else None
                found[f"{style}/{index}"] = (singular or form).replace("{}", number)
        return found

    def read(self, text: str) -> Quantity | None:
        """Return the quantity that a text writes, or None where it writes none."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        unit = self._unit_by_affixes.get((match["prefix"], match["suffix"]))
        number = numeral.read(match["number"])
        return None if unit is None or number is None else Quantity(number=number, unit=unit)

    def alternatives(self, quantity: Quantity, plausible: ValueRange) -> Iterator[Quantity]:
        """Yield other quantities near and far: other digits, shares, powers of ten, roundings, the sign, the unit.

        Numbers stay within the plausible range; a change of unit keeps the number.
        """
        for number in _other_numbers(quantity.number):
            other = Quantity(number=number, unit=quantity.unit)
            if number != quantity.number and self._is_plausible(other, plausible):
                yield other
        for unit in self.siblings(quantity.unit):
            if quantity.number != 0:
                yield Quantity(number=quantity.number, unit=unit)

    def _is_plausible(self, quantity: Quantity, plausible: ValueRange) -> bool:
        if self._units[quantity.unit].whole and quantity.number != quantity.number.to_integral_value():
            return False
        amount, factor = self._in_base(quantity), self._units[plausible.unit].factor
        return Fraction(plausible.low) * factor <= amount <= Fraction(plausible.high) * factor

    def _in_base(self, quantity: Quantity) -> Fraction:
        return Fraction(quantity.number) * self._units[quantity.unit].factor

    @cached_property
    def pattern(self) -> str:
        """A regular expression for what may be a quantity: a number with the prefix or suffix of a unit.

        A date, or any other phrase without a unit, never matches.
        """
        suffixes: dict[str, list[str]] = {}
        for prefix, suffix in self._unit_by_affixes:
            suffixes.setdefault(prefix, []).append(suffix)
        choices = (
            f"{re.escape(prefix)}{_NUMBER}(?:{'|'.join(map(re.escape, sorted(ends, key=len, reverse=True)))})"
            for prefix, ends in suffixes.items()
        )
        return f"(?:{'|'.join(choices)})"

    @cached_property
    def _unit_by_affixes(self) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for name, unit in self._units.items():
            for form in (*unit.forms, *((unit.singular,) if unit.singular else ())):
                prefix, _, suffix = form.partition("{}")
                found[prefix, suffix] = name
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        prefixes = sorted({re.escape(prefix) for prefix, _ in self._unit_by_affixes}, key=len, reverse=True)
        suffixes = sorted({re.escape(suffix) for _, suffix in self._unit_by_affixes}, key=len, reverse=True)
        return re.compile(rf"(?P<prefix>{'|'.join(prefixes)})(?P<number>.{{1,60}}?)(?P<suffix>{'|'.join(suffixes)})")


_SHARES = ("1.04", "0.96", "1.06", "0.94", "1.1", "0.9", "1.15", "0.85", "1.25", "0.75", "1.5", "0.5", "2")


def _other_numbers(number: Decimal) -> Iterator[Decimal]:
    step = Decimal(1).scaleb(int(number.normalize().as_tuple().exponent))
    yield from _transposed(number)
    for count in (1, -1, 2, -2, 3, -3):
        yield number + count * step
    for share in _SHARES:
        yield (number * Decimal(share)).quantize(step, rounding=ROUND_HALF_EVEN)
    yield from (number * 10, number / 10)
    rounded = number.quantize(step.scaleb(1), rounding=ROUND_HALF_EVEN)
    if abs(rounded - number) > abs(number) * _ROUNDING_SHARE:
        yield rounded
    yield -number


def _transposed(number: Decimal) -> Iterator[Decimal]:
    sign, digits, exponent = number.normalize().as_tuple()
    for index in range(len(digits) - 1):
        swapped = (*digits[:index], digits[index + 1], digits[index], *digits[index + 2 :])
        if swapped[0] != 0 and swapped != digits:
            yield Decimal((sign, swapped, int(exponent)))
