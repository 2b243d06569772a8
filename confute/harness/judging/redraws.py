"""When a question is asked again: what failed so many times, and what no model has ever answered always."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from confute.models.chat import ReplyCode

REDRAW_STRIDE = 1_000_000
"""A redraw of repeat r is asked as repeat r + stride * redraw, so that no cache answers with the failure."""

UNANSWERED = frozenset(
    code.value
    for code in (
        ReplyCode.KEY_MISSING,
        ReplyCode.KEY_REJECTED,
        ReplyCode.MODEL_NOT_FOUND,
        ReplyCode.UNREACHABLE,
        ReplyCode.TIMEOUT,
        ReplyCode.RATE_LIMITED,
        ReplyCode.BUDGET_SPENT,
    )
)
"""Failures in which no model answered, so that asking anew draws nothing twice."""

T = TypeVar("T")


async def settled(
    find: Callable[[int], T | None],
    ask: Callable[[int, int], Awaitable[T]],
    code_of: Callable[[T], str | None],
    *,
    redraws: int,
) -> T:
    """Return the first answer whose code of failure is None, or the last failure after so many redraws.

    `find` gives the stored answer of an attempt, and `ask` makes one, from its number and the number of its redraw. A
    stored failure that nobody answered is asked anew, as the redraw that it was, and uses up none.
    """
    number = redraw = 0
    while True:
        known = find(number)
        answer = await ask(number, redraw) if known is None else known
        code = code_of(answer)
        if code is None:
            return answer
        if known is None or code not in UNANSWERED:
            if redraw == redraws:
                return answer
            redraw += 1
        number += 1
