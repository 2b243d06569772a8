"""Each quantity of a text with the known value that it cites, agreeing or not."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from confute.victims.grounding import wording
from confute.victims.grounding.comparing import Kind, agrees, contradicts, distance, is_ambiguous, is_elliptic, is_like
from confute.victims.grounding.deriving import derived_from
from confute.victims.grounding.naming import Window, coverage, is_denied, is_negated, shared_names
from confute.victims.grounding.pool import Entry
from confute.victims.grounding.quantity import Quantity

_CLEARLY = 1 / 3
_TOUCHED = 1 / 5


class Status(StrEnum):
    """What the pool says of a number: only CONTRADICTED speaks against it; a new one is UNMATCHED."""

    FAITHFUL = "faithful"
    DERIVED = "derived"
    CONTRADICTED = "contradicted"
    AMBIGUOUS = "ambiguous"
    UNMATCHED = "unmatched"


class Match(NamedTuple):
    """What was found for one quantity: the known value that it cites, or that it falls on by accident."""

    status: Status
    kind: Kind | None = None
    nearest: str | None = None
    collides_with: str | None = None


class _Rival(NamedTuple):
    place: int
    entry: Entry
    kind: Kind
    named: bool
    cover: float


def matches(found: Sequence[Quantity], windows: Sequence[Window], pool: Sequence[Entry]) -> tuple[Match, ...]:
    """Return the match of each quantity; those that agree come first, the rest share out what contradicts them."""
    settled: dict[int, Match] = {}
    rivals: list[_Rival] = []
    for index, (quantity, window) in enumerate(zip(found, windows, strict=True)):
        match = _settled(quantity, window, pool)
        if match is None:
            rivals += _rivals(index, quantity, window, pool)
        else:
            settled[index] = match
    cited = {match.nearest for match in settled.values() if match.status is Status.FAITHFUL}
    settled |= _assigned(
        [one for one in rivals if one.named or one.kind is Kind.SIGN or one.entry.name not in cited], found
    )
    return tuple(settled.get(index, Match(Status.UNMATCHED)) for index in range(len(found)))


def _settled(quantity: Quantity, window: Window, pool: Sequence[Entry]) -> Match | None:
    """Return what does not depend on the other quantities: agreement, a collision, or that nothing can be said."""
    agreeing = [entry for entry in pool if agrees(quantity, entry)]
    if quantity.needs_locale:
        return Match(Status.AMBIGUOUS)
    if is_denied(window):
        return Match(Status.UNMATCHED)
    if agreeing:
        cited = max(agreeing, key=lambda entry: (coverage(entry.words, window), is_like(quantity, entry)))
        meant = _meant_instead(quantity, window, pool, cited, agreeing)
        if meant is None:
            return Match(Status.FAITHFUL, nearest=cited.name)
        return Match(Status.CONTRADICTED, meant.kind, meant.entry.name, collides_with=cited.name)
    if any(is_ambiguous(quantity, entry) for entry in pool):
        return Match(Status.AMBIGUOUS)
    sources = derived_from(quantity, window, pool)
    return Match(Status.DERIVED, nearest=" + ".join(sources)) if sources else None


def _meant_instead(
    quantity: Quantity, window: Window, pool: Sequence[Entry], cited: Entry, agreeing: Sequence[Entry]
) -> _Rival | None:
    """Return the value that the text names where the number is that of another: a corruption that hit its neighbour."""
    named = [
        one
        for one in _rivals(0, quantity, window, pool)
        if one.named and one.entry.is_given and one.entry not in agreeing
    ]
    found = max(named, key=lambda one: one.cover, default=None)
    if found is None or not is_like(quantity, found.entry):
        return None
    return found if found.cover - coverage(cited.words, window) > _CLEARLY else None


def _rivals(index: int, quantity: Quantity, window: Window, pool: Sequence[Entry]) -> list[_Rival]:
    moment = wording.moment(window.before, window.after)
    found: list[_Rival] = []
    if is_negated(window):
        return found
    for entry in pool:
        cover = coverage(entry.words_for(quantity.direction), window)
        named = (bool(entry.words) and cover >= entry.named_from) or (
            is_like(quantity, entry) and shared_names(entry.names, window) > (cover < _TOUCHED)
        )
        if entry.moment != moment or not (named or _may_contradict_unnamed(quantity, entry, cover)):
            continue
        kind = contradicts(quantity, entry, named=named)
        if kind is not None:
            found.append(_Rival(index, entry, kind, named, cover))
    return found


def _may_contradict_unnamed(quantity: Quantity, entry: Entry, cover: float) -> bool:
    """Tell whether nearness alone may make a contradiction; what evidence says must at least be about the same."""
    if entry.unit.dimension.startswith("calendar"):
        return False
    if is_elliptic(quantity, entry):
        return quantity.signed and entry.value < 0
    return is_like(quantity, entry) and quantity.noun is None and (entry.is_given or cover >= _CLEARLY)


def _assigned(rivals: Sequence[_Rival], found: Sequence[Quantity]) -> dict[int, Match]:
    """Return one known value for each quantity: best named first, then nearest, each value once where it can be."""
    settled: dict[int, Match] = {}
    taken: set[str] = set()
    ordered = sorted(
        rivals, key=lambda one: (-one.cover, distance(found[one.place], one.entry), one.place, one.entry.name)
    )
    for once in (True, False):
        for one in ordered:
            if one.place not in settled and not (once and one.entry.name in taken):
                settled[one.place] = Match(Status.CONTRADICTED, one.kind, one.entry.name)
                taken.add(one.entry.name)
    return settled
