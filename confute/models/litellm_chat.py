"""A chat model of any provider that the `litellm` package knows."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncGenerator, Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from confute.errors import ModelError
from confute.models.api_keys import ApiKey, key_of, secrets_of_environment
from confute.models.calls import Calls, Sleep
from confute.models.chat import ChatReply, ChatRequest, ModelSpec, ReplyCode
from confute.models.per_loop import PerLoop
from confute.models.reading import Failure, Response
from confute.models.request_body import fingerprint_of

_NO_CONNECTION = re.compile(r"Connection error|Cannot connect|Connect call failed")


class LiteLLMChat:
    """Asks through litellm, which speaks to each provider in its own protocol and answers in OpenAI's.

    The key is read from the variable that the model names, or else by litellm from the one of the provider. litellm's
    own retries are off: limits and retries are the same as for every other model. The clients that it keeps are closed
    when the event loop ends.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Take a model by litellm's name; raises ModelError where the package is absent."""
        if find_spec("litellm") is None:
            raise ModelError("the package 'litellm' is absent", field="provider", hint="pip install 'confute[litellm]'")
        self._spec = spec
        key = key_of(spec, None)
        self._no_key = key if isinstance(key, ChatReply) else None
        self._key = ApiKey(None) if isinstance(key, ChatReply) else key
        self._package = PerLoop(self._open)
        secrets = (*self._key.secrets, *secrets_of_environment())
        self._calls = Calls(spec, self._send, secrets=secrets, clock=clock, sleep=sleep)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over provider, model, address and default parameters."""
        return fingerprint_of(self._spec)

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:  # noqa: ARG002
        """Return the reply to a request; a repeat is asked like any other, for nothing is kept here."""
        if self._no_key is not None:
            return self._no_key
        await self._package.get()  # Importing it takes seconds, which are none of the endpoint's.
        return await self._calls.reply(request)

    async def _send(self, body: dict[str, Any]) -> Response | Failure:
        from openai import OpenAIError

        litellm = await self._package.get()
        address = {} if self._spec.base_url is None else {"api_base": self._spec.base_url}
        try:
            made = await litellm.acompletion(**body, **address, api_key=self._key.value, num_retries=0, max_retries=0)
        except OpenAIError as error:
            return self._failure(error)
        answer = made.model_dump()
        cost = made._hidden_params.get("response_cost")
        if cost is not None:
            answer["usage"] = {**(answer.get("usage") or {}), "cost": cost}
        return Response(200, {}, answer)

    def _failure(self, error: Exception) -> Response | Failure:
        from openai import APIStatusError, APITimeoutError

        words = str(error)
        if isinstance(error, APITimeoutError):
            return Failure(ReplyCode.TIMEOUT, words)
        if not isinstance(error, APIStatusError) or _NO_CONNECTION.search(words):
            return Failure(ReplyCode.UNREACHABLE, words)
        if error.status_code == 401 and self._key.value is None and _missing_keys(self._spec.model):
            return Failure(ReplyCode.KEY_MISSING, words)
        # Some errors are litellm's own, made before anything was sent.
        response = getattr(error, "response", None)
        told = {"message": words, "type": type(error).__name__}
        return Response(error.status_code, {} if response is None else response.headers, {"error": told})

    async def _open(self) -> AsyncGenerator[ModuleType, None]:
        litellm = _litellm()
        try:
            yield litellm
        finally:
            await litellm.close_litellm_async_clients()


def _litellm() -> ModuleType:
    # Its table of prices is read from its own files, and never from the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def _missing_keys(model: str) -> list[str]:
    missing: list[str] = _litellm().validate_environment(model=model)["missing_keys"]
    return missing
