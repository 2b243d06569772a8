"""What the attack on a probe waits for: it is a generator, so that the probes of a run go on side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from confute.agents.agent import Reply
from confute.harness.attacker_model import Asked, AttackerModel
from confute.harness.judging.asking import run_to_end, together
from confute.harness.persona.attack.replays import Counts, Doubt, Replay, Replayer
from confute.verdicts import Verdict

T = TypeVar("T")


class Asking(NamedTuple):
    """Questions to the attacker's model."""

    asked: tuple[Asked, ...]


Work = Generator[Replay | Asking | Doubt, Any, T]
"""Yields what is to be done and is sent Counts, Replies or a Verdict."""


def replayed(replay: Replay) -> Work[Counts]:
    """Have a conversation replayed."""
    counts = yield replay
    assert isinstance(counts, Counts)
    return counts


def answered(asked: Sequence[Asked]) -> Work[Sequence[Reply]]:
    """Have the attacker's model answer."""
    replies: Sequence[Reply] = yield Asking(tuple(asked))
    return replies


def settled(doubt: Doubt) -> Work[Verdict]:
    """Have judges settle a doubt."""
    verdict = yield doubt
    assert isinstance(verdict, Verdict)
    return verdict


def carry_out(
    works: Mapping[str, Work[T]],
    replayer: Replayer,
    model: AttackerModel | None,
    advanced: Callable[[int], None],
) -> dict[str, T]:
    """Carry all works to their ends, a round at a time: what all of them wait for is done at once."""
    results: dict[str, T] = {}
    waiting: dict[str, Replay | Asking | Doubt] = {}

    def send(name: str, value: object) -> None:
        try:
            waiting[name] = works[name].send(value)
        except StopIteration as stop:
            results[name] = stop.value
            advanced(1)

    for name in works:
        send(name, None)
    while waiting:
        wanted, waiting = waiting, {}
        for name, value in {**_asked(wanted, model), **run_to_end(_done(wanted, replayer))}.items():
            send(name, value)
    return {name: results[name] for name in works}


def _asked(wanted: Mapping[str, Replay | Asking | Doubt], model: AttackerModel | None) -> dict[str, object]:
    asking = {name: one.asked for name, one in wanted.items() if isinstance(one, Asking)}
    if model is None or not asking:
        return {}
    replies = iter(model.answer([one for asked in asking.values() for one in asked]))
    return {name: [next(replies) for _ in asked] for name, asked in asking.items()}


async def _done(wanted: Mapping[str, Replay | Asking | Doubt], replayer: Replayer) -> dict[str, object]:
    replays = {name: one for name, one in wanted.items() if isinstance(one, Replay)}
    doubts = {name: one for name, one in wanted.items() if isinstance(one, Doubt)}
    counts = await replayer.all(list(replays.values()))
    verdicts = await together(replayer.settled(one) for one in doubts.values())
    return {**dict(zip(replays, counts, strict=True)), **dict(zip(doubts, verdicts, strict=True))}
