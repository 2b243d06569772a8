"""The composite: narrow judges of one family, under one rule."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from itertools import product

from confute.errors import JudgeError
from confute.judges.clamp import BUDGET_SPENT, TEXT_CUT, ask
from confute.judges.contained import spent_in
from confute.judges.judge import Exhibit, Judge
from confute.records import digest_of
from confute.verdicts import Direction, Spent, Verdict, VerdictState, Vote, VoteState, total

_RULE = "composite-3"
_MAX_JUDGES = 8


class Heard(StrEnum):
    """What a vote weighs: a judge that found something and was clamped, or that did not see all, is no abstainer."""

    FIRED = "FIRED"
    WITHDRAWN = "WITHDRAWN"
    ABSTAIN = "ABSTAIN"
    ERROR = "ERROR"


Sides = Sequence[tuple[Direction, str, Heard]]
"""Direction, label and weight of the vote of each judge of a composite."""


class Composite:
    """Asks its judges concurrently, and concludes by the outcome filters alone.

    It stops once no judge that is still at work could change state or label of the verdict; `short_circuit=False`
    waits for all of them, as a validation needs. Which votes stand in a verdict that stopped early depends on which
    judge was faster; its state, label and code do not. What a judge that was at work had cost by then is kept.
    """

    def __init__(self, family: str, judges: Sequence[Judge], *, short_circuit: bool = True) -> None:
        """Raises JudgeError where no judge is positive, two bear one name, or there are too many."""
        _refuse(family, judges)
        self._family = family
        self._judges = tuple(judges)
        self._short_circuit = short_circuit
        self._version = digest_of([_RULE, family, [judge.version for judge in judges]])

    @property
    def family(self) -> str:
        """The family whose question it answers."""
        return self._family

    @property
    def version(self) -> str:
        """SHA-256, in hex, over the versions of its judges and its rule."""
        return self._version

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Its judges, in the order in which their votes stand in a verdict."""
        return self._judges

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        """Return the verdict on an exhibit; a judge's failure is a vote in state ERROR, never an exception."""
        votes, cut_short = await self._votes(exhibit, repeat)
        heard = tuple(votes[judge.name] for judge in self._judges if judge.name in votes)
        asked = tuple(vote for vote in heard if vote.code != BUDGET_SPENT or vote.spent.calls)
        state, label = decide([_side(vote) for vote in heard])
        return Verdict(
            family=self._family,
            version=self._version,
            state=state,
            label=label,
            votes=asked,
            skipped=self._named(set(votes) - {vote.judge for vote in asked}),
            cancelled=self._named(cut_short),
            cancelled_spent=total(cut_short.values()),
            completed=sum(vote.state is not VoteState.ERROR for vote in asked),
            code=_code(heard) if state is VerdictState.ERROR else None,
        )

    async def _votes(self, exhibit: Exhibit, repeat: int) -> tuple[dict[str, Vote], dict[str, Spent]]:
        """The votes that came, and what the judges had cost that were cancelled."""
        tasks = {asyncio.ensure_future(ask(judge, exhibit, repeat=repeat)): judge.name for judge in self._judges}
        votes: dict[str, Vote] = {}
        waiting = set(tasks)
        try:
            while waiting and not (self._short_circuit and self._settled(votes)):
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                votes.update({tasks[task]: task.result() for task in done})
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return votes, {tasks[task]: spent_in(task) for task in waiting}

    def _named(self, names: Collection[str]) -> tuple[str, ...]:
        return tuple(judge.name for judge in self._judges if judge.name in names)

    def _settled(self, votes: Mapping[str, Vote]) -> bool:
        heard = [_side(vote) for vote in votes.values()]
        open_sides = sorted({(judge.direction, judge.label) for judge in self._judges if judge.name not in votes})
        outcomes = {
            decide([*heard, *((*side, state) for side, state in zip(open_sides, states, strict=True))])
            for states in product(Heard, repeat=len(open_sides))
        }
        return len(outcomes) == 1


def decide(sides: Sides) -> tuple[VerdictState, str | None]:
    """Return the state and the label that follow from votes.

    A judge that the verdict needed and that did not complete makes it an ERROR: any positive one where none fired,
    and any judge at all where nothing fired. RESISTED so requires that every positive judge completed and abstained,
    by itself: one that found something and was clamped, or that did not see all, leaves it INCONCLUSIVE. The label is
    that of the judges that fired, where it is one, and belongs to neither of these two.
    """
    fired = [(direction, label) for direction, label, heard in sides if heard is Heard.FIRED]
    positive, negative = (any(direction is one for direction, _ in fired) for one in Direction)
    failed = {direction for direction, _, heard in sides if heard is Heard.ERROR}
    withdrawn = any(direction is Direction.POSITIVE and heard is Heard.WITHDRAWN for direction, _, heard in sides)
    labels = {label for _, label in fired}
    label = labels.pop() if len(labels) == 1 else None
    if positive:
        return (VerdictState.CONFLICT if negative else VerdictState.SUCCEEDED), label
    if Direction.POSITIVE in failed or (failed and not negative):
        return VerdictState.ERROR, None
    if negative and not withdrawn:
        return VerdictState.RESISTED, label
    return VerdictState.INCONCLUSIVE, None


def _side(vote: Vote) -> tuple[Direction, str, Heard]:
    unseen = vote.state is VoteState.ABSTAIN and vote.code == TEXT_CUT
    return vote.direction, vote.label, Heard.WITHDRAWN if vote.withdrawn or unseen else Heard(vote.state.value)


def _code(votes: Sequence[Vote]) -> str | None:
    """The code of the first error, those of positive judges first: the one that is there however early it stopped."""
    failed = [vote for vote in votes if vote.state is VoteState.ERROR]
    failed.sort(key=lambda vote: vote.direction is not Direction.POSITIVE)
    return failed[0].code


def _refuse(family: str, judges: Sequence[Judge]) -> None:
    names = [judge.name for judge in judges]
    if len(set(names)) != len(names):
        raise JudgeError("two judges bear one name", field=family, got=sorted(names))
    if len(names) > _MAX_JUDGES:
        raise JudgeError("has too many judges", field=family, allowed=f"at most {_MAX_JUDGES}", got=len(names))
    if not any(judge.direction is Direction.POSITIVE for judge in judges):
        hint = "without a judge that may find the failure, nothing could be called resisted"
        raise JudgeError("has no positive judge", field=family, got=names, hint=hint)
