"""Numbers as they are written: digits with the separators of a locale, and words."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_FROM_TWENTY = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: value for value, word in enumerate(_UP_TO_NINETEEN.split())}
_TENS = {word: 10 * value for value, word in enumerate(_FROM_TWENTY.split(), start=2)}
SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
"""Words for powers of a thousand, with their number of zeros."""

SHORT_SCALES = {"k": 3, "m": 6, "mn": 6, "mm": 6, "bn": 9, "b": 9, "tn": 12}
"""Letters for powers of a thousand, glued to the digits of an amount of money."""

_WORD = "|".join(sorted([*_ONES, *_TENS], key=len, reverse=True))
_SCALE = "|".join(["hundred", "dozen", *SCALES])
WORDS = rf"(?:(?:half\s+)?a\s+(?:{_SCALE})|(?:{_WORD}))(?:(?:-|,?\s+(?:and\s+)?)(?:{_WORD}|{_SCALE})\b){{0,20}}"
"""A pattern of a cardinal number in words, to be matched without regard to case, between word boundaries."""

_SPACES = "\u00a0\u2009\u202f \u2007"
_APOSTROPHES = "'\u2019"
_DOT, _COMMA = ".", ","
_MOST_DIGITS = 60
_COMMA_LANGUAGES = "de fr es it nl pt pl ru sv da nb no fi cs sk sl hr sr tr el id vi uk ro hu bg"
_COMMA_LOCALES = frozenset(_COMMA_LANGUAGES.split())


class Written(NamedTuple):
    """What digits may stand for: the value, and half a unit of the last digit that is shown."""

    value: Fraction
    half_unit: Fraction


def in_digits(text: str, locale: str | None) -> tuple[Written, ...]:
    """Return what digits mean, the likeliest first; more than one where the separators leave a choice.

    `locale` is a language such as `en` or `de_AT`; it decides what dot and comma mean. Without one, English is taken
    where the digits can be English, and what they would be with a decimal comma stands behind it. Empty where they
    are no number at all.
    """
    compact = re.sub(rf"(?<=\d)[{_SPACES}{_APOSTROPHES}](?=\d{{3}}(?!\d))", "", text)
    english, continental = _read(compact, _DOT, _COMMA), _read(compact, _COMMA, _DOT)
    language = (locale or "").lower().replace("-", "_").partition("_")[0]
    if language:
        first = continental if language in _COMMA_LOCALES else english
        return () if first is None else (first,)
    return tuple(dict.fromkeys(one for one in (english, continental) if one is not None))


def is_plain(text: str) -> bool:
    """Tell whether digits are a number by English separators, so that no locale is needed to read them."""
    return _read(re.sub(rf"(?<=\d)[{_SPACES}{_APOSTROPHES}](?=\d{{3}}(?!\d))", "", text), _DOT, _COMMA) is not None


def _read(text: str, decimal: str, thousands: str) -> Written | None:
    if len(text) > _MOST_DIGITS:
        return None
    whole, _, fraction = text.partition(decimal)
    grouped = whole.split(thousands)
    if not all(part.isdigit() for part in grouped) or (fraction and not fraction.isdigit()):
        return None
    if len(grouped) > 1 and (
        not 1 <= len(grouped[0]) <= 3 or grouped[0] == "0" or any(len(p) != 3 for p in grouped[1:])
    ):
        return None
    if decimal in text and not fraction:
        return None
    value = Fraction(int("".join(grouped) + fraction), 10 ** len(fraction))
    return Written(value, Fraction(1, 2 * 10 ** len(fraction)))


def in_words(text: str) -> Fraction | None:
    """Return the value of a cardinal number in English words, or None where the words make none.

    `one million eighty two thousand` is 1,082,000, `five thousand, six hundred` is 5,600, `half a dozen` is 6.
    """
    if text.lower().startswith("half"):
        doubled = in_words(text[len("half") :])
        return None if doubled is None else doubled / 2
    total, group, last = 0, 0, None
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in {"and", "a"}:
            group += word == "a"
        elif word in _ONES or word in _TENS:
            value = _ONES.get(word, _TENS.get(word, 0))
            if last is not None and not _follows(last, value):
                return None
            group, last = group + value, value
        elif word == "hundred":
            group, last = max(group, 1) * 100, 100
        elif word == "dozen":
            group, last = max(group, 1) * 12, 12
        elif word in SCALES:
            total, group, last = total + max(group, 1) * 10 ** SCALES[word], 0, 1000
        else:
            return None
    return Fraction(total + group)


def _follows(before: int, value: int) -> bool:
    """Tell whether a value may follow another within a number: `twenty one` is one number, `twenty twelve` is not."""
    return before >= 100 or (20 <= before < 100 and 1 <= value < 10)
