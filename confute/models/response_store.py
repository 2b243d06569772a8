"""Every response of a chat model on disk: a record that lasts, and the answers of later runs."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from confute.errors import ModelError
from confute.models.chat import ChatReply, ReplyCode
from confute.models.per_loop import PerLoop

FILE = "responses.sqlite3"
_ANSWERS = (ReplyCode.OK, ReplyCode.REFUSAL)
_WAIT_FOR_OTHERS_S = 60.0
_APPLICATION_ID = 0x636F6E66
_LAYOUT = (
    f"PRAGMA application_id = {_APPLICATION_ID}",
    """CREATE TABLE IF NOT EXISTS responses (
        number INTEGER PRIMARY KEY, key BLOB NOT NULL, code TEXT NOT NULL, at REAL NOT NULL,
        request TEXT NOT NULL, reply TEXT NOT NULL, crc32 INTEGER NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS by_key ON responses (key)",
)
_INSERT = "INSERT INTO responses (key, code, at, request, reply, crc32) VALUES (?, ?, ?, ?, ?, ?)"
_HINT = "choose another cache folder, or move the file away: the responses in it are then asked anew"


class Row(NamedTuple):
    """One exchange: its key, the request in JSON, what came, and when, in seconds since 1970."""

    key: bytes
    request: str
    reply: ChatReply
    at: float


class ResponseStore:
    """A file of responses, in SQLite with a write-ahead log, which several processes may share.

    A row that `add` returned from is on the disk: rows that wait at the same time share one commit. A process that is
    killed loses what it had not committed, and harms nothing. Only whole replies and refusals are found again; a
    failure is kept for the record and asked anew. A row that was damaged on disk is as good as absent.
    """

    def __init__(self, folder: Path) -> None:
        """Open or make the file in a folder; raises ModelError where that cannot be or the file is another's."""
        self._file = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(f"the folder cannot be made: {error.strerror or error}", field=str(folder)) from error
        with _explained(self._file), closing(_connected(self._file)) as connection:
            _lay_out(connection, self._file)
        self._journal = PerLoop(self._open)

    async def find(self, key: bytes) -> ChatReply | None:
        """Return the first whole reply under a key, or `None`."""
        return (await self._journal.get()).find(key)

    async def add(self, row: Row) -> None:
        """Write a row, and return when it is on the disk."""
        await (await self._journal.get()).add(row)

    async def _open(self) -> AsyncGenerator[_Journal, None]:
        journal = _Journal(self._file)
        try:
            yield journal
        finally:
            journal.close()


class _Journal:
    """The file as one event loop has it open: read in the loop, written in a thread of its executor."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._waiting: list[tuple[tuple[object, ...], asyncio.Future[None]]] = []
        self._commits: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        with _explained(file):
            self._reader, self._writer = _connected(file), _connected(file)

    def find(self, key: bytes) -> ChatReply | None:
        query = "SELECT code, reply, crc32 FROM responses WHERE key = ? AND code IN (?, ?) ORDER BY number"
        with _explained(self._file):
            rows = self._reader.execute(query, (key, *_ANSWERS)).fetchall()
        replies = (_read(key, *row) for row in rows)
        return next((reply for reply in replies if reply is not None), None)

    async def add(self, row: Row) -> None:
        written = asyncio.get_running_loop().create_future()
        self._waiting.append((_values(row), written))
        if self._commits is None or self._commits.done():
            self._commits = asyncio.create_task(self._commit_all())
        await written

    async def _commit_all(self) -> None:
        while self._waiting:
            adding = [written for _, written in self._waiting]
            try:
                await asyncio.to_thread(self._commit, len(adding))
            except ModelError as error:
                del self._waiting[: len(adding)]
                _settle(adding, error)
            else:
                _settle(adding, None)

    def _commit(self, count: int) -> None:
        with self._lock:
            rows = [values for values, _ in self._waiting[:count]]
            if rows:
                with _explained(self._file), self._writer:
                    self._writer.execute("BEGIN IMMEDIATE")
                    self._writer.executemany(_INSERT, rows)
            del self._waiting[:count]

    def close(self) -> None:
        """Write what a run that was cancelled left waiting, and close the file."""
        try:
            self._commit(len(self._waiting))
        finally:
            self._reader.close()
            self._writer.close()


def _settle(adding: list[asyncio.Future[None]], error: ModelError | None) -> None:
    for written in adding:
        if not written.done():
            written.set_result(None) if error is None else written.set_exception(error)


def _values(row: Row) -> tuple[object, ...]:
    # ASCII, because a lone surrogate of an attacked text cannot be written as UTF-8.
    reply = json.dumps(row.reply.model_dump())
    return row.key, row.reply.code, row.at, row.request, reply, _checksum(row.key, row.reply.code, reply)


def _checksum(key: bytes, code: str, reply: str) -> int:
    return zlib.crc32(b"\n".join((key, code.encode(), reply.encode())))


def _read(key: bytes, code: object, written: object, crc32: object) -> ChatReply | None:
    if not isinstance(written, str) or not isinstance(code, str) or _checksum(key, code, written) != crc32:
        return None
    try:
        return ChatReply.model_validate(json.loads(written))
    except ValueError:
        return None


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_WAIT_FOR_OTHERS_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _lay_out(connection: sqlite3.Connection, file: Path) -> None:
    """Make the table where the file is new; raises ModelError where it is a file of something else."""
    # In this order: another process writes both in one transaction, and may do so between the two readings.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == _APPLICATION_ID:
        return
    if tables or application:
        raise ModelError("is a database of another program", field=str(file), hint=_HINT)
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in _LAYOUT:
            connection.execute(statement)


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise ModelError(f"the response cache cannot be used: {error}", field=str(file), hint=_HINT) from error
