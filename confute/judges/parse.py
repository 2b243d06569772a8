"""The one parser of what judges answer: exactly one verdict in the declared form, or an error with its own code."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any, NamedTuple

from confute.judges.domain import Code, DomainError, read
from confute.judges.fence import visible
from confute.judges.forms import Boolean, Form, Score, Verdicts
from confute.judges.reply_text import listed_verdicts, stated_verdicts
from confute.models.structured import Found, Repeated, cut_items, find, is_refusal, objects

_MAX_REPLY = 200_000
_BRACKETS = re.compile(r"\[\[\s*(\w+)\s*\]\]")
_EDGES = " \t\r\n*_`\"'."


class Parsed(NamedTuple):
    """What a reply says: a value, or the code of why there is none.

    `raw` is the value as it stood in the reply. Of a list that breaks off, the complete verdicts stay in `value`,
    `None` for the others, beside the code `truncated`; a verdict that the judge cannot tell is `None` too.
    `conflict` tells that a declared flag contradicts the score.
    """

    value: bool | str | float | tuple[bool | None, ...] | None = None
    code: Code | None = None
    reason: str = ""
    quote: str | None = None
    raw: Any = None
    conflict: bool = False

    @property
    def coverage(self) -> float | None:
        """The share of a list's verdicts that were told; None where the value is no list, or an empty one."""
        if not isinstance(self.value, tuple) or not self.value:
            return None
        return sum(one is not None for one in self.value) / len(self.value)

    @property
    def share(self) -> float | None:
        """The share of yes among a list's verdicts that were told; None where none was."""
        told = [one for one in self.value if one is not None] if isinstance(self.value, tuple) else []
        return sum(told) / len(told) if told else None


def parse(reply: str, form: Form, *, count: int | None = None, truncated: bool = False) -> Parsed:
    """Return what a judge's reply says in a form, or the code of what is wrong with it; never a default.

    Structured output comes first: every JSON object that holds the form's key must say the same, and so must the text
    beside it where it states a verdict. Without any object, the whole reply may be the bare verdict. `count` is how
    many verdicts a list must hold; `truncated` tells that the endpoint stopped the reply short.
    """
    if len(reply) > _MAX_REPLY:
        return Parsed(code=Code.UNPARSEABLE)
    found = find(reply)
    cut = truncated or found.broken_off
    if found.unreadable:
        return Parsed(code=_why_none(found))
    if isinstance(form, Verdicts):
        return _verdicts(found, form, count, cut)
    if cut:
        return Parsed(code=Code.TRUNCATED)
    holders = [one for one in objects(found.values) if form.key.casefold() in one]
    return _agreed(holders, found.outside, form) if holders else _bare(found, form)


def _agreed(holders: list[dict[str, Any]], outside: str, form: Form) -> Parsed:
    readings = [_one(holder[form.key.casefold()], form) for holder in holders]
    if _differ([*readings, *(_one(word, form) for word in stated_verdicts(outside, form))]):
        return Parsed(code=Code.CONTRADICTORY)
    flag = holders[0].get(form.flag.casefold()) if isinstance(form, Score) and form.flag else None
    conflict = isinstance(flag, bool) and readings[0].code is None and flag is not form.fires(readings[0].value)
    return readings[0]._replace(**_words(holders[0]), conflict=conflict)


def _bare(found: Found, form: Form) -> Parsed:
    body = found.body
    if not body or any(True for _ in objects(found.values)):
        return Parsed(code=_why_none(found))
    bracketed = _bracketed(body) if isinstance(form, Boolean) and form.brackets else []
    readings = [_one(word, form) for word in bracketed or [body]]
    if _differ([*readings, *(_one(word, form) for word in stated_verdicts(body, form) if bracketed)]):
        return Parsed(code=Code.CONTRADICTORY)
    if readings[0].code is Code.OUT_OF_DOMAIN and not bracketed:
        return Parsed(code=_why_none(found))
    return readings[0]


def _bracketed(body: str) -> list[str]:
    """The bracketed words of a reply that ends with one on a line of its own: within a sentence they say nothing."""
    last = body.splitlines()[-1].strip(_EDGES)
    return _BRACKETS.findall(body) if _BRACKETS.fullmatch(last) else []


def _verdicts(found: Found, form: Verdicts, count: int | None, cut: bool) -> Parsed:
    key = form.key.casefold()
    holders = [one for one in objects(found.values) if isinstance(one.get(key), list | Repeated)]
    lists = [one[key] for one in holders] or [one for one in found.values if isinstance(one, list)]
    if any(isinstance(one, Repeated) or one != lists[0] for one in lists):
        return Parsed(code=Code.CONTRADICTORY)
    beside = listed_verdicts(found.outside)
    if (
        lists
        and beside is not None
        and any(
            _differ(list(pair)) for pair in zip_longest(_told(lists[0], form), _told(beside, form), fillvalue=Parsed())
        )
    ):
        return Parsed(code=Code.CONTRADICTORY)
    items = lists[0] if lists else None if found.values else beside
    if items is None and found.unfinished is not None:
        items = cut_items(found.unfinished, form.key)
    if items is None:
        return Parsed(code=Code.TRUNCATED if cut else _why_none(found))
    readings = _told(items, form)
    if wrong := [one for one in readings if one.code not in {None, Code.CANNOT_TELL}]:
        return wrong[0]
    values = [one.value if isinstance(one.value, bool) else None for one in readings]
    missing = 0 if count is None else count - len(values)
    if missing < 0 or (missing and not cut):
        return Parsed(code=Code.COUNT_MISMATCH, raw=items)
    told = (*values, *[None] * missing)
    words = _words(holders[0]) if holders else {}
    return Parsed(value=told, code=Code.TRUNCATED if cut else None, raw=items)._replace(**words)


def _why_none(found: Found) -> Code:
    if any(True for _ in objects(found.values)):
        return Code.MISSING_KEY
    if not found.body:
        return Code.JUDGE_EMPTY
    return Code.JUDGE_REFUSED if is_refusal(found.body) else Code.UNPARSEABLE


def _told(items: list[Any], form: Verdicts) -> list[Parsed]:
    key = form.item.casefold()
    return [_one(item.get(key) if isinstance(item, dict) else item, form) for item in items]


def _one(raw: Any, form: Form) -> Parsed:
    if isinstance(raw, Repeated):
        return Parsed(code=Code.CONTRADICTORY)
    try:
        value = read(raw, form)
    except DomainError as error:
        return Parsed(code=error.code, raw=raw)
    return Parsed(value=value, code=Code.CANNOT_TELL if value is None else None, raw=raw)


def _differ(readings: list[Parsed]) -> bool:
    return any((one.value, one.code) != (readings[0].value, readings[0].code) for one in readings)


def _words(holder: dict[str, Any]) -> dict[str, Any]:
    reason, quote = holder.get("reason"), holder.get("quote")
    return {
        "reason": visible(reason) if isinstance(reason, str) else "",
        "quote": visible(quote) if isinstance(quote, str) and quote.strip() else None,
    }
