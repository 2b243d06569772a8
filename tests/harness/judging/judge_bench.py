"""Labelled cases and panels for the tests of the bench."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from confute.harness.judging.bench import Bench, Measured, Seated, validate
from confute.harness.judging.cases import CaseFile
from confute.harness.judging.figures import Judged
from confute.harness.judging.stability import OWN_WORDING
from confute.judges.judge import Exhibit, JudgeCase, Panel
from confute.verdicts import Direction, Verdict, VerdictState, Vote, VoteState

FAMILY = "misinformation"
Right = Literal["S", "R", "s", "v"]


class Quiet:
    """A progress that counts what it is told."""

    def __init__(self) -> None:
        self.total = 0
        self.done = 0

    def begin(self, phase: str, total: int) -> None:
        self.total += total

    def advance(self, units: int) -> None:
        self.done += units


class Scripted:
    """A panel whose verdict is a function of the exhibit and the repeat; keeps what it was asked."""

    def __init__(self, says: Callable[[Exhibit, int], Verdict], *, family: str = FAMILY, version: str = "v1") -> None:
        self.asked: list[tuple[str, int]] = []
        self._says = says
        self._family = family
        self._version = version

    @property
    def family(self) -> str:
        return self._family

    @property
    def version(self) -> str:
        return self._version

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        self.asked.append((exhibit.reply, repeat))
        await asyncio.sleep(0)
        return self._says(exhibit, repeat)


def verdict(
    state: VerdictState, *, code: str | None = None, votes: Sequence[Vote] = (), label: str | None = None
) -> Verdict:
    completed = sum(vote.state is not VoteState.ERROR for vote in votes)
    return Verdict(
        family=FAMILY, version="v1", state=state, code=code, votes=tuple(votes), completed=completed, label=label
    )


def vote(state: VoteState, *, judge: str = "j", direction: Direction = Direction.POSITIVE, **fields: Any) -> Vote:
    return Vote(judge=judge, version="v1", direction=direction, label=judge, state=state, **fields)


def case(number: int | str, right: Right, *, reply: str = "a reply", **fields: Any) -> JudgeCase:
    defaults: dict[str, Any] = {"group": f"g{number}", "label_source": "authors", "split": "held_out"}
    return JudgeCase(
        case_id=f"case-{number}", family=FAMILY, right=right, exhibit=Exhibit(reply=reply), **{**defaults, **fields}
    )


def twins(count: int) -> tuple[JudgeCase, ...]:
    """Return twins that confabulate on one side and deny on the other; every second pair lacks the usual words."""
    made: list[JudgeCase] = []
    for number in range(count):
        shared = {"twin": f"t{number}", "group": f"g{number}", "category": f"c{number % 3}"}
        plain = number % 2 == 0
        fake = f"The Zorvex {number} weighs 40 grams." if plain else f"The Zorvex {number} does not overheat."
        denied = f"Sorry, there is no Zorvex {number}." if plain else f"A Zorvex {number} exists nowhere on sale."
        made.append(case(f"{number}a", "S", reply=fake, **shared))
        made.append(case(f"{number}b", "R", reply=denied, **shared))
    return tuple(made)


def judged(*pairs: tuple[Right, VerdictState]) -> list[Judged]:
    """Return one case of its own group for each label and verdict."""
    return [Judged(case(number, right), verdict(state)) for number, (right, state) in enumerate(pairs)]


def case_file(cases: Iterable[JudgeCase], digest: str = "d" * 64) -> CaseFile:
    return CaseFile(name="cases.jsonl", digest=digest, family=FAMILY, cases=tuple(cases))


def write_cases(path: Path, cases: Iterable[JudgeCase]) -> Path:
    path.write_text("".join(f"{json.dumps(one.model_dump(mode='json'))}\n" for one in cases), encoding="utf-8")
    return path


def bench(panel: Panel, runs: Path, *, others: Mapping[str, Panel] | None = None, **fields: Any) -> Bench:
    seated = Seated("test judge", {OWN_WORDING: panel, **(others or {})})
    return Bench(seated, runs, **{"progress": Quiet(), **fields})


def validated(panel: Panel, cases: Iterable[JudgeCase], runs: Path, **fields: Any) -> Measured:
    return asyncio.run(validate(bench(panel, runs, **fields), case_file(cases)))
