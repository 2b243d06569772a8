"""One process at a time in a run's folder, so that no two pay for the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from confute.errors import LedgerError

_FILE = ".lock"


@contextmanager
def locked(folder: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold a run's or a suite's folder until the block ends.

    When a process is killed the system lets go of what it held. The file `.lock` stays behind and means nothing by
    itself. Raises LedgerError where somebody else holds the folder for `wait_s` seconds, by default at once, and
    where it cannot be written.
    """
    lock = FileLock(folder / _FILE)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout:
        raise LedgerError(
            "another run is at work in this folder",
            field=str(folder),
            hint="wait for its end, or stop it, then give the same command again: what it was answered is kept",
        ) from None
    except OSError as error:
        raise LedgerError(f"cannot be written: {error.strerror or error}", field=str(folder)) from error
    try:
        yield
    finally:
        lock.release()
