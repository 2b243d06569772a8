"""Asks panels, many at once and each question once, and keeps every answer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from confute.errors import shown
from confute.harness.judging.judgements import Judgement, JudgementLedger, Key
from confute.harness.judging.redraws import REDRAW_STRIDE, settled
from confute.judges.contained import is_being_cancelled
from confute.judges.judge import Exhibit, Panel
from confute.verdicts import Verdict, VerdictState

if TYPE_CHECKING:
    from confute.harness.campaign import Progress

PANEL_CRASHED = "panel_crashed"
MALFORMED_VERDICT = "malformed_verdict"

T = TypeVar("T")


class Question(NamedTuple):
    """An exhibit to be judged; `panel` names which of the panels is asked, `arm` what tells the answer from others."""

    case_id: str
    exhibit: Exhibit
    arm: str = ""
    repeat: int = 0
    panel: str = ""


class Asker:
    """Asks at most `concurrency` questions at a time, and an erroneous answer again at most `redraws` times.

    What the ledger holds is not asked again, but for failures that nobody answered; so more redraws, later, ask again
    what failed and nothing else.
    """

    def __init__(
        self,
        panels: Mapping[str, Panel],
        ledger: JudgementLedger,
        progress: Progress,
        *,
        concurrency: int,
        redraws: int,
    ) -> None:
        self._panels = panels
        self._ledger = ledger
        self._progress = progress
        self._slots = asyncio.Semaphore(concurrency)
        self._redraws = redraws

    async def ask(self, question: Question) -> Judgement:
        """Return the first answer that is no error, or the last error; never raises for what a panel does."""
        async with self._slots:
            answer = await settled(
                lambda attempt: self._ledger.find(_key(question, attempt)),
                lambda attempt, redraw: self._asked(question, attempt, redraw),
                _code_of_failure,
                redraws=self._redraws,
            )
        self._progress.advance(1)
        return answer

    async def ask_all(self, questions: Iterable[Question]) -> tuple[Judgement, ...]:
        """Return the answers in the order of the questions."""
        return await together(self.ask(question) for question in questions)

    async def _asked(self, question: Question, attempt: int, redraw: int) -> Judgement:
        panel = self._panels[question.panel]
        verdict = await _concluded(panel, question.exhibit, question.repeat + REDRAW_STRIDE * redraw)
        judgement = Judgement(**_key(question, attempt)._asdict(), verdict=verdict)
        self._ledger.append(judgement)
        return judgement


def _key(question: Question, attempt: int) -> Key:
    return Key(question.case_id, question.arm, question.repeat, attempt)


def _code_of_failure(answer: Judgement) -> str | None:
    return (answer.verdict.code or "") if answer.verdict.state is VerdictState.ERROR else None


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> tuple[T, ...]:
    """Return what every coroutine returns, in order; where one raises, the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns; one that an interrupt forestalls is closed, so that nothing warns of it."""
    try:
        return asyncio.run(work)
    finally:
        work.close()


async def _concluded(panel: Panel, exhibit: Exhibit, repeat: int) -> Verdict:
    try:
        verdict = await panel.conclude(exhibit, repeat=repeat)
    except asyncio.CancelledError:
        if is_being_cancelled():
            raise
        return _failed(panel, f"{PANEL_CRASHED}: it was cancelled from within")
    except Exception as error:  # a panel may be anybody's code: its failure is a verdict in state ERROR
        return _failed(panel, f"{PANEL_CRASHED}: {type(error).__name__}")
    return verdict if isinstance(verdict, Verdict) else _failed(panel, f"{MALFORMED_VERDICT}: {shown(verdict)}")


def _failed(panel: Panel, code: str) -> Verdict:
    return Verdict(family=panel.family, version=panel.version, state=VerdictState.ERROR, code=code)
