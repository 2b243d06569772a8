"""A chat model that is a Python function of the user's own, such as a persona that is not reached over a network."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

from confute.errors import ModelError
from confute.models.chat import ChatReply, ChatRequest, ModelSpec, ReplyCode
from confute.models.per_loop import PerLoop
from confute.models.request_body import fingerprint_of
from confute.named import named, source_of
from confute.records import digest_of

Function = Callable[[Sequence[dict[str, str]], int], str]
"""Takes messages, each with `role` and `content`, and a seed; returns the reply."""

_MAX_DETAIL = 500
_HINT = "give module:attribute of a function `(messages, seed) -> text`, to be found from the current folder"


class CallableChat:
    """Calls the function that a specification names as `module:attribute`.

    The module is looked for in the current folder too. With one seed the function must give one reply. It is called in
    a thread of its own, one call at a time. What it raises, be it an exit or an interrupt, and what is no text, is a
    reply with the code `server_error`; what is not there after `timeout_s` seconds is one with the code `timeout`, and
    since no thread can be stopped, that call may go on beside the next. Raises ModelError where there is no such
    function.
    """

    def __init__(self, spec: ModelSpec) -> None:
        if spec.base_url is not None or spec.api_key_env is not None:
            raise ModelError("a Python function has no address and no key", field="base_url, api_key_env", hint=_HINT)
        self._spec = spec
        self._function = _function(spec.model)
        self._turn = PerLoop(_one_at_a_time)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the specification and the source of the function's module."""
        source = source_of(self._spec.model) or b""
        return digest_of([fingerprint_of(self._spec), source.decode("utf-8", "replace")])

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:  # noqa: ARG002
        """Return the function's reply; a request without a seed, and a specification without one, count as seed 0."""
        messages = [{"role": one.role, "content": one.content} for one in request.messages]
        seed = request.seed if request.seed is not None else self._spec.seed or 0
        async with await self._turn.get():
            called = _called(self._function, messages, seed)
            try:
                text = await asyncio.wait_for(asyncio.wrap_future(called), self._spec.timeout_s)
            except TimeoutError:
                return self._failed(f"no reply within {self._spec.timeout_s:g} s", ReplyCode.TIMEOUT)
        if isinstance(text, _Raised):
            return self._failed(text.words)
        if not isinstance(text, str):
            return self._failed(f"returned {type(text).__name__}, and no text")
        code = ReplyCode.OK if text.strip() else ReplyCode.EMPTY
        return ChatReply(code=code, model=self._spec.model, text=text or None, finish_reason="stop")

    def _failed(self, detail: str, code: ReplyCode = ReplyCode.SERVER_ERROR) -> ChatReply:
        return ChatReply(code=code, model=self._spec.model, detail=detail[:_MAX_DETAIL])


class _Raised(NamedTuple):
    """What the function raised, in words: an exception of its own must not be taken for one of ours."""

    words: str


async def _one_at_a_time() -> AsyncGenerator[asyncio.Lock, None]:
    yield asyncio.Lock()


def _called(function: Function, messages: Sequence[dict[str, str]], seed: int) -> Future[str | _Raised]:
    """Call a function in a thread that no exit waits for, and return what will hold its reply."""
    outcome: Future[str | _Raised] = Future()
    outcome.set_running_or_notify_cancel()  # from here on nobody can cancel it, also where nobody waits any more

    def call() -> None:
        try:
            text: str | _Raised = function(messages, seed)
        except BaseException as error:  # anybody's code, in a thread where nothing else is raised: a reply
            text = _Raised(_words(error))
        outcome.set_result(text)

    threading.Thread(target=call, name="confute-function", daemon=True).start()
    return outcome


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # its own words are anybody's code too
        return type(error).__name__


def _function(name: str) -> Function:
    found = named(name, partial(_unusable, name))
    if not callable(found):
        raise _unusable(name, f"is a {type(found).__name__}, and cannot be called", None)
    return found  # type: ignore[no-any-return]


def _unusable(name: str, problem: str, allowed: str | None) -> ModelError:
    return ModelError(problem, field="model", allowed=allowed, got=name, hint=_HINT)
