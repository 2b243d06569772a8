"""The one place where an attacker's own model is asked: paid for beforehand, many questions at once, all kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from confute.agents.agent import Question, Reply
from confute.contract import Budgets, RunBudgets
from confute.errors import ModelError
from confute.harness.judging.asking import run_to_end
from confute.harness.meter import Meter, Resource
from confute.harness.prices import Use, most, used
from confute.harness.replies import GO_ON, Exchange, ReplyKey, ReplyLedger, digest_of_request, known_reply
from confute.models.chat import ChatModel, ChatReply, ModelSpec, ReplyCode
from confute.records import Arm

_STOPS_THE_RUN = {
    ReplyCode.KEY_MISSING: "set the variable that api_key_env names",
    ReplyCode.KEY_REJECTED: "check the key",
    ReplyCode.MODEL_NOT_FOUND: "check the model's name",
    ReplyCode.UNREACHABLE: "start the endpoint, or check base_url",
}


class Asked(NamedTuple):
    """A question of one search, and the meter that pays for it."""

    key: ReplyKey
    question: Question
    meter: Meter


@dataclass(frozen=True)
class _Granted:
    asked: Asked
    bound: Use


class Totals(NamedTuple):
    """The meters of what all searches of a run spend together: those with feedback, and those without."""

    search: Meter
    no_feedback: Meter

    def of(self, arm: Arm) -> Meter:
        """Return the meter that an arm spends from."""
        return self.no_feedback if arm is Arm.NO_FEEDBACK else self.search


def run_meter(total: RunBudgets | None) -> Meter:
    """Return the meter of what all searches of a run spend together."""
    return _meter((total or RunBudgets()).model_dump())


def half_meters(total: RunBudgets | None) -> Totals:
    """Return one meter for the searches and one for those without feedback, each with half of what a run may spend.

    So neither uses up what the other is compared on; of an odd limit the searches have one unit more.
    """
    limits = (total or RunBudgets()).model_dump()
    given = {name: limit for name, limit in limits.items() if limit is not None}
    control = {name: limit / 2 if name == "money_usd" else limit // 2 for name, limit in given.items()}
    return Totals(_meter(limits | {name: limits[name] - half for name, half in control.items()}), _meter(control))


def _meter(limits: Mapping[str, int | float | None]) -> Meter:
    return Meter(Budgets().model_copy(update=dict(limits)))


class AttackerModel:
    """Asks a model for the searches of a run.

    Each call is paid at its upper bound before it is made, from the search's meter and from the run's, and settled
    when the reply tells what it used: no limit can be passed, also where many calls run at once. An endpoint that
    bills more than the bound is paid up to the limit, and nothing more is asked of it. A question that does
    not fit beside the others of its round waits for them, and is refused once it fits beside none.
    """

    def __init__(
        self,
        model: ChatModel,
        spec: ModelSpec,
        ledger: ReplyLedger,
        total: Meter | Totals,
        *,
        how_to_go_on: str = GO_ON,
    ) -> None:
        self._model = model
        self._how_to_go_on = how_to_go_on
        self._spec = spec
        self._ledger = ledger
        self._totals = Totals(total, total) if isinstance(total, Meter) else total

    def answer(self, asked: Sequence[Asked]) -> list[Reply]:
        """Return one reply a question, in order: BUDGET_SPENT where a budget refused it.

        Raises ModelError where the model cannot be asked at all; what was answered is kept.
        """
        replies: dict[int, Reply] = {}
        waiting = dict(enumerate(asked))
        while waiting:
            granted = {place: grant for place, one in waiting.items() if (grant := self._grant(one)) is not None}
            if not granted:
                break
            answered = run_to_end(self._all(list(granted.values())))
            self._settle(list(zip(granted.values(), answered, strict=True)))
            for place, reply in zip(granted, answered, strict=True):
                replies[place] = Reply(code=reply.code, text=reply.text)
            waiting = {place: one for place, one in waiting.items() if place not in granted}
            for one in waiting.values():
                one.meter.forget_refusal()
        return [replies.get(place, Reply(code=ReplyCode.BUDGET_SPENT)) for place in range(len(asked))]

    def _grant(self, one: Asked) -> _Granted | None:
        bound = most(one.question.request, self._spec)
        amounts: dict[Resource, int] = {"attacker_calls": 1, "attacker_tokens": bound.tokens}
        if not one.meter.try_spend_together(amounts, bound.dollars):
            return None
        if not self._totals.of(one.key.arm).try_spend_together(amounts, bound.dollars):
            one.meter.give_back("attacker_calls", 1)
            one.meter.give_back("attacker_tokens", bound.tokens, bound.dollars)
            return None
        return _Granted(one, bound)

    def _settle(self, answered: Sequence[tuple[_Granted, ChatReply]]) -> None:
        """Settle a round: all that was not used is given back before what went over its bound is taken."""
        for grant, reply in answered:
            left = _difference(grant.bound, used(reply, self._spec, grant.bound))
            for meter in self._meters(grant):
                meter.give_back("attacker_tokens", left.tokens, left.dollars)
        for grant, reply in answered:
            over = _difference(used(reply, self._spec, grant.bound), grant.bound)
            for meter in self._meters(grant):
                meter.take("attacker_tokens", over.tokens)
                meter.take_money(over.dollars)

    def _meters(self, grant: _Granted) -> tuple[Meter, Meter]:
        return grant.asked.meter, self._totals.of(grant.asked.key.arm)

    async def _all(self, granted: Sequence[_Granted]) -> list[ChatReply]:
        tasks = [asyncio.ensure_future(self._one(grant.asked)) for grant in granted]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _one(self, one: Asked) -> ChatReply:
        request, repeat = one.question.request, one.question.repeat
        digest = digest_of_request(request, repeat)
        known = known_reply(self._ledger, one.key, digest)
        if known is not None:
            return known
        reply = await self._model.complete(request, repeat=repeat)
        if reply.code in _STOPS_THE_RUN:
            raise ModelError(
                f"the attacker's model cannot be asked ({reply.code}): {reply.detail or 'no detail'}",
                field="attacker.model",
                got=self._spec.model,
                hint=f"{_STOPS_THE_RUN[reply.code]}, then {self._how_to_go_on}",
            )
        self._ledger.append(Exchange(**one.key._asdict(), repeat=repeat, digest=digest, request=request, reply=reply))
        return reply


def _difference(one: Use, other: Use) -> Use:
    """Return what one use has more than another, nothing where it has less."""
    return Use(max(0, one.tokens - other.tokens), max(Fraction(0), one.dollars - other.dollars))
