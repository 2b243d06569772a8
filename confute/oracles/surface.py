"""Texts without what says nothing: look-alikes, invisible characters, markup, accents, case and plural endings."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from importlib import import_module

from confute import text

_SHORTEST_PLURAL = 4
_MEANT = frozenset("-\u2212%$€£¥")
_TAG = re.compile(r"<[^<>]{0,500}>")
_MARK = re.compile(r"[_*~`#|\\^\x00-\x08\x0e-\x1f\x7f]")
_LATIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
    | {"ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ı": "i"}
)


def skeleton(claim: str) -> str:
    """Return the text in NFKC, without invisible characters, and with look-alikes of ASCII letters written in ASCII.

    The look-alikes are Unicode's confusables (UTS 39), so that a full-width digit or a Cyrillic letter within a Latin
    word is no change.
    """
    composed = unicodedata.normalize("NFKC", claim)
    if composed.isascii():
        return composed
    visible = (char for char in composed if unicodedata.category(char) != "Cf")
    return "".join(char if char.isascii() else _ascii_twin(char) for char in visible)


@lru_cache(maxsize=4096)
def _ascii_twin(char: str) -> str:
    confusables = import_module("confusable_homoglyphs.confusables")
    twins: list[str] = [twin["c"] for twin in confusables.confusables_data.get(char, ())]
    return next((twin for twin in twins if len(twin) == 1 and twin.isascii() and twin.isalnum()), char)


def bare(passage: str) -> str:
    """Return a text without tags, Markdown signs and control characters, in ASCII where its letters have a twin there.

    What stood on both sides of a tag or sign is joined; entities are resolved, accents taken off, digits are ASCII.
    """
    return plain(_MARK.sub("", _TAG.sub("", html.unescape(passage))))


def plain(passage: str) -> str:
    """Return a text in NFKD without accents and invisible characters, in ASCII where a character has a twin there.

    Tags and Markdown signs stay; an underscore is a space.
    """
    if passage.isascii():
        return passage.replace("_", " ")
    decomposed = unicodedata.normalize("NFKD", skeleton(passage).translate(_LATIN))
    kept = (char for char in decomposed if unicodedata.category(char) not in {"Mn", "Cf"})
    return "".join(str(unicodedata.digit(char, char)) for char in kept).replace("_", " ")


def letters(passage: str) -> str:
    """Return the letters and digits of a text, folded: what is left however it is spaced, marked or punctuated."""
    return "".join(char for char in text.fold(bare(passage)) if char.isalnum())


def words(passage: str) -> tuple[str, ...]:
    """Return the words of a text without case, punctuation and plural endings; a sign before a digit stays."""
    folded = text.tokens(text.fold(skeleton(passage)).replace("_", " "))
    return tuple(singular(word) for word in folded if any(char.isalnum() for char in word) or word in _MEANT)


def singular(word: str) -> str:
    """Return a word in lower case without its plural ending."""
    if len(word) < _SHORTEST_PLURAL or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word.removesuffix("s")
