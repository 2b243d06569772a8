"""Calls of tools and their results as messages: in their own form, or in words where an endpoint does not take that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from confute.models.chat import Message, ToolCall
from confute.models.endpoint_errors import error_of
from confute.models.surrogates import well_formed

TOOL_MESSAGES = "tool_messages"
"""The name under which a reply tells that the model took no messages of the role `tool`."""

_STATUSES = frozenset({400, 422, 500})
_REJECTED = re.compile(
    r"\broles?\b.{0,80}(\btool\b|alternate|user and assistant)|\btool\b.{0,80}(\brole\b|is not one of)"
    r"|(unexpected|unknown|invalid|unsupported) (message )?role"
)


def rejected(status: int, body: object) -> bool:
    """Tell whether an error says that messages of the role `tool` are not taken, by its words."""
    return status in _STATUSES and _REJECTED.search(error_of(body).words.lower()) is not None


def have_tools(messages: Sequence[Message]) -> bool:
    """Tell whether any message calls a tool, or holds a tool's result."""
    return any(one.role == "tool" or one.tool_calls for one in messages)


def readable(messages: Sequence[Message]) -> bool:
    """Tell whether the arguments of every call are JSON, as endpoints want them: a model may have written anything."""
    return all(_is_json(call.arguments) for one in messages for call in one.tool_calls)


def on_the_wire(message: Message) -> dict[str, Any]:
    """Return a message in the protocol of OpenAI's chat completions; a lone surrogate becomes U+FFFD."""
    content = well_formed(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": well_formed(message.tool_call_id or ""), "content": content}
    if message.tool_calls:
        calls = [_call(call) for call in message.tool_calls]
        return {"role": message.role, "content": content or None, "tool_calls": calls}
    return {"role": message.role, "content": content}


def in_words(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages with every call and every result told in words, results as a message of the user's."""
    names = {call.id: call.name for one in messages for call in one.tool_calls}
    for is_result, some in groupby(messages, lambda one: one.role == "tool"):
        if is_result:
            told = [f"[result of {names.get(one.tool_call_id, 'a tool')}: {one.content}]" for one in some]
            yield Message(role="user", content="\n".join(told))
        else:
            yield from map(_told, some)


def _told(message: Message) -> Message:
    if not message.tool_calls:
        return message
    calls = [f"[call of {call.name}: {call.arguments}]" for call in message.tool_calls]
    return Message(role="assistant", content="\n".join([message.content, *calls]).strip())


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": well_formed(call.name), "arguments": well_formed(call.arguments)}
    return {"id": well_formed(call.id or ""), "type": "function", "function": function}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
