from __future__ import annotations

import asyncio
from typing import Any

import pytest
from loopback import asking

from confute.errors import ModelError
from confute.models.chat import ChatReply, ReplyCode
from confute.models.scripted import Call, ScriptedModel

BLOCKED = ChatReply(code=ReplyCode.BLOCKED, model="m")


def answered(model: ScriptedModel, text: str = "Is it so?", repeat: int = 0) -> ChatReply:
    return asyncio.run(model.complete(asking(text), repeat=repeat))


def test_a_sequence_is_spent_answer_by_answer() -> None:
    model = ScriptedModel(["Yes.", BLOCKED, ""])
    first, second, third = (answered(model) for _ in range(3))
    assert (first.code, first.text, first.model) == (ReplyCode.OK, "Yes.", "scripted")
    assert second is BLOCKED
    assert (third.code, third.text) == (ReplyCode.EMPTY, None)
    with pytest.raises(ModelError, match="3 answers, and this is request 4"):
        answered(model)


def test_a_mapping_answers_by_the_first_text_that_occurs() -> None:
    model = ScriptedModel({"moon": "Rock.", "sun": "Gas."})
    assert answered(model, "What is the sun, and the moon?").text == "Rock."
    assert answered(model, "What is the sun?").text == "Gas."
    with pytest.raises(ModelError, match="no answer"):
        answered(model, "What is a star?")


def test_a_function_answers_by_request_and_repeat() -> None:
    model = ScriptedModel(lambda request, repeat: f"{request.messages[0].content} {repeat}")
    assert answered(model, "Again?", 3).text == "Again? 3"


def test_every_request_is_kept() -> None:
    model = ScriptedModel(["a", "b"])
    answered(model, "one")
    answered(model, "two", 1)
    assert model.calls == [Call(asking("one"), 0), Call(asking("two"), 1)]


@pytest.mark.parametrize(("other", "same"), [({}, True), ({"name": "other"}, False)])
def test_the_fingerprint_is_of_the_name(other: dict[str, Any], same: bool) -> None:
    assert (ScriptedModel([]).fingerprint == ScriptedModel(["a"], **other).fingerprint) is same
