"""What of an exhibit a judge is shown, as titled texts."""

from __future__ import annotations

import unicodedata
from typing import Literal

from confute.judges.fence import Part, without_unseen
from confute.judges.judge import Exhibit, Turn

Shown = Literal[
    "reply",
    "prompt",
    "turns",
    "own_turns",
    "claim",
    "evidence",
    "truth",
    "falsehood",
    "persona",
    "capabilities",
    "secret",
]
"""A field of an exhibit; `own_turns` are the turns without what the user or the system said."""

_TITLES: dict[Shown, str] = {
    "reply": "REPLY",
    "prompt": "REQUEST",
    "turns": "TURN",
    "own_turns": "TURN",
    "claim": "CLAIM",
    "evidence": "EVIDENCE",
    "truth": "TRUE (background)",
    "falsehood": "FALSE (background)",
    "persona": "ROLE",
    "capabilities": "CAPABILITY",
    "secret": "SECRET",
}
_FOREIGN = frozenset({"user", "system"})


def parts_of(exhibit: Exhibit, shows: tuple[Shown, ...]) -> list[Part]:
    """Return the titled texts of the fields that a judge is shown; an absent one is left out."""
    return [part for field in shows for part in _parts(exhibit, field)]


def texts_of(exhibit: Exhibit, fields: tuple[Shown, ...]) -> tuple[str, ...]:
    """Return the texts of fields without their titles, such as a quote must be found in."""
    return tuple(part.text for part in parts_of(exhibit, fields))


def titles_of(fields: tuple[Shown, ...]) -> str:
    """Return the titles of fields as a prompt names them."""
    return " or ".join(dict.fromkeys(_TITLES[field] for field in fields))


def has_content(text: str) -> bool:
    """Tell whether a text holds a letter, a digit or a symbol: something that can be judged."""
    return any(unicodedata.category(character)[0] in "LNS" for character in without_unseen(text))


def _parts(exhibit: Exhibit, field: Shown) -> list[Part]:
    title = _TITLES[field]
    if field in {"turns", "own_turns"}:
        turns = [turn for turn in exhibit.turns if field == "turns" or turn.role not in _FOREIGN]
        return [Part(f"{title} {number} {_speaker(turn)}", _said(turn)) for number, turn in enumerate(turns, 1)]
    value: str | tuple[str, ...] = getattr(exhibit, field)
    if isinstance(value, tuple):
        return [Part(f"{title} {number}", text) for number, text in enumerate(value, 1)]
    return [Part(title, value)] if value.strip() else []


def _speaker(turn: Turn) -> str:
    return turn.role.upper().replace("_", " ")


def _said(turn: Turn) -> str:
    return f"[{turn.role.replace('_', ' ')}: {turn.tool}] {turn.content}" if turn.tool else turn.content
