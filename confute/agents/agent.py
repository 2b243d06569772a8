"""What an agent is: it reads a view, proposes candidates, and learns what its knowledge level lets it learn."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from confute.agents.experience import Lesson
from confute.models.chat import ChatRequest, ReplyCode
from confute.records import AttackGoal, Candidate, Decision, Edit, Knowledge, Record, Validity


class Attribution(Record):
    """How much the risk rises where one token of the source claim is left out; `start` and `end` are its place."""

    token: str
    start: int
    end: int
    rise: float


class Disclosure(Record):
    """What the levels above `score` show of the victim, for one case.

    At the level `algorithm`: `description` in words, `configuration` by name, and the evidence as the victim cuts it.
    At the level `white_box` also what the victim offers of its inside: `basis`, the orthonormal directions that it
    keeps of the evidence, (directions, dimension), empty where it has none, and the source claim's `attributions`.
    """

    description: str
    configuration: dict[str, str]
    passages: tuple[str, ...]
    basis: tuple[tuple[float, ...], ...] = ()
    attributions: tuple[Attribution, ...] = ()


class View(Record):
    """All that an agent receives: plain values, so that nothing else can be reached through it.

    `moves` are the edits that the oracle can vouch for, within the contract's capabilities; edits that do not overlap
    may be made together, those of the claim apart from those of the evidence. `victim_queries` is the search's whole
    budget, `max_edits` the most edits in one candidate, `max_additions` and `max_removals` the most passages that one
    adds and removes, `max_edited_tokens` how many tokens of the claim may change (None is no limit). `start` is the
    source claim with no edit made. `companions` are edits that keep the label: alone they serve no goal, but they may
    be made together with a move. `experience` is what the cases that were attacked before taught, for a strategy that
    learns across cases. `disclosure` is what the knowledge level shows of the victim, None up to the level `score`.
    """

    goal: AttackGoal
    knowledge: Knowledge
    start: Candidate
    moves: tuple[Edit, ...]
    companions: tuple[Edit, ...] = ()
    experience: tuple[Lesson, ...] = ()
    victim_queries: int
    max_edits: int
    max_additions: int | None = None
    max_removals: int | None = None
    max_edited_tokens: int | None = None
    disclosure: Disclosure | None = None
    seed: int


class Reply(Record):
    """What the attacker's own model answered; `text` is None where there is none."""

    code: ReplyCode
    text: str | None = None


class Feedback(Record):
    """What an agent learns of one proposal, cut to its knowledge level by the harness.

    `decision` and `score` are None where the proposal never reached the victim (it was refused, or the budget is
    spent), where the victim gave no measurement, and, for `score`, where the knowledge level is `decision`.
    A `probe` was measured without being a candidate. Where it `is_open`, the validity is UNKNOWN because judges are
    asked only once the victim decides as the goal wants it. `reply` answers a Question, and is None for a Proposal.
    """

    validity: Validity | None
    reason: str
    decision: Decision | None
    score: float | None
    is_open: bool = False
    reply: Reply | None = None


class Proposal(Record):
    """A candidate to judge and score, or (`probe`) a text to score only, which can never count as a success."""

    candidate: Candidate
    probe: bool = False


class Question(Record):
    """A request to the attacker's own model; the harness sends it and pays for it, and no victim hears of it.

    `repeat` tells the repeats of one request apart.
    """

    request: ChatRequest
    repeat: int = 0


Search = Generator[Sequence[Proposal | Question], Sequence[Feedback], None]


class Agent(Protocol):
    """A search: a generator that yields proposals and is sent one Feedback for each, in order, until it returns.

    It may yield questions to the attacker's own model instead, never both at once.

    The harness closes it once the budget is spent or, unless the contract says otherwise, a success is found. It must
    be a function of the view and the feedback alone: the same seed gives the same proposals.
    """

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        ...
