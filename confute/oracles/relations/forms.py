"""The forms of statements, as clauses with named places: the first is for passages, the others are for claims."""

from __future__ import annotations

import re
from collections.abc import Iterator

from confute.oracles.relations.statement import Bound, Quantifier

DENIALS = ("It is not true that ", "It is false that ", "It is not the case that ")
DOUBLE_DENIALS = ("It is not untrue that ", "It is not false that ", "It is not wrong to say that ")
CONJUNCTION = (", and ", ", while ")
CONDITIONAL = (
    "if {condition}, {consequence}",
    "{consequence} if {condition}",
    "{consequence} provided that {condition}",
    "{consequence} on condition that {condition}",
)
PRECEDES = (
    "{earlier} before {later}",
    "{later} after {earlier}",
    "after {earlier}, {later}",
    "before {later}, {earlier}",
)
BOUNDED = {
    Bound.ABOUT: ("about", "roughly", "approximately"),
    Bound.MORE_THAN: ("more than", "over"),
    Bound.LESS_THAN: ("less than", "under"),
}
QUANTIFIED = {
    Quantifier.EVERY: ("every member of the", "each member of the"),
    Quantifier.SOME: ("at least one member of the", "some member of the"),
    Quantifier.NO: ("no member of the", "not one member of the"),
}
LISTED = (
    "the members of the {group} are {names}, and there are no others",
    "the {group} has no members but {names}",
    "the {group} is made up of {names} and nobody else",
)
ONLY = ("only {names}", "{names} and no one else")
COUNT = (
    "the {group} has exactly {number} {members}",
    "the {group} is made up of {number} {members}",
    "the number of members of the {group} is {number}",
)
RANKED = ("of {names}, {name} {verb} the {place}", "among {names}, the {place} {verb} {name}")
TOTAL = (
    "the combined {measure} of {names} is {value}",
    "together, {names} have a combined {measure} of {value}",
    "taken together, the {measure} of {names} comes to {value}",
)
RATIO = (
    "the {measure} of {name} is {number} times that of {other}",
    "the {measure} of {name} equals {number} times the {measure} of {other}",
)
ALIAS = ("{name} is also known as {alias}", "{alias} is another name for {name}")
SUBSUMPTION = ("every {narrower} is {broader}", "{narrower} is a kind of {broader}")
ORDINALS = ("", "second-", "third-", "fourth-", "fifth-", "sixth-", "seventh-", "eighth-", "ninth-")

_FIELD = re.compile(r"\{(\w+)\}")


def compiled(form: str, fields: dict[str, str]) -> re.Pattern[str]:
    """Return a form as a regular expression with a group for each field; a field that comes twice must be the same."""
    seen: set[str] = set()
    parts = []
    for index, part in enumerate(_FIELD.split(form)):
        if index % 2 == 0:
            parts.append(f"(?i:{re.escape(part)})" if part else "")
        else:
            parts.append(f"(?P={part})" if part in seen else f"(?P<{part}>{fields[part]})")
            seen.add(part)
    return re.compile("".join(parts))


def splits(body: str, form: str) -> Iterator[dict[str, str]]:
    """Yield every way to read a form of two fields in a whole clause."""
    before, one, between, other, after = _FIELD.split(form)
    if not body.lower().startswith(before) or after:
        return
    start = len(before)
    while (found := body.find(between, start)) >= 0:
        yield {one: body[len(before) : found], other: body[found + len(between) :]}
        start = found + 1
