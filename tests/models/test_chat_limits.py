from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import asking

from confute.models.chat import ChatRequest, ModelSpec, Usage
from confute.models.limits import Limits


class Clock:
    """Time that passes only while someone sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def admitted(spec: ModelSpec, requests: list[ChatRequest], used: int | None = None) -> list[float]:
    """Return when each request may go, in seconds after the first."""
    clock = Clock()
    limits = Limits(spec, clock=clock, sleep=clock.sleep)

    async def run() -> list[float]:
        times = []
        for request in requests:
            grant = await limits.admit(request)
            times.append(clock.now - 1000.0)
            if used is not None:
                limits.settle(grant, Usage(prompt_tokens=used, completion_tokens=0))
        return times

    return asyncio.run(run())


def test_requests_beyond_a_minutes_wait_for_the_first_ones_to_leave_it() -> None:
    spec = ModelSpec(model="m", requests_per_minute=2)
    assert admitted(spec, [asking()] * 5) == [0, 0, 60, 60, 120]


def test_a_prompt_counts_a_token_for_four_characters_and_its_longest_reply() -> None:
    # 40 characters are 10 tokens, plus one for the rest, plus 39 of the reply: 50, so two fit into 100.
    spec = ModelSpec(model="m", tokens_per_minute=100, max_tokens=39)
    assert admitted(spec, [asking("x" * 40)] * 3) == [0, 0, 60]


def test_what_was_used_takes_the_place_of_the_estimate() -> None:
    spec = ModelSpec(model="m", tokens_per_minute=100, max_tokens=89)  # an estimate of 89 + 1 + 10 = 100
    assert admitted(spec, [asking("x" * 40)] * 2) == [0, 60]
    # 20 are used: the second, estimated at 100, needs the whole minute; a short one of 20 + 1 + 10 fits at once.
    short = asking("x" * 40, max_tokens=20)
    assert admitted(spec, [asking("x" * 40), short], used=20) == [0, 0]


def test_a_prompt_above_the_limit_goes_alone() -> None:
    spec = ModelSpec(model="m", tokens_per_minute=10)
    assert admitted(spec, [asking("x" * 400)] * 2) == [0, 60]


def test_without_limits_nothing_waits() -> None:
    assert admitted(ModelSpec(model="m"), [asking()] * 100) == [0] * 100


@given(st.integers(1, 5), st.integers(20, 60), st.lists(st.integers(0, 100), min_size=1, max_size=30))
def test_no_minute_holds_more_than_its_requests_and_tokens(requests: int, tokens: int, lengths: list[int]) -> None:
    spec = ModelSpec(model="m", requests_per_minute=requests, tokens_per_minute=tokens)
    times = admitted(spec, [asking("x" * length) for length in lengths])
    amounts = [min(length // 4 + 1, tokens) for length in lengths]
    assert times == sorted(times)
    for start in times:
        within = [amount for at, amount in zip(times, amounts, strict=True) if start <= at < start + 60]
        assert len(within) <= requests
        assert sum(within) <= tokens


@pytest.mark.parametrize("calls", [1, 3])
def test_calls_that_wait_at_once_are_given_turns_in_order(calls: int) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> None:
        limits = Limits(ModelSpec(model="m", requests_per_minute=1), clock=lambda: 5.0, sleep=sleep)
        await asyncio.gather(*(limits.admit(asking()) for _ in range(calls)))

    asyncio.run(run())
    assert slept == [60.0 * turn for turn in range(1, calls)]
