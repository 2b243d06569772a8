"""What a counterexample demands of a detector: the order of its scores, and whether the claim is accepted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field, FiniteFloat

from confute.records import Record, Score

LEAST_REFERENCE = 10
TOLERANCE = 0.10


class Relation(StrEnum):
    """What the risk does from the original claim to the adversarial one."""

    RISES = "risk_rises"
    STAYS = "risk_stays"


class Demand(StrEnum):
    """What is done with the adversarial claim; a claim whose provenance is flagged is not accepted either."""

    REVIEW_OR_REJECT = "REVIEW_OR_REJECT"
    ACCEPT = "ACCEPT"
    FLAG_PROVENANCE = "FLAG_PROVENANCE"


class Finding(StrEnum):
    """Whether a demand was met; UNMEASURED where a score is missing, UNDECIDED where there is nothing to compare by."""

    HELD = "HELD"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"
    UNMEASURED = "UNMEASURED"


class Reference(Record):
    """Risks of un-edited claims, in rising order, by whose ranks a detector tells what a large move is.

    The risk stays where at most the share `tolerance` of the reference lies strictly between its two values. A share of
    ranks is the same under every strictly rising change of the scale.
    """

    risks: tuple[FiniteFloat, ...]
    tolerance: float = Field(default=TOLERANCE, ge=0, le=1)

    @property
    def is_constant(self) -> bool:
        """Whether all of them are one value, as those of a detector that tells nothing."""
        return len(set(self.risks)) == 1

    def between(self, one: float, other: float) -> float | None:
        """Return the share of the reference strictly between two risks; None for fewer than 10 risks."""
        if len(self.risks) < LEAST_REFERENCE:
            return None
        low, high = sorted((one, other))
        return max(0, bisect_left(self.risks, high) - bisect_right(self.risks, low)) / len(self.risks)


def reference(scores: Sequence[Score], tolerance: float = TOLERANCE) -> Reference:
    """Return the reference of measured scores; those that were not measured are left out."""
    return Reference(risks=tuple(sorted(one.value for one in scores if one.value is not None)), tolerance=tolerance)


def relation_finding(relation: Relation, pre: Score, post: Score, by: Reference) -> Finding:
    """Tell whether the risk did what it should; a rise is strict, so that a tie violates it."""
    if pre.value is None or post.value is None:
        return Finding.UNMEASURED
    if relation is Relation.RISES:
        return _finding(post.value > pre.value)
    share = by.between(pre.value, post.value)
    return Finding.UNDECIDED if share is None else _finding(share <= by.tolerance)


def policy_finding(policy: Demand, accepted: bool | None) -> Finding:
    """Tell whether the adversarial claim is accepted just where that is demanded; None, no decision, never meets it."""
    if accepted is None:
        return Finding.UNMEASURED
    return _finding(accepted == (policy is Demand.ACCEPT))


def _finding(held: bool) -> Finding:
    return Finding.HELD if held else Finding.VIOLATED
