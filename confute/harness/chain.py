"""Append-only rows of JSON text in SQLite, chained by digests and bound to one run."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from confute.errors import LedgerError
from confute.models.surrogates import escaped
from confute.records import digest_of

_GENESIS = "0" * 64
_SCHEMA = """
CREATE TABLE IF NOT EXISTS identity (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS evidence (digest TEXT PRIMARY KEY, passages TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS attempts (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    chain TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS attempts_stay BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS attempts_last BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS identity_stays BEFORE UPDATE ON identity BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""


class Chain:
    """An open file of rows. The chain digest of a row is SHA-256 over the one before it and the row's body.

    Raises LedgerError where the file is no such file.
    """

    def __init__(self, path: Path, *, how_to_go_on: str) -> None:
        self.path = path
        self._how_to_go_on = how_to_go_on
        with readable(path):
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def digest(self) -> str:
        """The chain digest of the last row, in hex; 64 zeros where there is none."""
        row = self._connection.execute("SELECT chain FROM attempts ORDER BY seq DESC LIMIT 1").fetchone()
        return row[0] if row else _GENESIS

    def digest_at(self, count: int) -> str | None:
        """Return the chain digest of the row that came as the given one, counted from 1; None where there is none."""
        row = self._connection.execute("SELECT chain FROM attempts WHERE seq = ?", (count,)).fetchone()
        return row[0] if row else None

    @property
    def identity(self) -> dict[str, str]:
        """What the file is bound to; empty for a new one."""
        return dict(self._connection.execute("SELECT name, value FROM identity"))

    def bodies(self) -> Iterator[str]:
        """Yield the body of each row in order. Raises LedgerError where one was altered."""
        chain = _GENESIS
        for seq, body, stored in self._connection.execute("SELECT seq, body, chain FROM attempts ORDER BY seq"):
            chain = _link(chain, body)
            if chain != stored:
                raise LedgerError(f"{self.path}: row {seq} was altered after it was written")
            yield body

    def evidence(self) -> dict[str, tuple[str, ...]]:
        """Return the passages that rows name by digest. Raises LedgerError where some were altered."""
        passages = {
            digest: tuple(json.loads(text))
            for digest, text in self._connection.execute("SELECT digest, passages FROM evidence")
        }
        altered = [digest for digest, value in passages.items() if digest_of(value) != digest]
        if altered:
            raise LedgerError(f"{self.path}: evidence {altered[0][:12]} was altered after it was written")
        return passages

    def identify(self, identity: Mapping[str, str]) -> None:
        """Bind a new file to a run's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        known = self.identity
        if not known:
            with self._transaction():
                self._connection.executemany("INSERT INTO identity VALUES (?, ?)", sorted(identity.items()))
            return
        changed = [name for name in sorted({*known, *identity}) if known.get(name) != identity.get(name)]
        if changed:
            raise LedgerError(
                "the run cannot be resumed: it was made with other parts",
                field=", ".join(changed),
                allowed=", ".join(str(known.get(name)) for name in changed),
                got=", ".join(str(identity.get(name)) for name in changed),
                hint="start a new run, or restore what changed",
            )

    def append(self, rows: Sequence[tuple[str, str]], evidence: Mapping[str, Sequence[str]]) -> None:
        """Write rows of a key and a body, and new evidence by digest, all or none, in order.

        Raises LedgerError where one of the keys is taken, or the file cannot be written.
        """
        try:
            with self._transaction():
                chained = _chained(rows, self.digest)
                self._connection.executemany(
                    "INSERT INTO evidence VALUES (?, ?)",
                    [
                        (digest, escaped(json.dumps(passages, ensure_ascii=False)))
                        for digest, passages in evidence.items()
                    ],
                )
                self._connection.executemany("INSERT INTO attempts (key, body, chain) VALUES (?, ?, ?)", chained)
        except sqlite3.IntegrityError as error:
            raise LedgerError(
                f"{self.path}: a step was written twice: {error}",
                hint=f"let one process alone carry out a run, then {self._how_to_go_on}",
            ) from error
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self.path}: cannot be written: {error}", hint=f"mend that, then {self._how_to_go_on}"
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn whatever an unreadable file raises into a LedgerError that names it."""
    try:
        yield
    except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
        raise LedgerError(f"{path}: not a readable ledger: {error}") from error


def _chained(rows: Sequence[tuple[str, str]], chain: str) -> Iterator[tuple[str, str, str]]:
    for key, body in rows:
        chain = _link(chain, body)
        yield key, body, chain


def _link(chain: str, body: str) -> str:
    return hashlib.sha256(f"{chain}{body}".encode()).hexdigest()
