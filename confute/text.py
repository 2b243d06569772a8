"""Text as every part measures it: folding, tokens, edit distance and edit scripts."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class Span(NamedTuple):
    """A token and its place, as character offsets into the NFC text that was tokenised."""

    start: int
    end: int
    text: str


def fold(text: str) -> str:
    """Return the text after NFKC, case folding and white-space folding; equal folds are the same text."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACE.sub(" ", folded).strip()


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: white space, control and format characters, and fillers alone."""
    return all(char in _FILLERS or unicodedata.category(char)[0] not in "LMNPS" for char in text)


def spans(text: str) -> tuple[Span, ...]:
    """Return the tokens of an NFC text with their offsets: `\\w+` runs or single punctuation marks."""
    return tuple(Span(match.start(), match.end(), match.group()) for match in _TOKEN.finditer(text))


def tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of the NFC form of a text."""
    return tuple(_TOKEN.findall(unicodedata.normalize("NFC", text)))


def token_distance(left: str, right: str) -> int:
    """Return the Levenshtein distance between two texts, in tokens."""
    return Levenshtein.distance(tokens(left), tokens(right))


def char_distance(left: str, right: str) -> int:
    """Return the Levenshtein distance between two NFC texts, in characters."""
    return Levenshtein.distance(unicodedata.normalize("NFC", left), unicodedata.normalize("NFC", right))


def word_grams(text: str, length: int = 8) -> frozenset[tuple[str, ...]]:
    """Return every run of so many words in a text: what two texts share word for word.

    Format characters, such as soft hyphens and zero-width spaces, are left out, and the text is folded.
    """
    words = _WORD.findall(fold("".join(char for char in text if unicodedata.category(char) != "Cf")))
    return frozenset(tuple(words[start : start + length]) for start in range(len(words) - length + 1))
