"""What stands in the text of a model's reply: its JSON values, or its bare words, after its reasoning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_MAX_OPENINGS = 400
_TAG = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_MARK = re.compile(
    rf"(?P<closing></(?:{_TAG})[ \t]*>|<\|channel\|>final<\|message\|>)"
    rf"|(?P<opening><(?:{_TAG})[ \t]*>|<\|channel\|>(?:analysis|commentary)<\|message\|>)"
    r"|(?P<value>\{|\[(?=\s*[\"{]))",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s*")
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
    """What a reply holds after its reasoning: JSON values in order, and the text around them.

    `unfinished` is the text from where an object, or the reasoning, breaks off at the end of the reply, else None.
    `unreadable` tells that an object begins that is no JSON: what follows may be a quotation in it, so nothing counts.
    """

    values: tuple[Any, ...] = ()
    body: str = ""
    outside: str = ""
    unfinished: str | None = None
    unreadable: bool = False

    @property
    def broken_off(self) -> bool:
        """Whether the reply ends within an object or within its reasoning."""
        return self.unfinished is not None


def find(reply: str) -> Found:
    """Return the JSON objects and arrays of a reply, outermost ones alone, keys in lower case.

    Reasoning is what stands before the last closing tag, with or without its opening one; a tag within a JSON value is
    part of a quotation.
    """
    text = reply.strip().lstrip("\ufeff")
    start, opened, known = _end_of_reasoning(text)
    if not known:
        return Found(body=text.strip(), unreadable=True)
    if opened is not None:
        return Found(body=text[start:opened].strip(), unfinished=text[opened:])
    return _scanned(text[start:].strip())


def cut_items(unfinished: str, key: str) -> list[Any] | None:
    """Return the complete items of an array under a key of an object that breaks off, or None where there is none.

    An object that holds the key twice holds no such array.
    """
    names: set[str] = set()
    position = 1
    while (read := _decoded(unfinished, position)) is not None and isinstance(read[0], str):
        name = read[0].strip().casefold()
        colon = _past_space(unfinished, read[1])
        if unfinished[colon : colon + 1] != ":" or name in names:
            return None
        names.add(name)
        start = _past_space(unfinished, colon + 1)
        value = _decoded(unfinished, start)
        comma = start if value is None else _past_space(unfinished, value[1])
        if value is None or comma >= len(unfinished):
            within = name == key.casefold() and unfinished[start : start + 1] == "["
            return _items(unfinished, start + 1) if within else None
        if unfinished[comma] != ",":
            return None
        position = comma + 1
    return None


def is_refusal(body: str) -> bool:
    """Tell whether a reply opens as a refusal to do what was asked."""
    return _REFUSAL.match(body.lstrip(" \t\n*_\"'#>¡")) is not None


def objects(values: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """Yield the objects among values, and those in arrays."""
    for value in values:
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _end_of_reasoning(text: str) -> tuple[int, int | None, bool]:
    """Return where the answer starts, where reasoning opens that never ends, and whether this can be told.

    It cannot be told where a closing tag follows an unreadable object outside of opened reasoning: the tag may be
    quoted in that object.
    """
    start, opened, unreadable, position = 0, None, False, 0
    last = max((match.end() for match in _MARK.finditer(text) if match["value"] is None), default=0)
    for _ in range(_MAX_OPENINGS):
        mark = _MARK.search(text, position, last)
        if mark is None:
            return start, opened, True
        position = mark.end()
        if mark["opening"]:
            opened = mark.start() if opened is None else opened
        elif mark["closing"]:
            if unreadable and opened is None:
                return start, opened, False
            start, opened, unreadable = position, None, False
        elif (value := _decoded(text, mark.start())) is not None:
            position = value[1]
        else:
            unreadable |= opened is None
    return start, opened, False


def _scanned(body: str) -> Found:
    values: list[Any] = []
    outside: list[str] = []
    position = shown = 0
    for _ in range(_MAX_OPENINGS):
        opening = min((at for at in (body.find("{", position), body.find("[", position)) if at >= 0), default=-1)
        if opening < 0:
            outside.append(body[shown:])
            return Found(tuple(values), body, "\n".join(outside).strip())
        value = _decoded(body, opening)
        if value is not None:
            values.append(value[0])
            outside.append(body[shown:opening])
            position = shown = value[1]
        elif _begins_object(body, opening):
            if _breaks_off(body, opening):
                return Found(tuple(values), body, unfinished=body[opening:])
            return Found(body=body, unreadable=True)
        else:
            position = opening + 1
    return Found(body=body, unreadable=True)


def _begins_object(text: str, start: int) -> bool:
    """Tell an object or a list of texts from a bracket of prose."""
    if text[start] == "{":
        return True
    following = _past_space(text, start + 1)
    return text[following : following + 1] in {'"', "{"}


def _breaks_off(text: str, start: int) -> bool:
    """Tell whether what is no JSON would be the beginning of some, were there more text."""
    try:
        _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].strip()
        return error.msg.startswith("Unterminated string") or any(one.startswith(rest) for one in _LITERALS)
    except (ValueError, RecursionError):
        return False
    return False


def _decoded(text: str, start: int) -> tuple[Any, int] | None:
    """Return the JSON value after white space, and where it ends; None where there is none."""
    try:
        return _DECODER.raw_decode(text, _past_space(text, start))
    except (ValueError, RecursionError):
        return None


def _items(text: str, position: int) -> list[Any]:
    items: list[Any] = []
    while (item := _decoded(text, position)) is not None:
        end = _past_space(text, item[1])
        if text[end : end + 1] not in {",", "]"}:
            break
        items.append(item[0])
        position = end + 1
        if text[end] == "]":
            break
    return items


def _past_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return position if space is None else space.end()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built: dict[str, Any] = {}
    for key, value in pairs:
        folded = key.strip().casefold()
        built[folded] = Repeated() if folded in built and built[folded] != value else value
    return built


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, strict=False)
