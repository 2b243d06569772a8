"""Quantities in running text: a number in digits or words, with its bound, its sign, its currency and its unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from importlib import import_module

_ONES = "zero|one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SCALES = "hundred|thousand|million|billion|trillion"
_WORD = rf"(?:{_TENS}|{_TEENS}|{_ONES})"
_WORDS = rf"{_WORD}(?:[\s-](?:and\s)?(?:{_TENS}|{_TEENS}|{_ONES}|{_SCALES}))*"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


class Bound(StrEnum):
    """What a claim says of a value: that it is so, or on which side it lies."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    MORE = "more"
    AT_MOST = "at_most"
    LESS = "less"
    ABOUT = "about"


BOUND_PHRASES = {
    "at least": Bound.AT_LEAST,
    "no less than": Bound.AT_LEAST,
    "not less than": Bound.AT_LEAST,
    "no fewer than": Bound.AT_LEAST,
    "a minimum of": Bound.AT_LEAST,
    "more than": Bound.MORE,
    "greater than": Bound.MORE,
    "higher than": Bound.MORE,
    "larger than": Bound.MORE,
    "over": Bound.MORE,
    "above": Bound.MORE,
    "exceeding": Bound.MORE,
    "upwards of": Bound.MORE,
    "at most": Bound.AT_MOST,
    "no more than": Bound.AT_MOST,
    "not more than": Bound.AT_MOST,
    "up to": Bound.AT_MOST,
    "a maximum of": Bound.AT_MOST,
    "less than": Bound.LESS,
    "fewer than": Bound.LESS,
    "lower than": Bound.LESS,
    "smaller than": Bound.LESS,
    "under": Bound.LESS,
    "below": Bound.LESS,
    "about": Bound.ABOUT,
    "around": Bound.ABOUT,
    "approximately": Bound.ABOUT,
    "roughly": Bound.ABOUT,
    "nearly": Bound.ABOUT,
    "almost": Bound.ABOUT,
    "some": Bound.ABOUT,
    "circa": Bound.ABOUT,
    "an estimated": Bound.ABOUT,
    "an average of": Bound.EXACT,
    "exactly": Bound.EXACT,
    "just": Bound.EXACT,
}
UNITS = {
    "km": "kilometer", "kilometre": "kilometer", "kilometres": "kilometer", "kilometer": "kilometer",
    "kilometers": "kilometer", "m": "meter", "metre": "meter", "metres": "meter", "meter": "meter", "meters": "meter",
    "cm": "centimeter", "centimetres": "centimeter", "centimeters": "centimeter", "mm": "millimeter",
    "millimetres": "millimeter", "millimeters": "millimeter", "mile": "mile", "miles": "mile", "mi": "mile",
    "foot": "foot", "feet": "foot", "ft": "foot", "inch": "inch", "inches": "inch", "yard": "yard", "yards": "yard",
    "kg": "kilogram", "kilogram": "kilogram", "kilograms": "kilogram", "g": "gram", "gram": "gram", "grams": "gram",
    "mg": "milligram", "milligram": "milligram", "milligrams": "milligram", "\u00b5g": "microgram",
    "\u03bcg": "microgram", "lb": "pound", "lbs": "pound", "tonne": "metric_ton", "tonnes": "metric_ton",
    "l": "liter", "litre": "liter", "litres": "liter", "liter": "liter", "liters": "liter", "ml": "milliliter",
    "hour": "hour", "hours": "hour", "minute": "minute", "minutes": "minute", "second": "second",
    "seconds": "second", "day": "day", "days": "day", "week": "week", "weeks": "week", "mph": "mile/hour",
    "km/h": "kilometer/hour",
}  # fmt: skip

_BOUNDS = "|".join(sorted(map(re.escape, BOUND_PHRASES), key=len, reverse=True)).replace(r"\ ", r"\s+")
_UNITS = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?:\b(?P<bound>{_BOUNDS})\s+)?"
    r"(?P<sign>(?:(?<=\s)|(?<=^))[-\u2212]\s?)?"
    r"(?P<currency>(?:US)?[$\u20ac\u00a3\u00a5]\s?)?"
    rf"(?P<number>(?(sign)|(?<![\w.,/:-]))(?:{_DIGITS})(?P<scale>\s?(?:{_SCALES})\b)?|\b{_WORDS}\b)"
    rf"(?P<percent>\s?%|\s(?:percent|per\scent)\b)?"
    rf"(?:(?P<gap>\s|-)?(?P<unit>{_UNITS})\b(?![-/]))?(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text states it; spans are character offsets, `value` is exact and carries the sign and scale.

    `unit` is `%`, a currency sign, or the canonical name of a unit of measure; `number` is the span of the number
    itself, `in_words` tells how it is written, `whole` whether nothing else stands in the span.
    """

    start: int
    end: int
    number: tuple[int, int]
    value: Fraction
    unit: str | None
    bound: Bound
    signed: bool
    in_words: bool
    decimals: int
    measured: tuple[int, int] | None


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order."""
    found = (_quantity(match) for match in _QUANTITY.finditer(text))
    return tuple(quantity for quantity in found if quantity is not None)


def single(text: str) -> Quantity | None:
    """Return the quantity that a text is, from its first character to its last, or None."""
    match = _QUANTITY.fullmatch(text.strip())
    return _quantity(match) if match else None


def numbers(text: str) -> tuple[Fraction, ...]:
    """Return every number in a text, those within words and ranges too, with and without its scale."""
    found = [quantity.value for quantity in quantities(text)]
    for match in re.finditer(_DIGITS, text):
        found.append(Fraction(match.group().replace(",", "")))
    return tuple(found)


def base_value(quantity: Quantity) -> tuple[Fraction, str | None]:
    """Return a quantity in the base units of its dimension, exactly, with the name of that dimension."""
    if quantity.measured is None or quantity.unit is None:
        return quantity.value, quantity.unit
    factor, dimension = _factor(quantity.unit)
    return quantity.value * factor, dimension


@lru_cache(maxsize=64)
def _factor(unit: str) -> tuple[Fraction, str]:
    base = _units().Quantity(Fraction(1), unit).to_base_units()
    powers = sorted((name, int(power)) for name, power in base.dimensionality.items())
    dimension = "*".join(name if power == 1 else f"{name}^{power}" for name, power in powers)
    return Fraction(base.magnitude).limit_denominator(10**9), dimension


@lru_cache(maxsize=1)
def _units():  # type: ignore[no-untyped-def]
    return import_module("pint").UnitRegistry(non_int_type=Fraction)


def in_words(value: Fraction) -> str:
    """Return a whole number in words, without `and`."""
    return str(import_module("num2words").num2words(int(value))).replace(" and ", " ").replace(",", "")


def _quantity(match: re.Match[str]) -> Quantity | None:
    written, scale = match["number"], match["scale"]
    words = not written[0].isdigit()
    value = _in_words(written) if words else _in_digits(written, scale)
    if value is None:
        return None
    digits = written.removesuffix(scale or "")
    unit = match["unit"]
    name = (
        "%" if match["percent"] else (match["currency"] or "").strip()[-1:] or (UNITS[unit.lower()] if unit else None)
    )
    return Quantity(
        start=match.start(),
        end=match.end(),
        number=match.span("number"),
        value=-value if match["sign"] else value,
        unit=name,
        bound=BOUND_PHRASES[" ".join(match["bound"].lower().split())] if match["bound"] else Bound.EXACT,
        signed=bool(match["sign"]),
        in_words=words,
        decimals=len(digits.partition(".")[2]) if not words else 0,
        measured=match.span("unit") if unit and name == UNITS[unit.lower()] else None,
    )


def _in_digits(written: str, scale: str | None) -> Fraction:
    if not scale:
        return Fraction(written.replace(",", ""))
    zeros = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}[scale.strip().lower()]
    return Fraction(written.removesuffix(scale).replace(",", "")) * Fraction(10**zeros)


def _in_words(written: str) -> Fraction | None:
    try:
        return Fraction(import_module("word2number.w2n").word_to_num(written.lower()))
    except ValueError:
        return None
