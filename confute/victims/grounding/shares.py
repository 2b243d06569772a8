"""Shares in words: `two thirds`, `half of`, `1 in 5`, `nine out of ten`."""

from __future__ import annotations

import re
from fractions import Fraction

from confute.victims.grounding import numerals

_COUNT = "one|two|three|four|five|six|seven|eight|nine|ten"
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_PART = "|".join(_PARTS)
_OF = r"(?=\s+(?:of\b(?!\s+(?:19|20)\d\d)|were\b|are\b|have\b|agreed?\b|voted?\b))"
_NO_TIME = r"(?!\s+(?:in\s+a\s+row|ago|earlier|later|seconds?|minutes?|hours?|days?|weeks?|months?|years?|seasons?)\b)"
PATTERN = (
    rf"\b(?:a|one)[\s-](?:{_PART}){_OF}|\bone-(?!half)(?:{_PART})\b(?!-)"
    rf"|\b(?:{_COUNT}|\d)[\s-](?:thirds|fifths|sixths|sevenths|eighths|ninths|tenths)\b(?!-)"
    rf"|\b(?:three|3)[\s-]quarters{_OF}"
    r"|\bhalf(?=\s+(?:of|the|all|its|their|his|her|our)\b)"
    rf"|\b(?:{_COUNT}|\d{{1,4}})\s+(?:in|out\s+of)\s+(?:every\s+)?"
    rf"(?:{_COUNT}|20|50|100|1,?000|10,?000|10|\d)(?![\w%]|[.,/:]\d){_NO_TIME}"
)
"""A pattern of a share in words, to be matched without regard to case; a quarter of a year and a third one are none."""

_RATIO = re.compile(r"(?P<top>\w+)\s+(?:in|out\s+of)\s+(?:every\s+)?(?P<bottom>[\w,]+)", re.IGNORECASE)
_SIDE = re.compile(
    r"\b(?:first|second|other|latter|last|past|final|back|front|top|bottom|upper|lower|better|\w+ern|and\s+a)\s+\Z",
    re.IGNORECASE,
)


def percentage(text: str) -> Fraction | None:
    """Return the percentage that a share in words is, or None where its part is greater than its whole."""
    ratio = _RATIO.fullmatch(text)
    if ratio is not None:
        top, bottom = _number(ratio["top"]), _number(ratio["bottom"])
    else:
        *count, part = re.split(r"[\s-]", text.lower())
        top, bottom = _number(count[0]) if count else Fraction(1), Fraction(_PARTS[_singular(part)])
    return 100 * top / bottom if 0 <= top <= bottom and bottom else None


def is_half_of_a_whole(before: str) -> bool:
    """Tell whether the words before make a half a place or a time, as in `the second half of the year`."""
    return _SIDE.search(before) is not None


def _number(text: str) -> Fraction:
    digits = text.replace(",", "")
    if digits.isdigit():
        return Fraction(int(digits))
    return Fraction(1) if text.lower() == "a" else numerals.in_words(text) or Fraction(0)


def _singular(part: str) -> str:
    return "half" if part == "halves" else part.removesuffix("s")
