"""What stands in the text of a model's reply: its JSON values, or its bare words, after its reasoning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_MAX_OPENINGS = 400
_MAX_CLOSINGS = 40
_TAG = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_CLOSING = re.compile(rf"</(?:{_TAG})\s*>|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_OPENING = re.compile(rf"<(?:{_TAG})\s*>", re.IGNORECASE)
_CODE_BLOCK = re.compile(r"```[\w-]*\s*\n?(.*?)\s*```", re.DOTALL)
_BEGINS_VALUE = re.compile(r"[{\[]")
_ENDS_ITEM = re.compile(r"\s*[,\]]")
_LITERALS = ("true", "false", "null")
_REFUSAL = re.compile(
    r"(?:i['’]?m|i am)\s+(?:(?:so|very|really)\s+)?(?:sorry|afraid|unable|not\s+able)\b|sorry\b|"
    r"i\s+(?:can['’]?t|cannot|can\s+not|won['’]?t|will\s+not|must\s+decline|apologi[sz]e)\b|i['’]ll\s+have\s+to\s+decline|"
    r"as\s+an?\s+(?:ai|language\s+model)\b|(?:unfortunately,?\s+)i\b|my\s+apologies\b|"
    r"mi\s+dispiace|non\s+posso|es\s+tut\s+mir\s+leid|tut\s+mir\s+leid|ich\s+kann\s+(?:\w+\s+)*nicht|"
    r"je\s+suis\s+désolée?|désolée?\b|je\s+ne\s+peux\s+pas|lo\s+siento|no\s+puedo|desculpe|sinto\s+muito|"
    r"não\s+posso|üzgünüm|maalesef|对不起|抱歉|我不能|申し訳",
    re.IGNORECASE,
)


class Repeated:
    """Stands for the value of a key that an object holds twice with two values."""


class Found(NamedTuple):
    """The JSON values of a reply, its text after the reasoning, and whether that text breaks off within a value."""

    values: tuple[Any, ...]
    body: str
    broken_off: bool


def find(reply: str) -> Found:
    """Return the JSON objects and arrays of a reply, outermost ones alone, keys in lower case.

    Reasoning is what stands before a closing tag, with or without its opening one. A reply, or what follows one of its
    closing tags, that is JSON as a whole is taken as it stands: a tag within a quotation closes nothing.
    """
    text = reply.strip().lstrip("\ufeff")
    closings = [match.end() for match in _CLOSING.finditer(text)]
    rests = [text, *(text[end:].strip() for end in closings[:_MAX_CLOSINGS] + closings[-1:])]
    for rest in rests:
        block = _CODE_BLOCK.fullmatch(rest)
        whole = block.group(1) if block else rest
        value, end = _decoded(whole, 0)
        if value is not None and not whole[end:].strip():
            return Found((value,), rest, broken_off=False)
    body, *unfinished = _OPENING.split(rests[-1], maxsplit=1)
    values, broken_off = _scanned(body)
    return Found(values, body.strip(), broken_off or bool(unfinished))


def cut_items(body: str, key: str) -> list[Any] | None:
    """Return the complete items of an array that breaks off under a key, or None where there is no such array."""
    start = re.search(rf'"{re.escape(key)}"\s*:\s*\[', body, re.IGNORECASE)
    if start is None:
        return None
    items: list[Any] = []
    position = start.end()
    while (item := _item(body, position)) is not None:
        items.append(item[0])
        position = item[1]
    return items


def is_refusal(body: str) -> bool:
    """Tell whether a reply opens as a refusal to do what was asked."""
    return _REFUSAL.match(body.lstrip(" \t\n*_\"'#>¡")) is not None


def _item(body: str, position: int) -> tuple[Any, int] | None:
    start = len(body) - len(body[position:].lstrip())
    try:
        value, end = _DECODER.raw_decode(body, start)
    except (ValueError, RecursionError):
        return None
    follows = _ENDS_ITEM.match(body, end)
    return None if follows is None else (value, follows.end())


def _scanned(body: str) -> tuple[tuple[Any, ...], bool]:
    values: list[Any] = []
    broken_off = False
    position = 0
    for _ in range(_MAX_OPENINGS):
        opening = _BEGINS_VALUE.search(body, position)
        if opening is None:
            return tuple(values), broken_off
        value, end = _decoded(body, opening.start())
        if value is None:
            broken_off |= body[opening.start()] == "{" and end >= len(body)
            position = opening.end()
        else:
            values.append(value)
            position = end
    return (), False


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """Return an object or array and where it ends; None, and the end of the text where it breaks off within it."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].strip()
        within = error.msg.startswith("Unterminated string") or any(one.startswith(rest) for one in _LITERALS)
        return None, len(text) if within else error.pos
    except RecursionError:
        return None, len(text) - 1
    except ValueError:
        return None, start
    return (value, end) if isinstance(value, dict | list) else (None, start)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built: dict[str, Any] = {}
    for key, value in pairs:
        folded = key.strip().casefold()
        built[folded] = Repeated() if folded in built and built[folded] != value else value
    return built


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, strict=False)


def objects(values: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """Yield the objects among values, and those in arrays."""
    for value in values:
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))
