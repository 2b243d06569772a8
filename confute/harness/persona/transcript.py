"""What was said in one run of a probe, tool calls included, in an append-only ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from confute.harness.row_ledger import RowLedger
from confute.judges.judge import Turn
from confute.models.chat import ReplyCode, Usage
from confute.records import Record

WHOLE = frozenset({ReplyCode.OK, ReplyCode.REFUSAL})
"""The codes of a conversation that can be judged; every other one is a failure of the endpoint."""


class TranscriptKey(NamedTuple):
    """What tells a conversation from every other of its run; `attempt` counts redraws of a failed one."""

    probe_id: str
    repeat: int
    attempt: int


class Transcript(Record):
    """One conversation as it went. `code` is that of the last reply; what follows a failure was not said."""

    probe_id: str
    repeat: int = Field(ge=0)
    attempt: int = Field(default=0, ge=0)
    turns: tuple[Turn, ...]
    code: ReplyCode
    detail: str = ""
    model: str
    usage: tuple[Usage, ...] = ()
    seconds: float = Field(default=0.0, ge=0)

    @property
    def key(self) -> TranscriptKey:
        """What tells it from every other conversation."""
        return TranscriptKey(self.probe_id, self.repeat, self.attempt)

    @property
    def whole(self) -> bool:
        """Whether the endpoint answered everything, so that it can be judged."""
        return self.code in WHOLE

    @property
    def replies(self) -> tuple[str, ...]:
        """What the persona said, turn by turn."""
        return tuple(turn.content for turn in self.turns if turn.role == "assistant")

    def said(self, judged: Literal["last", "conversation"]) -> str:
        """Return what a check reads: the last reply, or all that the persona said."""
        return "\n".join(self.replies if judged == "conversation" else self.replies[-1:])


TranscriptLedger = RowLedger[TranscriptKey, Transcript]


def open_transcripts(path: Path) -> TranscriptLedger:
    """Return the open ledger of conversations in a file; raises LedgerError where it is unreadable, or was altered."""
    return RowLedger(path, Transcript)
