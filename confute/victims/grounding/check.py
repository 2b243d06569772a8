"""The grounding check as a function: which numbers of a text contradict what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from confute.records import Record
from confute.victims.grounding import naming
from confute.victims.grounding.comparing import Kind
from confute.victims.grounding.density import false_flag_chance
from confute.victims.grounding.matching import Match, Status, matches
from confute.victims.grounding.pool import Entry, Known, entries
from confute.victims.grounding.prose import quantities
from confute.victims.grounding.quantity import Quantity, Reason
from confute.victims.grounding.support import NO, UNKNOWN, YES, Support, support

_VERDICTS = {
    Status.FAITHFUL: YES,
    Status.DERIVED: YES,
    Status.CONTRADICTED: NO,
    Status.AMBIGUOUS: UNKNOWN,
    Status.UNMATCHED: UNKNOWN,
}


class Finding(Record):
    """What is said of one number: its text, its place in characters, its status, and the known value that it cites.

    `kind` and `nearest` say how and what a CONTRADICTED number contradicts; `collides_with` names another known value
    that the number happens to have.
    """

    token: str
    start: int
    end: int
    status: Status
    kind: Kind | None = None
    nearest: str | None = None
    collides_with: str | None = None


class Unchecked(Record):
    """A number that is no quantity to check, and why."""

    token: str
    start: int
    end: int
    reason: Reason


class Grounding(Record):
    """What a check found: a finding for each quantity, the numbers that were not checked, and how crowded the pool is.

    `false_flag_chance` is, for each unit of the pool, the chance that a number about something else is flagged.
    """

    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    support: Support
    false_flag_chance: dict[str, float]

    @property
    def flags(self) -> tuple[Finding, ...]:
        """The numbers that contradict the pool."""
        return tuple(one for one in self.findings if one.status is Status.CONTRADICTED)

    @property
    def checkable(self) -> int:
        """How many numbers were checked."""
        return len(self.findings)


def check(text: str, pool: Iterable[Known], locale: str | None = None) -> Grounding:
    """Compare the numbers of a text with known values, and flag those that contradict one; a new number is no flag.

    A number cites a known value of its dimension, in whatever unit. It is faithful where it agrees to the precision
    that it shows, within a range or a bound, or as a fraction of a percentage; it is contradicted where it lies within
    12 % of a value that it does not state, where its sign is the other one, or where the text names the value and
    gives another number. Words such as `down` carry the sign, and a number of another time is not compared. `locale`
    is the language whose separators the digits have; without one, digits that are not English are ambiguous and never
    flagged.
    """
    return grounding(text, entries(pool), locale)


def grounding(text: str, pool: Sequence[Entry], locale: str | None = None) -> Grounding:
    """Compare the numbers of a text with entries, as `check` does with known values."""
    vocabulary = tuple(sorted({entry.unit.name for entry in pool}))
    calendars = {entry.unit.dimension for entry in pool if entry.unit.dimension.startswith("calendar")}
    stated = quantities(text, locale, vocabulary)
    checked = [
        (one, window)
        for one, window in zip(stated, naming.windows(stated, text), strict=True)
        if one.skipped is None or one.unit.dimension in calendars
    ]
    found = matches([one for one, _ in checked], [window for _, window in checked], pool)
    return Grounding(
        findings=tuple(_finding(one, match) for (one, _), match in zip(checked, found, strict=True)),
        unchecked=tuple(
            Unchecked(token=one.token, start=one.start, end=one.end, reason=one.skipped)
            for one in stated
            if one.skipped is not None and one.unit.dimension not in calendars
        ),
        support=support(_VERDICTS[one.status] for one in found),
        false_flag_chance=false_flag_chance(pool),
    )


def _finding(quantity: Quantity, match: Match) -> Finding:
    return Finding(
        token=quantity.token,
        start=quantity.start,
        end=quantity.end,
        status=match.status,
        kind=match.kind,
        nearest=match.nearest,
        collides_with=match.collides_with,
    )
