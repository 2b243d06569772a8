"""The embedded chat model: a real one, with no key and no network, in a process of its own."""

from __future__ import annotations

import asyncio

from confute.errors import ModelError
from confute.models.chat import ChatReply, ChatRequest, ModelSpec, ReplyCode
from confute.models.local_process import LocalProcess
from confute.models.local_weights import NAME, SHA256, engine_version, weights_file
from confute.models.openai_chat import OpenAIChat
from confute.models.request_body import fingerprint_of
from confute.records import digest_of


class LocalChat:
    """Asks SmolLM2-135M-Instruct on loopback, one request at a time.

    Its server starts with the first request, once for this object, and ends with it or with the process. With a seed,
    the same request gives the same text. Raises ModelError where the packages are absent, the weights are altered, or
    the specification names another model or an address.
    """

    def __init__(self, spec: ModelSpec) -> None:
        if spec.model != NAME:
            raise ModelError("there is no such embedded model", field="model", allowed=NAME, got=spec.model)
        if spec.base_url is not None:
            hint = "leave base_url out, or use provider openai"
            raise ModelError("has no address of its own", field="base_url", hint=hint)
        self._engine = engine_version()
        weights_file()
        self._spec = spec.model_copy(update={"concurrency": 1, "api_key_env": None})
        self._process: LocalProcess | None = None
        self._chat: OpenAIChat | None = None
        self._starting: asyncio.Task[OpenAIChat] | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights, the engine's version and the default parameters."""
        return digest_of([fingerprint_of(self._spec), SHA256, self._engine])

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the reply to a request; a server that does not start is a reply with the code `unreachable`."""
        try:
            chat = await self._started()
        except ModelError as error:
            return ChatReply(code=ReplyCode.UNREACHABLE, model=NAME, detail=str(error)[:500])
        return await chat.complete(request, repeat=repeat)

    def stop(self) -> None:
        """End the server, if it runs; the next request starts it anew."""
        if self._process is not None:
            self._process.stop()
        self._process = self._chat = self._starting = None

    async def _started(self) -> OpenAIChat:
        if self._chat is not None and self._process is not None and self._process.running:
            return self._chat
        if self._starting is None or self._starting.done():
            self._starting = asyncio.ensure_future(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> OpenAIChat:
        if self._process is not None:
            self._process.stop()
        self._process = await asyncio.to_thread(LocalProcess)
        here = {"provider": "openai", "base_url": self._process.base_url}
        self._chat = OpenAIChat(self._spec.model_copy(update=here))
        return self._chat
