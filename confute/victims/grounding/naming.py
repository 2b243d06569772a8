"""Which known value a text speaks of: the words around a number against the words of a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from confute.victims.grounding import units
from confute.victims.grounding.plain_words import PLAIN
from confute.victims.grounding.quantity import Quantity

_SENTENCE_END = re.compile(r"[.!?](?=\s+[A-Z\"(\u201c]|\s*\Z)|\n|;")
_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_USUAL = ("usual", "usually", "typical", "typically", "normal", "normally", "average", "base")
_ALIKE = dict.fromkeys(_USUAL, "baseline")
_ENDINGS = ("ing", "ed", "ly", "es", "s")
_INITIALS_OF = 2


class Window(NamedTuple):
    """The text around a quantity, up to its neighbours and the ends of its sentence."""

    before: str
    after: str


def windows(found: Sequence[Quantity], text: str) -> tuple[Window, ...]:
    """Return the window of each quantity of a text."""
    checked = [quantity for quantity in found if quantity.skipped is None]
    return tuple(_window(quantity, checked, text) for quantity in found)


def _window(quantity: Quantity, checked: Sequence[Quantity], text: str) -> Window:
    left = max((one.end for one in checked if one.end <= quantity.start), default=0)
    right = min((one.start for one in checked if one.start >= quantity.end), default=len(text))
    before, after = text[left : quantity.start], text[quantity.end : right]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    closes = _SENTENCE_END.search(after)
    return Window(before[ends[-1] if ends else 0 :], after[: closes.start()] if closes else after)


def words_of_name(name: str) -> frozenset[str]:
    """Return the words of a name such as `restingHeartRate`, `rhr_baseline` or `humidity today`."""
    spread = _CAMEL.sub(" ", name).replace("_", " ")
    found = frozenset(_stem(word) for word in _WORD.findall(spread) if word.lower() not in PLAIN)
    return found or frozenset(_stem(word) for word in _WORD.findall(spread))


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry content, without units."""
    return frozenset(
        _stem(word) for word in _WORD.findall(text) if word.lower() not in PLAIN and units.written(word) is None
    )


def coverage(words: frozenset[str], window: Window) -> float:
    """Return the share of a name's words that stand in a window, as such or as initials; 0 for a name of none."""
    if not words:
        return 0.0
    said = _WORD.findall(f"{window.before} {window.after}")
    there = frozenset(_stem(word) for word in said)
    initials = (
        "".join(word[0].lower() for word in _WORD.findall(window.before)),
        "".join(word[0].lower() for word in _WORD.findall(window.after)),
    )
    return sum(word in there or _is_initials(word, initials) for word in words) / len(words)


def _is_initials(word: str, initials: tuple[str, str]) -> bool:
    return _INITIALS_OF < len(word) <= 5 and any(word in side for side in initials)


def _stem(word: str) -> str:
    lowered = word.lower()
    alike = _ALIKE.get(lowered)
    if alike is not None:
        return alike
    for ending in _ENDINGS:
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 4:
            return lowered.removesuffix(ending).removesuffix("e")
    return lowered.removesuffix("e") if len(lowered) > 4 else lowered
