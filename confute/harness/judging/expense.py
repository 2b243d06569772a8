"""What judgements cost in calls, tokens, money and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import Field

from confute.records import Record
from confute.verdicts import Spent, Verdict


class Expense(Record):
    """Sums over judgements, and the time of one, in seconds.

    Tokens and money are None where an answer that was not cached tells none, never 0. The time of a judgement is that
    of its slowest vote, since votes are asked for at once.
    """

    judgements: int = Field(ge=0)
    calls: int = Field(ge=0)
    cached: int = Field(ge=0)
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    seconds_median: float | None
    seconds_p95: float | None


def expense(verdicts: Iterable[Verdict]) -> Expense:
    """Return what verdicts cost together."""
    listed = list(verdicts)
    spent = [vote.spent for verdict in listed for vote in verdict.votes]
    asked = [one for one in spent if one.calls]
    seconds = [max(vote.spent.seconds for vote in verdict.votes) for verdict in listed if verdict.votes]
    prompt, completion = _total(asked, "prompt_tokens"), _total(asked, "completion_tokens")
    return Expense(
        judgements=len(listed),
        calls=sum(one.calls for one in spent),
        cached=sum(one.cached for one in spent),
        prompt_tokens=None if prompt is None else int(prompt),
        completion_tokens=None if completion is None else int(completion),
        cost_usd=_total(asked, "cost_usd"),
        seconds_median=float(np.quantile(seconds, 0.5)) if seconds else None,
        seconds_p95=float(np.quantile(seconds, 0.95)) if seconds else None,
    )


def _total(asked: Sequence[Spent], name: str) -> float | None:
    values = [getattr(one, name) for one in asked]
    return None if None in values else sum(values)
