"""Which failures pass, and how long to wait before a request is repeated."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from tenacity import AsyncRetrying, RetryCallState, retry_if_result, stop_after_attempt

from confute.models.chat import ChatReply, ReplyCode

PASSING = frozenset({ReplyCode.RATE_LIMITED, ReplyCode.TIMEOUT, ReplyCode.UNREACHABLE, ReplyCode.SERVER_ERROR})
LONGEST_WAIT_S = 120.0
_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 8.0


class Attempt(NamedTuple):
    """A reply, and how many seconds the endpoint asked to wait before another one, if it did."""

    reply: ChatReply
    wait_s: float | None = None


class Retries:
    """Repeats an attempt whose failure may pass, after the wait that the endpoint asks for or a growing one of our own.

    An endpoint that asks for more than two minutes is not asked again: its failure stands. `limit` is how often an
    attempt is repeated.
    """

    def __init__(
        self, limit: int, *, jitter: random.Random, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._limit = limit
        self._jitter = jitter
        self._sleep = sleep

    async def run(self, attempt: Callable[[], Awaitable[Attempt]]) -> ChatReply:
        """Return the reply of the last attempt, with the number of attempts before it."""
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(self._limit + 1),
            wait=self._wait_s,
            retry=retry_if_result(_may_pass),
            retry_error_callback=_last,
        )
        done: Attempt = await retrying(attempt)
        retries = retrying.statistics["attempt_number"] - 1
        return done.reply.model_copy(update={"retries": retries}) if retries else done.reply

    def _wait_s(self, state: RetryCallState) -> float:
        asked = _last(state).wait_s
        if asked is not None:
            return asked
        backoff = min(_FIRST_WAIT_S * 2 ** (state.attempt_number - 1), _LONGEST_BACKOFF_S)
        return float(backoff * self._jitter.uniform(1.0, 1.25))


def _may_pass(attempt: Attempt) -> bool:
    return attempt.reply.code in PASSING and (attempt.wait_s or 0.0) <= LONGEST_WAIT_S


def _last(state: RetryCallState) -> Attempt:
    assert state.outcome is not None
    attempt: Attempt = state.outcome.result()
    return attempt


def asked_wait_s(headers: Mapping[str, str], *, now: Callable[[], float] = time.time) -> float | None:
    """Return the seconds that the headers of a response ask to wait, or `None` where they ask for none.

    `retry-after-ms`, and `Retry-After` in seconds or as a date of HTTP (RFC 9110, 10.2.3). A date that is past asks
    for no wait; what cannot be read is as good as absent.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return seconds * unit
    try:
        return max(parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now(), 0.0)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0.0 <= number < float("inf") else None
