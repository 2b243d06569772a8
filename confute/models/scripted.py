"""A chat model whose answers are written down beforehand, for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from confute.errors import ModelError
from confute.models.chat import ChatReply, ChatRequest, ReplyCode
from confute.records import digest_of

Answer = str | ChatReply
Script = Sequence[Answer] | Mapping[str, Answer] | Callable[[ChatRequest, int], Answer]


class Call(NamedTuple):
    """What a scripted model was asked, and for which repeat."""

    request: ChatRequest
    repeat: int


class ScriptedModel:
    """Answers by a script and keeps every request in `calls`.

    The script is a sequence, spent answer by answer; a mapping from a text to the answer for the first one that occurs
    in the messages; or a function of the request and its repeat. An answer is a text (OK, or EMPTY where it is blank)
    or a whole reply. Raises ModelError where the script has no answer.
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self.calls: list[Call] = []
        self._script = script
        self._name = name

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the name."""
        return digest_of(["scripted", self._name])

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the answer of the script."""
        self.calls.append(Call(request, repeat))
        answer = self._answer(request, repeat)
        if isinstance(answer, ChatReply):
            return answer
        if not answer.strip():
            return ChatReply(code=ReplyCode.EMPTY, model=self._name)
        return ChatReply(code=ReplyCode.OK, model=self._name, text=answer, finish_reason="stop")

    def _answer(self, request: ChatRequest, repeat: int) -> Answer:
        if callable(self._script):
            return self._script(request, repeat)
        if isinstance(self._script, Mapping):
            asked = "\n".join(message.content for message in request.messages)
            for text, answer in self._script.items():
                if text in asked:
                    return answer
            raise ModelError("the script has no answer to these messages", allowed=str(list(self._script)), got=asked)
        if len(self.calls) > len(self._script):
            raise ModelError(f"the script has {len(self._script)} answers, and this is request {len(self.calls)}")
        return self._script[len(self.calls) - 1]
