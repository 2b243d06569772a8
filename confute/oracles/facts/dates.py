"""Dates: how they are written with their preposition, read, and shifted."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator

from pydantic import ValidationError

from confute.oracles.facts.fact import Date

MONTHS = tuple(calendar.month_name)[1:]
_MONTH = "|".join(MONTHS)
PATTERN = (
    rf"(?i:on) (?:\d{{1,2}} (?:{_MONTH})|(?:{_MONTH}) \d{{1,2}},) \d{{4}}|(?i:on) \d{{4}}-\d\d-\d\d"
    rf"|(?i:in) (?:(?:{_MONTH}) |the year )?\d{{4}}"
)
_READ = re.compile(
    rf"(?:on|in) (?:(?P<day>\d{{1,2}}) (?P<month>{_MONTH}) (?P<year>\d{{4}})"
    rf"|(?P<us_month>{_MONTH}) (?P<us_day>\d{{1,2}}), (?P<us_year>\d{{4}})"
    rf"|(?P<iso_year>\d{{4}})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)"
    rf"|(?P<m_month>{_MONTH}) (?P<m_year>\d{{4}})"
    r"|(?:the year )?(?P<y_year>\d{4}))",
    re.ASCII | re.IGNORECASE,
)
_YEAR_SHIFTS = (1, -1, 2, -2, 3, -3, 10, -10)
_MONTH_SHIFTS = (1, -1, 2, -2, 6)
_DAY_SHIFTS = (1, -1, 2, -2, 7, -7, 10, -10)


def writings(date: Date) -> dict[str, str]:
    """Return the ways to write a date after its preposition, by the name of the form."""
    if date.month is None:
        return {"year": f"in {date.year:04}", "long_year": f"in the year {date.year:04}"}
    month = MONTHS[date.month - 1]
    if date.day is None:
        return {"month": f"in {month} {date.year:04}"}
    return {
        "day_first": f"on {date.day} {month} {date.year:04}",
        "month_first": f"on {month} {date.day}, {date.year:04}",
        "iso": f"on {date.year:04}-{date.month:02}-{date.day:02}",
    }


def read(text: str) -> Date | None:
    """Return the date that a text writes with its preposition, or None where it writes none."""
    match = _READ.fullmatch(text)
    if match is None:
        return None
    parts = {name.rpartition("_")[2]: found for name, found in match.groupdict().items() if found is not None}
    month = parts.get("month")
    try:
        return Date(
            year=int(parts["year"]),
            month=None if month is None else _month_number(month),
            day=int(parts["day"]) if "day" in parts else None,
        )
    except ValidationError:
        return None


def shifted(date: Date) -> Iterator[Date]:
    """Yield other dates of the same precision: one part moved a little or far, digits transposed."""
    for year in (*(date.year + shift for shift in _YEAR_SHIFTS), _transposed(date.year)):
        yield from _other(date, year=year)
    if date.month is not None:
        for shift in _MONTH_SHIFTS:
            yield from _other(date, month=(date.month - 1 + shift) % 12 + 1)
    if date.day is not None:
        for day in (*(date.day + shift for shift in _DAY_SHIFTS), _transposed(date.day)):
            yield from _other(date, day=day)


def _other(date: Date, **parts: int) -> Iterator[Date]:
    try:
        other = Date.model_validate(date.model_dump() | parts)
    except ValidationError:
        return
    if other != date:
        yield other


def _transposed(number: int) -> int:
    digits = str(number)
    return int(digits[:-2] + digits[-2:][::-1])


def _month_number(month: str) -> int:
    return int(month) if month.isdigit() else [name.lower() for name in MONTHS].index(month.lower()) + 1
