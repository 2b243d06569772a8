from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from loopback import Answer, Endpoint, asking, completion, rejecting, serving

from confute.errors import ModelError
from confute.models.chat import ChatReply, ChatRequest, Message, ModelSpec, ReplyCode
from confute.models.openai_chat import OpenAIChat

KEY = "sk-test-0123456789"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}


async def no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


def asked(script: Sequence[Answer], *requests: ChatRequest, **spec: Any) -> tuple[list[ChatReply], Endpoint]:
    """Return the replies to requests that are sent one after another."""

    async def run() -> tuple[list[ChatReply], Endpoint]:
        async with serving(script) as endpoint:
            model = OpenAIChat(ModelSpec(model="m", base_url=endpoint.url, **spec), sleep=no_sleep)
            return [await model.complete(request) for request in requests or [asking()]], endpoint

    return asyncio.run(run())


def test_a_request_is_sent_with_its_parameters_and_the_defaults_of_the_model() -> None:
    messages = (Message(role="system", content="Judge."), Message(role="user", content="Is it so?"))
    request = ChatRequest(messages=messages, temperature=0.5, json_schema=SCHEMA, tools=({"name": "look"},))
    (reply,), endpoint = asked([Answer(body=completion())], request, temperature=1.0, seed=7, max_tokens=20)
    assert (reply.code, reply.text, reply.model, reply.dropped) == (ReplyCode.OK, "Yes.", "m-1", ())
    assert endpoint.bodies == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Is it so?"}],
            "temperature": 0.5,
            "seed": 7,
            "max_tokens": 20,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
            },
            "tools": [{"type": "function", "function": {"name": "look"}}],
        }
    ]


def test_a_parameter_that_is_not_set_is_not_sent() -> None:
    _, endpoint = asked([Answer(body=completion())])
    assert set(endpoint.bodies[0]) == {"model", "messages"}


def test_hostile_text_arrives_as_it_is_but_for_lone_surrogates() -> None:
    _, endpoint = asked([Answer(body=completion())], asking("\x00\x1b[31m\ud800\U0001f600" + "x" * 100_000))
    assert endpoint.bodies[0]["messages"][0]["content"] == "\x00\x1b[31m\ufffd\U0001f600" + "x" * 100_000


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("temperature", {"temperature": 0.0}),
        ("seed", {"seed": 1}),
        ("response_format", {"json_schema": SCHEMA}),
    ],
)
def test_a_rejected_parameter_is_left_out_once_named_and_remembered(name: str, parameters: dict[str, Any]) -> None:
    script = [rejecting(f"Unsupported parameter: '{name}'", param=name), Answer(body=completion())]
    replies, endpoint = asked(script, asking(**parameters), asking("And this?", **parameters))
    assert [reply.code for reply in replies] == [ReplyCode.OK] * 2
    assert [reply.dropped for reply in replies] == [(name,)] * 2
    assert [name in body for body in endpoint.bodies] == [True, False, False]
    assert [reply.retries for reply in replies] == [0, 0]


def test_the_bound_on_the_length_goes_by_its_other_name_where_the_first_is_rejected() -> None:
    script = [rejecting("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", param="max_tokens")]
    (reply,), endpoint = asked([*script, Answer(body=completion())], asking(max_tokens=9))
    assert (reply.code, reply.dropped) == (ReplyCode.OK, ("max_tokens",))
    assert endpoint.bodies[1]["max_completion_tokens"] == 9
    assert "max_tokens" not in endpoint.bodies[1]


def test_a_model_that_rejects_several_parameters_is_asked_without_each() -> None:
    names = ["max_tokens", "max_completion_tokens", "seed", "temperature"]
    script = [rejecting(f"Unrecognized request argument: {name}", param=name) for name in names]
    (reply,), endpoint = asked([*script, Answer(body=completion())], asking(temperature=0, seed=1, max_tokens=9))
    assert (reply.code, set(reply.dropped)) == (ReplyCode.OK, set(names))
    assert set(endpoint.bodies[-1]) == {"model", "messages"}


def test_a_value_out_of_range_is_told_and_not_left_out() -> None:
    script = [rejecting("Invalid 'temperature': expected a value <= 2, but got 3 instead.", param="temperature")]
    (reply,), endpoint = asked(script, asking(temperature=3))
    assert (reply.code, reply.dropped, len(endpoint.bodies)) == (ReplyCode.BAD_REQUEST, (), 1)
    assert "expected a value <= 2" in reply.detail


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(401, {"error": {"message": "Incorrect API key provided"}}), ReplyCode.KEY_REJECTED),
        (Answer(404, {"error": {"message": "model 'm' not found"}}), ReplyCode.MODEL_NOT_FOUND),
        (Answer(400, {"error": {"code": "context_length_exceeded", "message": ""}}), ReplyCode.CONTEXT_TOO_LONG),
        (Answer(400, {"error": {"code": "content_filter", "message": ""}}), ReplyCode.BLOCKED),
        (Answer(429, {"error": {"message": "slow down"}}), ReplyCode.RATE_LIMITED),
        (Answer(500, b"<h1>oops</h1>"), ReplyCode.SERVER_ERROR),
        (Answer(200, b'{"choices": [{"mess'), ReplyCode.MALFORMED),
        (Answer(200, b"\xff\xfe", {"Content-Encoding": "gzip"}), ReplyCode.MALFORMED),
        (Answer(200, completion(None)), ReplyCode.EMPTY),
        (Answer(200, completion(None, tool_calls=[{"function": {"name": "f"}}])), ReplyCode.TOOL_CALL),
        (Answer(302, b"", {"Location": "http://127.0.0.1:9/elsewhere"}), ReplyCode.BAD_REQUEST),
    ],
)  # fmt: skip
def test_each_failure_of_an_endpoint_is_a_reply_with_its_own_code(
    answer: Answer, code: ReplyCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    (reply,), endpoint = asked([answer], api_key_env="TEST_KEY", max_retries=1)
    passing = code in (ReplyCode.RATE_LIMITED, ReplyCode.SERVER_ERROR)
    assert (reply.code, reply.text) == (code, None)
    assert (len(endpoint.bodies), reply.retries) == ((2, 1) if passing else (1, 0))


def test_an_endpoint_that_does_not_answer_in_time_is_a_timeout() -> None:
    never = asyncio.Event()

    async def wait(body: dict[str, Any]) -> Answer:
        await never.wait()
        return Answer()

    async def run() -> ChatReply:
        async with serving(wait) as endpoint:
            model = OpenAIChat(ModelSpec(model="m", base_url=endpoint.url, timeout_s=0.05, max_retries=0))
            reply = await model.complete(asking())
            never.set()
            return reply

    reply = asyncio.run(run())
    assert (reply.code, reply.detail) == (ReplyCode.TIMEOUT, "no answer within 0.05 s")


def test_an_endpoint_that_is_down_is_unreachable_after_its_retries() -> None:
    async def run() -> ChatReply:
        async with serving([]) as endpoint:
            gone = endpoint.url
        return await OpenAIChat(ModelSpec(model="m", base_url=gone, max_retries=2), sleep=no_sleep).complete(asking())

    reply = asyncio.run(run())
    assert (reply.code, reply.retries) == (ReplyCode.UNREACHABLE, 2)
    assert "127.0.0.1" in reply.detail


@pytest.mark.parametrize(
    ("wire", "code"),
    [(b"nonsense\r\n\r\n", ReplyCode.MALFORMED), (b"", ReplyCode.UNREACHABLE),
     (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", ReplyCode.UNREACHABLE)],
)  # fmt: skip
def test_an_endpoint_that_breaks_http_is_a_failure(wire: bytes, code: ReplyCode) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(wire)
        writer.close()
        await writer.wait_closed()

    async def run() -> ChatReply:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        async with server:
            model = OpenAIChat(ModelSpec(model="m", base_url=f"http://{host}:{port}", max_retries=0))
            return await model.complete(asking())

    assert asyncio.run(run()).code is code


def test_a_missing_key_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "  ")
    (reply,), endpoint = asked([Answer(body=completion())], api_key_env="TEST_KEY")
    assert (reply.code, endpoint.bodies) == (ReplyCode.KEY_MISSING, [])
    assert reply.detail == "the environment variable TEST_KEY holds no key"


def test_openai_itself_needs_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    reply = asyncio.run(OpenAIChat(ModelSpec(model="m")).complete(asking()))
    assert (reply.code, reply.detail) == (ReplyCode.KEY_MISSING, "the environment variable OPENAI_API_KEY holds no key")


@pytest.mark.parametrize("key", ["clé-secrète", "two\nlines"])
def test_a_key_that_no_header_may_hold_is_rejected(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", key)
    (reply,), endpoint = asked([Answer(body=completion())], api_key_env="TEST_KEY")
    assert (reply.code, endpoint.bodies) == (ReplyCode.KEY_REJECTED, [])
    assert key not in reply.detail


def test_an_endpoint_of_its_own_never_sees_the_key_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    replies, endpoint = asked([Answer(401, {"error": "no key given"})])
    assert KEY not in str(endpoint.headers)
    assert replies[0].code is ReplyCode.KEY_MISSING


def test_a_key_is_sent_and_shown_nowhere(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TEST_KEY", f" {KEY}\n")
    echo = Answer(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    replies, endpoint = asked(
        [echo, Answer(body=completion(f"Your key is {KEY}"))], asking(), asking(), api_key_env="TEST_KEY"
    )
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert replies[0].detail == "401: Incorrect API key provided: [key]"
    assert replies[1].text == "Your key is [key]"
    model = OpenAIChat(ModelSpec(model="m", base_url=endpoint.url, api_key_env="TEST_KEY"))
    shown = [repr(model), repr(vars(model)), caplog.text, repr(replies)]
    assert all(KEY not in text for text in shown)


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/v1",
        "localhost:8080",
        "http://",
        "http://[::1",
        "http://host:99999/v1",
        "http://user:word@host/v1",
        "user:word@host/v1",
        "https://host/v1?key=word",
        "",
    ],
)
def test_an_address_that_is_none_or_holds_a_password_is_refused(address: str) -> None:
    with pytest.raises(ModelError, match="base_url") as raised:
        OpenAIChat(ModelSpec(model="m", base_url=address))
    assert "word" not in str(raised.value).replace("password", "")


def running(concurrency: int, script: Callable[[dict[str, Any]], Any], count: int, **given: Any) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        async with serving(script) as endpoint:
            spec = ModelSpec(model="m", base_url=endpoint.url, concurrency=concurrency)
            model = OpenAIChat(spec, **given)
            return await asyncio.gather(*(model.complete(asking(str(number))) for number in range(count)))

    return asyncio.run(run())


def test_no_more_calls_are_open_than_the_model_allows() -> None:
    open_now, most = 0, 0

    async def answer(body: dict[str, Any]) -> Answer:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        for _ in range(20):
            await asyncio.sleep(0)
        open_now -= 1
        return Answer(body=completion())

    assert {reply.code for reply in running(3, answer, 20)} == {ReplyCode.OK}
    assert most == 3


def test_a_slot_is_free_while_its_call_waits_to_be_repeated() -> None:
    served: list[str] = []
    others_done = asyncio.Event()

    async def answer(body: dict[str, Any]) -> Answer:
        asked_for = body["messages"][0]["content"]
        first = asked_for == "0" and "0" not in served
        served.append(asked_for)
        if len(served) == 5:
            others_done.set()
        return Answer(429, {"error": "slow"}, {"Retry-After": "30"}) if first else Answer(body=completion())

    async def sleep(seconds: float) -> None:
        assert seconds == 30.0
        await others_done.wait()

    # With one slot, the call that waits would keep the four others out if it held it, and this would never end.
    replies = running(1, answer, 5, sleep=sleep)
    assert [reply.retries for reply in replies] == [1, 0, 0, 0, 0]
    assert served == ["0", "1", "2", "3", "4", "0"]


def test_one_model_serves_several_event_loops() -> None:
    async def run(model: OpenAIChat | None = None) -> tuple[OpenAIChat, ReplyCode]:
        async with serving([Answer(body=completion())]) as endpoint:
            model = model or OpenAIChat(ModelSpec(model="m", base_url=endpoint.url, max_retries=0))
            replies = await asyncio.gather(*(model.complete(asking()) for _ in range(20)))
            return model, replies[0].code

    model, code = asyncio.run(run())
    assert code is ReplyCode.OK
    # The address of the first endpoint is gone, so the second loop finds nobody there; it finds no closed loop either.
    assert asyncio.run(run(model))[1] is ReplyCode.UNREACHABLE


def test_the_fingerprint_follows_what_decides_an_answer_and_nothing_else() -> None:
    base = {"model": "m", "base_url": "http://127.0.0.1/v1"}
    same = [{}, {"timeout_s": 1.0}, {"concurrency": 2}, {"api_key_env": "OTHER"}, {"requests_per_minute": 3}]
    other = [{"model": "n"}, {"base_url": None}, {"temperature": 0.0}, {"seed": 1}, {"max_tokens": 5}]
    prints = [OpenAIChat(ModelSpec(**{**base, **change})).fingerprint for change in same + other]  # type: ignore[arg-type]
    assert len(set(prints[: len(same)])) == 1
    assert len(set(prints)) == 1 + len(other)


@pytest.mark.filterwarnings("error")
def test_a_model_that_is_dropped_while_its_loop_runs_leaves_nothing_open() -> None:
    unclosed: list[dict[str, Any]] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unclosed.append(context))
        async with serving([Answer(body=completion())]) as endpoint:
            for _ in range(3):
                model = OpenAIChat(ModelSpec(model="m", base_url=endpoint.url))
                assert (await model.complete(asking())).code is ReplyCode.OK
                del model
                gc.collect()

    asyncio.run(run())
    gc.collect()
    assert unclosed == []


def test_what_stands_in_the_place_of_a_variables_name_is_not_shown() -> None:
    reply = asyncio.run(OpenAIChat(ModelSpec(model="m", api_key_env="sk-ant-SECRET")).complete(asking()))
    assert (reply.code, "SECRET" in reply.detail) == (ReplyCode.KEY_MISSING, False)


@pytest.mark.parametrize("address", ["sk-SECRET-1234", "ftp://sk-SECRET"])
def test_an_address_that_is_none_is_not_shown(address: str) -> None:
    with pytest.raises(ModelError) as refused:
        OpenAIChat(ModelSpec(model="m", base_url=address))
    assert "SECRET" not in str(refused.value)
