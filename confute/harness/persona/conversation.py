"""One run of a probe: the persona is asked turn by turn, its tool calls are answered, and everything is kept."""

from __future__ import annotations

from typing import NamedTuple

from confute.harness.persona.probes import Asked
from confute.harness.persona.transcript import WHOLE, Transcript
from confute.judges.judge import Turn
from confute.models.chat import ChatModel, ChatReply, ChatRequest, Message, ReplyCode, Usage
from confute.victims.persona import Persona

MOST_TOOL_STEPS = 4
"""Calls in a row that a persona may make in one turn; more is a failure with the code `tool_call`."""


class Run(NamedTuple):
    """Which run of a probe: `number` tells it from every other one, in the seed and in every cache."""

    repeat: int
    attempt: int
    number: int


async def converse(model: ChatModel, persona: Persona, probe: Asked, run: Run, *, seed: int) -> Transcript:
    """Ask a persona a probe's turns, and return what was said; it ends at the first reply that is a failure.

    Run number i is asked with seed + i. A tool is answered by its declared result, in a message of its own role.
    """
    talk = _Talk(model, persona, run.number, seed + run.number)
    for turn in probe.turns:
        talk.hear("user", turn)
        if (await talk.answer()).code not in WHOLE:
            break
    return Transcript(
        probe_id=probe.id,
        repeat=run.repeat,
        attempt=run.attempt,
        turns=tuple(talk.turns),
        code=talk.last.code,
        detail=talk.last.detail,
        model=talk.last.model,
        usage=tuple(talk.usage),
        seconds=talk.seconds,
    )


class _Talk:
    def __init__(self, model: ChatModel, persona: Persona, index: int, seed: int) -> None:
        self.turns: list[Turn] = []
        self.usage: list[Usage] = []
        self.seconds = 0.0
        self.last = ChatReply(code=ReplyCode.EMPTY, model=persona.model.model)
        self._messages = [Message(role="system", content=persona.system_prompt)]
        self._model, self._persona, self._index, self._seed = model, persona, index, seed

    def hear(self, role: str, text: str) -> None:
        """Add what a user says."""
        self.turns.append(Turn.model_validate({"role": role, "content": text}))
        self._messages.append(Message(role="user", content=text))

    async def answer(self) -> ChatReply:
        """Return the persona's reply to what it was told, after the tools that it calls."""
        for _ in range(MOST_TOOL_STEPS + 1):
            reply = await self._ask()
            if reply.text:
                self.turns.append(Turn(role="assistant", content=reply.text))
            if reply.code is not ReplyCode.TOOL_CALL or not self._persona.tools:
                break
            self._call(reply)
        else:
            self.last = self.last.model_copy(update={"detail": f"more than {MOST_TOOL_STEPS} tool calls in a row"})
            return self.last
        self._messages.append(Message(role="assistant", content=reply.text or ""))
        return reply

    async def _ask(self) -> ChatReply:
        tools = tuple(tool.declaration for tool in self._persona.tools)
        request = ChatRequest(messages=tuple(self._messages), seed=self._seed, tools=tools)
        self.last = await self._model.complete(request, repeat=self._index)
        self.usage.append(self.last.usage)
        self.seconds += self.last.seconds
        return self.last

    def _call(self, reply: ChatReply) -> None:
        calls = [
            call if call.id else call.model_copy(update={"id": f"call_{len(self._messages)}_{number}"})
            for number, call in enumerate(reply.tool_calls)
        ]
        self._messages.append(Message(role="assistant", content=reply.text or "", tool_calls=tuple(calls)))
        for call in calls:
            result = self._persona.result_of(call.name)
            self.turns.append(Turn(role="tool_call", content=call.arguments, tool=call.name))
            self.turns.append(Turn(role="tool_result", content=result, tool=call.name))
            self._messages.append(Message(role="tool", content=result, tool_call_id=call.id))
