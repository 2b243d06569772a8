"""Intervals of sums of proportions that were measured apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from confute.harness.stats.proportion import Interval


class Weighted(NamedTuple):
    """A proportion with its own interval, and its weight in a sum."""

    weight: float
    value: float
    interval: Interval


def weighted_sum(parts: Sequence[Weighted]) -> Interval:
    """Return the interval of sum_i w_i p_i of independent proportions, for weights of at least 0.

    sum w p -/+ sqrt(sum w^2 (p - end)^2), Zou and Donner 2008, Statistics in Medicine 27:1693 (MOVER). Raises
    ValueError for a negative weight.
    """
    if any(part.weight < 0.0 for part in parts):
        raise ValueError(f"weights must be at least 0; got {min(part.weight for part in parts)}")
    value = math.fsum(part.weight * part.value for part in parts)
    below = math.hypot(*(part.weight * (part.value - part.interval.low) for part in parts))
    above = math.hypot(*(part.weight * (part.interval.high - part.value) for part in parts))
    return Interval(value - below, value + above)
