"""Which known value a text speaks of: the words around a number against the words of a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
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
_REACH = 400
_NAMES = re.compile(r"[A-Z]\w*(?:\s+[A-Z]\w*)*")
_DENIED = re.compile(r"\b(?:not|never|no|neither|nor|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_DENIED_ITSELF = re.compile(
    r"(?:\b(?:not|never|cannot)|n['\u2019]t)\b(?!\s+(?:only|just|merely|until)\b)"
    r"(?:(?!\b(?:but|because|which|when|while|although)\b)[^,;:])*\Z",
    re.IGNORECASE,
)
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = frozenset(_MONTH_NAMES.split())


class Window(NamedTuple):
    """The text around a quantity, up to its neighbours and the ends of its sentence, and that sentence."""

    before: str
    after: str
    sentence: str = ""


def windows(found: Sequence[Quantity], text: str) -> tuple[Window, ...]:
    """Return the window of each quantity of a text, the quantities given in order."""
    ends, starts = [], []
    last, following = 0, len(text)
    for quantity in found:
        ends.append(last)
        last = quantity.end if quantity.skipped is None else last
    for quantity in reversed(found):
        starts.append(following)
        following = quantity.start if quantity.skipped is None else following
    return tuple(
        _window(one, left, right, text) for one, left, right in zip(found, ends, reversed(starts), strict=True)
    )


def _window(quantity: Quantity, left: int, right: int, text: str) -> Window:
    before = text[max(left, quantity.start - _REACH) : quantity.start]
    after = text[quantity.end : min(right, quantity.end + _REACH)]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    closes = _SENTENCE_END.search(after)
    return Window(
        before[ends[-1] if ends else 0 :],
        after[: closes.start()] if closes else after,
        _sentence(text, quantity.start, quantity.end),
    )


def _sentence(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    closes = _SENTENCE_END.search(after)
    return before[ends[-1] if ends else 0 :] + text[start:end] + (after[: closes.start()] if closes else after)


@lru_cache(maxsize=1024)
def names(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the capitalised words of a sentence but its first, and with its first; months are none."""
    words = _WORD.findall(sentence)
    capitals = [word[:1].isupper() and word not in _MONTHS and word.lower() not in PLAIN for word in words]
    found = [word for word, is_name in zip(words, capitals, strict=True) if is_name]
    first = bool(words) and capitals[0]
    return frozenset(found[1:] if first else found), frozenset(found)


def shared_names(said: frozenset[str], window: Window) -> int:
    """Return how many names a sentence shares with the capitalised words of another, 0 where it names another thing.

    Words in a row are one name. Its first word may be capital for no other reason than its place, and need not be one.
    """
    sure, all_of_them = names(window.sentence)
    if not sure <= said:
        return 0
    there = all_of_them & said
    return sum(any(word in there for word in found.split()) for found in _NAMES.findall(window.sentence))


def is_negated(window: Window) -> bool:
    """Tell whether the words before a quantity deny what is said of it."""
    return _DENIED.search(window.before) is not None


def is_denied(window: Window) -> bool:
    """Tell whether the clause of a quantity denies it, so that it states no value: `was not 5 million`."""
    return _DENIED_ITSELF.search(window.before) is not None


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
    there, initials = _said(window.before, window.after)
    return sum(word in there or _is_initials(word, initials) for word in words) / len(words)


@lru_cache(maxsize=1024)
def _said(before: str, after: str) -> tuple[frozenset[str], tuple[str, str]]:
    sides = [_WORD.findall(side) for side in (before, after)]
    stems = frozenset(_stem(word) for side in sides for word in side)
    return stems, ("".join(word[0].lower() for word in sides[0]), "".join(word[0].lower() for word in sides[1]))


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
