"""How a request goes to an endpoint: within the model's limits, again where a failure may pass."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from confute.models.chat import ChatReply, ChatRequest, ModelSpec, ReplyCode
from confute.models.endpoint_errors import rejected_parameter
from confute.models.limits import Limits
from confute.models.per_loop import PerLoop
from confute.models.reading import Failure, Response, failed, reply_of
from confute.models.redaction import Redaction
from confute.models.request_body import OPTIONAL, body_of
from confute.models.retries import Attempt, Retries, asked_wait_s
from confute.models.tool_messages import TOOL_MESSAGES
from confute.models.tool_messages import rejected as tool_messages_rejected

Send = Callable[[dict[str, Any]], Awaitable[Response | Failure]]
Sleep = Callable[[float], Awaitable[None]]


class Calls:
    """Sends the requests of one model, at most `concurrency` at once.

    A slot is held for the time of one exchange alone: a call that waits before it is repeated has given it back. What
    the model rejects (a temperature, a seed, the name of the bound on the length, structured output, messages of the
    role `tool`) is left out of the repeated request and of every later one, and each reply names it.
    """

    def __init__(
        self,
        spec: ModelSpec,
        send: Send,
        *,
        secrets: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._spec = spec
        self._send = send
        self._redaction = Redaction(secrets)
        self._slots = PerLoop(self._new_slots)
        self._limits = Limits(spec, clock=clock, sleep=sleep)
        self._retries = Retries(spec.max_retries, jitter=random.Random(f"retries/{spec.model}"), sleep=sleep)  # noqa: S311
        self._rejected: set[str] = set()

    async def reply(self, request: ChatRequest) -> ChatReply:
        """Return the reply to a request, or the failure of its last attempt."""
        return await self._retries.run(partial(self._attempt, request))

    async def _attempt(self, request: ChatRequest) -> Attempt:
        attempt, rejected = await self._exchange(request)
        while rejected is not None:
            self._rejected.add(rejected)
            attempt, rejected = await self._exchange(request)
        return attempt

    async def _exchange(self, request: ChatRequest) -> tuple[Attempt, str | None]:
        """Return what came of sending a request once, and the parameter that the model rejected, if it did."""
        async with await self._slots.get():
            grant = await self._limits.admit(request)
            sent = body_of(request, self._spec, self._rejected)
            start = time.perf_counter()
            response = self._redacted(await self._answer(sent.body))
            told = {"dropped": sent.dropped, "seconds": time.perf_counter() - start}
        # Whoever waited for the slot sends before this response is read, so that the endpoint works meanwhile.
        await asyncio.sleep(0)
        if isinstance(response, Failure):
            return Attempt(failed(self._spec, response.code, response.words).model_copy(update=told)), None
        reply = reply_of(response, self._spec).model_copy(update=told)
        self._limits.settle(grant, reply.usage)
        return Attempt(reply, asked_wait_s(response.headers)), self._rejected_of(response, sent.body)

    def _rejected_of(self, response: Response, body: dict[str, Any]) -> str | None:
        optional = [name for name in OPTIONAL if name in body]
        if (named := rejected_parameter(response.status, response.body, optional)) is not None:
            return named
        sent_tools = any(message["role"] == "tool" for message in body["messages"])
        return TOOL_MESSAGES if sent_tools and tool_messages_rejected(response.status, response.body) else None

    def _redacted(self, response: Response | Failure) -> Response | Failure:
        """What came without the keys in it: the one place that all that is written of a response goes through."""
        if isinstance(response, Failure):
            return response._replace(words=self._redaction.text(response.words))
        try:
            return response._replace(body=self._redaction.value(response.body))
        except ValueError as error:
            return Failure(ReplyCode.MALFORMED, f"the body cannot be read: {error}")

    async def _answer(self, body: dict[str, Any]) -> Response | Failure:
        try:
            async with asyncio.timeout(self._spec.timeout_s):
                return await self._send(body)
        except TimeoutError:
            return Failure(ReplyCode.TIMEOUT, f"no answer within {self._spec.timeout_s:g} s")

    async def _new_slots(self) -> AsyncGenerator[asyncio.Semaphore, None]:
        yield asyncio.Semaphore(self._spec.concurrency)
