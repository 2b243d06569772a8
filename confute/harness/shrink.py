"""Found failures made minimal and confirmed on fresh replays, many at once; none of it enters an attack rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from confute.agents.minimise import minimise, needed
from confute.harness import lockstep
from confute.harness.gate import Gate
from confute.harness.outcome import mechanism_of
from confute.harness.recorder import Recorder, Step
from confute.harness.search import Item
from confute.records import Arm, Attempt, Candidate, Label, Mechanism, Outcome, Ruling, Validity

CONFIRMATIONS = 20
"""How many fresh replays a shrunk candidate is confirmed on."""

_STOCHASTIC_REPLAYS = 5


@dataclass(frozen=True)
class Found:
    """A success of a search, with the item that it was found for."""

    item: Item
    attempt: Attempt

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that the success counts under, to which shrinking keeps."""
        return mechanism_of(self.attempt) or Mechanism.PARAPHRASE

    def is_baseline_failure(self, baseline: Attempt) -> bool:
        """Whether the item fails towards the same goal as it stands, so that its smallest edit is none."""
        return baseline.goal is self.attempt.goal and baseline.outcome is Outcome.SUCCEEDED


@dataclass(frozen=True)
class Shrunk:
    """A success after shrinking: the smallest candidate, its ruling, and its fresh replays."""

    found: Found
    candidate: Candidate
    ruling: Ruling
    replays: tuple[Attempt, ...]

    @property
    def wrong(self) -> int:
        """On how many of the fresh replays the victim was wrong."""
        return sum(replay.outcome is Outcome.SUCCEEDED for replay in self.replays)

    @property
    def is_confirmed(self) -> bool:
        """Whether enough of the fresh replays failed."""
        return self.wrong >= needed(len(self.replays))


class Shrinker:
    """Shrinks successes in lockstep, then replays each result."""

    def __init__(self, gate: Gate, recorder: Recorder, *, deterministic: bool, advanced: Callable[[int], None]) -> None:
        self._gate = gate
        self._recorder = recorder
        self._replays = 1 if deterministic else _STOCHASTIC_REPLAYS
        self._advanced = advanced

    def run(self, found: Sequence[Found]) -> tuple[Shrunk, ...]:
        """Return one result a success, in order."""
        shrinkings = [_Shrinking(one, self._gate, self._replays) for one in found]
        lockstep.run(shrinkings, self._recorder, self._advanced)
        return self._confirmed(shrinkings)

    def _confirmed(self, shrinkings: Sequence[_Shrinking]) -> tuple[Shrunk, ...]:
        ruled = [(one, candidate, ruling) for one in shrinkings for candidate, ruling in [one.outcome()]]
        steps = [
            _replay(one.found, candidate, ruling, arm=Arm.CONFIRM, index=0, repeat=repeat)
            for one, candidate, ruling in ruled
            for repeat in range(CONFIRMATIONS)
        ]
        replays = iter(self._recorder.record(steps))
        return tuple(
            Shrunk(
                found=one.found,
                candidate=candidate,
                ruling=ruling,
                replays=tuple(next(replays) for _ in range(CONFIRMATIONS)),
            )
            for one, candidate, ruling in ruled
        )


class _Shrinking:
    def __init__(self, found: Found, gate: Gate, replays: int) -> None:
        self.found = found
        self._smallest: Candidate | None = None
        self._gate = gate
        self._replays = replays
        self._tests = 0
        view = found.item.view
        alike = [move for move in view.moves if move.mechanism is found.mechanism]
        self._generator = minimise(view.start, _candidate(found), alike)
        self._advance(None)

    @property
    def has_ended(self) -> bool:
        return self._smallest is not None

    def propose(self) -> list[Step]:
        case, tested = self.found.item.case, self._tested
        ruling, is_open = self._gate.screen(case, tested)
        index, self._tests = self._tests, self._tests + 1
        repeats = self._replays if is_open or ruling.validity is Validity.VALID else 1
        settle = partial(self._gate.rule, case, tested) if is_open else None
        steps = [
            _replay(self.found, tested, ruling, arm=Arm.MINIMISE, index=index, repeat=repeat)
            for repeat in range(repeats)
        ]
        return [replace(step, settle=settle) for step in steps]

    def learn(self, attempts: Sequence[Attempt]) -> None:
        wrong = sum(
            attempt.outcome is Outcome.SUCCEEDED and _label(attempt) is _label(self.found.attempt)
            for attempt in attempts
        )
        self._advance(wrong >= needed(self._replays))

    def outcome(self) -> tuple[Candidate, Ruling]:
        candidate = self._smallest or _candidate(self.found)
        return candidate, self._gate.rule(self.found.item.case, candidate)

    def _advance(self, interesting: bool | None) -> None:
        try:
            self._tested = next(self._generator) if interesting is None else self._generator.send(interesting)
        except StopIteration as stop:
            self._smallest = stop.value


def _candidate(found: Found) -> Candidate:
    attempt = found.attempt
    return found.item.view.start.model_copy(
        update={"edits": attempt.edits, "claim": attempt.claim, "evidence": attempt.evidence}
    )


def _label(attempt: Attempt) -> Label | None:
    return attempt.ruling.label if attempt.ruling else None


def _replay(  # noqa: PLR0913
    found: Found, candidate: Candidate, ruling: Ruling, *, arm: Arm, index: int, repeat: int
) -> Step:
    return Step(
        case_id=found.item.case.case_id,
        goal=found.item.view.goal,
        arm=arm,
        index=index,
        repeat=repeat,
        pair=candidate.pair,
        label=ruling.label,
        edits=candidate.edits,
        ruling=ruling,
        queries=repeat + 1,
    )
