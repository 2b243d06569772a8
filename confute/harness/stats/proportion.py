"""Intervals for a proportion: Wilson to show, Clopper-Pearson to gate on; counts may be fractional (effective) ones."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal, NamedTuple

from confute.harness.stats.special import beta_quantile


class Interval(NamedTuple):
    """The ends of an interval, low <= high."""

    low: float
    high: float


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Return the two-sided score interval of successes in n, or None for n = 0; never of zero width.

    Wilson 1927; Brown, Cai and DasGupta 2001, eq. 4. Raises ValueError unless 0 <= successes <= n.
    """
    _check(successes, n)
    if n == 0:
        return None
    z = normal_quantile((1.0 + level) / 2.0)
    share = successes / n
    centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
    half = z / (1.0 + z * z / n) * math.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n))
    return Interval(
        low=0.0 if successes == 0 else max(0.0, centre - half), high=1.0 if successes == n else min(1.0, centre + half)
    )


def clopper_pearson(successes: float, n: float, level: float = 0.95, sides: Literal[1, 2] = 2) -> Interval | None:
    """Return the exact interval of successes in n, or None for n = 0.

    With `sides=1` each end is by itself a bound at the level: 0 of n then ends at 1 - (1 - level)^(1/n). Clopper and
    Pearson 1934, as beta quantiles. Raises ValueError unless 0 <= successes <= n.
    """
    _check(successes, n)
    if n == 0:
        return None
    tail = (1.0 - level) / sides
    return Interval(
        low=0.0 if successes == 0 else beta_quantile(tail, successes, n - successes + 1.0),
        high=1.0 if successes == n else beta_quantile(1.0 - tail, successes + 1.0, n - successes),
    )


def least_n_all_right(required: float, lower: Callable[[int], float]) -> int:
    """Return the least n at which n right of n have a lower bound of at least `required`.

    `lower` maps n to that bound and rises with n, for example `lambda n: wilson(n, n).low`. Raises ValueError unless
    0 <= required < 1, since no number of cases shows certainty.
    """
    if not 0.0 <= required < 1.0:
        raise ValueError(f"what is required lies in 0..1, 1 not included; got {required}")
    high = 1
    while lower(high) < required:
        high *= 2
    return bisect_left(range(1, high), True, key=lambda n: lower(n) >= required) + 1


def _check(successes: float, n: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie in 0..n; got {successes} of {n}")
