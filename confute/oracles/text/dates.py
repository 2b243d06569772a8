"""Dates in running text, as precise as they are stated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d|20)\d\d"
_DATE = re.compile(
    rf"(?<![\w.,/$\u20ac\u00a3-])(?:(?P<month_first>{_MONTH}\s{_DAY}(?:\s?,)?\s{_YEAR})|(?P<day_first>{_DAY}\s(?:of\s)?{_MONTH}(?:\s?,)?\s{_YEAR})"
    rf"|(?P<iso>{_YEAR}-\d\d-\d\d)|(?P<month_year>{_MONTH}(?:\s?,)?\s{_YEAR})|(?P<month_day>{_MONTH}\s{_DAY})|(?P<day_month>{_DAY}\s(?:of\s)?{_MONTH})"
    rf"|(?P<decade>{_YEAR[:-4]}\d0s)|(?P<year>{_YEAR}))(?!\w|,\d|\.\d|%|-\d|/)"
)
_CENTURY = re.compile(r"(?<!\w)(\d{1,2})(?:st|nd|rd|th)(?:\s|-)century(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as a text states it; the parts that it leaves open are None.

    `span` is how many years it covers: 1, 10 for a decade, 100 for a century (whose `year` is its first).
    """

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    span: int = 1

    @property
    def parts(self) -> tuple[int | None, int | None, int | None, int]:
        """The date without its place in the text."""
        return self.year, self.month, self.day, self.span


def dates(text: str) -> tuple[Date, ...]:
    """Return the dates of a text, in order; one that no calendar knows is left out."""
    found = [_date(match) for match in _DATE.finditer(text)]
    centuries = [
        Date(match.start(), match.end(), (int(match[1]) - 1) * 100, None, None, 100)
        for match in _CENTURY.finditer(text)
    ]
    return tuple(sorted((date for date in [*found, *centuries] if date is not None), key=lambda date: date.start))


def single(text: str) -> Date | None:
    """Return the date that a text is, from its first character to its last, or None."""
    found = dates(text.strip())
    return found[0] if len(found) == 1 and (found[0].start, found[0].end) == (0, len(text.strip())) else None


def _date(match: re.Match[str]) -> Date | None:
    kind, text = match.lastgroup or "", match.group()
    if kind == "decade":
        return Date(match.start(), match.end(), int(text[:-1]), None, None, 10)
    if kind == "year":
        return Date(match.start(), match.end(), int(text), None, None)
    plain = re.sub(r"(?<=\d)(st|nd|rd|th)|[.,]|\bof\b", " ", text).replace("Sept ", "Sep ")
    default = import_module("datetime").datetime(2000, 1, 1)
    try:
        read = import_module("dateutil.parser").parse(plain, default=default)
    except (ValueError, OverflowError):
        return None
    year = None if kind in ("month_day", "day_month") else read.year
    return Date(match.start(), match.end(), year, read.month, None if kind == "month_year" else read.day)
