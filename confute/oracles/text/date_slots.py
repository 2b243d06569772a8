"""Guards on dates: another date is an error where the evidence states the old one once, and it alone."""

from __future__ import annotations

import re
from functools import partial

from confute.oracles.text.dates import Date, dates, single
from confute.oracles.text.findings import Effect, Family, Finding, Slot, unsure
from confute.oracles.text.lexicon import MONTHS
from confute.oracles.text.source import Source
from confute.records import Mechanism

_OPEN = frozenset({"by", "until", "till", "since", "around", "circa", "about", "c.", "ca.", "approximately", "nearly"})
_RANGE = re.compile(r"(?<!\w)((?:1\d|20)\d\d)\s?(?:-|\u2013|\u2014|to|and|until|through)\s?((?:1\d|20)\d\d)(?!\w)")
_SHIFTS = (1, -2, 4, -7, 12)


def slots(source: Source) -> tuple[Slot, ...]:
    """Return the slots of the claim's dates; a year that counts things is none."""
    text = source.claim.text
    return tuple(
        Slot(date.start, date.end, f"date@{date.start}", _offers(text, date), partial(_judge, source, date))
        for date in dates(text)
        if _is_a_time(source, date)
    )


def _is_a_time(source: Source, date: Date) -> bool:
    if date.month is not None or date.span > 1:
        return True
    covered = source.covering(date.start, date.end)
    return (
        bool(covered)
        and all(token.entity in ("DATE", "") and token.text.isdigit() for token in covered)
        and any(
            token.entity == "DATE"
            or _before(source, date) in ("in", "since", "of", "by", "from", "during", "before", "after")
            for token in covered
        )
    )


def _before(source: Source, date: Date) -> str:
    words = source.claim.text[: date.start].lower().split()
    return words[-1] if words else ""


def _judge(source: Source, old: Date, text: str) -> Finding | None:
    new = single(text)
    if new is None:
        return None
    if new.parts == old.parts:
        if _names_something(source, old):
            return unsure(Mechanism.PARAPHRASE, "identifier")
        return Finding(Effect.SAME, Mechanism.PARAPHRASE, "same_date")
    reason = _not_a_plain_date(source, old)
    if reason is None and _is_weaker(source, old, new):
        return Finding(Effect.WEAKER, Mechanism.TEMPORAL, "still_entailed")
    reason = reason or _not_decided(source, old, new)
    if reason is not None:
        return unsure(Mechanism.TEMPORAL, reason)
    return Finding(Effect.FALSE, Mechanism.TEMPORAL, "date_contradicted", Family.VALUE)


def _names_something(source: Source, date: Date) -> bool:
    """Tell whether a date stands in a title or names what follows it: `the 4 July parades`."""
    names = [token.entity for token in source.covering(date.start, date.end) if token.entity not in ("", "DATE")]
    after = next((token for token in source.claim.tokens if token.start >= date.end), None)
    named = after is not None and (after.tag.startswith("NN") or after.text[:1].isupper())
    return bool(names) or named or source.claim.is_quoted(date.start, date.end)


def _is_weaker(source: Source, old: Date, new: Date) -> bool:
    """Tell whether the new date allows all that the old one does: a coarser one, or a bound moved outwards."""
    bound = _before(source, old)
    if bound in ("before", "after"):
        return (_starts(new) > _starts(old)) == (bound == "before")
    return _contains(new, old)


def _not_a_plain_date(source: Source, date: Date) -> str | None:
    if source.unasserted or source.negated:
        return source.unasserted or "negated"
    if source.claim.is_quoted(date.start, date.end):
        return "quotation"
    names = ("WORK_OF_ART", "EVENT", "ORG", "PRODUCT", "LAW", "FAC", "PERSON")
    if any(token.entity in names for token in source.covering(date.start, date.end)):
        return "identifier"
    if _before(source, date) in _OPEN:
        return "open_date"
    text = source.claim.text
    if any(match.start() <= date.start < match.end() for match in _RANGE.finditer(text)):
        return "range"
    return "range" if re.search(r"(?:between|from|\d)\s*(?:-|\u2013)?\s*$", text[: date.start], re.IGNORECASE) else None


def _not_decided(source: Source, old: Date, new: Date) -> str | None:
    """Return why the evidence does not settle the date, or None where it does."""
    if _contains(old, new):
        return "refined_date"
    if _before(source, old) in ("before", "after"):
        return "bound"
    stated = [date for passage in source.evidence for date in dates(passage.text)]
    if sum(_contains(old, date) for date in stated) != 1:
        return "value_not_stated_once"
    if any(_overlap(new, date) for date in stated) or (new.span == 1 and new.year in source.evidence_numbers):
        return "value_elsewhere_in_evidence"
    if new.year is not None and new.year != old.year and _within_a_stated_range(source, old, new):
        return "range"
    return None


def _within_a_stated_range(source: Source, old: Date, new: Date) -> bool:
    ranges = [match for passage in source.evidence for match in _RANGE.finditer(passage.text)]
    ends = [(int(match[1]), int(match[2])) for match in ranges]
    return any(old.year in pair or pair[0] <= (new.year or 0) <= pair[1] for pair in ends)


def _contains(wide: Date, narrow: Date) -> bool:
    """Tell whether every day that one date allows is allowed by the other."""
    if wide.year is not None:
        if narrow.year is None or not wide.year <= narrow.year <= narrow.year + narrow.span - 1 < wide.year + wide.span:
            return False
        if wide.span > 1:
            return True
    return wide.month in (None, narrow.month) and wide.day in (None, narrow.day)


def _overlap(left: Date, right: Date) -> bool:
    if left.year is not None and right.year is not None:
        if left.year >= right.year + right.span or right.year >= left.year + left.span:
            return False
        if left.span > 1 or right.span > 1:
            return True
    pairs = ((left.month, right.month), (left.day, right.day))
    return all(one is None or other is None or one == other for one, other in pairs)


def _starts(date: Date) -> tuple[int, int, int]:
    return date.year or 0, date.month or 0, date.day or 0


def _offers(claim: str, date: Date) -> tuple[str, ...]:
    text = claim[date.start : date.end]
    if date.span == 100:
        century = date.year // 100 + 1 if date.year is not None else 0
        return tuple(
            _ordinal(century + shift) + text.lstrip("0123456789")[2:] for shift in (-1, 1, -3) if century + shift > 0
        )
    shifts = _SHIFTS if date.span == 1 else (10, -20, 30)
    found = [text.replace(str(date.year), str(date.year + shift)) for shift in shifts] if date.year is not None else []
    if date.day is not None:
        days = [day for day in (date.day + 3, date.day - 4, date.day + 10) if 0 < day <= 28]
        found += [
            re.sub(r"(?<!\d)\d{1,2}(?!\d)", str(day), text, count=1)
            for day in days
            if not re.search(r"\d(st|nd|rd|th)", text)
        ]
    if date.month is not None:
        found += [_other_month(text, date.month, shift) for shift in (2, -5)]
    return tuple(dict.fromkeys([*found, *_formats(text, date)]))


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _other_month(text: str, month: int, shift: int) -> str:
    return re.sub(r"[A-Z][a-z]+\.?", MONTHS[(month - 1 + shift) % 12], text, count=1)


def _formats(text: str, date: Date) -> list[str]:
    """Return the same day in the other usual formats."""
    if date.day is None or date.month is None:
        return []
    month = MONTHS[date.month - 1]
    if date.year is None:
        written = [f"{month} {date.day}", f"{date.day} {month}"]
    else:
        written = [f"{month} {date.day}, {date.year}", f"{date.day} {month} {date.year}"]
        written.append(f"{date.year:04d}-{date.month:02d}-{date.day:02d}")
    return [form for form in written if form != text]
