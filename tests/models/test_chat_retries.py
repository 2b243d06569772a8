from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.models.chat import ChatReply, ReplyCode
from confute.models.retries import Attempt, Retries, asked_wait_s

# Sun, 06 Nov 1994 08:49:37 GMT is the example of RFC 9110, 5.6.7; 784111777 by `date -u -d`.
DATE, SECOND = "Sun, 06 Nov 1994 08:49:37 GMT", 784111777


def attempts(outcomes: list[tuple[ReplyCode, float | None]], limit: int = 4) -> tuple[ChatReply, list[float], int]:
    """Return the reply, the waits, and how many attempts were made."""
    waits: list[float] = []
    made = iter(outcomes)
    count = 0

    async def attempt() -> Attempt:
        nonlocal count
        count += 1
        code, wait = next(made)
        return Attempt(ChatReply(code=code, model="m"), wait)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    retries = Retries(limit, jitter=random.Random(1), sleep=sleep)
    return asyncio.run(retries.run(attempt)), waits, count


def test_the_wait_that_an_endpoint_asks_for_is_kept() -> None:
    reply, waits, _ = attempts([(ReplyCode.RATE_LIMITED, 7.0), (ReplyCode.SERVER_ERROR, 0.0), (ReplyCode.OK, None)])
    assert (reply.code, reply.retries, waits) == (ReplyCode.OK, 2, [7.0, 0.0])


def test_an_endpoint_that_asks_for_more_than_two_minutes_is_not_asked_again() -> None:
    assert attempts([(ReplyCode.RATE_LIMITED, 121.0)])[1:] == ([], 1)
    assert attempts([(ReplyCode.RATE_LIMITED, 120.0), (ReplyCode.OK, None)])[1:] == ([120.0], 2)


def test_without_a_wish_the_wait_doubles_up_to_eight_seconds_and_a_quarter_more() -> None:
    reply, waits, count = attempts([(ReplyCode.TIMEOUT, None)] * 7, limit=6)
    assert (reply.code, reply.retries, count) == (ReplyCode.TIMEOUT, 6, 7)
    for wait, least in zip(waits, [0.5, 1, 2, 4, 8, 8], strict=True):
        assert least <= wait <= 1.25 * least


@pytest.mark.parametrize("code", sorted(set(ReplyCode) - {"rate_limited", "timeout", "unreachable", "server_error"}))
def test_what_will_not_pass_is_not_asked_again(code: ReplyCode) -> None:
    assert attempts([(code, None)])[1:] == ([], 1)


def test_without_retries_the_first_failure_stands() -> None:
    reply, waits, count = attempts([(ReplyCode.UNREACHABLE, None)], limit=0)
    assert (reply.code, reply.retries, waits, count) == (ReplyCode.UNREACHABLE, 0, [], 1)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": DATE}, 10.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:17 GMT"}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Sun, 99 Nov 1994 08:49:37 GMT"}, None),
    ],
)
def test_a_wait_is_read_from_seconds_milliseconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait_s(headers, now=lambda: SECOND - 10) == seconds


@given(st.text(max_size=40))
def test_any_header_is_read_or_passed_over(text: str) -> None:
    wait = asked_wait_s({"retry-after": text})
    assert wait is None or wait >= 0
