"""The verdicts that a judge lists in bare words."""

from __future__ import annotations

import re

_HEADING = re.compile(r"[^:]*:")
_ITEM = re.compile(r"\s*(?:\d{1,4}\s*[.):]\s*)?(yes|no)\b\s*[.,;]?", re.IGNORECASE)
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
