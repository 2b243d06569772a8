"""Counterexamples as tests: one item each, with what `confute regress` says of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from confute.counterexample import Counterexample, Status
from confute.errors import ConfuteError, shown
from confute.harness.regress.corpus import read_corpus
from confute.harness.regress.replay import REPLAYS, Replay, ReplayState, replay
from confute.harness.regress.standing import standing
from confute.harness.regress.subject import Subject
from confute.harness.render.words import visible
from confute.testing.settings import settings_of
from confute.testing.subject import subject_of
from confute.victims.detector import Detector

_SUBJECT = pytest.StashKey[tuple[Detector, Subject]]()


class CounterexampleFails(AssertionError):  # noqa: N818  a verdict of a test, as AssertionError itself
    """A known failure is still there, or changes from replay to replay."""


class CounterexampleNotMeasured(Exception):  # noqa: N818
    """Too few replays gave an answer, which is neither a pass nor the known failure."""


class CorpusFile(pytest.File):
    """The file of a corpus; collects one item for each counterexample."""

    def collect(self) -> Iterable[pytest.Item]:
        """Return the items, under their identifiers; a corpus that cannot be read is an error of collection."""
        try:
            rows = read_corpus(self.path).rows
        except ConfuteError as error:
            raise self.CollectError(str(error)) from error
        case_ids = frozenset(row.case_id for row in rows)
        return [self._item(row, case_ids) for row in rows]

    def _item(self, row: Counterexample, case_ids: frozenset[str]) -> pytest.Item:
        def replayed(detector: Detector, request: pytest.FixtureRequest) -> None:
            check(row, request, detector, case_ids)

        item: pytest.Item = CounterexampleItem.from_parent(self, name=visible(row.attack_id), callobj=replayed)
        if row.status is Status.ACKNOWLEDGED_LIMITATION:
            why = visible(row.reason or "an acknowledged limitation")
            item.add_marker(pytest.mark.xfail(raises=CounterexampleFails, reason=why, strict=False))
        return item


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
        known = detector, subject_of(settings, detector, case_ids)
        stash[_SUBJECT] = known
    victim, by = known[1]
    done = replay(row, victim, by, replays=settings.replays or REPLAYS)
    said = standing(row.status, done.state)
    request.node.user_properties.append(("confute_regress", f"{said.words}, {done.passes} of {done.measured} held"))
    if done.state is ReplayState.UNMEASURED:
        raise CounterexampleNotMeasured(_told(row, done, said.words))
    if done.state is not ReplayState.HOLDS:
        raise CounterexampleFails(_told(row, done, said.words))


def _told(row: Counterexample, done: Replay, words: str) -> str:
    relation, policy = (done.finding(demand) for demand in (lambda vote: vote.relation, lambda vote: vote.policy))
    lines = (
        f"{row.attack_id}: {words}, in {done.passes} of {done.measured} replays all demands were met",
        f"  {row.original_label}: {shown(row.original_claim)}",
        f"  {row.oracle_label}: {shown(row.adversarial_claim)}",
        f"  {row.expected_relation}: met in {relation[0]} of {relation[1]}",
        f"  {row.expected_policy}: met in {policy[0]} of {policy[1]}",
        *(f"  not measured: {code}" for code in sorted(_codes(done))),
        f"  next: {_NEXT[row.status]}",
    )
    return "\n".join(visible(line) for line in lines)


_NEXT = {
    Status.ACTIVE_REGRESSION: "mend the detector, or `confute regress CORPUS --acknowledge ID --reason WHY`",
    Status.MITIGATED: "it held before: see what changed since",
    Status.ACKNOWLEDGED_LIMITATION: "see why the detector gives no answer",
}


def _codes(done: Replay) -> set[str]:
    scores = [score for vote in done.votes for score in (vote.pre, vote.post)]
    return {f"{one.error_code or one.state}: {one.error_message or ''}" for one in scores if one.value is None}
