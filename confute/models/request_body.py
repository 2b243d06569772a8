"""What a chat request looks like on the wire, in the protocol of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from confute.models.chat import ChatRequest, ModelSpec
from confute.models.tool_messages import TOOL_MESSAGES, have_tools, in_words, on_the_wire, readable
from confute.records import digest_of

OPTIONAL = ("temperature", "seed", "max_tokens", "max_completion_tokens", "response_format")
_SCHEMA_NAME = "answer"


class RequestBody(NamedTuple):
    """A body to send, and the names of the parameters that were left out of it because the model rejects them."""

    body: dict[str, Any]
    dropped: tuple[str, ...]


def body_of(request: ChatRequest, spec: ModelSpec, rejected: Collection[str] = ()) -> RequestBody:
    """Return a request as the endpoint reads it, without the parameters that the model is known to reject.

    What the request leaves open is the model's default. A bound on the length goes by `max_tokens`, and by
    `max_completion_tokens` where that name is rejected. Calls of tools are told in words where messages of the role
    `tool` are rejected, or the model wrote arguments that are no JSON. A lone surrogate is sent as U+FFFD: no JSON may
    hold it.
    """
    wanted = _wanted(request, spec)
    dropped = [name for name in wanted if name in rejected]
    if "max_tokens" in dropped:
        wanted["max_completion_tokens"] = wanted["max_tokens"]
        dropped += ["max_completion_tokens"] if "max_completion_tokens" in rejected else []
    messages = request.messages
    if have_tools(messages) and (TOOL_MESSAGES in rejected or not readable(messages)):
        messages = tuple(in_words(messages))
        dropped += [TOOL_MESSAGES] if TOOL_MESSAGES in rejected else []
    body: dict[str, Any] = {"model": spec.model, "messages": [on_the_wire(one) for one in messages]}
    body |= {name: value for name, value in wanted.items() if name not in dropped}
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool} for tool in request.tools]
    return RequestBody(body, tuple(dropped))


def _wanted(request: ChatRequest, spec: ModelSpec) -> dict[str, Any]:
    wanted = {
        "temperature": spec.temperature if request.temperature is None else request.temperature,
        "seed": spec.seed if request.seed is None else request.seed,
        "max_tokens": spec.max_tokens if request.max_tokens is None else request.max_tokens,
        "response_format": None if request.json_schema is None else _structured(request.json_schema),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _structured(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": _SCHEMA_NAME, "schema": schema, "strict": True}}


def fingerprint_of(spec: ModelSpec) -> str:
    """Return the SHA-256, in hex, over what decides an answer: provider, model, address and default parameters."""
    return digest_of(spec.model_dump(include={"provider", "model", "base_url", "temperature", "seed", "max_tokens"}))
