"""What an agent is: it reads a view, proposes candidates, and learns what its knowledge level lets it learn."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from confute.records import AttackGoal, Candidate, Decision, Edit, Knowledge, Record, Validity


class View(Record):
    """All that an agent receives: plain values, so that nothing else can be reached through it.

    `moves` are the edits that the oracle can vouch for, within the contract's capabilities; edits that do not overlap
    may be made together, those of the claim apart from those of the evidence. `victim_queries` is the search's whole
    budget, `max_edits` the most edits in one candidate, `max_additions` and `max_removals` the most passages that one
    adds and removes (None is no limit). `start` is the source claim with no edit made.
    """

    goal: AttackGoal
    knowledge: Knowledge
    start: Candidate
    moves: tuple[Edit, ...]
    victim_queries: int
    max_edits: int
    max_additions: int | None = None
    max_removals: int | None = None
    seed: int


class Feedback(Record):
    """What an agent learns of one proposal, cut to its knowledge level by the harness.

    `decision` and `score` are None where the proposal never reached the victim (`validity` is not VALID, or the
    budget is spent), where the victim gave no measurement, and, for `score`, where the knowledge level is `decision`.
    A `probe` was measured without being a candidate.
    """

    validity: Validity | None
    reason: str
    decision: Decision | None
    score: float | None


class Proposal(Record):
    """A candidate to judge and score, or (`probe`) a text to score only, which can never count as a success."""

    candidate: Candidate
    probe: bool = False


Search = Generator[Sequence[Proposal], Sequence[Feedback], None]


class Agent(Protocol):
    """A search: a generator that yields proposals and is sent one Feedback for each, in order, until it returns.

    The harness closes it once the budget is spent or, unless the contract says otherwise, a success is found. It must
    be a function of the view and the feedback alone: the same seed gives the same proposals.
    """

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        ...
