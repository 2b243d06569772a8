"""An endpoint that writes whatever it likes: keys in every writing, bodies without end, and what is no HTTP."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from loopback import asking, completion

from confute.models import openai_wire
from confute.models.api_keys import key_of
from confute.models.cached_chat import CachedChat
from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.openai_chat import OpenAIChat
from confute.models.redaction import Redaction
from confute.models.response_body import LARGEST_BODY

KEY = "sk-SECRETKEY-1234567890"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY).encode()


def http(body: bytes, *headers: str, status: int = 200) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _asked(written: bytes, cache: Path | None) -> ChatReply:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
        writer.write(written)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = OpenAIChat(ModelSpec(model="m", base_url=url, api_key_env="TEST_KEY", max_retries=0, timeout_s=20))
        return await (model if cache is None else CachedChat(model, cache)).complete(asking())


def asked(written: bytes, cache: Path | None = None) -> ChatReply:
    return asyncio.run(_asked(written, cache))


@pytest.fixture(params=[True, False], ids=["aiohttp", "httpx"], autouse=True)
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr(openai_wire, "_has_aiohttp", lambda: request.param)


def told(words: bytes) -> bytes:
    return b'{"error": {"message": "Incorrect API key: ' + words + b'"}}'


@pytest.mark.parametrize(
    "written",
    [
        http(told(KEY.encode()), status=401),
        http(told(ESCAPED), status=401),
        http(told(KEY.encode()).decode().encode("utf-16"), status=401),
        http(told(KEY.encode()).decode().encode("utf-16-le"), status=401),
        http(f"Incorrect API key: {KEY}".encode("utf-16-be"), status=401),
        http(told(b"x" * 480 + KEY.encode()), status=401),
        http(json.dumps(["y" * 90 + KEY] * 3).encode()),
        http(json.dumps(completion("X")).encode().replace(b'"X"', b'"' + ESCAPED + b'"')),
        http(json.dumps(completion(None, tool_calls=[{"id": KEY, "function": {"name": KEY, "arguments": KEY}}]))
             .encode()),
        http(json.dumps({**completion(), "model": KEY}).encode()),
        http(json.dumps(completion(finish=KEY)).encode()),
        f"HTTP/1.1 200 Bearer {KEY}\x01\r\n\x00:\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nBearer {KEY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nContent-Length: {KEY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nBearer {KEY}\r\n".encode(),
        f"{KEY}\r\n\r\n".encode(),
    ],
)  # fmt: skip
def test_a_key_stands_in_no_reply_and_in_no_file_however_it_was_written(written: bytes, tmp_path: Path) -> None:
    reply = asked(written, tmp_path)
    # Four letters of the key tell more of it than anybody should learn.
    assert KEY[3:7] not in repr(reply)
    assert not any(KEY[3:7].encode() in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("written", "code"),
    [
        (b"HTTP/1.1 200 X\x01\r\n\x00:\r\n\r\n", ReplyCode.MALFORMED),
        (b"HTTP/1.1 200 OK\r\nno header\r\n\r\n", ReplyCode.MALFORMED),
        (b"HTTP/1.1 200 OK\r\nContent-Length: word\r\n\r\n", ReplyCode.MALFORMED),
        (b"POST / HTTP/1.1\r\n\r\n", ReplyCode.MALFORMED),
        (b"", ReplyCode.UNREACHABLE),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n", ReplyCode.MALFORMED),
        (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cho\r\n', ReplyCode.UNREACHABLE),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", ReplyCode.UNREACHABLE),
        (http(b"\x1f\x8b no gzip", "Content-Encoding: gzip"), ReplyCode.MALFORMED),
        (http(gzip.compress(b"{}", mtime=0)[:-4], "Content-Encoding: gzip"), ReplyCode.MALFORMED),
        (http(b"{}", "Content-Encoding: br"), ReplyCode.MALFORMED),
    ],
)
def test_what_is_no_whole_response_has_one_code_by_every_transport(written: bytes, code: ReplyCode) -> None:
    assert asked(written).code is code


def padded(size: int) -> bytes:
    return json.dumps(completion("Yes.")).encode().ljust(size)


@pytest.mark.parametrize("packed", [True, False])
def test_a_body_is_read_to_eight_million_bytes_packed_or_not(packed: bool) -> None:
    def written(size: int) -> bytes:
        body = gzip.compress(padded(size), 1) if packed else padded(size)
        return http(body, *(["Content-Encoding: gzip"] if packed else []))

    assert asked(written(LARGEST_BODY)).code is ReplyCode.OK
    reply = asked(written(LARGEST_BODY + 1))
    assert (reply.code, reply.text) == (ReplyCode.MALFORMED, None)
    assert f"larger than {LARGEST_BODY} bytes" in reply.detail


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        ("model_length", ReplyCode.TRUNCATED),
        ("insufficient_system_resource", ReplyCode.SERVER_ERROR),
        ("abort", ReplyCode.SERVER_ERROR),
        ("sensitive", ReplyCode.BLOCKED_PARTIAL),
        ("because", ReplyCode.MALFORMED),
        ("STOP", ReplyCode.OK),
        (None, ReplyCode.OK),
    ],
)
def test_a_text_is_whole_only_where_it_ended_for_a_known_reason(finish: str | None, code: ReplyCode) -> None:
    reply = asked(http(json.dumps(completion("Yes.", finish=finish)).encode()))
    assert (reply.code, reply.text) == (code, "Yes.")
    assert ("because" in reply.detail) is (finish == "because")


def test_a_key_that_is_too_short_to_be_told_from_a_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "1234567")
    reply = key_of(ModelSpec(model="m", api_key_env="TEST_KEY"), None)
    assert isinstance(reply, ChatReply)
    assert (reply.code, "1234567" in reply.detail) == (ReplyCode.KEY_REJECTED, False)


@pytest.mark.parametrize("value", [{"a": ['k"e\\y0123', {'k"e\\y0123': 1}]}, 'k"e\\y0123', ["x", None, 1.5]])
def test_every_text_of_a_value_is_redacted_and_nothing_else(value: Any) -> None:
    expected = json.loads(json.dumps(value).replace(json.dumps('k"e\\y0123')[1:-1], "[key]"))
    assert Redaction(['k"e\\y0123']).value(value) == expected
    assert Redaction([]).value(value) == value
