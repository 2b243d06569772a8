"""P values of several comparisons made at once."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's step-down adjusted p values in the order given; with m of them, max over j <= i of (m - j + 1) p_j.

    Holm 1979. Raises ValueError for a value outside 0..1.
    """
    _check(p_values)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def sidak(p_value: float, comparisons: int) -> float:
    """Return 1 - (1 - p)^m, the adjusted p value of the best of m independent comparisons.

    Sidak 1967. Raises ValueError for a value outside 0..1 or fewer than one comparison.
    """
    _check([p_value])
    if comparisons < 1:
        raise ValueError(f"there must be at least 1 comparison; got {comparisons}")
    return 1.0 if p_value == 1.0 else -math.expm1(comparisons * math.log1p(-p_value))


def _check(p_values: Sequence[float]) -> None:
    wrong = [value for value in p_values if not 0.0 <= value <= 1.0]
    if wrong:
        raise ValueError(f"a p value lies in 0..1; got {wrong[0]}")
