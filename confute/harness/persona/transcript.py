"""What was said in one run of a probe, tool calls included, in an append-only ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self

from pydantic import Field

from confute.harness.chain import Chain, readable
from confute.judges.judge import Turn
from confute.models.chat import ReplyCode, Usage
from confute.models.surrogates import well_formed
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


class TranscriptLedger:
    """An open ledger of conversations; a context manager. Each is written whole, as soon as it is over.

    Raises LedgerError where the file is unreadable, or was altered.
    """

    def __init__(self, path: Path) -> None:
        self._chain = Chain(path, how_to_go_on="give the same command again")
        with readable(path):
            rows = [Transcript.model_validate_json(body) for body in self._chain.bodies()]
        self._rows = {row.key: row for row in rows}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chain.close()

    @property
    def digest(self) -> str:
        """The chain digest of the last row, in hex; 64 zeros for an empty ledger."""
        return self._chain.digest

    def identify(self, identity: Mapping[str, str]) -> None:
        """Bind a new ledger to a run's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        self._chain.identify(identity)

    def find(self, key: TranscriptKey) -> Transcript | None:
        """Return the conversation that was written under a key, if any."""
        return self._rows.get(key)

    def append(self, transcript: Transcript) -> None:
        """Write a conversation. Raises LedgerError where its key is taken, or the file cannot be written."""
        self._chain.append([(json.dumps(transcript.key), _body(transcript))], {})
        self._rows[transcript.key] = transcript

    def lines(self) -> Iterator[str]:
        """Yield every conversation as a line of JSON, in the order of its key, whatever order they came in."""
        yield from (_body(self._rows[key]) for key in sorted(self._rows))


def _body(transcript: Transcript) -> str:
    fields = transcript.model_dump(mode="python")
    return well_formed(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
