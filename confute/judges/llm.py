"""A narrow judge by a language model: one question, one template, one vote."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from confute.judges.clamp import BUDGET_SPENT, UNVERIFIED_QUOTE, abstained, within_sight
from confute.judges.contained import Interrupted
from confute.judges.domain import Code
from confute.judges.exhibits import Shown, has_content, parts_of, texts_of, titles_of
from confute.judges.fence import Fenced, fenced, visible
from confute.judges.forms import Verdicts, json_schema
from confute.judges.judge import Exhibit
from confute.judges.parse import Parsed, parse
from confute.judges.question import JudgeSettings, Question
from confute.judges.quote import quoted
from confute.models.chat import ChatModel, ChatReply, ChatRequest, Message, ReplyCode
from confute.prompts.render import Template
from confute.records import digest_of
from confute.verdicts import Direction, Spent, Vote, VoteState, total

EMPTY_REPLY = "empty_reply"
EMPTY_EXHIBIT = "empty_exhibit"
_RULES = "llm-judge-1"
AGAIN = "parts/again"
"""The template by which a malformed answer is asked for once more."""

_TURNS = frozenset({"turns", "own_turns"})
ATTEMPTS = 2
"""Calls of a model for one vote: a malformed answer is asked for once more."""
_MAX_DETAIL = 500
_CODES = {
    ReplyCode.REFUSAL: "judge_refused",
    ReplyCode.BLOCKED: "judge_blocked",
    ReplyCode.BLOCKED_PARTIAL: "judge_blocked",
    ReplyCode.EMPTY: "judge_empty",
    ReplyCode.TOOL_CALL: "judge_tool_call",
}
"""Names that must not be taken for something that the judged reply did; every other code keeps its own."""


class LLMJudge:
    """Asks a model one question on an exhibit, and votes by what the one parser reads in the answer.

    `spend` is asked before each call of the model, and refuses it by returning False.
    """

    def __init__(
        self,
        question: Question,
        template: Template,
        model: ChatModel,
        *,
        settings: JudgeSettings | None = None,
        spend: Callable[[], bool] | None = None,
    ) -> None:
        self._question = question
        self._template = template
        self._again = Template(AGAIN)
        self._model = model
        self._settings = settings or JudgeSettings()
        self._options = _ordered(question.answer.options, self._settings.swapped)
        self._spend = spend
        settled = [question.model_dump(mode="json"), self._settings.model_dump(mode="json")]
        self._version = digest_of([_RULES, template.fingerprint, self._again.fingerprint, model.fingerprint, settled])

    @property
    def name(self) -> str:
        """A name unique within its family."""
        return self._question.name

    @property
    def direction(self) -> Direction:
        """Whether it may find the failure or the failure's absence."""
        return self._question.direction

    @property
    def label(self) -> str:
        """What its firing says of the reply."""
        return self._question.label

    @property
    def version(self) -> str:
        """SHA-256, in hex, over question, templates, order of options, model and settings."""
        return self._version

    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        """Return the vote on an exhibit; a malformed answer is asked for once more, and every failure is an ERROR.

        Where there is nothing to judge no model is asked, and the code is `empty_reply` or `empty_exhibit`.
        """
        question, form = self._question, self._question.answer
        missing = [one for one in question.needs if not _filled(exhibit, (one,))]
        if not _filled(exhibit, question.quotes) or missing:
            code = EMPTY_REPLY if "reply" in question.quotes and not missing else EMPTY_EXHIBIT
            return self._vote(repeat, code=code, reason=f"the exhibit has no {', '.join(missing or question.quotes)}")
        count = len(getattr(exhibit, form.each)) if isinstance(form, Verdicts) else None
        if count == 0:
            return self._vote(repeat, code=EMPTY_EXHIBIT, reason="there is nothing to give verdicts on")
        shown = fenced(parts_of(exhibit, question.shows), seed=self._settings.seed, limit=self._settings.max_characters)
        return await self._asked(exhibit, shown, count, repeat)

    async def _asked(self, exhibit: Exhibit, shown: Fenced, count: int | None, repeat: int) -> Vote:
        first = prompt = self._prompt(exhibit, shown, count)
        vote = self._vote(repeat)
        for _ in range(ATTEMPTS):
            if self._spend is not None and not self._spend():
                return vote if vote.code else _changed(vote, code=BUDGET_SPENT, reason="the budget of calls is spent")
            try:
                reply = await self._model.complete(self._request(prompt, repeat), repeat=repeat)
            except asyncio.CancelledError as error:
                raise Interrupted(total([vote.spent, Spent(calls=1)])) from error
            parsed = self._read(reply, count)
            vote = _heard(vote, reply)
            vote = self._concluded(vote, parsed, exhibit, shown) if parsed else _failed(vote, reply)
            if parsed is None or parsed.code is None or not parsed.code.malformed:
                break
            again = self._again.render({"code": parsed.code.value, "options": self._options})
            prompt = f"{first}\n\n{again}"
        return vote

    def _prompt(self, exhibit: Exhibit, shown: Fenced, count: int | None) -> str:
        return self._template.render(
            {
                "exhibit": shown.text,
                "nonce": shown.nonce,
                "source": titles_of(self._question.quotes),
                "options": self._options,
                "swapped": self._settings.swapped,
                "key": self._question.answer.key,
                "count": count or 0,
                "turns": bool(_TURNS.intersection(self._question.shows) and exhibit.turns),
            }
        )

    def _request(self, prompt: str, repeat: int) -> ChatRequest:
        schema = json_schema(self._question.answer, self._options) if self._settings.structured else None
        return ChatRequest(
            messages=(Message(role="user", content=prompt),),
            temperature=self._settings.temperature,
            seed=self._settings.seed + repeat,
            max_tokens=self._settings.max_tokens,
            json_schema=schema,
        )

    def _read(self, reply: ChatReply, count: int | None) -> Parsed | None:
        """What the answer says; `None` where the endpoint gave none that could be read."""
        if reply.code not in {ReplyCode.OK, ReplyCode.TRUNCATED} or reply.text is None:
            return None
        truncated = reply.code is ReplyCode.TRUNCATED
        return parse(reply.text, self._question.answer, count=count, truncated=truncated)

    def _concluded(self, vote: Vote, parsed: Parsed, exhibit: Exhibit, shown: Fenced) -> Vote:
        vote = _changed(vote, reason=parsed.reason, quote=parsed.quote, code=parsed.code and parsed.code.value)
        if parsed.code not in {None, Code.CANNOT_TELL}:
            return vote
        if parsed.code is None and self._question.answer.fires(parsed.value):
            vote = _changed(vote, state=VoteState.FIRED)
        else:
            vote = _changed(vote, state=VoteState.ABSTAIN)
        return self._checked(vote, exhibit, shown)

    def _checked(self, vote: Vote, exhibit: Exhibit, shown: Fenced) -> Vote:
        """A vote held against the text: the quote of one that fired stands in it, absence needs all of it."""
        judged = parts_of(exhibit, self._question.quotes)
        if vote.state is VoteState.FIRED and not quoted(vote.quote or "", tuple(part.text for part in judged)):
            return abstained(vote, UNVERIFIED_QUOTE)
        return within_sight(vote, exhibit, shortened=bool(shown.cut))

    def _vote(self, repeat: int, *, code: str | None = None, reason: str = "") -> Vote:
        return Vote(
            judge=self.name,
            version=self.version,
            direction=self.direction,
            label=self.label,
            state=VoteState.ERROR,
            code=code,
            reason=reason,
            repeat=repeat,
        )


def _filled(exhibit: Exhibit, fields: tuple[Shown, ...]) -> bool:
    return any(has_content(text) for text in texts_of(exhibit, fields))


def _heard(vote: Vote, reply: ChatReply) -> Vote:
    dropped = tuple(sorted({*vote.dropped, *reply.dropped}))
    return _changed(vote, spent=_added(vote.spent, reply), raw=visible(reply.text or "") or None, dropped=dropped)


def _failed(vote: Vote, reply: ChatReply) -> Vote:
    code = _CODES.get(reply.code, reply.code.value) if reply.code is not ReplyCode.OK else Code.JUDGE_EMPTY.value
    return _changed(vote, code=code, reason=visible(reply.detail or reply.text or "")[:_MAX_DETAIL])


def _added(spent: Spent, reply: ChatReply) -> Spent:
    usage = reply.usage
    more = Spent(
        calls=not reply.cached,
        cached=reply.cached,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost_usd=usage.cost_usd,
        seconds=reply.seconds,
    )
    return total([spent, more])


def _changed(vote: Vote, **changes: Any) -> Vote:
    return vote.model_copy(update=changes)


def _ordered(options: tuple[str, ...], swapped: bool) -> tuple[str, ...]:
    """The options with the order of all but the last one, which is that the judge cannot tell, turned."""
    return (*reversed(options[:-1]), *options[-1:]) if swapped else options
