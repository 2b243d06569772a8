"""When nobody answers: the run stops, so that the same command goes on where it stood."""

from __future__ import annotations

from collections.abc import Mapping

from confute.errors import ModelError
from confute.harness.judging.redraws import UNANSWERED
from confute.models.chat import ReplyCode

OUTAGES = UNANSWERED - {ReplyCode.BUDGET_SPENT.value}
"""Failures in which an endpoint gave no answer: nothing was drawn, so that nothing is charged and nothing is shown."""

HOW_TO_GO_ON = "give the same command again"
"""How a stopped attack on a persona goes on."""


def refuse_outage(errors: Mapping[str, int], place: str) -> None:
    """Raise ModelError where an error is that nobody answered: what it keeps from being known may not be counted."""
    unanswered = {code: times for code, times in errors.items() if code in OUTAGES}
    if unanswered:
        told = ", ".join(f"{code} {times}" for code, times in unanswered.items())
        raise ModelError(
            f"the persona or its judges cannot be asked ({told})",
            field=place,
            hint=f"mend the cause, then {HOW_TO_GO_ON}: what was answered is kept and is not asked again",
        )
