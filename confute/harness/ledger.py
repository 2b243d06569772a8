"""The append-only record of a run: one row per Attempt, chained by digests, in SQLite."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from confute.errors import LedgerError
from confute.records import Arm, AttackGoal, Attempt, digest_of

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

Key = tuple[str, AttackGoal | None, Arm, int, int, int | None]


def key_of(attempt: Attempt) -> Key:
    """Return what tells an attempt from every other of its run."""
    return attempt.case_id, attempt.goal, attempt.arm, attempt.step, attempt.repeat, attempt.level


class Ledger:
    """An open ledger; a context manager that commits nothing on its own.

    `append` writes a batch in one transaction, so that a kill leaves either all of it or nothing. The chain digest of
    a row is SHA-256 over the chain digest of the row before it and the row's body.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
            self._rows = dict(self._read())
            self._evidence = {row[0] for row in self._connection.execute("SELECT digest FROM evidence")}
        except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
            raise LedgerError(f"{path}: not a readable ledger: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Every attempt, in the order in which it was written."""
        return tuple(self._rows.values())

    @property
    def digest(self) -> str:
        """The chain digest of the last row, in hex; 64 zeros for an empty ledger."""
        row = self._connection.execute("SELECT chain FROM attempts ORDER BY seq DESC LIMIT 1").fetchone()
        return row[0] if row else _GENESIS

    def identify(self, identity: dict[str, str]) -> None:
        """Bind a new ledger to a run's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        known = dict(self._connection.execute("SELECT name, value FROM identity"))
        if not known:
            with self._transaction():
                self._connection.executemany("INSERT INTO identity VALUES (?, ?)", sorted(identity.items()))
            return
        changed = [name for name in sorted(known | identity) if known.get(name) != identity.get(name)]
        if changed:
            raise LedgerError(
                "the run cannot be resumed: it was made with other parts",
                field=", ".join(changed),
                allowed=", ".join(str(known.get(name)) for name in changed),
                got=", ".join(str(identity.get(name)) for name in changed),
                hint="start a new run, or restore what changed",
            )

    def find(self, attempt_key: Key) -> Attempt | None:
        """Return the attempt that was written under a key, if any."""
        return self._rows.get(attempt_key)

    def append(self, attempts: Sequence[Attempt]) -> None:
        """Write new attempts, all or none, in order.

        Raises LedgerError where one of the keys is taken, or the file cannot be written.
        """
        evidence = {digest_of(attempt.evidence): attempt.evidence for attempt in attempts}
        new = {digest: passages for digest, passages in evidence.items() if digest not in self._evidence}
        try:
            with self._transaction():
                rows = _chained(attempts, self.digest)
                self._connection.executemany(
                    "INSERT INTO evidence VALUES (?, ?)",
                    [(digest, json.dumps(passages, ensure_ascii=False)) for digest, passages in new.items()],
                )
                self._connection.executemany("INSERT INTO attempts (key, body, chain) VALUES (?, ?, ?)", rows)
        except sqlite3.IntegrityError as error:
            raise LedgerError(
                f"{self._path}: a step was written twice: {error}",
                hint="let one process alone carry out a run, then go on with --resume",
            ) from error
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self._path}: cannot be written: {error}", hint="mend that, then go on with --resume"
            ) from error
        self._evidence |= set(new)
        self._rows.update((key_of(attempt), attempt) for attempt in attempts)

    def _transaction(self) -> _Transaction:
        return _Transaction(self._connection)

    def _read(self) -> Iterator[tuple[Key, Attempt]]:
        passages = {
            digest: tuple(json.loads(text))
            for digest, text in self._connection.execute("SELECT digest, passages FROM evidence")
        }
        altered = [digest for digest, value in passages.items() if digest_of(value) != digest]
        if altered:
            raise LedgerError(f"{self._path}: evidence {altered[0][:12]} was altered after it was written")
        chain = _GENESIS
        for seq, body, stored in self._connection.execute("SELECT seq, body, chain FROM attempts ORDER BY seq"):
            chain = _link(chain, body)
            if chain != stored:
                raise LedgerError(f"{self._path}: row {seq} was altered after it was written")
            fields = json.loads(body)
            attempt = Attempt.model_validate({**fields, "evidence": passages[fields["evidence"]]})
            yield key_of(attempt), attempt


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.execute("ROLLBACK" if kind else "COMMIT")


def _chained(attempts: Sequence[Attempt], chain: str) -> list[tuple[str, str, str]]:
    rows = []
    for attempt in attempts:
        body = _body(attempt)
        chain = _link(chain, body)
        rows.append((_key_text(key_of(attempt)), body, chain))
    return rows


def _body(attempt: Attempt) -> str:
    fields = attempt.model_dump(mode="json")
    fields["evidence"] = digest_of(attempt.evidence)
    return json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _link(chain: str, body: str) -> str:
    return hashlib.sha256(f"{chain}{body}".encode()).hexdigest()


def _key_text(attempt_key: Key) -> str:
    return json.dumps(attempt_key, ensure_ascii=False)
