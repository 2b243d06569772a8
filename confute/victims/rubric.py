"""A score given as its criteria: the total is recomputed, and one that disagrees is a conflict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NotRequired, TypedDict

_TOLERANCE = 1e-6


class Rubric(TypedDict):
    """What a rubric grader gives for one pair: a number for each criterion, and the total that it claims."""

    criteria: list[float]
    total: NotRequired[float]


class RubricError(Exception):
    """A rubric whose total is not the mean of its criteria (`conflicting_total`), or that has none (`no_criteria`)."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def total_of(rubric: Mapping[object, object]) -> float:
    """Return the mean of the criteria.

    Raises RubricError where a criterion is no number, where there is none, or where the given total disagrees: a
    total is on the scale of its criteria, so that a sum passed off as one is a conflict and never averaged in.
    """
    criteria = rubric.get("criteria")
    if not isinstance(criteria, list | tuple) or not criteria or not all(map(_is_number, criteria)):
        raise RubricError("no_criteria", "a rubric holds a list of numbers under 'criteria'")
    mean = math.fsum(criteria) / len(criteria)
    total = rubric.get("total", mean)
    if not _is_number(total) or not math.isclose(float(str(total)), mean, rel_tol=0, abs_tol=_TOLERANCE):
        raise RubricError("conflicting_total", f"the criteria give {mean:g}, the total says {total!r:.40}")
    return mean


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
