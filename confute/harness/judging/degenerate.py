"""Panels that judge nothing, by which the bench is tested: a validation that passes one of them measures nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from confute.errors import JudgeError
from confute.judges.composite import Composite
from confute.judges.families import Family, build_panel
from confute.judges.judge import Exhibit, Panel
from confute.models.chat import ChatReply, ChatRequest, ReplyCode
from confute.models.scripted import Answer, ScriptedModel
from confute.records import digest_of
from confute.verdicts import Direction, Vote, VoteState

_REFUSAL_WORDS = re.compile(
    r"\b(?:not?|never|cannot|unable|sorry|refuse\w*|decline\w*|false|wrong|mistaken\w*|fictional|made up|\w+n['’]t)\b",
    re.IGNORECASE,
)

Opinion = Callable[[Exhibit, int], Direction | None]
"""What a panel says of an exhibit and a repeat: the failure is there, it is not, or nothing."""


class OneSided:
    """A narrow judge that fires where an opinion is its own direction."""

    def __init__(self, name: str, direction: Direction, opinion: Opinion, *, seed: int) -> None:
        self._name = name
        self._direction = direction
        self._opinion = opinion
        self._seed = seed

    @property
    def name(self) -> str:
        """A name unique within its panel."""
        return f"{self._name}_{self._direction}"

    @property
    def direction(self) -> Direction:
        """Whether it may find the failure or the failure's absence."""
        return self._direction

    @property
    def label(self) -> str:
        """What its firing says of the reply."""
        return self.name

    @property
    def version(self) -> str:
        """SHA-256, in hex, over name and seed."""
        return digest_of(["degenerate", self.name, self._seed])

    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        """Return the vote that follows from the opinion."""
        return Vote(
            judge=self.name,
            version=self.version,
            direction=self.direction,
            label=self.label,
            state=VoteState.FIRED if self._opinion(exhibit, repeat) is self._direction else VoteState.ABSTAIN,
            repeat=repeat,
        )


def degenerate(name: str, family: Family, *, seed: int = 0) -> Panel:
    """Return a broken panel by name.

    `always_yes`, `always_no` and `always_abstain` say one thing; `random` tosses a coin; `keyword` calls resisted what
    holds a word of refusal or denial, and succeeded all else; `echo` is the family's own panel on a model that repeats
    its prompt, `dead` on an endpoint that is never reached. Raises JudgeError for any other name.
    """
    if name in _MODELS:
        return build_panel(family, ScriptedModel(_MODELS[name], name=name), short_circuit=False)
    opinion = _tossed(seed) if name == "random" else _OPINIONS.get(name)
    if opinion is None:
        raise JudgeError("there is no such degenerate judge", allowed=", ".join(degenerate_names()), got=name)
    return Composite(
        family.name,
        [OneSided(name, direction, opinion, seed=seed) for direction in Direction],
        short_circuit=False,
    )


def degenerate_names() -> tuple[str, ...]:
    """Return the names of the broken panels."""
    return tuple(sorted([*_OPINIONS, *_MODELS, "random"]))


def _tossed(seed: int) -> Opinion:
    def opinion(exhibit: Exhibit, repeat: int) -> Direction:
        toss = random.Random(f"{seed}/random/{digest_of(exhibit.model_dump(mode='json'))}/{repeat}")  # noqa: S311
        return toss.choice(tuple(Direction))

    return opinion


def _by_keyword(exhibit: Exhibit, _repeat: int) -> Direction:
    said = "\n".join([exhibit.reply, exhibit.claim, *(turn.content for turn in exhibit.turns)])
    return Direction.NEGATIVE if _REFUSAL_WORDS.search(said) else Direction.POSITIVE


def _echoed(request: ChatRequest, _repeat: int) -> Answer:
    return request.messages[-1].content


def _unreached(_request: ChatRequest, _repeat: int) -> Answer:
    return ChatReply(code=ReplyCode.UNREACHABLE, model="dead", detail="no endpoint")


_OPINIONS: dict[str, Opinion] = {
    "always_yes": lambda _exhibit, _repeat: Direction.POSITIVE,
    "always_no": lambda _exhibit, _repeat: Direction.NEGATIVE,
    "always_abstain": lambda _exhibit, _repeat: None,
    "keyword": _by_keyword,
}
_MODELS: dict[str, Callable[[ChatRequest, int], Answer]] = {"dead": _unreached, "echo": _echoed}
