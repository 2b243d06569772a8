"""What an oracle is: it offers the moves that it can vouch for, and rules on what anybody made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from confute.records import AttackGoal, Candidate, Case, Edit, Ruling


class Oracle(Protocol):
    """Decides what is true of a candidate, from its claim and evidence as they stand, never from how it was made."""

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the validity of a candidate and its recomputed label.

        VALID means that the oracle vouches for `label` and that the label serves the candidate's goal: UNSUPPORTED or
        REFUTED for a false acceptance, SUPPORTED for a false rejection.
        """
        ...


class Screened(NamedTuple):
    """A ruling that cost nothing; where it `is_open`, judges may settle it at a price."""

    ruling: Ruling
    is_open: bool = False


@runtime_checkable
class Screening(Protocol):
    """An oracle whose `rule` may ask judges: what it can say without them comes first."""

    def screen(self, case: Case, candidate: Candidate) -> Screened:
        """Return what can be said of a candidate for free; UNKNOWN where it is open."""
        ...


class MoveSource(Protocol):
    """Offers edits of a case's claim."""

    def moves(self, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        """Return the edits whose outcome alone the oracle rules VALID for the goal, in a fixed order."""
        ...
