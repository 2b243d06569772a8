from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from confute.errors import ModelError
from confute.models import local_weights
from confute.models.chat import ChatReply, ChatRequest, Message, ModelSpec, ReplyCode
from confute.models.chat_load import load_chat
from confute.models.local import LocalChat
from confute.models.local_process import LocalProcess, check_loopback

SPEC = ModelSpec(provider="local", model="smollm2", temperature=0.8, max_tokens=24)


def _request(text: str, *, seed: int) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", content=text),), seed=seed)


def _ask(model: LocalChat, *requests: ChatRequest) -> list[ChatReply]:
    async def all_at_once() -> list[ChatReply]:
        return list(await asyncio.gather(*(model.complete(request) for request in requests)))

    return asyncio.run(all_at_once())


@pytest.fixture(scope="module")
def model() -> Iterator[LocalChat]:
    local = LocalChat(SPEC)
    yield local
    local.stop()


def test_the_same_seed_repeats_the_same_text_whatever_was_asked_between(model: LocalChat) -> None:
    asked = _request("Tell me about the sea.", seed=5)
    first, _, again = _ask(model, asked, _request("What is a cat?", seed=6), asked)
    assert first.text
    assert (again.code, again.text) == (first.code, first.text)


def test_another_seed_gives_another_text(model: LocalChat) -> None:
    one, other = _ask(model, *(_request("Tell me about the sea.", seed=seed) for seed in (5, 7)))
    assert one.text != other.text


def test_a_text_cut_at_the_bound_is_truncated_and_its_tokens_are_counted(model: LocalChat) -> None:
    (reply,) = _ask(model, _request("Count from one to one hundred.", seed=1))
    assert reply.code is ReplyCode.TRUNCATED
    assert reply.usage.completion_tokens == SPEC.max_tokens


def test_a_prompt_beyond_the_context_has_its_own_code(model: LocalChat) -> None:
    (reply,) = _ask(model, _request("word " * 6000, seed=1))
    assert reply.code is ReplyCode.CONTEXT_TOO_LONG


def test_a_server_that_was_killed_is_started_anew(model: LocalChat) -> None:
    _ask(model, _request("Hi", seed=1))
    assert model._process is not None
    os.kill(model._process.pid, signal.SIGKILL)
    model._process.wait()
    (reply,) = _ask(model, _request("Hi", seed=1))
    assert reply.code in {ReplyCode.OK, ReplyCode.TRUNCATED}


def _is_gone(url: str) -> bool:
    try:
        httpx2.get(f"{url}/models", timeout=60)
    except httpx2.TransportError:
        return True
    return False


def test_the_server_ends_with_a_parent_that_is_killed() -> None:
    parent = textwrap.dedent(
        """
        import os, signal
        from confute.models.local_process import LocalProcess
        process = LocalProcess()
        print(process.pid, process.base_url, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    _, url = done.stdout.split()
    assert any(_is_gone(url) for _ in range(10_000))


def test_it_serves_any_openai_client_and_stops() -> None:
    with LocalProcess() as process:
        listed = httpx2.get(f"{process.base_url}/models", timeout=60).json()
        assert [one["id"] for one in listed["data"]] == ["smollm2"]
    assert not process.running
    process.stop()


def test_load_chat_gives_the_embedded_model_for_provider_local() -> None:
    assert isinstance(load_chat(SPEC), LocalChat)


def test_the_fingerprint_tells_defaults_apart_and_not_ports() -> None:
    other = SPEC.model_copy(update={"temperature": 0.1})
    assert LocalChat(SPEC).fingerprint == LocalChat(SPEC).fingerprint
    assert LocalChat(SPEC).fingerprint != LocalChat(other).fingerprint


@pytest.mark.parametrize(
    ("change", "field"),
    [({"model": "qwen"}, "model"), ({"base_url": "http://127.0.0.1:1/v1"}, "base_url")],
)
def test_a_specification_that_cannot_be_the_embedded_model_is_refused(change: dict[str, str], field: str) -> None:
    with pytest.raises(ModelError, match=f"^{field}:"):
        LocalChat(SPEC.model_copy(update=change))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", "", "\x00"])
def test_no_address_but_loopback_is_served(host: str) -> None:
    with pytest.raises(ModelError, match="loopback alone"):
        check_loopback(host)


def test_a_port_that_is_taken_is_told() -> None:
    with LocalProcess() as process, pytest.raises(ModelError, match=r"port: cannot be listened on[\s\S]*0 for any"):
        LocalProcess(port=int(process.base_url.split(":")[2].split("/")[0]))


@pytest.mark.parametrize("package", ["PACKAGE", "ENGINE"])
def test_an_absent_package_is_told_with_what_to_install(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_weights, package, "no-such-package-here")
    with pytest.raises(ModelError, match=r"pip install 'confute\[local\]'"):
        LocalChat(SPEC)


def test_altered_weights_are_refused_before_anything_is_served(tmp_path: Path) -> None:
    altered = tmp_path / "altered.gguf"
    altered.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="not the published file"):
        local_weights.check(altered)
    with pytest.raises(ModelError, match="unreadable"):
        local_weights.check(tmp_path / "absent.gguf")
