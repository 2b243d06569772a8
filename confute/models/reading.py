"""What an endpoint's response says, read into a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from confute.errors import shown
from confute.models.chat import ChatReply, ModelSpec, ReplyCode, ToolCall, Usage
from confute.models.endpoint_errors import code_of, error_of, shown_detail
from confute.models.surrogates import well_formed

_FILTERED = frozenset(
    {
        "content_filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "sensitive",
        "guardrail_intervened",
    }
)
_CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"}
)
_INTERRUPTED = frozenset({"error", "abort", "network_error", "insufficient_system_resource"})
_WHOLE = frozenset(
    {"", "stop", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "tool_calls", "tool_use", "function_call"}
)
_OK_STATUS = range(200, 300)


class Response(NamedTuple):
    """A response as it came: the status of HTTP, its headers by lower-case name, and the body."""

    status: int
    headers: Mapping[str, str]
    body: object


class Failure(NamedTuple):
    """What is to be told of a request that no response came to."""

    code: ReplyCode
    words: str


def cut_code(finish_reason: str | None) -> ReplyCode | None:
    """Return BLOCKED_PARTIAL or TRUNCATED where the reason for finishing says that a text breaks off, else None."""
    finish = (finish_reason or "").lower()
    if finish in _FILTERED:
        return ReplyCode.BLOCKED_PARTIAL
    return ReplyCode.TRUNCATED if finish in _CUT | _INTERRUPTED else None


def reply_of(response: Response, spec: ModelSpec) -> ChatReply:
    """Return what a response says: a reply with its text, or a failure with its code and the endpoint's own words."""
    body = response.body
    if response.status not in _OK_STATUS:
        return _failure(response.status, body, spec)
    if isinstance(body, dict) and body.get("error"):
        status = body["error"].get("code") if isinstance(body["error"], dict) else None
        return _failure(status if isinstance(status, int) else 500, body, spec)
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(choices, list):
        return _malformed(spec, "the body has no list 'choices'", body)
    told = _Told.of(choices[0] if choices else {"message": None})
    if told is None:
        return _malformed(spec, "the first choice cannot be read", choices[0])
    model = body.get("model")
    return ChatReply(
        code=told.code,
        model=well_formed(model) if isinstance(model, str) and model.strip() else spec.model,
        text=told.text or None,
        tool_calls=told.tool_calls,
        finish_reason=told.finish_reason,
        usage=usage_of(body.get("usage"), spec),
        detail=shown_detail(f"unknown finish_reason: {told.finish_reason}") if told.unknown_finish else "",
    )


class _Told(NamedTuple):
    """The first choice of a response, read."""

    content: str
    refusal: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None

    @classmethod
    def of(cls, choice: object) -> _Told | None:
        if not isinstance(choice, dict) or not isinstance(choice.get("message") or {}, dict):
            return None
        message = choice.get("message") or {}
        content, refusal, finish = (
            _text(message.get("content")),
            _text(message.get("refusal")),
            choice.get("finish_reason"),
        )
        if content is None or refusal is None:
            return None
        return cls(content, refusal, _tool_calls(message), well_formed(finish) if isinstance(finish, str) else None)

    @property
    def text(self) -> str:
        """All that the model said; white space alone is nothing."""
        return "\n\n".join(part for part in (self.content, self.refusal) if part.strip())

    @property
    def unknown_finish(self) -> bool:
        """Whether it ended for a reason that nobody knows, so that its text may not be whole."""
        return cut_code(self.finish_reason) is None and (self.finish_reason or "").lower() not in _WHOLE

    @property
    def code(self) -> ReplyCode:
        said = bool(self.content.strip())
        if self.refusal.strip() and not said:
            return ReplyCode.REFUSAL
        if (broken := self._broken) is not None:
            return ReplyCode.BLOCKED if broken is ReplyCode.BLOCKED_PARTIAL and not said else broken
        if self.tool_calls:
            return ReplyCode.TOOL_CALL
        return ReplyCode.OK if said else ReplyCode.EMPTY

    @property
    def _broken(self) -> ReplyCode | None:
        if (self.finish_reason or "").lower() in _INTERRUPTED:
            return ReplyCode.SERVER_ERROR
        return ReplyCode.MALFORMED if self.unknown_finish else cut_code(self.finish_reason)


def _text(content: object) -> str | None:
    """Return a text, the joined texts of a list of parts, nothing for null, and `None` for any other shape."""
    if content is None or isinstance(content, str):
        return well_formed(content or "")
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return None
    texts = [part.get("text") for part in content if part.get("type") == "text"]
    return well_formed("".join(texts)) if all(isinstance(text, str) for text in texts) else None


def _tool_calls(message: dict[str, Any]) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    listed = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    functions = [*((call.get("id"), call.get("function")) for call in listed), (None, message.get("function_call"))]
    return tuple(
        ToolCall(
            name=well_formed(str(function.get("name"))),
            arguments=_arguments(function.get("arguments")),
            id=well_formed(identity) if isinstance(identity, str) and identity.strip() else None,
        )
        for identity, function in functions
        if isinstance(function, dict)
    )


def _arguments(written: object) -> str:
    return well_formed(written if isinstance(written, str) else json.dumps(written))


def usage_of(told: object, spec: ModelSpec) -> Usage:
    """Return tokens as the endpoint tells them, and the cost by its own word or by the prices of the model."""
    usage = told if isinstance(told, dict) else {}
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cost = usage.get("cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < float("inf"):
        cost = _priced(prompt, completion, spec)
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cost_usd=cost)


def _count(told: object) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else None


def _priced(prompt: int | None, completion: int | None, spec: ModelSpec) -> float | None:
    if prompt is None or completion is None or spec.prompt_price is None or spec.completion_price is None:
        return None
    return (prompt * spec.prompt_price + completion * spec.completion_price) / 1e6


def failed(spec: ModelSpec, code: ReplyCode, words: str) -> ChatReply:
    """Return a failure with its code and what is to be told of it."""
    return ChatReply(code=code, model=spec.model, detail=shown_detail(words))


def _failure(status: int, body: object, spec: ModelSpec) -> ChatReply:
    error = error_of(body)
    return failed(spec, code_of(status, error), f"{status}: {error.words}")


def _malformed(spec: ModelSpec, problem: str, got: object) -> ChatReply:
    return failed(spec, ReplyCode.MALFORMED, f"{problem}; got: {shown(got)}")
