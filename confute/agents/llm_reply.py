"""What an attacker's model answered, read by the one parser of structured replies."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from confute.agents.agent import Reply
from confute.models.chat import ReplyCode
from confute.models.structured import Found, Repeated, find, is_refusal, objects
from confute.text import is_blank

IMPROVEMENT, PROPOSAL, MECHANISM = "improvement", "proposal", "mechanism"
_MAX_REPLY = 200_000
_MAX_IMPROVEMENT = 300


class Fault(StrEnum):
    """Why a reply holds no proposal; all but the first may go away where the question is asked again."""

    BUDGET_SPENT = "budget_spent"
    NO_REPLY = "no_reply"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    UNPARSEABLE = "unparseable"
    MISSING_KEY = "missing_key"
    CONTRADICTORY = "contradictory"
    OUT_OF_DOMAIN = "out_of_domain"


class Answer(NamedTuple):
    """The proposal of a reply, or the fault; `mechanism` stands where the question asked for it."""

    improvement: str = ""
    proposal: str | tuple[int, ...] = ()
    mechanism: str | None = None
    fault: Fault | None = None


def read(reply: Reply, *, options: int | None, mechanisms: tuple[str, ...] = ()) -> Answer:
    """Return what a reply proposes: numbers from 1 to `options`, or, where that is None, a text.

    Every JSON object with a proposal must hold the same one, and one of the `mechanisms` where there are any.
    """
    if reply.code is ReplyCode.BUDGET_SPENT:
        return Answer(fault=Fault.BUDGET_SPENT)
    if reply.code not in {ReplyCode.OK, ReplyCode.TRUNCATED} or reply.text is None or len(reply.text) > _MAX_REPLY:
        return Answer(fault=Fault.REFUSED if reply.code is ReplyCode.REFUSAL else Fault.NO_REPLY)
    found = find(reply.text)
    holders = [one for one in objects(found.values) if PROPOSAL in one]
    if not holders:
        return Answer(fault=_why_none(found, reply))
    if any(one[PROPOSAL] != holders[0][PROPOSAL] or isinstance(one[PROPOSAL], Repeated) for one in holders):
        return Answer(fault=Fault.CONTRADICTORY)
    return _answer(holders[0], options, mechanisms)


def _answer(holder: dict[str, Any], options: int | None, mechanisms: tuple[str, ...]) -> Answer:
    raw, mechanism, said = holder[PROPOSAL], holder.get(MECHANISM), holder.get(IMPROVEMENT)
    if mechanisms and (not isinstance(mechanism, str) or mechanism.strip().casefold() not in mechanisms):
        return Answer(fault=Fault.OUT_OF_DOMAIN if mechanism is not None else Fault.MISSING_KEY)
    proposal = _text(raw) if options is None else _numbers(raw, options)
    if proposal is None:
        return Answer(fault=Fault.OUT_OF_DOMAIN)
    return Answer(
        improvement=said[:_MAX_IMPROVEMENT] if isinstance(said, str) else "",
        proposal=proposal,
        mechanism=mechanism.strip().casefold() if mechanisms and isinstance(mechanism, str) else None,
    )


def _text(raw: Any) -> str | None:
    return raw.strip() if isinstance(raw, str) and not is_blank(raw) else None


def _numbers(raw: Any, options: int) -> tuple[int, ...] | None:
    """Return distinct numbers in the order given, written as numbers or as digits, alone or in a list."""
    found = []
    for one in raw if isinstance(raw, list) else [raw]:
        number = int(one) if isinstance(one, str) and one.strip().isdecimal() and len(one) < 6 else one
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= options:
            return None
        found.append(number)
    return tuple(dict.fromkeys(found)) or None


def _why_none(found: Found, reply: Reply) -> Fault:
    if reply.code is ReplyCode.TRUNCATED or found.broken_off:
        return Fault.TRUNCATED
    if any(True for _ in objects(found.values)):
        return Fault.MISSING_KEY
    return Fault.REFUSED if is_refusal(found.body) else Fault.UNPARSEABLE
