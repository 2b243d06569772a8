"""Texts to put in the place of a quantity, written as the claim writes it."""

from __future__ import annotations

import re
from fractions import Fraction

from confute.oracles.text.quantities import BOUND_PHRASES, Bound, Quantity, in_words

_SAME_KIND = {"kilometer": "mile", "mile": "kilometer", "meter": "foot", "foot": "meter", "kilogram": "gram"}
_SAME_KIND |= {"milligram": "gram", "gram": "milligram", "hour": "minute", "minute": "hour", "day": "week"}
_SAME_KIND |= {"centimeter": "meter", "millimeter": "centimeter", "week": "day", "second": "minute"}
_SHORT = {"kilometer": "km", "mile": "miles", "meter": "m", "foot": "feet", "kilogram": "kg", "gram": "g"}
_SHORT |= {"milligram": "mg", "minute": "minutes", "hour": "hours", "week": "weeks", "day": "days", "centimeter": "cm"}
_OPPOSITE = {"more than": "less than", "less than": "more than", "over": "under", "at least": "at most"}
_OPPOSITE |= {"fewer than": "more than", "at most": "at least", "under": "over", "above": "below", "below": "above"}


def offers(claim: str, quantity: Quantity) -> tuple[str, ...]:
    """Return texts that may stand in a quantity's place: other values, bounds and units, and the same one rewritten."""
    text = claim[quantity.start : quantity.end]
    values = [_written(claim, quantity, value) for value in _other_values(quantity)]
    texts = [_with_number(text, quantity, written) for written in values if written]
    return tuple(
        dict.fromkeys([*texts, *_other_bound(text), *_other_unit(claim, quantity), *_same_number(claim, quantity)])
    )


def _other_values(quantity: Quantity) -> tuple[Fraction, ...]:
    """Return values of the same precision: near, far, and with two digits exchanged."""
    step = Fraction(1, 10**quantity.decimals)
    size = abs(quantity.value)
    factors = (Fraction(11, 10), Fraction(13, 10), Fraction(3, 4), Fraction(9, 5), Fraction(1, 2))
    scaled = [round(size * factor / step) * step for factor in factors]
    if size < 20:
        scaled = [size + step, size + 2 * step, size - step, size + 4 * step, size - 2 * step]
    if quantity.unit == "%":
        scaled = [value for value in scaled if value <= 100]
    return tuple(value for value in dict.fromkeys(scaled) if value > 1 or (value > 0 and quantity.decimals))


def _written(claim: str, quantity: Quantity, value: Fraction) -> str | None:
    """Return a value in the way in which the claim writes its number."""
    start, end = quantity.number
    old = claim[start:end]
    if quantity.in_words:
        return _like(in_words(value), old) if value.denominator == 1 and value <= 100 else None
    digits = re.match(r"[\d.,]*\d", old)
    if digits is None:
        return None
    scale = quantity.value / Fraction(digits.group().replace(",", "")) if quantity.value else Fraction(1)
    shown = abs(value / scale)
    grouping = "," if "," in digits.group() else ""
    decimals = len(digits.group().partition(".")[2])
    if (shown * 10**decimals).denominator != 1:
        shown = Fraction(round(shown * 10**decimals), 10**decimals)
    return f"{float(shown):{grouping}.{decimals}f}" + old[digits.end() :] if shown else None


def _like(words: str, old: str) -> str:
    return words[:1].upper() + words[1:] if old[:1].isupper() else words


def _with_number(text: str, quantity: Quantity, written: str) -> str:
    start, end = quantity.number[0] - quantity.start, quantity.number[1] - quantity.start
    return text[:start] + written + text[end:]


def _other_bound(text: str) -> tuple[str, ...]:
    for phrase, opposite in _OPPOSITE.items():
        if text.lower().startswith(phrase + " "):
            return (_like(opposite, text) + text[len(phrase) :],)
    return ()


def _other_unit(claim: str, quantity: Quantity) -> tuple[str, ...]:
    if quantity.measured is None or quantity.unit not in _SAME_KIND:
        return ()
    start, end = quantity.measured
    return (claim[quantity.start : start] + _SHORT[_SAME_KIND[quantity.unit]] + claim[end : quantity.end],)


def _same_number(claim: str, quantity: Quantity) -> tuple[str, ...]:
    """Return the other ways to write the same quantity: words for digits, another phrase, a converted unit."""
    text, start = claim[quantity.start : quantity.end], quantity.number[0]
    found = []
    if quantity.in_words:
        found.append(_with_number(text, quantity, str(int(quantity.value))))
    elif quantity.value.denominator == 1 and 1 < quantity.value <= 100 and quantity.unit in (None, "%"):
        words = in_words(quantity.value)
        if quantity.start == start and _starts_sentence(claim, start):
            words = words.capitalize()
        found.append(_with_number(text, quantity, words).replace("%", " percent").replace("  ", " "))
    if "%" in text:
        found.append(re.sub(r"\s?%", " percent", text))
    found += [_like(phrase, text) + text[len(given) :] for given, phrase in _same_phrases(text, quantity.bound)]
    return tuple(found + _converted(claim, quantity))


def _starts_sentence(claim: str, start: int) -> bool:
    return not claim[:start].strip() or claim[:start].rstrip()[-1] in ".!?"


def _same_phrases(text: str, bound: Bound) -> list[tuple[str, str]]:
    if bound is Bound.EXACT:
        return []
    given = next((phrase for phrase in BOUND_PHRASES if text.lower().startswith(phrase + " ")), None)
    usual: dict[Bound, tuple[str, ...]] = {
        Bound.MORE: ("more than", "over"),
        Bound.LESS: ("less than", "under"),
        Bound.AT_LEAST: ("at least", "no less than"),
    }
    usual |= {Bound.AT_MOST: ("at most", "no more than"), Bound.ABOUT: ("about", "approximately", "around")}
    return [(given, phrase) for phrase in usual.get(bound, ()) if given and phrase != given]


def _converted(claim: str, quantity: Quantity) -> list[str]:
    """Return the quantity in a smaller unit where the factor is a whole number."""
    smaller = {"kilometer": ("m", 1000), "meter": ("cm", 100), "kilogram": ("g", 1000), "gram": ("mg", 1000)}
    smaller |= {"hour": ("minutes", 60), "minute": ("seconds", 60), "week": ("days", 7)}
    if quantity.in_words or quantity.unit not in smaller or quantity.measured is None:
        return []
    unit, factor = smaller[quantity.unit]
    value = abs(quantity.value) * factor
    lead = claim[quantity.start : quantity.number[0]]
    return [f"{lead}{int(value):,} {unit}"] if value.denominator == 1 else []
