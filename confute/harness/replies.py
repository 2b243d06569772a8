"""What the attacker's own model was asked and what it answered, kept so that no question is paid for twice."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from confute.errors import LedgerError
from confute.harness.row_ledger import RowLedger
from confute.models.chat import ChatReply, ChatRequest
from confute.records import Arm, AttackGoal, Record, digest_of


class ReplyKey(NamedTuple):
    """What tells a question from every other of its run: its search, and its place among the search's questions."""

    case_id: str
    goal: AttackGoal
    arm: Arm
    number: int


class Exchange(Record):
    """One question to the attacker's model, its whole request, and the reply."""

    case_id: str
    goal: AttackGoal
    arm: Arm
    number: int = Field(ge=0)
    repeat: int = Field(ge=0)
    digest: str
    request: ChatRequest
    reply: ChatReply

    @property
    def key(self) -> ReplyKey:
        """What tells it from every other exchange."""
        return ReplyKey(self.case_id, self.goal, self.arm, self.number)


ReplyLedger = RowLedger[ReplyKey, Exchange]


GO_ON = "go on with --resume"
"""How a stopped attack on a detector goes on."""


def open_replies(path: Path, *, how_to_go_on: str = GO_ON) -> ReplyLedger:
    """Return the open ledger of exchanges in a file; raises LedgerError where it is unreadable, or was altered."""
    return RowLedger(path, Exchange, how_to_go_on=how_to_go_on)


def known_reply(ledger: ReplyLedger, key: ReplyKey, digest: str) -> ChatReply | None:
    """Return the reply that was written under a key, if any.

    Raises LedgerError where another request stands there.
    """
    known = ledger.find(key)
    if known is None:
        return None
    if known.digest != digest:
        raise LedgerError(
            "the ledger holds another question in this one's place, so the run cannot be continued",
            field=f"{key.arm}/{key.case_id!r}/{key.number}",
            hint="start a new run: the attacker, its templates or the cases have changed",
        )
    return known.reply


def digest_of_request(request: ChatRequest, repeat: int) -> str:
    """Return the SHA-256, in hex, of a request and its repeat."""
    return digest_of([request.model_dump(mode="python"), repeat])
