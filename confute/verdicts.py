"""What judges say of a reply: a narrow judge's vote, and a composite's verdict over the votes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from pydantic import Field

from confute.records import NonBlank, Record

_Number = TypeVar("_Number", int, float)


class Direction(StrEnum):
    """What a narrow judge may find: the failure (`positive`) or the failure's absence (`negative`)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class VoteState(StrEnum):
    """What a narrow judge says; ERROR is no opinion."""

    FIRED = "FIRED"
    ABSTAIN = "ABSTAIN"
    ERROR = "ERROR"


class VerdictState(StrEnum):
    """What a composite concludes, from the attack's side: SUCCEEDED means that a positive judge found what it seeks.

    That is the failure in every family but `support`, where it is that the evidence supports the claim.
    """

    SUCCEEDED = "SUCCEEDED"
    RESISTED = "RESISTED"
    CONFLICT = "CONFLICT"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"

    @property
    def failed(self) -> bool:
        """Whether the judged system is taken to have failed; a conflict counts as a failure, and is flagged."""
        return self in {VerdictState.SUCCEEDED, VerdictState.CONFLICT}


class Spent(Record):
    """What a judgement cost: calls made, answers from a cache, tokens and money (`None` where it is not known)."""

    calls: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    seconds: float = Field(default=0.0, ge=0)


def total(parts: Iterable[Spent]) -> Spent:
    """Return the sum of what several judgements cost; tokens and money are `None` once a part with calls lacks them."""
    listed = [part for part in parts if part.calls or part.cached]
    return Spent(
        calls=sum(part.calls for part in listed),
        cached=sum(part.cached for part in listed),
        prompt_tokens=_known(part.prompt_tokens for part in listed),
        completion_tokens=_known(part.completion_tokens for part in listed),
        cost_usd=_known(part.cost_usd for part in listed),
        seconds=sum(part.seconds for part in listed),
    )


def _known(amounts: Iterable[_Number | None]) -> _Number | None:
    total = None
    for amount in amounts:
        if amount is None:
            return None
        total = amount if total is None else total + amount
    return total


class Vote(Record):
    """One narrow judge's opinion of one exhibit, after the clamp.

    `raw` is what the judge said before the clamp and `raw_state` the state that this had, where the clamp changed it;
    `code` is why a vote is an error or was turned into an abstention (for example `unverified_quote`, `off_contract`,
    `judge_refused`, `truncated`), `label` what the judge looks for. `dropped` names the parameters that the model
    rejected, so that it was asked without them: a vote that lacks its seed or its temperature may not come again.
    """

    judge: NonBlank
    version: NonBlank
    direction: Direction
    label: NonBlank
    state: VoteState
    raw: str | None = None
    raw_state: VoteState | None = None
    clamped: bool = False
    confidence: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""
    quote: str | None = None
    code: str | None = None
    repeat: int = Field(default=0, ge=0)
    dropped: tuple[str, ...] = ()
    spent: Spent = Spent()

    @property
    def withdrawn(self) -> bool:
        """Whether the judge found something and the clamp took it back: the judge itself did not abstain."""
        return self.clamped and self.raw_state is VoteState.FIRED


class Verdict(Record):
    """What a composite concludes of one exhibit, with every vote that it rests on.

    `skipped` names the judges that were not asked because the budget was spent, and `cancelled` those that were at work
    when the verdict could no longer change; `cancelled_spent` is what these had cost, tokens and money unknown.
    `completed` counts the votes that are not errors. `label` is the label of the one judge that fired, else `None`.
    """

    family: NonBlank
    version: NonBlank
    state: VerdictState = VerdictState.INCONCLUSIVE
    label: str | None = None
    votes: tuple[Vote, ...] = ()
    skipped: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    cancelled_spent: Spent = Spent()
    completed: int = Field(default=0, ge=0)
    code: str | None = None
