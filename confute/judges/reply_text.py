"""The verdicts that a judge gives in bare words."""

from __future__ import annotations

import re
from functools import lru_cache

from confute.judges.forms import CANNOT_TELL, Choice, Form, Score

_HEADING = re.compile(r"[^:]*:")
_ITEM = re.compile(r"\s*(?:\d{1,4}\s*[.):]\s*)?(yes|no)\b\s*[.,;]?", re.IGNORECASE)
_MAX_STATED = 20_000
_LINK = r"[\s:=*_\"'`\[(]{0,10}"
_BOOLEANS = ("yes", "no", "true", "false", CANNOT_TELL, "cannot tell", "can't tell")
_VERDICT_WORD = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def listed_verdicts(body: str) -> list[str] | None:
    """Return the yes and no of a reply that lists nothing else, after one heading at most; numbers are no verdicts."""
    heading = _HEADING.match(body)
    if heading and not _VERDICT_WORD.search(heading.group()) and not heading.group()[:-1].strip().isdigit():
        body = body[heading.end() :]
    found, position = [], 0
    while match := _ITEM.match(body, position):
        found.append(match.group(1))
        position = match.end()
    return found if found and not body[position:].strip() else None


def stated_verdicts(text: str, form: Form) -> list[str]:
    """Return the verdicts that a text states: after a word such as "verdict" or the form's key, at the start of a line
    that goes on with a mark, alone on a line, or in double brackets.

    "is not yes" is returned as `not yes`, which is no verdict of any form.
    """
    if len(text) > _MAX_STATED:
        text = text[: _MAX_STATED // 2] + "\n" + text[-_MAX_STATED // 2 :]
    return [next(filter(None, match.groups())) for match in _stating(form).finditer(text)]


@lru_cache(maxsize=64)
def _stating(form: Form) -> re.Pattern[str]:
    name = rf"\b(?:verdict|answer|judg(?:e)?ment|conclusion|{re.escape(form.key)})"
    linked = rf"{name}{_LINK}(?:(?:is|was|be|remains)\b{_LINK})?"
    if isinstance(form, Score):
        return re.compile(rf"{linked}((?:not\s)?-?\d+(?:[.,]\d+)?)(?![\w/])", re.IGNORECASE | re.ASCII)
    words = (*form.choices, CANNOT_TELL) if isinstance(form, Choice) else _BOOLEANS
    told = rf"(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})(?!\w)"
    line = rf"^[ \t>*_#`\"'-]{{0,20}}({told})[*_`\"']{{0,4}}(?=[.,;:!\u2013\u2014]|[ \t]*$)"
    return re.compile(rf"{linked}((?:not\s)?{told})|{line}|\[\[\s?({told})\s?\]\]", re.IGNORECASE | re.MULTILINE)
