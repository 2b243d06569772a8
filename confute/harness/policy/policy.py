"""A policy: a band of risks that a person reviews, what lies below it is accepted, what lies above it is rejected."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Self

from pydantic import FiniteFloat, model_validator

from confute.records import Record


class Route(StrEnum):
    """Where a claim goes."""

    ACCEPT = "ACCEPT"
    REVIEW = "REVIEW"
    REJECT = "REJECT"

    @property
    def catches(self) -> bool:
        """Whether a claim that goes there is not passed on unseen: a review counts as caught."""
        return self is not Route.ACCEPT


class Policy(Record):
    """The review band (low, high] on the risk scale; where both ends are the same nothing is reviewed."""

    low: FiniteFloat
    high: FiniteFloat

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low must not exceed high; got {self.low} and {self.high}")
        return self


def decide(risk: float, policy: Policy) -> Route:
    """Return ACCEPT iff risk <= low, REJECT iff risk > high, and REVIEW between: a tie takes the milder route.

    With low = high = tau this is ACCEPT iff risk <= tau. Raises ValueError for a risk that is not finite: NaN and
    infinity are errors of the detector, and no decision is made of them.
    """
    if not math.isfinite(risk):
        raise ValueError(f"a risk is finite; got {risk}")
    if risk <= policy.low:
        return Route.ACCEPT
    return Route.REVIEW if risk <= policy.high else Route.REJECT
