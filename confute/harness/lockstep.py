"""Many courses of steps at once: all that are live propose, one batch is measured, and each learns its own part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Protocol

from confute.harness.recorder import Recorder, Step
from confute.records import Attempt


class Course(Protocol):
    """A search or a shrinking: it proposes steps and learns what they showed, in turn, until it has ended."""

    @property
    def has_ended(self) -> bool:
        """Whether it proposes no more."""
        ...

    def propose(self) -> Sequence[Step]:
        """Return the next steps to take."""
        ...

    def learn(self, attempts: Sequence[Attempt]) -> None:
        """Take what the proposed steps showed, in their order."""
        ...


def run(
    courses: Sequence[Course],
    recorder: Recorder,
    advanced: Callable[[int], None],
    before_round: Callable[[], None] = lambda: None,
) -> None:
    """Carry every course to its end; `advanced` is told how many ended each round.

    What is done `before_round` may end courses too.
    """
    live = list(courses)
    while live:
        before_round()
        going = _live(live)
        batches = [course.propose() for course in going]
        attempts = iter(recorder.record(list(chain.from_iterable(batches))))
        for course, batch in zip(going, batches, strict=True):
            course.learn(list(islice(attempts, len(batch))))
        left = _live(live)
        advanced(len(live) - len(left))
        live = left


def _live(courses: Sequence[Course]) -> list[Course]:
    return [course for course in courses if not course.has_ended]
