"""What an oracle is: it offers the moves that it can vouch for, and rules on what anybody made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from confute.records import AttackGoal, Candidate, Case, Edit, Ruling


class Oracle(Protocol):
    """Decides what is true of a candidate, from its claim and evidence as they stand, never from how it was made."""

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the validity of a candidate and its recomputed label.

        VALID means that the oracle vouches for `label` and that the label serves the candidate's goal: UNSUPPORTED or
        REFUTED for a false acceptance, SUPPORTED for a false rejection.
        """
        ...


class MoveSource(Protocol):
    """Offers edits of a case's claim."""

    def moves(self, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        """Return the edits whose outcome alone the oracle rules VALID for the goal, in a fixed order."""
        ...
