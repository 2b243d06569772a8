"""Numbers that are no quantities: dates, clock times, ordinals, references, versions, windows and parts of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from confute.victims.grounding.quantity import Reason
from confute.victims.grounding.units import WRITINGS, Unit, named

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "January Jan",
            "February Feb",
            "March Mar",
            "April Apr",
            "May",
            "June Jun",
            "July Jul",
            "August Aug",
            "September Sept Sep",
            "October Oct",
            "November Nov",
            "December Dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DAYS = r"\d{1,2}(?:st|nd|rd|th)?(?:\s?[-\u2013]\s?|\s+(?:and|to)\s+)"
_YEAR = r"(?P<year>(?:1[0-9]|20)\d\d)"
_END = r"(?![\w%]|[.,]\d)"
_UNITS = "|".join(sorted((re.escape(one) for one in WRITINGS if one.isalpha()), key=len, reverse=True))
_NO_AMOUNT = rf"(?![\w%]|[.,]\d|\s?[-\u2013%]\s?\d|\s?[x\u00d7*\u00b0%$\u20ac\u00a3]|\s?(?!in\b)(?:{_UNITS})\b)"
_NO_NOUN = (
    r"(?!\s+(?!(?:and|or|to|the|in|on|at|by|for|was|were|is|as|when|which|that|with|until|from|but|it|he|she)\b)[a-z])"
)
_RELATIVE = re.compile(r"\b(?:after|before|since|until|till|by|from|to|between|and|through)\s+\Z", re.IGNORECASE)
_TIME_WORD = r"(?:second|minute|hour|day|night|week|weekend|month|quarter|year|season)s?"
_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|thirty|sixty|ninety"
_REFERRED = (
    r"sections?|sec\.|chapters?|chap\.|figures?|figs?\.|tables?|pages?|pp?\.|steps?|equations?|eqs?\.|appendix|"
    r"articles?|art\.|paragraphs?|para\.|clauses?|no\.|vol\.|room|rule|theorem|lemma|footnote|exhibit"
)
_NUMBERED = r"\d{1,9}(?:\.\d{1,9}){0,9}"
_PATTERNS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    (Reason.IDENTIFIER, re.compile(r"(?:https?://|www\.)\S{1,2000}|(?<!\S)[^\s@]{1,64}@[^\s@]{1,255}\.\w+")),
    (
        Reason.IDENTIFIER,
        re.compile(r"(?<![\w.])\+?\d{1,3}[- ]\d{3}[- ]\d{3,4}[- ]?\d{0,4}(?=[-\s]\d|\b)(?<!000)(?<=-\d{4})"),
    ),
    (Reason.DATE, re.compile(rf"\b{_YEAR}-(?P<m>\d\d)-(?P<day>\d\d){_END}")),
    (Reason.DATE, re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}{_END}")),
    (Reason.DATE, re.compile(rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}{_END}")),
    (Reason.DATE, re.compile(rf"\b{_MONTH}\s+{_YEAR}{_END}")),
    (Reason.DATE, re.compile(rf"\b(?:{_DAYS})?{_DAY}\s+(?:of\s+)?{_MONTH}(?!\w)")),
    (Reason.DATE, re.compile(rf"\b{_MONTH}\s+(?:{_DAYS})?{_DAY}{_END}")),
    (Reason.DATE, re.compile(r"\b\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d)(?![\w%]|[.,/-]\d)")),
    (Reason.DATE, re.compile(r"\b(?:1[5-9]|20)\d\d\s?[-\u2013/]\s?(?:(?:1[5-9]|20)\d\d|\d\d)(?![\w%]|[.,]\d)")),
    (Reason.DATE, re.compile(r"\b(?:1[0-9]|20)\d0s\b|\bFY\s?\d{2,4}\b|\bQ[1-4]\b")),
    (
        Reason.DATE,
        re.compile(
            r"\b(?:in|since|by|until|till|during|year|early|late|mid)\s+"
            rf"{_YEAR}{_NO_AMOUNT}(?!\s+(?!(?:was|is|has|as|his|this)\b)[a-z]+s\b)"
            rf"|\b(?:from|before|after|of|and|to|for|through|between)\s+(?P<weak>(?:1[5-9]|20)\d\d){_NO_AMOUNT}{_NO_NOUN}"
            rf"|(?<=[(,])\s?(?P<bracketed>(?:1[5-9]|20)\d\d)(?=[),])"
        ),
    ),
    (
        Reason.CLOCK,
        re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?(?![\w:])|\b\d{1,2}\s?[ap]\.?m\b\.?", re.I),
    ),
    (Reason.ORDINAL, re.compile(r"\b\d[\d,]{0,12}(?:st|nd|rd|th)\b")),
    (
        Reason.REFERENCE,
        re.compile(
            rf"(?:\b(?:{_REFERRED})|\u00a7{{1,2}}|#)\s*{_NUMBERED}(?:\s*(?:,|and|&|[-\u2013])\s*\u00a7?{_NUMBERED}){{0,9}}"
            r"(?![\w]|[.,]\d|\s?[%\u00b0])",
            re.I,
        ),
    ),
    (Reason.REFERENCE, re.compile(r"\[\d{1,9}(?:\s?[,\u2013-]\s?\d{1,9}){0,20}\]")),
    (
        Reason.VERSION,
        re.compile(
            r"\bv\.?\s?\d+(?:\.\d+)*\b|\b(?:version|release)s?\s+\d+(?:\.\d+)*\b"
            r"|(?<![\w.,])(?!\d{1,3}(?:\.\d{3}){1,9}(?![\d.]))\d{1,9}(?:\.\d{1,9}){2,5}(?![\w,])",
            re.I,
        ),
    ),
    (
        Reason.VERSION,
        re.compile(
            r"(?<=[a-z,] )[A-Z][\w+#]{0,30}(?:-[\w+#]{1,30}){0,3}\s\d+\.\d+"
            r"(?![\d%]|[.,]\d|\s?(?:%|percent|per cent|[a-z]{1,3}\b|million|billion|thousand))"
        ),
    ),
    (
        Reason.VERSION,
        re.compile(
            r"\b(?:Python|Java|Node|Ubuntu|Windows|Android|iOS|macOS|Linux|Rust|Go|SMT-LIB|HTTP|TLS)\s\d+(?:\.\d+)*"
        ),
    ),
    (
        Reason.WINDOW,
        re.compile(
            rf"\b(?:(?:\d+|{_SMALL})-(?:,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to)\s+)){{0,5}}"
            rf"(?:\d+|{_SMALL})-{_TIME_WORD}(?:-\w+)?\b"
            rf"|\b(?:last|past|previous|prior|next|within|every|coming|following|first|final|trailing|rolling)\s+"
            rf"(?:\d+|{_SMALL})\s+{_TIME_WORD}\b"
            rf"|\bover\s+(?:the\s+)?(?:\d+|{_SMALL})\s+{_TIME_WORD}\b"
            rf"|\b(?:\d+|{_SMALL})\s+{_TIME_WORD}\s+(?:ago|earlier|later|before|after)\b",
            re.I,
        ),
    ),
)


class Skip(NamedTuple):
    """A span that is no quantity, and why; a date also has its value and the unit of the calendar that it is of."""

    start: int
    end: int
    reason: Reason
    value: Fraction | None = None
    unit: Unit | None = None


def skips(text: str) -> tuple[Skip, ...]:
    """Return what is no quantity in a text, in order and without overlaps; the earlier pattern wins."""
    taken = bytearray(len(text))
    found: list[Skip] = []
    for reason, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = _trimmed(match)
            if not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                is_moment = reason is Reason.DATE and not _RELATIVE.search(text, max(0, start - 12), start)
                found.append(Skip(start, end, reason, *(_calendar(match) if is_moment else ())))
    return tuple(sorted(found, key=lambda one: one.start))


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    """Return the span of a lone year without the word before it, and of anything else as it is."""
    groups = match.groupdict()
    for name in ("bracketed", "weak", "year"):
        if groups.get(name) and not any(groups.get(part) for part in ("month", "day", "m")):
            return match.span(name)
    return match.span()


def _calendar(match: re.Match[str]) -> Iterator[Fraction | Unit]:
    groups = match.groupdict()
    year = groups.get("year") or groups.get("bracketed") or groups.get("weak")
    if year is None:
        return
    month = _MONTHS.get(groups.get("month") or "") or int(groups.get("m") or 0)
    day = int(groups.get("day") or 0)
    if day and month:
        try:
            yield Fraction(date(int(year), month, day).toordinal())
            yield named("date")
        except ValueError:
            return
    elif month:
        yield Fraction(int(year) * 12 + month)
        yield named("calendar month")
    else:
        yield Fraction(int(year))
        yield named("year")
