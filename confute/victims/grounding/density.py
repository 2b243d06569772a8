"""How crowded a pool is: the chance that a number about something else is flagged."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from confute.victims.grounding.comparing import NEARBY
from confute.victims.grounding.pool import Entry

_BELOW, _ABOVE = 0.5, 2.0


def false_flag_chance(pool: Iterable[Entry]) -> dict[str, float]:
    """Return, for each unit of a pool, the chance that a number about none of its values is flagged all the same.

    The number is of that unit, unnamed, positive, exact, and its logarithm is drawn evenly between half the smallest
    and twice the largest magnitude known in the unit. It is flagged where it lies within 12 % of a known value and
    rounds to none. Flags of the sign are counted where a known value is negative.
    """
    by_unit: dict[str, list[Entry]] = defaultdict(list)
    for entry in pool:
        if entry.value and not entry.unit.dimension.startswith("calendar"):
            by_unit[entry.unit.name].append(entry)
    return {unit: _chance(found) for unit, found in sorted(by_unit.items())}


def _chance(found: list[Entry]) -> float:
    below, above = math.log1p(-float(NEARBY)), math.log1p(float(NEARBY))
    sizes = [_log(entry.value) for entry in found]
    start, end = math.log(_BELOW) + min(sizes), math.log(_ABOVE) + max(sizes)
    flagged = _union((size + below, size + above) for size in sizes)
    return sum(min(high, end) - max(low, start) for low, high in flagged) / (end - start)


def _log(value: Fraction) -> float:
    """Return the logarithm of a magnitude that may be too large or too small for a float."""
    return math.log(abs(value.numerator)) - math.log(value.denominator)


def _union(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined
