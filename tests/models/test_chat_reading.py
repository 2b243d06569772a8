from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import completion

from confute.models.chat import ChatReply, ModelSpec, ReplyCode, ToolCall, Usage
from confute.models.reading import Response, reply_of
from confute.models.response_body import parsed

SPEC = ModelSpec(model="m", prompt_price=2.0, completion_price=10.0)


def read(body: Any, status: int = 200) -> ChatReply:
    return reply_of(Response(status, {}, body), SPEC)


def test_a_null_message_of_a_filtered_response_is_blocked() -> None:  # case a31
    reply = read({"choices": [{"finish_reason": "content_filter", "message": None}]})
    assert (reply.code, reply.text) == (ReplyCode.BLOCKED, None)


def test_null_content_of_a_filtered_response_is_blocked() -> None:  # case a33, the model's side
    reply = read({"choices": [{"finish_reason": "content_filter", "message": {"content": None}}]})
    assert (reply.code, reply.text) == (ReplyCode.BLOCKED, None)


def test_a_structured_refusal_is_the_text_of_the_reply() -> None:  # case a34
    message = {"content": None, "refusal": "I'm unable to help with that request."}
    reply = read({"choices": [{"finish_reason": "stop", "message": message}]})
    assert (reply.code, reply.text) == (ReplyCode.REFUSAL, "I'm unable to help with that request.")


def test_a_text_that_was_filtered_halfway_is_kept_and_no_refusal() -> None:  # case b15
    reply = read(completion("Step 1: mix the two and heat to", finish="content_filter"))
    assert (reply.code, reply.text) == (ReplyCode.BLOCKED_PARTIAL, "Step 1: mix the two and heat to")


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        (completion("Yes."), ReplyCode.OK, "Yes."),
        (completion("Yes.", finish=None), ReplyCode.OK, "Yes."),
        (completion(" \n"), ReplyCode.EMPTY, None),
        (completion(None), ReplyCode.EMPTY, None),
        ({"choices": []}, ReplyCode.EMPTY, None),
        (completion("It was bec", finish="length"), ReplyCode.TRUNCATED, "It was bec"),
        (completion("", finish="length"), ReplyCode.TRUNCATED, None),
        (completion("Half", finish="SAFETY"), ReplyCode.BLOCKED_PARTIAL, "Half"),
        (completion("Half", finish="error"), ReplyCode.SERVER_ERROR, "Half"),
        (completion("It is so.", refusal="But no more."), ReplyCode.OK, "It is so.\n\nBut no more."),
        (completion([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}]), ReplyCode.OK, "Yes."),
        (completion("a\ud800b"), ReplyCode.OK, "a\ufffdb"),
        (completion("a\x00b"), ReplyCode.OK, "a\x00b"),
    ],
)
def test_a_choice_is_read_by_its_text_and_the_reason_of_its_end(body: Any, code: ReplyCode, text: str | None) -> None:
    assert (read(body).code, read(body).text) == (code, text)


@pytest.mark.parametrize("text", [None, "Let me look."])
def test_a_tool_call_is_no_text_to_judge(text: str | None) -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"at": '}}]
    reply = read(completion(text, finish="tool_calls", tool_calls=calls))
    assert (reply.code, reply.text) == (ReplyCode.TOOL_CALL, text)
    assert reply.tool_calls == (ToolCall(name="look", arguments='{"at": ', id="1"),)


def test_arguments_of_a_tool_that_are_an_object_are_written_as_json() -> None:
    reply = read(completion(None, tool_calls=[{"function": {"name": "look", "arguments": {"at": 1}}}]))
    assert reply.tool_calls == (ToolCall(name="look", arguments='{"at": 1}'),)


@pytest.mark.parametrize(
    "body",
    ["<html>", None, [], {}, {"choices": None}, {"choices": ["x"]}, {"choices": [{"message": "x"}]}, completion(7)],  # type: ignore[arg-type]
)
def test_a_body_of_another_shape_is_malformed_and_says_what_came(body: Any) -> None:
    reply = read(body)
    assert (reply.code, reply.text) == (ReplyCode.MALFORMED, None)
    assert "got: " in reply.detail


def test_bytes_that_are_no_json_are_told_as_text() -> None:
    assert parsed(b"<h1>Bad\xff") == "<h1>Bad\ufffd"
    assert parsed(b"[" * 100_000) == "[" * 100_000


def test_an_error_in_a_successful_response_is_a_failure() -> None:
    assert read({"error": {"code": 429, "message": "slow down"}}).code is ReplyCode.RATE_LIMITED
    assert read({"error": "upstream is gone"}).code is ReplyCode.SERVER_ERROR


def test_the_model_that_answered_is_named_where_the_endpoint_tells_it() -> None:
    assert read(completion()).model == "m-1"
    assert read({**completion(), "model": " "}).model == "m"


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        # 7 tokens at 2 dollars and 3 at 10 dollars a million: (14 + 30) / 1e6.
        ({"prompt_tokens": 7, "completion_tokens": 3}, Usage(prompt_tokens=7, completion_tokens=3, cost_usd=44e-6)),
        ({"prompt_tokens": 7}, Usage(prompt_tokens=7)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"cost": 0.5}, Usage(cost_usd=0.5)),
        ({"cost": float("nan")}, Usage()),
        (None, Usage()),
        ("many", Usage()),
    ],
)
def test_what_the_endpoint_does_not_tell_of_its_use_is_unknown(told: Any, usage: Usage) -> None:
    assert read({**completion(), "usage": told}).usage == usage


def test_a_cost_is_unknown_without_prices() -> None:
    assert reply_of(Response(200, {}, completion()), ModelSpec(model="m")).usage.cost_usd is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries({}, optional={"content": VALUES, "refusal": VALUES, "tool_calls": VALUES})
CHOICES = st.fixed_dictionaries({}, optional={"finish_reason": VALUES, "message": MESSAGES | VALUES})
BODIES = VALUES | st.fixed_dictionaries(
    {}, optional={"choices": st.lists(CHOICES, max_size=2), "usage": VALUES, "model": VALUES, "error": VALUES}
)


@settings(deadline=None)
@given(BODIES, st.sampled_from([200, 302, 400, 401, 404, 429, 500]))
def test_every_json_value_is_read_and_only_whole_texts_are_ok(body: Any, status: int) -> None:
    reply = read(body, status)
    assert (reply.code in (ReplyCode.OK, ReplyCode.REFUSAL)) <= bool(reply.text and reply.text.strip())
    json.dumps(reply.model_dump()).encode()
    reply.model_dump_json()
