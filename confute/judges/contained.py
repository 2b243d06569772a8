"""Other people's code, run so that it cannot cancel whoever waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from confute.verdicts import Spent, Vote

T = TypeVar("T")


class CancelledFromWithinError(Exception):
    """What was waited for ended itself by a cancellation that nobody had asked for."""


class Interrupted(asyncio.CancelledError):
    """A cancellation of work that had cost something: calls that were made, with tokens and money that nobody knows."""

    def __init__(self, spent: Spent) -> None:
        super().__init__()
        self.spent = spent


async def contained(work: Awaitable[T]) -> T:
    """Return what the work returns, or raise what it raises; it runs in a task of its own.

    Raises CancelledFromWithinError where the work raises CancelledError, or cancels the task that it runs in. Where the
    caller is cancelled, so is the work, and what the caller gets is the work's own CancelledError.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        if task.cancelled():
            task.result()
        raise
    if task.cancelled():
        raise CancelledFromWithinError("it was cancelled from within")
    return task.result()


def is_being_cancelled() -> bool:
    """Tell whether somebody asked for the end of the running task: a CancelledError without that is an error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def spent_in(task: asyncio.Future[Vote]) -> Spent:
    """Return what a vote had cost whose task was cancelled, in time or too late."""
    try:
        return task.result().spent
    except Interrupted as interrupted:
        return interrupted.spent
    except asyncio.CancelledError:
        return Spent()
