"""What judgements cost in calls, tokens, money and time, and how their models let themselves be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import Field

from confute.records import Record
from confute.verdicts import Spent, Verdict

NOTHING_DROPPED = "nothing"


class Expense(Record):
    """Sums over judgements, and the time of one, in seconds.

    Tokens and money are None where an answer that was not cached tells none, never 0. The time of a judgement is that
    of its slowest vote, since votes are asked for at once. `dropped` counts the votes that a model gave, by the
    parameters that it rejected and was asked without, joined by commas; `nothing` where it took them all.
    """

    judgements: int = Field(ge=0)
    calls: int = Field(ge=0)
    cached: int = Field(ge=0)
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    seconds_median: float | None
    seconds_p95: float | None
    dropped: dict[str, int]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the way in which the model was asked must be known before the figures are read."""
        told = [
            f"the model rejected {names}: {count} votes were asked for without, and may not come again as they are"
            for names, count in self.dropped.items()
            if names != NOTHING_DROPPED
        ]
        if len(self.dropped) > 1:
            ways = ", ".join(f"{count} with {names} left out" for names, count in self.dropped.items())
            told.append(f"these figures pool votes that were asked for in different ways: {ways}")
        return tuple(told)


def expense(verdicts: Iterable[Verdict]) -> Expense:
    """Return what verdicts cost together."""
    listed = list(verdicts)
    spent = [one for verdict in listed for one in (*(vote.spent for vote in verdict.votes), verdict.cancelled_spent)]
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
        dropped=_dropped(listed),
    )


def _dropped(verdicts: Iterable[Verdict]) -> dict[str, int]:
    votes = [vote for verdict in verdicts for vote in verdict.votes if vote.spent.calls or vote.spent.cached]
    return dict(sorted(Counter(", ".join(vote.dropped) or NOTHING_DROPPED for vote in votes).items()))


def _total(asked: Sequence[Spent], name: str) -> float | None:
    values = [getattr(one, name) for one in asked]
    return None if None in values else sum(values)
