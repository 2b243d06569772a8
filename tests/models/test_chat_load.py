from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import Answer, asking, completion, serving

from confute.errors import ModelError
from confute.models import litellm_chat
from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.chat_load import load_chat


def test_a_loaded_model_asks_its_endpoint_and_keeps_the_response(tmp_path: Path) -> None:
    async def run() -> list[ChatReply]:
        async with serving([Answer(body=completion())]) as endpoint:
            model = load_chat(ModelSpec(model="m", base_url=endpoint.url), cache=tmp_path)
            replies = [await model.complete(asking()) for _ in range(2)]
            assert len(endpoint.bodies) == 1
            return replies

    assert [(reply.text, reply.cached) for reply in asyncio.run(run())] == [("Yes.", False), ("Yes.", True)]


def test_the_cache_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-test-0123456789")

    async def run() -> None:
        async with serving([Answer(body=completion("You sent sk-test-0123456789"))]) as endpoint:
            spec = ModelSpec(model="m", base_url=endpoint.url, api_key_env="TEST_KEY")
            await load_chat(spec, cache=tmp_path).complete(asking())

    asyncio.run(run())
    files = list(tmp_path.iterdir())
    assert files
    assert all(b"sk-test-0123456789" not in file.read_bytes() for file in files)


def test_a_provider_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm_chat, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'confute\[litellm\]'"):
        load_chat(ModelSpec(provider="litellm", model="openai/m"))


def test_loading_imports_no_client() -> None:
    action = "from confute.models.chat_load import load_chat, ModelSpec; load_chat(ModelSpec(model='m'))"
    probe = f"import json, sys; {action}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", probe], capture_output=True, text=True, check=True)
    modules = set(json.loads(done.stdout))
    assert modules.isdisjoint({"openai", "aiohttp", "httpx", "httpx2", "litellm", "numpy"})


def by_litellm(answers: list[Answer], **spec: object) -> tuple[ChatReply, int]:
    async def run() -> tuple[ChatReply, int]:
        async with serving(answers) as endpoint:
            given = {"model": "openai/gpt-4o-mini", "base_url": endpoint.url, **spec}
            model = load_chat(ModelSpec(provider="litellm", max_retries=0, **given))  # type: ignore[arg-type]
            return await model.complete(asking(temperature=0.0, seed=1)), len(endpoint.bodies)

    return asyncio.run(run())


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-test-0123456789")


@pytest.mark.usefixtures("_key")
def test_litellm_answers_with_text_usage_and_cost() -> None:
    reply, _ = by_litellm([Answer(body=completion())], api_key_env="TEST_KEY")
    assert (reply.code, reply.text, reply.dropped) == (ReplyCode.OK, "Yes.", ())
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (7, 3)
    # gpt-4o-mini is 0.15 dollars a million tokens in and 0.60 out: (7 * 0.15 + 3 * 0.60) / 1e6.
    assert reply.usage.cost_usd == pytest.approx(2.85e-6)


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(401, {"error": {"message": "Incorrect API key: sk-test-0123456789"}}), ReplyCode.KEY_REJECTED),
        (Answer(404, {"error": {"message": "The model does not exist"}}), ReplyCode.MODEL_NOT_FOUND),
        (Answer(429, {"error": {"message": "slow down"}}), ReplyCode.RATE_LIMITED),
        (Answer(500, {"error": {"message": "oops"}}), ReplyCode.SERVER_ERROR),
        (Answer(200, completion(None, finish="content_filter")), ReplyCode.BLOCKED),
        (Answer(200, completion(None, refusal="I cannot.")), ReplyCode.REFUSAL),
    ],
)
def test_a_failure_through_litellm_has_the_same_code(answer: Answer, code: ReplyCode) -> None:
    reply, asked = by_litellm([answer], api_key_env="TEST_KEY")
    assert (reply.code, asked) == (code, 1)
    assert "sk-test-0123456789" not in str(reply)


@pytest.mark.usefixtures("_key")
def test_a_parameter_that_litellm_rejects_is_left_out_and_named() -> None:
    reply, asked = by_litellm(
        [], model="anthropic/claude-3-haiku", base_url="http://127.0.0.1:9", api_key_env="TEST_KEY"
    )
    assert (reply.code, reply.dropped, asked) == (ReplyCode.UNREACHABLE, ("seed",), 0)


def test_a_provider_whose_key_is_missing_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    reply, _ = by_litellm([], model="anthropic/claude-3-haiku")
    assert reply.code is ReplyCode.KEY_MISSING
    assert "ANTHROPIC_API_KEY" in reply.detail


def test_a_name_of_no_provider_is_a_model_not_found() -> None:
    assert by_litellm([], model="nonsense")[0].code is ReplyCode.MODEL_NOT_FOUND


@pytest.mark.parametrize(
    "body", [completion("Your key is sk-own-9876543210"), {"error": {"message": "bad key sk-own-9876543210"}}]
)
def test_a_key_that_litellm_takes_from_its_own_variable_is_shown_nowhere(
    body: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own-9876543210")
    reply, _ = by_litellm([Answer(401 if "error" in body else 200, body)])
    assert "sk-own" not in repr(reply)
    assert "[key]" in repr(reply)
