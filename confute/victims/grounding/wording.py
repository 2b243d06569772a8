"""The words around a number that say how it is meant: bounds, directions, other times, and what it counts."""

from __future__ import annotations

import re

from confute.victims.grounding.plain_words import UNCOUNTED
from confute.victims.grounding.quantity import Bound

_PHRASES = {
    Bound.AT_LEAST: "at least|no less than|not less than|no fewer than|a minimum of|minimum of|\u2265|>=",
    Bound.AT_MOST: "at most|no more than|not more than|up to|a maximum of|maximum of|\u2264|<=",
    Bound.LESS: "below|under|less than|fewer than|lower than|smaller than|short of|beneath|<",
    Bound.MORE: "above|over|more than|greater than|higher than|larger than|exceeding|exceeds|exceeded|beyond|>",
    Bound.ABOUT: "about|around|approximately|approx\\.|roughly|nearly|almost|some|circa|close to|~|\u2248",
}
_BOUND = re.compile(
    r"(?<!\w)(?:" + "|".join(f"(?P<{bound.name}>{phrases})" for bound, phrases in _PHRASES.items()) + r")\s*\Z",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\s*(?:(?P<AT_LEAST>or more|or higher|and above|\+)|(?P<AT_MOST>or less|or fewer|or lower))", re.I
)
_FILLED = (
    r"(?:\s+(?:by|of|was|is|about|around|approximately|roughly|nearly|almost|some|only|just|another|a|an|over|at least|"
    r"more than|less than))*\s*\Z"
)
_DOWN = (
    "down|fell|fall|falls|fallen|falling|lost|lose|loses|losing|drop|drops|dropped|dropping|decrease|decreases|"
    "decreased|decline|declines|declined|declining|shrank|shrunk|slipped|sank|sunk|cut|reduced|reduction|loss|deficit|"
    "plunged|plummeted|tumbled|slid|contracted"
)
_UP = (
    "up|rose|rise|rises|risen|rising|gain|gains|gained|grew|grow|grows|grown|growth|increase|increases|increased|"
    "climb|climbed|climbs|jumped|jump|added|improved|improvement|surged|expanded|soared"
)
_NEGATIVE = rf"negative\s+(?:{_UP}|change|return|margin|balance)"
_LOSSES = r"\b(?:loss|losses|deficits?)\s+(?:[a-z]+\s+){0,2}"
_BEFORE = re.compile(
    rf"\b(?:(?P<down>{_NEGATIVE}|{_DOWN}|{_LOSSES}(?:to|of|at|was|were|is|are))|(?P<up>{_UP})){_FILLED}", re.IGNORECASE
)
_LOSSES_BY = re.compile(rf"{_LOSSES}by{_FILLED}", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*(?:(?P<down>lower|down|decline|drop|decrease|loss|reduction|fall|below|cheaper|lighter|shorter|smaller|fewer|"
    r"colder|cooler|slower|weaker|narrower|younger)"
    r"|(?P<up>higher|up|increase|gain|growth|rise|above|heavier|taller|longer|larger|bigger|warmer|hotter|faster|"
    r"stronger|wider|older))\b(?!\s+from\b)",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:yesterday|tomorrow|previously|formerly|earlier|last\s+(?:night|week|month|quarter|year|season)|"
    r"(?:a|one|two|three|\d+)\s+(?:day|week|month|quarter|year)s?\s+(?:ago|earlier|before|later)|"
    r"(?:day|week|month|quarter|year)\s+before|previous\s+(?:day|week|month|quarter|year)|next\s+"
    r"(?:week|month|quarter|year))\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[,;:()\n]|\s[-\u2013\u2014]\s|[.!?](?=\s|\Z)|\b(?:and|but|while|whereas|versus|against|from)\b", re.I
)
_EARLIER = re.compile(
    r"\bfrom(?:\s+(?:a|an|the|about|around|approximately|roughly|nearly|almost|some|only|just|over|under|its|level|high|"
    r"low|of|more|less|than))*\s*\S?\Z",
    re.IGNORECASE,
)
_LATER = re.compile(r"[^,.;:]{0,30}\bto\b[^,.;:]{0,30}\Z", re.IGNORECASE)
_CHANGED = re.compile(rf"\b(?:{_DOWN}|{_UP})\b", re.IGNORECASE)
_EXACTLY = re.compile(r"\b(?:exactly|precisely)\s+\S?\Z", re.IGNORECASE)
_NOUN = re.compile(r"(?:\s|-)([a-z][a-z]+)(?:\s([a-z][a-z]+))?")


def bound_before(text: str) -> tuple[Bound, int]:
    """Return the bound that a text ends with, and where its phrase begins; EXACT and the end where there is none."""
    match = _BOUND.search(text[-40:])
    if match is None or match.lastgroup is None:
        return Bound.EXACT, len(text)
    return Bound[match.lastgroup], len(text) - len(text[-40:]) + match.start()


def bound_after(text: str) -> Bound | None:
    """Return the bound that a text begins with, such as `or more`, or None."""
    match = _OR_MORE.match(text)
    return Bound[match.lastgroup] if match is not None and match.lastgroup is not None else None


def direction(before: str, after: str) -> int:
    """Return -1 where the words around a number say that something fell by it, 1 where it rose, 0 where neither.

    A number that something fell or rose *to* is a level, and has no direction; the level of a loss is below zero, and
    by how much a loss changed is no direction of a profit.
    """
    if _LOSSES_BY.search(before[-60:]):
        return 0
    match = _BEFORE.search(before[-60:]) or _AFTER.match(after)
    return 0 if match is None else -1 if match["down"] else 1


def moment(before: str, after: str) -> str | None:
    """Return the words that put a number in another time than the present, from its own clause, or None.

    What something changed *from* is of an earlier time; the change of a loss is no level of any time.
    """
    if _is_earlier(before, after):
        return "from"
    if _LOSSES_BY.search(before):
        return "by"
    cut = _CLAUSE_END.search(after)
    match = _MOMENT.search(after[: cut.start()] if cut else after)
    if match is None:
        starts = [found.end() for found in _CLAUSE_END.finditer(before)]
        match = _MOMENT.search(before[starts[-1] if starts else 0 :])
    return " ".join(match.group().lower().split()) if match else None


def _is_earlier(before: str, after: str) -> bool:
    match = _EARLIER.search(before)
    if match is None:
        return False
    return bool(_LATER.match(after) or _CHANGED.search(before) or not before[: match.start()].strip())


def is_age_group(before: str) -> bool:
    """Tell whether a text ends with `aged over`: the number bounds a group of people by their age."""
    bound, start = bound_before(before)
    return bound not in {Bound.EXACT, Bound.ABOUT} and before[:start].rstrip().lower().endswith("aged")


def is_exactly(before: str) -> bool:
    """Tell whether a text ends with a word that leaves no room for rounding."""
    return _EXACTLY.search(before) is not None


def nouns(after: str) -> tuple[str, ...]:
    """Return the one or two words that a number stands before as their count; empty where it stands alone."""
    match = _NOUN.match(after)
    if match is None or match[1] in UNCOUNTED:
        return ()
    return (match[1],) if match[2] is None or match[2] in UNCOUNTED else (match[1], match[2])
