"""A chat model behind any endpoint that speaks the protocol of OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from confute.models.api_keys import ApiKey, key_of
from confute.models.calls import Calls, Sleep
from confute.models.chat import ChatReply, ChatRequest, ModelSpec, ReplyCode
from confute.models.openai_wire import OpenAIWire
from confute.models.request_body import fingerprint_of

OPENAI_KEY_ENV = "OPENAI_API_KEY"


class OpenAIChat:
    """Asks OpenAI, Ollama, LM Studio, vLLM, llama.cpp or any other endpoint of the same protocol.

    The key is read once, when the model is made: from the variable that the model names, from OPENAI_API_KEY for
    OpenAI itself, and from nowhere for another endpoint.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Take a model by its address; raises ModelError where the address cannot be one."""
        self._spec = spec
        key = key_of(spec, OPENAI_KEY_ENV if spec.base_url is None else None)
        self._no_key = key if isinstance(key, ChatReply) else None
        self._key = ApiKey(None) if isinstance(key, ChatReply) else key
        self._wire = OpenAIWire(spec, self._key)
        self._calls = Calls(spec, self._wire.send, secrets=self._key.secrets, clock=clock, sleep=sleep)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over provider, model, address and default parameters."""
        return fingerprint_of(self._spec)

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:  # noqa: ARG002
        """Return the reply to a request; a repeat is asked like any other, for nothing is kept here."""
        if self._no_key is not None:
            return self._no_key
        reply = await self._calls.reply(request)
        if reply.code is ReplyCode.KEY_REJECTED and self._key.value is None:
            return reply.model_copy(update={"code": ReplyCode.KEY_MISSING})
        return reply
