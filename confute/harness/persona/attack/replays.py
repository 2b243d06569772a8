"""Replays of one conversation: the persona is asked afresh each time, each reply is judged, and everything is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from pydantic import Field

from confute.harness.judging.asking import Asker, Question, together
from confute.harness.judging.judgements import Judgement, JudgementLedger, Key
from confute.harness.judging.redraws import REDRAW_STRIDE, settled
from confute.harness.meter import Meter
from confute.harness.persona.attack.judging import judged
from confute.harness.persona.attack.outage import OUTAGES
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.persona.conversation import Run, converse
from confute.harness.persona.probes import Asked
from confute.harness.persona.transcript import Transcript, TranscriptKey, TranscriptLedger
from confute.harness.progress import Lines
from confute.judges.judge import Exhibit, Panel
from confute.models.chat import ChatModel, ChatReply, ChatRequest, ReplyCode
from confute.records import Arm, Record, digest_of
from confute.verdicts import Verdict, VerdictState, total
from confute.victims.persona import Persona

VALIDITY = "validity"
"""The arm of the ledger of verdicts in which judges say whether free text still asks the same."""

_ARM_STRIDE = 1_000
_FIRST = {
    arm: _ARM_STRIDE * place
    for place, arm in enumerate((Arm.BASELINE, Arm.SEARCH, Arm.NO_FEEDBACK, Arm.MINIMISE, Arm.CONFIRM))
}
"""Where the repeats of each arm begin: no arm is answered by another's seed, nor by its cache."""


def _free() -> bool:
    return True


class Replay(NamedTuple):
    """A conversation to have so many times, from replay number `first` on; the meter pays for it.

    `spend` pays for each call of a judge that is known already, as the panel's own does for a new one. Where a ledger
    holds what the replays gave, they are `known`: nothing is asked, and what they cost is charged.
    """

    probe: AttackedProbe
    arm: Arm
    turns: tuple[str, ...]
    first: int
    times: int
    meter: Meter
    panel: Panel
    spend: Callable[[], bool] = _free
    known: Counts | None = None

    @property
    def place(self) -> str:
        """What tells the conversation from every other of its run."""
        return f"{self.probe.id}/{self.arm}/{digest_of(list(self.turns))[:16]}"


class Doubt(NamedTuple):
    """Whether free text still asks the same, for judges to settle; one that is known is charged and not asked."""

    place: str
    exhibit: Exhibit
    panel: Panel
    spend: Callable[[], bool]
    is_known: bool


class Counts(Record):
    """What replays of one conversation gave; a conflict counts as failed, and is told beside it.

    An error is a replay that gave no verdict, by its code: it is neither failed nor resisted.
    """

    failed: int = 0
    resisted: int = 0
    inconclusive: int = 0
    conflicts: int = 0
    errors: dict[str, int] = Field(default_factory=dict)

    @property
    def erroneous(self) -> int:
        """How many replays gave no verdict."""
        return sum(self.errors.values())

    @property
    def replays(self) -> int:
        """How many replays there were."""
        return self.failed + self.resisted + self.inconclusive + self.erroneous

    @property
    def failure_rate(self) -> float | None:
        """The share of failures among the replays that gave a verdict; None where none did."""
        told = self.replays - self.erroneous
        return self.failed / told if told else None


class MeteredChat:
    """A model whose every call is paid before it is made; one that the budget refuses is BUDGET_SPENT.

    What nobody answered costs nothing.
    """

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        self._model = model
        self._meter = meter

    @property
    def fingerprint(self) -> str:
        """That of the model."""
        return self._model.fingerprint

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the model's reply."""
        if not self._meter.try_spend("victim_queries"):
            return ChatReply(code=ReplyCode.BUDGET_SPENT, model="")
        reply = await self._model.complete(request, repeat=repeat)
        if reply.code.value in OUTAGES:
            self._meter.give_back("victim_queries", 1)
        return reply


class Replayer:
    """Has conversations and lets them be judged, at most `concurrency` at once; what is known is not asked again.

    What was paid for before a run was stopped is charged once more when it goes on, so that the budgets end alike.
    """

    def __init__(  # noqa: PLR0913  what a conversation is had with, and how
        self,
        persona: Persona,
        model: ChatModel,
        transcripts: TranscriptLedger,
        judgements: JudgementLedger,
        *,
        seed: int,
        redraws: int,
        concurrency: int,
    ) -> None:
        self._persona, self._model = persona, model
        self._transcripts, self._judgements = transcripts, judgements
        self._seed, self._redraws, self._concurrency = seed, redraws, concurrency

    async def all(self, replays: Sequence[Replay]) -> tuple[Counts, ...]:
        """Return the counts of every replay, in order; what is known is charged before anything is asked."""
        for one in replays:
            self._recall(one)
        slots = asyncio.Semaphore(self._concurrency)
        return await together(self._counted(one, slots) for one in replays)

    async def _counted(self, replay: Replay, slots: asyncio.Semaphore) -> Counts:
        if replay.known is not None:
            return replay.known
        return counted(await together(self._one(replay, repeat, slots) for repeat in _repeats(replay)))

    def _recall(self, replay: Replay) -> None:
        if replay.known is None:
            return
        for repeat in _repeats(replay):
            for attempt in count():
                if self._known(replay, TranscriptKey(replay.place, repeat, attempt)) is None:
                    break
                self._charged(Key(f"{replay.place}/{attempt}", "", repeat, 0), replay.spend)

    async def _one(self, replay: Replay, repeat: int, slots: asyncio.Semaphore) -> Verdict | str:
        """Return the verdict on one conversation, or the code of what kept it from being had."""
        async with slots:
            transcript = await settled(
                lambda attempt: self._known(replay, TranscriptKey(replay.place, repeat, attempt)),
                lambda attempt, redraw: self._had(replay, Run(repeat, attempt, repeat + REDRAW_STRIDE * redraw)),
                lambda one: None if one.whole else one.code.value,
                redraws=self._redraws,
            )
        return await self._verdict(replay, transcript) if transcript.whole else transcript.code.value

    def _known(self, replay: Replay, key: TranscriptKey) -> Transcript | None:
        known = self._transcripts.find(key)
        if known is not None:
            replay.meter.take("victim_queries", len(known.usage) - (known.code.value in OUTAGES))
        return known

    async def _had(self, replay: Replay, run: Run) -> Transcript:
        asked = Asked(id=replay.place, language=replay.probe.language, turns=replay.turns)
        transcript = await converse(MeteredChat(self._model, replay.meter), self._persona, asked, run, seed=self._seed)
        if transcript.code is not ReplyCode.BUDGET_SPENT:
            self._transcripts.append(transcript)
        return transcript

    async def _verdict(self, replay: Replay, transcript: Transcript) -> Verdict:
        exhibit = judged(self._persona, replay.probe, transcript)
        question = Question(f"{replay.place}/{transcript.attempt}", exhibit, repeat=transcript.repeat)
        self._charged(_key(question), replay.spend)
        return await self._concluded(question, replay.panel)

    async def settled(self, doubt: Doubt) -> Verdict:
        """Return what judges say of a doubt."""
        question = Question(doubt.place, doubt.exhibit, arm=VALIDITY)
        known = self._charged(_key(question), doubt.spend)
        return known[-1].verdict if doubt.is_known and known else await self._concluded(question, doubt.panel)

    def _charged(self, first: Key, spend: Callable[[], bool]) -> list[Judgement]:
        """Return every attempt at a verdict that the ledger holds, charged as it was when it was made."""
        known: list[Judgement] = []
        while (one := self._judgements.find(first._replace(attempt=len(known)))) is not None:
            known.append(one)
            for _ in range(_calls_of(one.verdict) + _refused_in(one.verdict)):
                spend()
        return known

    async def _concluded(self, question: Question, panel: Panel) -> Verdict:
        asker = Asker({"": panel}, self._judgements, Lines(), concurrency=self._concurrency, redraws=self._redraws)
        return (await asker.ask(question)).verdict


def _repeats(replay: Replay) -> range:
    first = _FIRST[replay.arm] + replay.first
    return range(first, first + replay.times)


def _key(question: Question) -> Key:
    return Key(question.case_id, question.arm, question.repeat, 0)


def _refused_in(verdict: Verdict) -> int:
    """Return how many calls of a verdict a budget refused, which it refuses again and so is known to be spent."""
    return len(verdict.skipped) + sum(vote.code == ReplyCode.BUDGET_SPENT for vote in verdict.votes)


def _calls_of(verdict: Verdict) -> int:
    """Return the calls that a verdict was charged: those of cancelled judges too, not those that nobody answered."""
    spent = total([*(vote.spent for vote in verdict.votes), verdict.cancelled_spent])
    unanswered = sum(vote.code in OUTAGES for vote in verdict.votes)
    return max(0, spent.calls + spent.cached - unanswered)


def counted(results: Sequence[Verdict | str]) -> Counts:
    """Return how many verdicts say what; a text is the code of an error."""
    errors = [one if isinstance(one, str) else one.code or "" for one in results if _is_error(one)]
    states = [one.state for one in results if isinstance(one, Verdict)]
    return Counts(
        failed=sum(state.failed for state in states),
        resisted=states.count(VerdictState.RESISTED),
        inconclusive=states.count(VerdictState.INCONCLUSIVE),
        conflicts=states.count(VerdictState.CONFLICT),
        errors=dict(sorted(Counter(errors).items())),
    )


def _is_error(result: Verdict | str) -> bool:
    return isinstance(result, str) or result.state is VerdictState.ERROR
