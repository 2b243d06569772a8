from __future__ import annotations

from typing import Any

import pytest
from loopback import Answer, asking, completion, rejecting
from pydantic import ValidationError
from test_chat_openai import asked

from confute.models.chat import ChatRequest, Message, ModelSpec, ReplyCode, ToolCall
from confute.models.request_body import body_of

CALLS = (
    ToolCall(name="save_note", arguments='{"text": "milk"}', id="a"),
    ToolCall(name="look", arguments="{}", id="b"),
)
TALK = (
    Message(role="user", content="Save my note."),
    Message(role="assistant", content="A moment.", tool_calls=CALLS),
    Message(role="tool", content="ok id 7", tool_call_id="a"),
    Message(role="tool", content="nothing", tool_call_id="b"),
)
IN_WORDS = [
    {"role": "user", "content": "Save my note."},
    {"role": "assistant", "content": 'A moment.\n[call of save_note: {"text": "milk"}]\n[call of look: {}]'},
    {"role": "user", "content": "[result of save_note: ok id 7]\n[result of look: nothing]"},
]


def request(messages: tuple[Message, ...] = TALK) -> ChatRequest:
    return ChatRequest(messages=messages)


def test_calls_and_results_are_sent_as_tool_messages() -> None:
    (reply,), endpoint = asked([Answer(body=completion())], request())
    assert reply.dropped == ()
    assert endpoint.bodies[0]["messages"][1] == {
        "role": "assistant",
        "content": "A moment.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "save_note", "arguments": '{"text": "milk"}'}},
            {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        ],
    }
    assert endpoint.bodies[0]["messages"][2:] == [
        {"role": "tool", "tool_call_id": "a", "content": "ok id 7"},
        {"role": "tool", "tool_call_id": "b", "content": "nothing"},
    ]


@pytest.mark.parametrize(
    "words",
    [
        "'tool' is not one of ['system', 'assistant', 'user', 'function'] - 'messages.2.role'",
        "Unexpected role 'tool' in messages",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Only user and assistant roles are supported! (role tool)",
    ],
)
def test_an_endpoint_that_takes_no_tool_messages_is_told_in_words_then_and_later(words: str) -> None:
    replies, endpoint = asked([rejecting(words), Answer(body=completion())], request(), request())
    assert [reply.code for reply in replies] == [ReplyCode.OK] * 2
    assert [reply.dropped for reply in replies] == [("tool_messages",)] * 2
    assert [body["messages"] for body in endpoint.bodies[1:]] == [IN_WORDS] * 2


def test_a_request_without_tools_is_never_repeated_for_such_words() -> None:
    (reply,), endpoint = asked([rejecting("Unexpected role 'tool' in messages")], asking())
    assert (reply.code, len(endpoint.bodies)) == (ReplyCode.BAD_REQUEST, 1)


def test_another_mistake_about_tools_is_the_endpoints_failure() -> None:
    (reply,), endpoint = asked([rejecting("tools[0].function.name is too long")], request())
    assert (reply.code, len(endpoint.bodies)) == (ReplyCode.BAD_REQUEST, 1)


@pytest.mark.parametrize("arguments", ['{"text": ', "", "[" * 100_000])
def test_arguments_that_are_no_json_are_told_in_words(arguments: str) -> None:
    call = ToolCall(name="look", arguments=arguments, id="b")
    talk = (
        Message(role="assistant", content="", tool_calls=(call,)),
        Message(role="tool", content="x", tool_call_id="b"),
    )
    body = body_of(request(talk), ModelSpec(model="m"))
    assert [one["content"] for one in body.body["messages"]] == [f"[call of look: {arguments}]", "[result of look: x]"]
    assert body.dropped == ()


def test_a_call_without_words_has_no_content_and_lone_surrogates_are_replaced() -> None:
    call = ToolCall(name="l\ud800", arguments='"\ud800"', id="\ud800")
    talk = (
        Message(role="assistant", content="", tool_calls=(call,)),
        Message(role="tool", content="\ud800", tool_call_id="b"),
    )
    said, result = body_of(request(talk), ModelSpec(model="m")).body["messages"]
    assert (said["content"], said["tool_calls"][0]["function"]["name"]) == (None, "l\ufffd")
    assert "\ud800" not in str(said) + str(result)


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "tool", "content": "x"},
        {"role": "user", "content": "x", "tool_call_id": "a"},
        {"role": "user", "content": "x", "tool_calls": CALLS},
        {"role": "tool", "content": "x", "tool_call_id": " "},
    ],
)
def test_a_message_with_a_tool_out_of_its_role_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Message(**fields)
