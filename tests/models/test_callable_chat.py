"""A persona that is a Python function of the user's own."""

import asyncio
import sys
import threading

import pytest

from confute.errors import ModelError
from confute.harness.authorization import address_of
from confute.models.callable_chat import CallableChat
from confute.models.chat import ChatRequest, Message, ModelSpec, ReplyCode
from confute.models.chat_load import load_chat

SOURCE = """
def echo(messages, seed):
    return f"{messages[-1]['role']}:{messages[-1]['content']}:{seed}"
def breaks(messages, seed):
    raise SystemError("no")
def numbers(messages, seed):
    return 7
def blank(messages, seed):
    return " "
def leaves(messages, seed):
    raise SystemExit(0)
def interrupts(messages, seed):
    raise KeyboardInterrupt
def closes(messages, seed):
    raise GeneratorExit
class Speechless(BaseException):
    def __str__(self):
        raise ValueError
def speechless(messages, seed):
    raise Speechless
import threading
released = threading.Event()
def waits(messages, seed):
    released.wait(60)
    return "late"
value = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "own_persona_module.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "own_persona_module"
    sys.modules.pop("own_persona_module", None)


def spec(name):
    return ModelSpec(provider="python", model=name)


def asked(name, seed=None):
    request = ChatRequest(messages=(Message(role="user", content="Hi"),), seed=seed)
    return asyncio.run(load_chat(spec(name)).complete(request))


def test_the_function_gets_the_messages_and_the_seed(module):
    assert asked(f"{module}:echo", 5).text == "user:Hi:5"
    assert asked(f"{module}:echo").text == "user:Hi:0"


def test_what_it_raises_and_what_is_no_text_is_a_failed_reply(module):
    broken, number, blank = (asked(f"{module}:{name}") for name in ("breaks", "numbers", "blank"))
    assert (broken.code, broken.detail) == (ReplyCode.SERVER_ERROR, "SystemError: no")
    assert (number.code, number.detail) == (ReplyCode.SERVER_ERROR, "returned int, and no text")
    assert blank.code is ReplyCode.EMPTY


@pytest.mark.parametrize(
    "name", ["plain", "no_such_module_here:f", "own_persona_module:none", "own_persona_module:value"]
)
def test_what_is_no_function_is_told_with_what_to_give(module, name):
    with pytest.raises(ModelError, match="module:attribute"):
        CallableChat(spec(name))


def test_it_has_no_address_and_is_known_by_its_source(module, tmp_path):
    assert address_of(spec(f"{module}:echo")) is None
    with pytest.raises(ModelError, match="no address"):
        CallableChat(spec(f"{module}:echo").model_copy(update={"base_url": "http://x"}))
    before = CallableChat(spec(f"{module}:echo")).fingerprint
    (tmp_path / "own_persona_module.py").write_text(SOURCE + "\n# changed\n")
    assert CallableChat(spec(f"{module}:echo")).fingerprint != before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leaves", "SystemExit: 0"),
        ("interrupts", "KeyboardInterrupt: "),
        ("closes", "GeneratorExit: "),
        ("speechless", "Speechless"),
    ],
)
def test_an_exit_or_an_interrupt_of_the_function_ends_no_run(module, name, words):
    reply = asked(f"{module}:{name}")
    assert (reply.code, reply.detail) == (ReplyCode.SERVER_ERROR, words)


def test_a_function_that_does_not_answer_in_time_is_a_reply_and_the_next_is_asked(module):
    async def both():
        request = ChatRequest(messages=(Message(role="user", content="Hi"),))
        late = CallableChat(spec(f"{module}:waits").model_copy(update={"timeout_s": 0.01}))
        return await late.complete(request), await CallableChat(spec(f"{module}:echo")).complete(request)

    late, prompt = asyncio.run(both())
    sys.modules[module].released.set()
    assert (late.code, late.detail) == (ReplyCode.TIMEOUT, "no reply within 0.01 s")
    assert prompt.text == "user:Hi:0"


def test_calls_that_are_made_at_once_reach_the_function_one_at_a_time(module):
    inside, most = [], []

    def counts(messages, seed):
        inside.append(seed)
        threading.Event().wait(0.002)  # lets every other thread on, were there one
        most.append(len(inside))
        inside.remove(seed)
        return str(seed)

    sys.modules.pop(module, None)
    model = CallableChat(spec(f"{module}:echo"))
    sys.modules[module].echo = counts
    counting = CallableChat(spec(f"{module}:echo"))

    async def many():
        requests = [ChatRequest(messages=(Message(role="user", content="Hi"),), seed=seed) for seed in range(20)]
        return await asyncio.gather(*(counting.complete(request) for request in requests))

    assert [reply.text for reply in asyncio.run(many())] == [str(seed) for seed in range(20)]
    assert max(most) == 1
    assert asyncio.run(model.complete(ChatRequest(messages=(Message(role="user", content="Hi"),)))).text == "user:Hi:0"
