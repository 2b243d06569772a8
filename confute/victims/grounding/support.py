"""How much of a text is supported, with what could not be decided beside it and never counted in."""

from __future__ import annotations

from collections.abc import Iterable

from confute.records import Record

YES, NO, UNKNOWN = "yes", "no", "idk"
_DECIDED = frozenset({YES, NO})


class Support(Record):
    """The share of supported ones among those decided (`score`), how many were decided, and the strict share of all.

    An undecided one is neither supported nor refuted: it lowers `coverage` and `strict_score` alone. None without a
    denominator.
    """

    score: float | None
    coverage: float | None
    strict_score: float | None


def support(verdicts: Iterable[str]) -> Support:
    """Return the support that verdicts `yes`, `no` and `idk` amount to; any other word is undecided too."""
    said = [verdict.strip().lower() for verdict in verdicts]
    yes, decided = said.count(YES), sum(verdict in _DECIDED for verdict in said)
    return Support(
        score=yes / decided if decided else None,
        coverage=decided / len(said) if said else None,
        strict_score=yes / len(said) if said else None,
    )
