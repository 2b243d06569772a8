"""The published method, as it was published and with its blind spots, to compare figures with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from confute.victims.grounding.comparing import Kind
from confute.victims.grounding.pool import Known
from confute.victims.grounding.units import COUNT

EXACT, NEARBY, FLIPPED = 0.03, 0.12, 0.5
_UNITS = "pct|bpm|kcal|km|kg|mi"
_NUMBER = re.compile(rf"(?<![\w.])(-?\d+(?:\.\d+)?)(?:\s*({_UNITS}|%))?", re.IGNORECASE)
_WINDOW = re.compile(
    r"[\s-]*(?:seconds?|min(?:ute)?s?|h(?:ou)?rs?|days?|nights?|weeks?|months?|years?)\b", re.IGNORECASE
)


class Flag(NamedTuple):
    """A number that contradicts the pool: its text, how, and the name of the value that it contradicts."""

    token: str
    kind: Kind
    nearest: str


class Report(NamedTuple):
    """The flags of a text, and how many numbers of it were checked."""

    flags: tuple[Flag, ...]
    checkable: int

    @property
    def share(self) -> float | None:
        """The flagged share of the checked numbers, None where none was checked."""
        return len(self.flags) / self.checkable if self.checkable else None


def check(text: str, pool: Iterable[Known], *, magnitude_bug: bool = False) -> Report:
    """Return what the published method says of a text's numbers.

    Each number is compared with the known values of its unit, the nearest by signed distance: within 3 % it is exact,
    within 12 % corrupted, and otherwise a sign flip where a value of the other sign is within 50 % by magnitude.
    Windows and durations (`7-day`, `100 min`) are skipped, and what is near nothing is new and no flag. Units are read
    without a word boundary, so that `5.4 million` is 5.4 mi; only an ASCII minus is a sign. `magnitude_bug` compares
    magnitudes, which makes every sign flip exact.
    """
    known = list(pool)
    flags, checkable = [], 0
    for token, value, unit in _numbers(text):
        checkable += 1
        rivals = [one for one in known if one.unit == unit]
        flag = _flag(token, value, rivals, magnitude_bug=magnitude_bug)
        flags += [] if flag is None else [flag]
    return Report(tuple(flags), checkable)


def _numbers(text: str) -> Iterator[tuple[str, float, str]]:
    for match in _NUMBER.finditer(text):
        if not _WINDOW.match(text, match.end(1)):
            unit = (match[2] or COUNT).lower()
            yield match[1], float(match[1]), "pct" if unit == "%" else unit


def _flag(token: str, value: float, rivals: list[Known], *, magnitude_bug: bool) -> Flag | None:
    def gap(one: Known) -> float:
        return abs(abs(value) - abs(one.value)) if magnitude_bug else abs(value - one.value)

    nearest = min(rivals, key=gap, default=None)
    if nearest is None:
        return None
    if gap(nearest) <= NEARBY * abs(nearest.value):
        return None if gap(nearest) <= EXACT * abs(nearest.value) else Flag(token, Kind.VALUE, nearest.name)
    opposite = [one for one in rivals if one.value * value < 0]
    flipped = min(opposite, key=lambda one: abs(abs(value) - abs(one.value)), default=None)
    if flipped is not None and abs(abs(value) - abs(flipped.value)) <= FLIPPED * abs(flipped.value):
        return Flag(token, Kind.SIGN, flipped.name)
    return None
