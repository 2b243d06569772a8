"""Two methods tried on the same items."""

from __future__ import annotations

import math


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p value of McNemar's test from the two discordant counts.

    p = 2 BinCDF(min(b, c); b + c, 1/2), capped at 1; no discordant pair gives 1. Raises ValueError for a negative
    count.
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts must not be negative; got {only_first} and {only_second}")
    n = only_first + only_second
    tail = sum(math.comb(n, k) for k in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**n))
