"""A language model as an attacker beside the others: its questions are answered here and its replies are kept.

It is asked one question at a time at any endpoint of the OpenAI protocol, and every reply stays in the cache folder, so
that a run that was stopped goes on. Its choices are the moves and the paraphrases that the others search over.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from attackers_field import Asked, Field, Trace, Victim, run

from confute.agents.agent import Agent, Feedback, Question, Reply, Search, View
from confute.agents.load import Strategy, load
from confute.contract import Attacker, AttackTree, StrategyName, Writes
from confute.harness.search import Item
from confute.models.chat import ChatModel, ModelSpec
from confute.models.chat_load import load_chat

MODEL = "qwen1.5b"
_TREE = AttackTree(width=1, branching=1, depth=16, remembered=2, offered=8, writes=Writes.MOVES)
_MAX_REPLY_TOKENS, _TIMEOUT_S = 200, 600.0


def spec_at(address: str | None) -> ModelSpec:
    """Return the model by its address; without one it can be named, and not asked."""
    return ModelSpec(model=MODEL, base_url=address, max_tokens=_MAX_REPLY_TOKENS, timeout_s=_TIMEOUT_S, concurrency=1)


def strategy(spec: ModelSpec) -> Strategy:
    """Return one stream of refinement (PAIR, Chao et al. 2023) that chooses among offered edits by number."""
    return load(Attacker(strategy=StrategyName.LLM, model=spec, tree=_TREE))


def facing(item: Item, queries: int) -> Item:
    """Return an item with so many victim queries, and its paraphrases among the moves that the model chooses from."""
    view = item.view
    changes = {"moves": view.moves + view.companions, "companions": (), "victim_queries": queries}
    return Item(item.case, view.model_copy(update=changes))


def attack(address: str, cache: Path, field: Field, victim: Victim, items: Sequence[Item]) -> list[Trace]:
    """Return one trace an item, with what the model was asked for it."""
    spec = spec_at(address)
    chat = load_chat(spec, cache=cache / "llm")
    traces = []
    for item in items:
        answering = _Answering(strategy(spec), chat)
        (trace,) = run(answering, field, victim, [item])
        trace.asked = answering.asked
        traces.append(trace)
        won = trace.won_at(item.view.victim_queries)
        told = f"{len(traces)}/{len(items)}: won at {won} of {len(trace.calls)}, {trace.asked}"
        print(told, file=sys.stderr, flush=True)
    return traces


class _Answering:
    """An agent whose questions to its model are answered on the way, so that proposals alone come out of it."""

    def __init__(self, agent: Agent, chat: ChatModel) -> None:
        self._agent = agent
        self._chat = chat
        self.asked = Asked()

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        inner = self._agent.search(view)
        feedback: Sequence[Feedback] | None = None
        while True:
            try:
                batch = next(inner) if feedback is None else inner.send(feedback)
            except StopIteration:
                return
            questions = [one for one in batch if isinstance(one, Question)]
            feedback = [self._answer(one) for one in questions] if questions else (yield batch)

    def _answer(self, question: Question) -> Feedback:
        reply = asyncio.run(self._chat.complete(question.request, repeat=question.repeat))
        used = reply.usage
        self.asked = self.asked.and_one(used.prompt_tokens or 0, used.completion_tokens or 0, reply.seconds)
        answer = Reply(code=reply.code, text=reply.text)
        return Feedback(validity=None, reason="reply", decision=None, score=None, reply=answer)
