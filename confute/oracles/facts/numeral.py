"""Numbers as digits, with a scale word, or in words, and back; every form of a number reads as the same number."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"thousand": Decimal(10**3), "million": Decimal(10**6), "billion": Decimal(10**9)}
_SPOKEN_SCALES = {name: _SCALES[name] for name in ("billion", "million")}
_DIGITS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?", re.ASCII)
_MINUS = ("minus ", "-", "\N{MINUS SIGN}")
_WORDS_BELOW = 1000
_SPOKEN_BELOW = 100


def words(number: int) -> str:
    """Return the English words of a whole number from 0 to 999."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        ones = f"-{_ONES[number % 10]}" if number % 10 else ""
        return _TENS[number // 10 - 2] + ones
    rest = f" and {words(number % 100)}" if number % 100 else ""
    return f"{_ONES[number // 100]} hundred{rest}"


def forms(number: Decimal) -> dict[str, str]:
    """Return the ways to write a number, by the name of the form; `grouped` is always among them."""
    sign, size = ("minus " if number < 0 else ""), abs(number)
    found = {"grouped": sign + _plain(size, grouping=True)}
    if 1000 <= size < 1_000_000:
        found["bare"] = sign + _plain(size, grouping=False)
    scale = next((name for name, unit in _SPOKEN_SCALES.items() if size >= unit), None)
    scaled = size / _SPOKEN_SCALES[scale] if scale else size
    suffix = f" {scale}" if scale else ""
    if scale and scaled == round(scaled, 3):
        found["scaled"] = sign + _plain(scaled, grouping=True) + suffix
    if scaled == scaled.to_integral_value() and scaled < _SPOKEN_BELOW:
        found["words"] = sign + words(int(scaled)) + suffix
    return found


def read(text: str) -> Decimal | None:
    """Return the number that a text writes, or None where it writes none."""
    sign = 1
    for minus in _MINUS:
        if text.startswith(minus):
            sign, text = -1, text.removeprefix(minus)
            break
    head, _, scale = text.rpartition(" ")
    if scale in _SCALES:
        size = _read_unscaled(head)
        return None if size is None else sign * size * _SCALES[scale]
    size = _read_unscaled(text)
    return None if size is None else sign * size


def _plain(size: Decimal, *, grouping: bool) -> str:
    digits = f"{size:,f}" if grouping else f"{size:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _read_unscaled(text: str) -> Decimal | None:
    if _DIGITS.fullmatch(text):
        return Decimal(text.replace(",", ""))
    number = _by_words().get(text.lower())
    return None if number is None else Decimal(number)


@cache
def _by_words() -> dict[str, int]:
    return {words(number): number for number in range(_WORDS_BELOW)}
