"""An endpoint of chat completions on the loopback interface, whose answers a test writes down."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

from aiohttp import web
from aiohttp.test_utils import TestServer

from confute.models.chat import ChatRequest, Message


class Answer(NamedTuple):
    """What the endpoint answers; a body that is no bytes is written as JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})


class Endpoint:
    """Answers by a list, whose last answer stays, or by a function of the body; keeps bodies and headers."""

    def __init__(self, script: Sequence[Answer] | Callable[[dict[str, Any]], Awaitable[Answer]]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self._script = script

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        if callable(self._script):
            answer = await self._script(body)
        else:
            answer = self._script[min(len(self.bodies), len(self._script)) - 1]
        written = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        return web.Response(status=answer.status, body=written, headers=answer.headers, content_type="application/json")


@asynccontextmanager
async def serving(script: Sequence[Answer] | Callable[[dict[str, Any]], Awaitable[Answer]]) -> AsyncIterator[Endpoint]:
    endpoint = Endpoint(script)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.handle)
    server = TestServer(app)
    await server.start_server()
    endpoint.url = str(server.make_url("/v1"))
    try:
        yield endpoint
    finally:
        await server.close()


def completion(text: str | None = "Yes.", *, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return {"model": "m-1", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


def rejecting(message: str, **error: Any) -> Answer:
    return Answer(400, {"error": {"message": message, "type": "invalid_request_error", **error}})


def asking(text: str = "Is it so?", **parameters: Any) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", content=text),), **parameters)
