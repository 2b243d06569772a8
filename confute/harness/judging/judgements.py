"""What a panel said of each exhibit, in an append-only ledger, so that a stopped measurement asks nothing twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import Field

from confute.harness.chain import Chain, readable
from confute.models.surrogates import well_formed
from confute.records import Record
from confute.verdicts import Verdict


class Key(NamedTuple):
    """What tells a judgement from every other of its measurement.

    `arm` names what was done to the exhibit or to the panel, empty for neither; `attempt` counts redraws of an error.
    """

    case_id: str
    arm: str
    repeat: int
    attempt: int


class Judgement(Record):
    """One verdict, with its votes as they were, and what it is a verdict on."""

    case_id: str
    arm: str = ""
    repeat: int = Field(default=0, ge=0)
    attempt: int = Field(default=0, ge=0)
    verdict: Verdict

    @property
    def key(self) -> Key:
        """What tells it from every other judgement."""
        return Key(self.case_id, self.arm, self.repeat, self.attempt)


class JudgementLedger:
    """An open ledger of judgements; a context manager. Each judgement is written whole, as soon as it is there.

    Raises LedgerError where the file is unreadable, or was altered.
    """

    def __init__(self, path: Path) -> None:
        self._chain = Chain(path, how_to_go_on="give the same command again")
        with readable(path):
            rows = [Judgement.model_validate_json(body) for body in self._chain.bodies()]
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

    @property
    def identity(self) -> dict[str, str]:
        """What the measurement is bound to; empty for a new ledger."""
        return self._chain.identity

    def identify(self, identity: Mapping[str, str]) -> None:
        """Bind a new ledger to a measurement's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        self._chain.identify(identity)

    def find(self, key: Key) -> Judgement | None:
        """Return the judgement that was written under a key, if any."""
        return self._rows.get(key)

    def last(self, case_id: str) -> Judgement | None:
        """Return the last answer on a case as it is, in the family's own wording, if there is any."""
        found = None
        while (row := self.find(Key(case_id, "", 0, 0 if found is None else found.attempt + 1))) is not None:
            found = row
        return found

    def append(self, judgement: Judgement) -> None:
        """Write a judgement. Raises LedgerError where its key is taken, or the file cannot be written."""
        self._chain.append([(well_formed(json.dumps(judgement.key, ensure_ascii=False)), _body(judgement))], {})
        self._rows[judgement.key] = judgement

    def lines(self) -> Iterator[str]:
        """Yield every judgement as a line of JSON, in the order of its key, whatever order they came in."""
        yield from (_body(self._rows[key]) for key in sorted(self._rows))


def _body(judgement: Judgement) -> str:
    fields = judgement.model_dump(mode="python")
    return well_formed(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
