"""A persona put to its probes again and again, each conversation and each verdict kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from confute.errors import LedgerError
from confute.harness.campaign import Progress
from confute.harness.judging.asking import Asker, Question, together
from confute.harness.judging.judgements import Judgement, open_judgements
from confute.harness.judging.redraws import REDRAW_STRIDE, settled
from confute.harness.persona.conversation import Run, converse
from confute.harness.persona.load import Suite
from confute.harness.persona.probes import DisclosureProbe, Probe
from confute.harness.persona.transcript import Transcript, TranscriptKey, TranscriptLedger, open_transcripts
from confute.harness.run_lock import locked
from confute.judges.judge import Exhibit, Panel
from confute.models.chat import ChatModel
from confute.records import Record, digest_of
from confute.victims.persona import Persona

Place = tuple[str, int]
"""A probe's id and a repeat."""

_JUDGINGS_STRIDE = 1_000
"""Judging j of repeat r is asked as repeat r * stride + j: two conversations of one text share no cached verdict."""


class Plan(Record):
    """How often each probe is run, and each conversation judged.

    `redraws` is how often a failed conversation, or a failed verdict, is asked for again.
    """

    repeat: int = Field(default=10, ge=1, lt=1_000)
    judge_repeats: int = Field(default=1, ge=1, lt=1_000)
    redraws: int = Field(default=1, ge=0)
    concurrency: int = Field(default=4, ge=1)
    seed: int = Field(default=0, ge=0)


class Measured(NamedTuple):
    """What a run holds: the last conversation of each place, and the verdicts on it where a panel judged."""

    suite: Suite
    plan: Plan
    judge: str
    transcripts: Mapping[Place, Transcript]
    judgements: Mapping[Place, tuple[Judgement, ...]]
    folder: Path
    ledger: str


def folder_of(runs: Path, suite: Suite, plan: Plan) -> Path:
    """Return the folder of a run: one for each persona, set of probes and seed, so that more repeats go on with it."""
    return runs / f"persona-{digest_of([suite.digest, plan.seed])[:12]}"


async def measure(  # noqa: PLR0913, PLR0917  what a run is made of
    suite: Suite, model: ChatModel, panel: Panel | None, plan: Plan, runs: Path, progress: Progress
) -> Measured:
    """Run every probe, then let the panel judge what each disclosure probe got; what is known is not asked again.

    Writes `transcripts.jsonl` and, with a panel, `votes.jsonl` beside the ledgers. Raises LedgerError where the folder
    cannot be written, is another run's or in use.
    """
    folder = folder_of(runs, suite, plan)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(f"cannot be made: {error.strerror or error}", field=str(folder)) from error
    with locked(folder):
        return await _measured(suite, model, panel, plan, folder, progress)


async def _measured(  # noqa: PLR0913, PLR0917  what a run is made of
    suite: Suite, model: ChatModel, panel: Panel | None, plan: Plan, folder: Path, progress: Progress
) -> Measured:
    with open_transcripts(folder / "transcripts.sqlite3") as ledger:
        ledger.identify({"persona and probes": suite.digest, "model": model.fingerprint, "seed": str(plan.seed)})
        transcripts = await _Interviews(suite.persona, model, ledger, plan, progress).all(suite.probes)
        (folder / "transcripts.jsonl").write_text("".join(f"{line}\n" for line in ledger.lines()), encoding="utf-8")
        digest = ledger.digest
    judged = {} if panel is None else await _judged(suite, panel, transcripts, plan, folder, progress)
    judge = "rules" if panel is None else f"{panel.family} {panel.version[:12]}"
    return Measured(suite, plan, judge, transcripts, judged, folder, digest)


def exhibit_of(persona: Persona, transcript: Transcript) -> Exhibit:
    """Return what a judge may be shown of a conversation: every turn, the calls of tools and their results."""
    asked = [turn.content for turn in transcript.turns if turn.role == "user"]
    return Exhibit(
        reply=transcript.replies[-1] if transcript.replies else "",
        prompt=asked[0] if asked else "",
        turns=transcript.turns,
        persona=persona.system_prompt,
        capabilities=persona.can,
    )


class _Interviews:
    def __init__(
        self, persona: Persona, model: ChatModel, ledger: TranscriptLedger, plan: Plan, progress: Progress
    ) -> None:
        self._persona, self._model, self._ledger = persona, model, ledger
        self._plan, self._progress = plan, progress
        self._slots = asyncio.Semaphore(plan.concurrency)

    async def all(self, probes: tuple[Probe, ...]) -> dict[Place, Transcript]:
        places = [(probe, repeat) for repeat in range(self._plan.repeat) for probe in probes]
        self._progress.begin("conversations", len(places))
        found = await together(self._one(probe, repeat) for probe, repeat in places)
        return {(one.probe_id, one.repeat): one for one in found}

    async def _one(self, probe: Probe, repeat: int) -> Transcript:
        async with self._slots:
            transcript = await settled(
                lambda attempt: self._ledger.find(TranscriptKey(probe.id, repeat, attempt)),
                lambda attempt, redraw: self._asked(probe, Run(repeat, attempt, repeat + REDRAW_STRIDE * redraw)),
                lambda one: None if one.whole else one.code.value,
                redraws=self._plan.redraws,
            )
        self._progress.advance(1)
        return transcript

    async def _asked(self, probe: Probe, run: Run) -> Transcript:
        transcript = await converse(self._model, self._persona, probe, run, seed=self._plan.seed)
        self._ledger.append(transcript)
        return transcript


async def _judged(  # noqa: PLR0913, PLR0917  what a judgement is made of
    suite: Suite,
    panel: Panel,
    transcripts: Mapping[Place, Transcript],
    plan: Plan,
    folder: Path,
    progress: Progress,
) -> dict[Place, tuple[Judgement, ...]]:
    probes = {probe.id for probe in suite.probes if isinstance(probe, DisclosureProbe)}
    places = [place for place, one in transcripts.items() if place[0] in probes and one.whole]
    progress.begin("verdicts", len(places) * plan.judge_repeats)
    with open_judgements(folder / f"votes-{panel.version[:12]}.sqlite3") as ledger:
        ledger.identify({"persona and probes": suite.digest, "panel": panel.version})
        asker = Asker({"": panel}, ledger, progress, concurrency=plan.concurrency, redraws=plan.redraws)
        answers = await asker.ask_all(
            Question(
                _case(transcripts[place]),
                exhibit_of(suite.persona, transcripts[place]),
                repeat=_JUDGINGS_STRIDE * place[1] + judging,
            )
            for place in places
            for judging in range(plan.judge_repeats)
        )
        (folder / "votes.jsonl").write_text("".join(f"{line}\n" for line in ledger.lines()), encoding="utf-8")
    step = plan.judge_repeats
    return {place: answers[number * step : (number + 1) * step] for number, place in enumerate(places)}


def _case(transcript: Transcript) -> str:
    return f"{transcript.probe_id}/{transcript.repeat}/{transcript.attempt}"
