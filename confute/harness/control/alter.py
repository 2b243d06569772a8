"""Numbers of a text changed in place: drifted by a share, with the other sign, or in another unit."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from confute.victims.grounding.prose import quantities
from confute.victims.grounding.quantity import Quantity

_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_OPPOSITE = {
    "rose": "fell", "rise": "fall", "rises": "falls", "risen": "fallen", "rising": "falling", "grew": "shrank",
    "gained": "lost", "gain": "loss", "gains": "losses", "increased": "decreased", "increase": "decrease",
    "increases": "decreases", "up": "down", "higher": "lower", "climbed": "dropped", "improved": "declined",
    "growth": "decline", "jumped": "plunged",
}  # fmt: skip
_TURNED = _OPPOSITE | {down: up for up, down in _OPPOSITE.items()}
_TURNED_WORD = re.compile(rf"\b(?:{'|'.join(_TURNED)})\b", re.IGNORECASE)
_SIGNED = re.compile(r"(?<![\w.)])[-\u2212](?=[$\u20ac\u00a3]?\d)|\b(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_UNITS = {
    "$": "\u20ac", "\u20ac": "$", "\u00a3": "$", "dollars": "euros", "euros": "dollars", "km": "miles",
    "kilometers": "miles",
    "kilometres": "miles", "miles": "kilometers", "kg": "pounds", "kilograms": "pounds", "pounds": "kilograms",
    "meters": "feet", "metres": "feet", "feet": "meters", "hours": "minutes", "minutes": "hours", "tonnes": "pounds",
    "\u00b0C": "\u00b0F", "\u00b0F": "\u00b0C", "mg": "g", "liters": "gallons", "litres": "gallons",
    "million": "billion", "billion": "million",
}  # fmt: skip
_UNIT = re.compile("|".join(rf"\b{re.escape(one)}\b" if one.isalpha() else re.escape(one) for one in _UNITS))


def checkable(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text that a check of numbers would look at."""
    return tuple(one for one in quantities(text) if one.skipped is None and _DIGITS.search(one.token))


def drifted(text: str, drift: float, avoided: Collection[Fraction] = ()) -> str | None:
    """Return the text with its first number moved by a share, in the precision and grouping it is written with.

    None where there is no number in digits, where the number does not change at that precision, where it would be one
    of the `avoided` values, or where it does not read back with the sign and value that was meant.
    """
    for quantity in checkable(text):
        match = _DIGITS.search(text, quantity.start, quantity.end)
        if match is None:
            continue
        shown = match.group().replace(",", "")
        number, places = Decimal(shown), len(shown.partition(".")[2])
        written = rendered(number * (1 + Decimal(str(drift))), places=places, grouped="," in match.group())
        moved = None if written is None else Decimal(written.replace(",", ""))
        if written is None or moved is None or moved == number or not number:
            return None
        changed = text[: match.start()] + written + text[match.end() :]
        return changed if _reads_back(changed, quantity, Fraction(moved) / Fraction(number), avoided) else None
    return None


def rendered(value: Decimal | float, *, places: int, grouped: bool = False) -> str | None:
    """Return a number as text, or None where it would be a zero with a sign, which reads back as another number."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    shown = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    return None if shown == 0 and exact.is_signed() else f"{shown:{',' if grouped else ''}f}"


def sign_flipped(text: str) -> str | None:
    """Return the text with the sign of its numbers turned: a minus dropped, or each word of direction turned round.

    None where it has neither a negative number nor a direction.
    """
    found = [one for one in checkable(text) if one.value and (one.signed or one.direction)]
    if not found:
        return None
    if any(one.signed and one.value < 0 for one in found):
        turned = _SIGNED.sub("", text)
    else:
        turned = _TURNED_WORD.sub(lambda match: _cased(match.group(), _TURNED[match.group().lower()]), text)
    return turned if turned != text else None


def unit_swapped(text: str) -> str | None:
    """Return the text with the unit or scale of its first number replaced by another, the number kept; None without."""
    for quantity in checkable(text):
        match = _UNIT.search(text, max(0, quantity.start - 1), min(len(text), quantity.end + 14))
        if match is not None:
            return text[: match.start()] + _UNITS[match.group()] + text[match.end() :]
    return None


def _cased(model: str, word: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


def _reads_back(text: str, source: Quantity, factor: Fraction, avoided: Collection[Fraction]) -> bool:
    again = next((one for one in checkable(text) if one.start == source.start), None)
    return again is not None and again.value == source.value * factor and again.value not in avoided
