"""How many requests and tokens a minute may go to a model."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from confute.models.chat import ChatRequest, ModelSpec, Usage

WINDOW_S = 60.0
_CHARACTERS_PER_TOKEN = 4


@dataclass
class Grant:
    """When an amount may be spent, in seconds of the clock."""

    at: float
    amount: int


class Window:
    """Grants amounts so that no span of a minute holds more than the limit, in the order of asking."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._grants: deque[Grant] = deque()

    def earliest(self, now: float, amount: int) -> float:
        """Return the first time at which an amount fits; an amount above the limit fits an empty minute."""
        room = self._limit - min(amount, self._limit)
        self._forget(now)
        spent = sum(grant.amount for grant in self._grants)
        at = now
        for grant in self._grants:
            if spent <= room:
                break
            spent -= grant.amount
            at = max(at, grant.at + WINDOW_S)
        return at

    def add(self, grant: Grant) -> None:
        """Count a grant that was given."""
        self._grants.append(grant)

    def _forget(self, now: float) -> None:
        while self._grants and self._grants[0].at + WINDOW_S <= now:
            self._grants.popleft()


class Limits:
    """The requests and the tokens of a minute, shared by all calls to one model.

    A prompt counts a token for four characters and the longest reply that was asked for until the endpoint tells what
    it used. A call waits for its turn while it holds its slot: whoever else waits for a slot waits for the same minute.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._requests = None if spec.requests_per_minute is None else Window(spec.requests_per_minute)
        self._tokens = None if spec.tokens_per_minute is None else Window(spec.tokens_per_minute)
        self._longest_reply = spec.max_tokens
        self._last = 0.0
        self._clock = clock
        self._sleep = sleep

    async def admit(self, request: ChatRequest) -> Grant | None:
        """Wait until a request may go; return the tokens that it was granted, or `None` without a limit of them."""
        now = self._clock()
        at = max(now, self._last) if self._requests or self._tokens else now
        estimate = self._estimate(request) if self._tokens else 0
        if self._requests is not None:
            at = self._requests.earliest(at, 1)
        if self._tokens is not None:
            at = self._tokens.earliest(at, estimate)
        self._last = at
        if self._requests is not None:
            self._requests.add(Grant(at, 1))
        grant = None
        if self._tokens is not None:
            grant = Grant(at, estimate)
            self._tokens.add(grant)
        if at > now:
            await self._sleep(at - now)
        return grant

    def settle(self, grant: Grant | None, usage: Usage) -> None:
        """Put what the endpoint says was used in place of the estimate, where it says so."""
        if grant is not None and usage.prompt_tokens is not None and usage.completion_tokens is not None:
            grant.amount = usage.prompt_tokens + usage.completion_tokens

    def _estimate(self, request: ChatRequest) -> int:
        characters = sum(len(message.content) for message in request.messages)
        return characters // _CHARACTERS_PER_TOKEN + 1 + (request.max_tokens or self._longest_reply or 0)
