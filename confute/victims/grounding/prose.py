"""Quantities in prose: numbers as people write them, with signs, scales, units, ranges and bounds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from confute.victims.grounding import numerals, shares, units, wording
from confute.victims.grounding.joining import joined
from confute.victims.grounding.plain_words import UNCOUNTED
from confute.victims.grounding.quantity import Bound, Quantity, Reason
from confute.victims.grounding.skipping import Skip, skips
from confute.victims.grounding.units import Unit

_MINUS = "\u2212\u2010\u2011\ufe63\uff0d\u2796"
_DASHES = "\u2012\u2013\u2014"
_VULGAR = "\u00bc\u00bd\u00be\u2150-\u215e"
_SUPERSCRIPT = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b", "0123456789+-")
_GROUPED = r"\d{1,3}(?:[ \u00a0\u2009\u202f\u2007]\d{3})+(?:[.,]\d+)?(?!\d|[.,]\d)|\d{1,3}(?:['\u2019]\d{3})+(?!\d)"
_DIGITS = rf"(?:{_GROUPED}|\d+(?:[.,]\d+)*|\.\d+)"
_POWER = r"[eE][+-]?\d+|\s?[x\u00d7*]\s?10(?:\^[+-]?\d+|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207a\u207b]+)"
_SCALE = "|".join(["hundred", "dozen", *numerals.SCALES])
_BRACKETED = re.compile(r"(?<![\d%])(?<![\d%]\s)\(([\d.,]{1,20})\)(?=\s?%)")
_CURRENCY = r"(?:(?:US|A|C|NZ)?\$|[\u20ac\u00a3\u00a5]|\b(?:USD|EUR|GBP|JPY)\s?)"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w.)%])[-+]\s?(?=[\d.$\u20ac\u00a3\u00a5])|\b(?:minus|negative)\s+)?"
    rf"(?P<currency>{_CURRENCY}\s?)?(?P<inner>(?<=[$\u20ac\u00a3\u00a5])[-+])?"
    rf"(?:(?<![\w.,/:])(?<![A-Za-z]-)|(?<=[-+$\u20ac\u00a3\u00a5])(?<![\w]-))"
    rf"(?:(?P<hours>\d{{1,3}})\s?h(?:rs?)?\s?(?P<minutes>[0-5]?\d)(?:\s?m(?:in(?:ute)?s?)?)?(?!\w)"
    rf"|(?P<whole>\d{{1,9}})\s?(?P<vulgar>[{_VULGAR}])|(?P<lone>[{_VULGAR}])"
    rf"|(?:(?P<mixed>\d{{1,6}})\s)?(?P<top>\d{{1,6}})/(?P<bottom>\d{{1,6}})(?![\d/])"
    rf"|(?P<share>{shares.PATTERN})|10(?P<exponent>(?:\^|\*\*)[+-]?\d{{1,3}}|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207a\u207b]{{1,4}})(?!\w)"
    rf"|(?P<digits>{_DIGITS})(?:(?P<power>{_POWER})|(?P<scale>[\s-]?(?:{_SCALE})\b|(?:k|K|mn|bn|tn|m(?=\b)|M|B|b)(?!\w))?)"
    rf"|\b(?P<none>no)(?=\s)|\b(?P<words>{numerals.WORDS}(?:\s+point(?:\s+(?:zero|one|two|three|four|five|six|seven|eight|nine))+)?)\b)"
    r"(?P<part>\s+and\s+(?:a\s+half|a\s+quarter|three\s+quarters)\b)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?P<gap>[\s\u00a0\u202f\u2009]?|-)(?P<unit>"
    + "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in units.WRITINGS)
    + r")"
    r"(?P<per>\s?/\s?[A-Za-z]\w*|\sper\s[a-z]+)?(?!\w)",
    re.IGNORECASE,
)
_PERCENT_SIGN = re.compile(r"\s?[%\u2030]")
_PER_TIME = re.compile(r"\b(?:second|minute|hour|day|week|month|year|annum)\Z", re.IGNORECASE)
_INCHES = re.compile(
    r"\s*(?:[.,;:!?)\u2033x\u00d7]|\Z|(?:long|wide|tall|deep|high|thick|across|in diameter|of)\b)", re.IGNORECASE
)
_THERE = re.compile(
    r"\b(?:there\s+(?:was|were|is|are|(?:have|has|had)\s+been)|has|have|had|with|reported|recorded|saw|suffered|caused)"
    r"\s+\Z",
    re.IGNORECASE,
)
_OCCURRED = re.compile(r"\s+(?:occurred|happened|(?:were|was)\s+(?:reported|recorded|seen|observed|found))\b", re.I)
_SYMBOL = re.compile(
    r"[ \u00a0\u202f\u2009]?(?P<symbol>[\u00b5\u03bc\u03a9]\w{0,5}(?:/\w{1,5})?|[A-Za-z]{1,5}/[A-Za-z]\w{0,4}"
    r"|(?![AI]\b)[A-Z][a-z]?|[a-z]{1,2}[A-Z][a-z]?)(?![\w'\u2019-]|\.\w)"
)
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "quarters": Fraction(3, 4)}
_SCALE_WORDS = {"hundred": Fraction(100), "dozen": Fraction(12)}
_MAX_CHARS = 50_000
_REACH = 80


@lru_cache(maxsize=4096)
def quantities(text: str, locale: str | None = None, vocabulary: tuple[str, ...] = ()) -> tuple[Quantity, ...]:
    """Return the numbers of a text in order, those that are no quantities to check with the reason why.

    `vocabulary` are further units to look for after a number, nouns of counted things among them. Only the first
    50,000 characters are read.
    """
    folded = _folded(text[:_MAX_CHARS])
    blocked = skips(folded)
    found = [quantity for match in _matches(folded, blocked) if (quantity := _read(match, folded, locale, vocabulary))]
    found += [_skipped(one) for one in blocked]
    ordered = sorted(found, key=lambda quantity: quantity.start)
    return tuple(replace(one, token=text[one.start : one.end]) for one in joined(ordered, folded))


def _folded(text: str) -> str:
    """Return the text, character for character, with one minus sign, ASCII digits, and dashes told from minus signs.

    The brackets of `(5)%` are a minus sign.
    """
    chars = []
    for index, char in enumerate(text):
        if char in _MINUS:
            chars.append("-")
        elif (
            char in _DASHES
            and text[index + 1 : index + 2].isdecimal()
            and not text[max(0, index - 1) : index].strip(" \t\u00a0([")
        ):
            chars.append("-" if not text[max(0, index - 4) : index].rstrip()[-1:].isdecimal() else char)
        elif char.isdecimal() and not char.isascii():
            chars.append(str(unicodedata.decimal(char)))
        else:
            chars.append(char)
    return _BRACKETED.sub(r"-\1 ", "".join(chars))


def _matches(text: str, blocked: Collection[Skip]) -> Iterator[re.Match[str]]:
    position = 0
    for start, end in [*((one.start, one.end) for one in blocked), (len(text), len(text))]:
        yield from (match for match in _NUMBER.finditer(text, position, start) if match.group().strip())
        position = end


def _read(match: re.Match[str], text: str, locale: str | None, vocabulary: tuple[str, ...]) -> Quantity | None:
    core = match.end()
    written = _values(match, locale)
    if written is None:
        return None
    readings, half, coarse = written
    sign = -1 if "-" in (match["sign"] or "") + (match["inner"] or "") or _is_negative_word(match["sign"]) else 1
    unit, end = _unit(match, text, core, vocabulary)
    start, bound, before = match.start(), Bound.EXACT, text[max(0, match.start() - _REACH) : match.start()]
    said, begins = wording.bound_before(before)
    if said is not Bound.EXACT:
        start -= len(before) - begins if said is not Bound.ABOUT else 0
        bound, before = said, before[:begins]
    bound = wording.bound_after(text[end : end + 20]) or bound
    after = text[end : end + 80]
    noun = wording.nouns(after) if unit is None else ()
    if (match["share"] and shares.is_half_of_a_whole(before)) or (
        match["none"] and not _is_none_of(unit, before, after)
    ):
        return None
    return Quantity(
        token="",
        start=start,
        end=_token_end(text, core),
        readings=tuple(sign * one for one in readings) or (Fraction(0),),
        unit=unit or units.counted(units.COUNT),
        half_unit=half,
        coarse=half if wording.is_exactly(before) else coarse,
        bound=bound,
        signed=bool(match["sign"] or match["inner"]),
        direction=wording.direction(before, after),
        noun=noun[0] if noun else None,
        needs_locale=locale is None
        and bool(match["digits"])
        and not numerals.is_plain(match["digits"].removeprefix(".")),
        skipped=_unfit(match, readings, unit),
    )


def _is_none_of(unit: Unit | None, before: str, after: str) -> bool:
    """Tell whether `no` says that there is none of a known thing, at all: `there was no`, `no deaths occurred`."""
    counted = unit is not None and unit.dimension.startswith("count ")
    return counted and bool(_THERE.search(before) or _OCCURRED.match(after))


def _is_negative_word(sign: str | None) -> bool:
    return bool(sign) and str(sign).strip().lower() in {"minus", "negative"}


def _unfit(match: re.Match[str], readings: tuple[Fraction, ...], unit: Unit | None) -> Reason | None:
    if not readings:
        return Reason.UNREADABLE
    if match["words"] and match["words"].lower() == "one" and unit is None and not match["sign"]:
        return Reason.PRONOUN
    if match["top"] and not match["mixed"] and int(match["top"]) >= int(match["bottom"]):
        return Reason.IDENTIFIER
    return None


def _values(  # noqa: PLR0911  one return for each way to write a number
    match: re.Match[str], locale: str | None
) -> tuple[tuple[Fraction, ...], Fraction, Fraction] | None:
    """Return the values that a number may have, half a unit of its last digit, and of its last digit but for zeros."""
    exact = Fraction(0)
    if match["none"]:
        return (exact,), exact, exact
    if match["share"]:
        share = shares.percentage(match["share"])
        return None if share is None else ((share,), Fraction(1, 2), Fraction(2))
    if match["exponent"]:
        power = Fraction(10) ** int(match["exponent"].lstrip("^*").translate(_SUPERSCRIPT))
        return (power,), exact, power / 2
    if match["hours"]:
        return (int(match["hours"]) + Fraction(int(match["minutes"]), 60),), Fraction(1, 120), exact
    if match["part"]:
        whole = _spelled(match["words"]) if match["words"] else next(iter(_digits(match, locale)[0]), None)
        return (
            ((), exact, exact)
            if whole is None
            else ((whole + _PARTS[match["part"].lower().split()[-1]],), exact, exact)
        )
    if match["lone"] or match["vulgar"]:
        part = Fraction(unicodedata.numeric(match["lone"] or match["vulgar"])).limit_denominator(100)
        return (int(match["whole"] or 0) + part,), exact, exact
    if match["top"]:
        if int(match["bottom"]) == 0:
            return None
        return (int(match["mixed"] or 0) + Fraction(int(match["top"]), int(match["bottom"])),), exact, exact
    if match["words"]:
        value = _spelled(match["words"])
        return ((), exact, exact) if value is None else ((value,), exact, _coarse(value))
    return _digits(match, locale)


def _digits(match: re.Match[str], locale: str | None) -> tuple[tuple[Fraction, ...], Fraction, Fraction]:
    digits = match["digits"]
    found = numerals.in_digits(f"0{digits}" if digits.startswith(".") else digits, locale)
    factor = _factor(match)
    values = tuple(one.value * factor for one in found)
    half = found[0].half_unit * factor if found else Fraction(0)
    coarse = half if not found or found[0].half_unit < Fraction(1, 2) else _coarse(found[0].value) * factor
    return values, half, coarse


def _factor(match: re.Match[str]) -> Fraction:
    if match["power"]:
        digits = re.sub(r"^[eE]|^\s?[x\u00d7*]\s?10\^?", "", match["power"]).translate(_SUPERSCRIPT)
        return Fraction(10) ** int(digits) if len(digits) <= 3 else Fraction(0)
    scale = (match["scale"] or "").strip(" -").lower()
    if scale in _SCALE_WORDS:
        return _SCALE_WORDS[scale]
    return Fraction(10) ** (numerals.SCALES.get(scale) or numerals.SHORT_SCALES.get(scale, 0))


def _coarse(value: Fraction) -> Fraction:
    digits = str(int(value))
    zeros = len(digits) - len(digits.rstrip("0")) if value else 0
    return Fraction(10**zeros, 2)


def _spelled(words: str) -> Fraction | None:
    whole, _, decimals = re.sub(r"\s+", " ", words.lower()).partition(" point ")
    value = numerals.in_words(whole)
    if value is None or not decimals:
        return value
    digits = [numerals.in_words(word) for word in decimals.split()]
    return value + sum((Fraction(digit or 0) / 10**place for place, digit in enumerate(digits, start=1)), Fraction(0))


def _unit(  # noqa: PLR0911  one return for each place that a unit may stand
    match: re.Match[str], text: str, core: int, vocabulary: tuple[str, ...]
) -> tuple[Unit | None, int]:
    """Return the unit of a number, and where it ends; None and the number's end for a bare one."""
    if match["hours"]:
        return units.named("h"), core
    if match["share"]:
        return units.named(units.PERCENT), core
    if match["currency"]:
        return units.written(re.sub(r"^(?:A|C|NZ)(?=\$)", "", match["currency"].strip())), core
    glued = (match["scale"] or "")[:1].isalpha() and (match["scale"] or "").lower() in numerals.SHORT_SCALES
    found = None if match["none"] else _UNIT.match(text, core)
    if found is not None and (unit := units.written(found["unit"])) is not None and _fits(found, text):
        if found["per"] and not _PER_TIME.search(found["per"]):
            return units.counted(re.sub(r"\s", "", (found["unit"] + found["per"]).replace(" per ", "/"))), found.end()
        return unit, found.end()
    if glued and match["scale"] == "m":
        return units.named("m"), core
    after = wording.nouns(text[core : core + 60])
    known = {units.named(one).dimension: units.named(one) for one in vocabulary}
    for noun in after:
        unit = known.get(units.counted(noun).dimension)
        if unit is not None:
            return unit, text.index(noun, core) + len(noun)
    if wording.is_age_group(text[max(0, match.start() - _REACH) : match.start()]):
        return units.named("years"), core
    symbol = None if after else _SYMBOL.match(text, core)
    if symbol is not None and symbol["symbol"].lower() not in UNCOUNTED:
        return units.counted(symbol["symbol"]), symbol.end()
    return None, core


def _fits(found: re.Match[str], text: str) -> bool:
    """Tell whether what reads as a unit is one: `in` is mostly a preposition, `stone` and `bar` may be things."""
    if found["unit"].lower() == "in":
        return found["gap"] != "-" and _INCHES.match(text, found.end()) is not None
    if found["unit"].lower() in {"stone", "bar"}:
        return not wording.nouns(text[found.end() : found.end() + 40])
    return True


def _token_end(text: str, core: int) -> int:
    match = _PERCENT_SIGN.match(text, core)
    return match.end() if match else core


def _skipped(skip: Skip) -> Quantity:
    return Quantity(
        token="",
        start=skip.start,
        end=skip.end,
        readings=(skip.value if skip.value is not None else Fraction(0),),
        unit=skip.unit or units.counted(units.COUNT),
        skipped=skip.reason,
    )
