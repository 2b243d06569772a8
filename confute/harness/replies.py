"""What the attacker's own model was asked and what it answered, kept so that no question is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import Field

from confute.errors import LedgerError
from confute.harness.chain import Chain, readable
from confute.models.chat import ChatReply, ChatRequest
from confute.models.surrogates import well_formed
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


class ReplyLedger:
    """An open ledger of exchanges; a context manager. Each is written whole, as soon as it is there.

    Exchanges stand in the order in which replies came, which no figure depends on. Raises LedgerError where the file is
    unreadable, or was altered.
    """

    def __init__(self, path: Path) -> None:
        self._chain = Chain(path, how_to_go_on="go on with --resume")
        with readable(path):
            rows = [Exchange.model_validate_json(body) for body in self._chain.bodies()]
        self._rows = {row.key: row for row in rows}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chain.close()

    def identify(self, identity: dict[str, str]) -> None:
        """Bind a new ledger to a run's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        self._chain.identify(identity)

    def find(self, key: ReplyKey, digest: str) -> ChatReply | None:
        """Return the reply that was written under a key, if any.

        Raises LedgerError where another request stands there.
        """
        known = self._rows.get(key)
        if known is None:
            return None
        if known.digest != digest:
            raise LedgerError(
                "the ledger holds another question in this one's place, so the run cannot be continued",
                field=f"{key.arm}/{key.case_id!r}/{key.number}",
                hint="start a new run: the attacker, its templates or the cases have changed",
            )
        return known.reply

    def append(self, exchange: Exchange) -> None:
        """Write an exchange. Raises LedgerError where its key is taken, or the file cannot be written."""
        self._chain.append([(well_formed(json.dumps(exchange.key, ensure_ascii=False)), _body(exchange))], {})
        self._rows[exchange.key] = exchange

    @property
    def exchanges(self) -> Iterator[Exchange]:
        """Every exchange, in the order of its key."""
        yield from (self._rows[key] for key in sorted(self._rows))


def digest_of_request(request: ChatRequest, repeat: int) -> str:
    """Return the SHA-256, in hex, of a request and its repeat."""
    return digest_of([request.model_dump(mode="python"), repeat])


def _body(exchange: Exchange) -> str:
    fields = exchange.model_dump(mode="python")
    return well_formed(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
