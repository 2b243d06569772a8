"""Why verdicts and conversations failed, each code once with the first words that came with it, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from confute.harness.judging.page import Part
from confute.harness.judging.redraws import UNANSWERED
from confute.records import Record
from confute.verdicts import Verdict, VerdictState, VoteState


class Failure(Record):
    """A code of failure, how often it came, and the first words that an endpoint or a judge told with it."""

    code: str
    count: int = Field(ge=1)
    detail: str = ""


def failures_of(told: Iterable[tuple[str, str]]) -> tuple[Failure, ...]:
    """Return the failures in pairs of a code and its detail, in the order of the codes."""
    listed = list(told)
    return tuple(
        Failure(
            code=code,
            count=sum(one == code for one, _ in listed),
            detail=next((detail for one, detail in listed if one == code and detail), ""),
        )
        for code in sorted({code for code, _ in listed})
    )


def failed_verdicts(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, str]]:
    """Yield code and detail of each verdict that failed; the detail is that of the first vote with its code."""
    for verdict in verdicts:
        if verdict.state is VerdictState.ERROR:
            failed = [vote for vote in verdict.votes if vote.state is VoteState.ERROR and vote.code == verdict.code]
            yield verdict.code or "", failed[0].reason if failed else ""


def failures_part(failures: Iterable[Failure]) -> Part:
    """Return failures as a table."""
    rows = tuple((one.code, str(one.count), one.detail) for one in failures)
    return Part("Why some failed", ("code", "times", "first told"), rows)


def how_to_mend(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Return a line for what the same command would ask anew, and one for what `--redraws` would."""
    lines = []
    if unanswered := [one for one in failures if one.code in UNANSWERED]:
        lines.append(f"next: mend the cause ({_told(unanswered)}) and give the same command again: it asks these anew")
    if others := [one for one in failures if one.code not in UNANSWERED]:
        lines.append(f"next: a larger --redraws asks again what failed ({_told(others)})")
    return tuple(lines)


def _told(failures: Iterable[Failure]) -> str:
    return ", ".join(f"{one.code} {one.count}" for one in failures)
