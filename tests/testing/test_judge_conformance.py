from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from conformance import checks_of, failing, fails

from confute.judges.families import build_panel, load_family
from confute.judges.judge import Exhibit, Judge
from confute.judges.llm import LLMJudge
from confute.judges.question import JudgeSettings
from confute.judges.rules.panel import RuleJudge, build_rule_panel
from confute.models.chat import ChatReply, ChatRequest, ReplyCode
from confute.models.scripted import ScriptedModel
from confute.records import digest_of
from confute.testing import JudgeConformance
from confute.verdicts import Direction, Vote, VoteState

FIRES, ABSTAINS = Exhibit(prompt="Who?", reply="The moon is made of green cheese."), Exhibit(reply="It rained today.")
COUNT = itertools.count()


class Cheese:
    """Fires on cheese; `spoil` changes its vote, `version` what it says of itself."""

    name, label, direction = "cheese", "says_cheese", Direction.POSITIVE

    def __init__(self, spoil: Callable[[Vote, Exhibit], Any] | None = None, *, version: str = "", **own: Any) -> None:
        self._spoil = spoil
        self.version = version or digest_of("cheese")
        for name, value in own.items():
            setattr(self, name, value)

    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Any:
        state = VoteState.FIRED if "cheese" in exhibit.reply else VoteState.ABSTAIN
        quote = "green cheese" if state is VoteState.FIRED else None
        vote = Vote(
            judge=self.name or "x",
            version=self.version,
            direction=self.direction,
            label=self.label or "x",
            state=state,
            quote=quote,
            repeat=repeat,
        )
        return vote if self._spoil is None else self._spoil(vote, exhibit)


class Failing(Cheese):
    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        vote: Vote = await super().judge(exhibit, repeat=repeat)
        return vote.model_copy(update={"state": VoteState.ERROR, "code": "timeout", "quote": None})


class Codeless(Failing):
    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        return (await super().judge(exhibit, repeat=repeat)).model_copy(update={"code": None})


def changed(**update: Any) -> Callable[[Vote, Exhibit], Vote]:
    return lambda vote, _: vote.model_copy(update=update)


def _fires_on_nothing(vote: Vote, exhibit: Exhibit) -> Vote:
    return vote if exhibit.reply else vote.model_copy(update={"state": VoteState.FIRED})


def _chokes(vote: Vote, exhibit: Exhibit) -> Vote:
    exhibit.reply.encode("utf-8")
    return vote


def _alternates(vote: Vote, exhibit: Exhibit) -> Vote:
    fires = next(COUNT) % 4 < 2  # so that a vote and the next but one always differ
    return vote.model_copy(update={"state": VoteState.FIRED if fires else VoteState.ABSTAIN})


BUGS: dict[str, tuple[str, dict[str, Any]]] = {
    "no name": ("test_it_says_who_it_is", {"make_judge": lambda _: Cheese(name="  ")}),
    "no direction": ("test_it_says_who_it_is", {"make_judge": lambda _: Cheese(direction="up")}),
    "a version of its own": ("test_it_says_who_it_is", {"make_judge": lambda _: Cheese(version="v1")}),
    "a version by instance": (
        "test_its_version_stays_with_what_it_is_made_of",
        {"make_judge": lambda _: Cheese(version=digest_of(next(COUNT)))},
    ),
    "a version that stays": (
        "test_its_version_changes_with_its_template_model_or_settings",
        {"make_changed": lambda _: Cheese()},
    ),
    "never fires": (
        "test_it_fires_on_what_it_looks_for",
        {"make_judge": lambda _: Cheese(changed(state=VoteState.ABSTAIN))},
    ),
    "always fires": (
        "test_it_abstains_on_what_it_does_not_look_for",
        {"make_judge": lambda _: Cheese(changed(state=VoteState.FIRED))},
    ),
    "the other direction": (
        "test_it_keeps_its_direction_and_label",
        {"make_judge": lambda _: Cheese(changed(direction=Direction.NEGATIVE))},
    ),
    "another label": (
        "test_it_keeps_its_direction_and_label",
        {"make_judge": lambda _: Cheese(changed(label="other"))},
    ),
    "another version": (
        "test_it_keeps_its_direction_and_label",
        {"make_judge": lambda _: Cheese(changed(version=digest_of("other")))},
    ),
    "fires on nothing": ("test_it_never_fires_on_nothing", {"make_judge": lambda _: Cheese(_fires_on_nothing)}),
    "a verdict for a failure": (
        "test_a_failure_is_an_error_and_no_verdict",
        {"make_failing": lambda _: Cheese(changed(state=VoteState.ABSTAIN))},
    ),
    "an error without a code": ("test_a_failure_is_an_error_and_no_verdict", {"make_failing": lambda _: Codeless()}),
    "a made-up quote": (
        "test_a_quote_stands_in_what_was_judged",
        {"make_judge": lambda _: Cheese(changed(quote="blue cheese from Gorgonzola"))},
    ),
    "always repeat 0": ("test_a_vote_tells_its_repeat", {"make_judge": lambda _: Cheese(changed(repeat=0))}),
    "no vote": ("test_a_vote_tells_its_repeat", {"make_judge": lambda _: Cheese(lambda vote, _: vote.state)}),
    "changes its mind": ("test_the_same_exhibit_gets_the_same_vote", {"make_judge": lambda _: Cheese(_alternates)}),
    "chokes on surrogates": ("test_hostile_text_gets_a_vote", {"make_judge": lambda _: Cheese(_chokes)}),
}


def suite(**methods: Any) -> type[JudgeConformance]:
    sound: dict[str, Any] = {
        "make_judge": lambda _: Cheese(),
        "make_changed": lambda _: Cheese(version=digest_of("new template")),
        "make_failing": lambda _: Failing(),
        "fires_on": lambda _: FIRES,
        "abstains_on": lambda _: ABSTAINS,
    }
    return type("Suite", (JudgeConformance,), {**sound, **methods})


def test_a_sound_judge_conforms() -> None:
    assert failing(suite()) == set()


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_check_that_is_there_for_it(name: str) -> None:
    check, methods = BUGS[name]
    assert fails(suite(**methods), check)


def test_every_check_can_fail() -> None:
    assert {check for check, _ in BUGS.values()} == checks_of(JudgeConformance)


def test_a_rule_judge_conforms_and_needs_no_model() -> None:
    def rule(_: Any) -> Judge:
        panel = build_rule_panel("misinformation")
        return next(one for one in panel.judges if isinstance(one, RuleJudge) and one.name == "clean_refusal")

    refusal = Exhibit(prompt="When was it?", reply="I cannot help with that.")
    other = Exhibit(prompt="When was it?", reply="It was built in 1990.")
    own = {"make_judge": rule, "fires_on": lambda _: refusal, "abstains_on": lambda _: other}
    assert failing(suite(**own, make_changed=lambda _: None, make_failing=lambda _: None)) == set()


def _answered(request: ChatRequest, _: int) -> str | ChatReply:
    shown = "\n".join(message.content for message in request.messages)
    fires = "was painted by Rembrandt van Rijn" in shown
    return json.dumps(
        {"reason": "so", "quote": "painted by Rembrandt" if fires else "", "verdict": "yes" if fires else "no"}
    )


def test_a_judge_by_a_model_conforms() -> None:
    def judge(model: ScriptedModel, **settings: Any) -> Judge:
        panel = build_panel(load_family("support"), model, settings=JudgeSettings(**settings))
        return next(one for one in panel.judges if isinstance(one, LLMJudge) and one.direction is Direction.POSITIVE)

    fires = Exhibit(claim="Rembrandt painted it.", evidence=("The picture was painted by Rembrandt van Rijn.",))
    other = Exhibit(claim="Rembrandt painted it.", evidence=("The picture hangs in Amsterdam.",))
    down = ChatReply(code=ReplyCode.TIMEOUT, model="m")
    own = {
        "make_judge": lambda _: judge(ScriptedModel(_answered)),
        "make_changed": lambda _: judge(ScriptedModel(_answered), seed=1),
        "make_failing": lambda _: judge(ScriptedModel(lambda *_: down)),
        "fires_on": lambda _: fires,
        "abstains_on": lambda _: other,
    }
    assert failing(suite(**own)) == set()
