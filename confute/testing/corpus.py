"""Counterexamples as tests: one item each, with what `confute regress` says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from confute.counterexample import Counterexample, Status
from confute.errors import ConfuteError, shown
from confute.harness.persona.attack.counterexample import PersonaCounterexample
from confute.harness.policy.policy import Policy
from confute.harness.regress.corpus import asks_a_persona, read_corpus, read_persona_corpus
from confute.harness.regress.persona import PERSONA_REPLAYS, PersonaRow, replay_persona
from confute.harness.regress.replay import REPLAYS, Replay, ReplayState, replay
from confute.harness.regress.standing import KnownFailure, standing
from confute.harness.regress.subject import Subject
from confute.harness.render.words import visible
from confute.testing.persona import AskedPersona
from confute.testing.settings import settings_of
from confute.testing.subject import band_of, subject_of
from confute.victims.detector import Detector

_SUBJECT = pytest.StashKey[tuple[Detector, Subject, Policy | None]]()


class CounterexampleFails(AssertionError):  # noqa: N818  a verdict of a test, as AssertionError itself
    """A known failure is still there, or changes from replay to replay."""


class CounterexampleNotMeasured(Exception):  # noqa: N818
    """Too few replays gave an answer, which is neither a pass nor the known failure."""


class CorpusFile(pytest.File):
    """The file of a corpus; collects one item for each counterexample."""

    def collect(self) -> Iterable[pytest.Item]:
        """Return the items, under their identifiers; a corpus that cannot be read is an error of collection."""
        try:
            if asks_a_persona(self.path):
                return [self._item(row, _against_persona(row)) for row in read_persona_corpus(self.path).rows]
            rows = read_corpus(self.path).rows
        except ConfuteError as error:
            raise self.CollectError(str(error)) from error
        case_ids = frozenset(row.case_id for row in rows)
        return [self._item(row, _against_detector(row, case_ids)) for row in rows]

    def _item(self, row: KnownFailure, replayed: Callable[..., None]) -> pytest.Item:
        item: pytest.Item = CounterexampleItem.from_parent(self, name=visible(row.attack_id), callobj=replayed)
        if row.status is Status.ACKNOWLEDGED_LIMITATION:
            why = visible(row.reason or "an acknowledged limitation")
            item.add_marker(pytest.mark.xfail(raises=CounterexampleFails, reason=why, strict=False))
        return item


def _against_detector(row: Counterexample, case_ids: frozenset[str]) -> Callable[..., None]:
    def replayed(detector: Detector, request: pytest.FixtureRequest) -> None:
        check(row, request, detector, case_ids)

    return replayed


def _against_persona(row: PersonaCounterexample) -> Callable[..., None]:
    def replayed(persona: AskedPersona, request: pytest.FixtureRequest) -> None:
        check_persona(row, request, persona)

    return replayed


class CounterexampleItem(pytest.Function):
    """A counterexample as a test, which may ask for fixtures as a function does."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """Return what is wrong in words, without the lines of code that found it."""
        told = (CounterexampleFails, CounterexampleNotMeasured, ConfuteError)
        return str(excinfo.value) if isinstance(excinfo.value, told) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the corpus as the place of the test."""
        return self.path, None, self.name


def check(row: Counterexample, request: pytest.FixtureRequest, detector: Detector, case_ids: frozenset[str]) -> None:
    """Replay one counterexample against a detector.

    Raises CounterexampleFails where it fails or flakes, and CounterexampleNotMeasured where it cannot be told.
    """
    settings, stash = settings_of(request.config), request.config.stash
    known = stash.get(_SUBJECT, None)
    if known is None or known[0] is not detector:
        subject = subject_of(settings, detector, case_ids)
        known = detector, subject, band_of(settings, subject)
        stash[_SUBJECT] = known
    _, (victim, by), band = known
    done = replay(row, victim, by, replays=settings.replays or REPLAYS, band=band)
    said = standing(row.status, done.state)
    request.node.user_properties.append(("confute_regress", f"{said.words}, {done.passes} of {done.measured} held"))
    _raise_unless_held(done.state, _told(row, done, said.words))


def check_persona(row: PersonaCounterexample, request: pytest.FixtureRequest, persona: AskedPersona) -> None:
    """Replay one counterexample against a persona. Raises as `check`, and ContractError without its owner's word."""
    settings = settings_of(request.config)
    folder = request.config.invocation_params.dir if settings.persona is None else settings.persona.parent
    done = replay_persona(row, persona.subject(folder), replays=settings.replays or PERSONA_REPLAYS)
    said = done.standing.words
    request.node.user_properties.append(("confute_regress", f"{said}, {done.passes} of {done.measured} resisted"))
    _raise_unless_held(done.state, _told_of_persona(row, done))


def _raise_unless_held(state: ReplayState, told: str) -> None:
    if state is ReplayState.UNMEASURED:
        raise CounterexampleNotMeasured(told)
    if state is not ReplayState.HOLDS:
        raise CounterexampleFails(told)


def _told(row: Counterexample, done: Replay, words: str) -> str:
    relation, policy = (done.finding(demand) for demand in (lambda vote: vote.relation, lambda vote: vote.policy))
    return _lines(
        row,
        f"{row.attack_id}: {words}, in {done.passes} of {done.measured} replays all demands were met",
        f"{row.original_label}: {shown(row.original_claim)}",
        f"{row.oracle_label}: {shown(row.adversarial_claim)}",
        f"{row.expected_relation}: met in {relation[0]} of {relation[1]}",
        f"{row.expected_policy}: met in {policy[0]} of {policy[1]}",
        *(f"not measured: {code}" for code in sorted(_codes(done))),
    )


def _told_of_persona(row: PersonaCounterexample, done: PersonaRow) -> str:
    counts = done.counts
    return _lines(
        row,
        f"{row.attack_id}: {done.standing.words}, resisted in {counts.resisted} of {counts.replays} replays",
        f"failed in {counts.failed}, not told by judges in {counts.inconclusive}",
        f"probe {row.case_id}: {shown(' / '.join(row.original_turns))}",
        f"framed: {shown(' / '.join(row.adversarial_turns))}",
        *(f"not measured: {code}" for code in sorted(counts.errors)),
        *(() if done.same_judges else ("judged by another version than when it was found",)),
    )


def _lines(row: KnownFailure, first: str, *others: str) -> str:
    indented = (f"  {line}" for line in (*others, f"next: {_NEXT[row.status]}"))
    return "\n".join(visible(line) for line in (first, *indented))


_NEXT = {
    Status.ACTIVE_REGRESSION: "mend what failed, or `confute regress CORPUS --acknowledge ID --reason WHY`",
    Status.MITIGATED: "it held before: see what changed since",
    Status.ACKNOWLEDGED_LIMITATION: "see why there is no answer",
}


def _codes(done: Replay) -> set[str]:
    scores = [score for vote in done.votes for score in (vote.pre, vote.post)]
    return {f"{one.error_code or one.state}: {one.error_message or ''}" for one in scores if one.value is None}
