"""Rows of one kind in an append-only ledger, each found again by its key, so that nothing is asked for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from confute.harness.chain import Chain, readable
from confute.models.surrogates import well_formed


class Keyed(Protocol):
    """A record that its key tells from every other of its ledger."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from every other record."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the fields."""
        ...

    @classmethod
    def model_validate_json(cls, json_data: str) -> Self:
        """Return the record of a line of JSON."""
        ...


Row = TypeVar("Row", bound=Keyed)
Key = TypeVar("Key", bound=tuple[Any, ...])


class RowLedger(Generic[Key, Row]):
    """An open ledger of records of one kind; a context manager. Each is written whole, as soon as it is there.

    Records stand in the order in which they came, which no figure depends on. Raises LedgerError where the file is
    unreadable, or was altered.
    """

    def __init__(self, path: Path, kind: type[Row], *, how_to_go_on: str = "give the same command again") -> None:
        self._chain = Chain(path, how_to_go_on=how_to_go_on)
        with readable(path):
            rows = [kind.model_validate_json(body) for body in self._chain.bodies()]
        self._rows: dict[tuple[Any, ...], Row] = {row.key: row for row in rows}

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

    def digest_at(self, count: int) -> str | None:
        """Return the chain digest of the row that came as the given one, counted from 1; None where there is none."""
        return self._chain.digest_at(count)

    @property
    def identity(self) -> dict[str, str]:
        """What the ledger is bound to; empty for a new one."""
        return self._chain.identity

    def identify(self, identity: Mapping[str, str]) -> None:
        """Bind a new ledger to an identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        self._chain.identify(identity)

    def find(self, key: Key) -> Row | None:
        """Return the record that was written under a key, if any."""
        return self._rows.get(key)

    def append(self, row: Row) -> None:
        """Write a record. Raises LedgerError where its key is taken, or the file cannot be written."""
        self._chain.append([(well_formed(json.dumps(row.key, ensure_ascii=False)), _body(row))], {})
        self._rows[row.key] = row

    @property
    def rows(self) -> Iterator[Row]:
        """Every record, in the order of its key, whatever order they came in."""
        yield from (self._rows[key] for key in sorted(self._rows))

    def lines(self) -> Iterator[str]:
        """Yield every record as a line of JSON, in the order of its key."""
        yield from map(_body, self.rows)


def _body(row: Keyed) -> str:
    fields = row.model_dump(mode="python")
    return well_formed(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
