"""What a text is about, in a form in which two texts can be compared: words, numbers and abbreviations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from confute.oracles import surface
from confute.oracles.text import lexicon
from confute.oracles.text.parsing import lemmas
from confute.oracles.text.quantities import numbers, quantities

MAX_CHARS = 20_000
_STEM = 5
_SHORTEST_ABBREVIATION = 3
_SHORTEST_WITHIN = 6
_WORD = re.compile(r"[^\W_]+")
_GREEK_WORD = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]{3}")
_SPELT_OUT = re.compile(r"(?<!\w)(?:[^\W\d_]\W+){3}[^\W\d_](?!\w)")
_LONG_NUMBER = re.compile(r"\d(?:,?\d){100}")
_SPELLINGS = (("ae", "e"), ("oe", "e"), ("our", "or"), ("ph", "f"), ("ise", "ize"), ("yse", "yze"), ("tre", "ter"))


@dataclass(frozen=True)
class Content:
    """The content of a text.

    `forms` are all forms in which its content words are found again: as written, singular, their lemmas, one spelling
    for British and American, the first five letters of each, and neighbouring words written as one. `initials` are
    the first letters of all words, and of all content words.
    """

    forms: frozenset[str]
    numbers: frozenset[Fraction]
    abbreviations: frozenset[str]
    initials: tuple[str, ...]

    def shares_with(self, other: Content) -> bool:
        """Tell whether two texts share a word, a word within another, a number, or an abbreviation and its words."""
        return bool(
            self.forms & other.forms
            or _within(self.forms, other.forms)
            or _within(other.forms, self.forms)
            or self.numbers & other.numbers
            or _spelled(self.abbreviations, other.initials)
            or _spelled(other.abbreviations, self.initials)
        )


@lru_cache(maxsize=4096)
def read(passage: str) -> Content | None:
    """Return the content of a text, or None where it cannot be told.

    It cannot where the text is too long, holds a letter outside the Latin alphabet that no Latin one looks like (single
    Greek letters are symbols), letters spaced out, a number of over 100 digits, or no content word. Tags and Markdown
    signs are read both as nothing and as spaces. Raises OracleError where the extra `text` is not installed.
    """
    if len(passage) > MAX_CHARS:
        return None
    readings = (surface.plain(passage), surface.bare(passage))
    if _GREEK_WORD.search(unicodedata.normalize("NFKC", passage)) or not all(map(_is_read, readings)):
        return None
    runs = [_WORD.findall(reading) for reading in readings]
    found = [word for run in runs for word in run if _is_content(word)]
    forms = frozenset(pair for run in runs for pair in _joined(run)).union(*map(_forms, map(str.casefold, found)))
    if not forms:
        return None
    return Content(
        forms=forms,
        numbers=frozenset(number for reading in readings for number in _numbers(reading)),
        abbreviations=frozenset(_abbreviations(found)),
        initials=tuple(initials for run in runs for initials in (_initials(run), _initials(filter(_is_content, run)))),
    )


def _is_read(reading: str) -> bool:
    if _SPELT_OUT.search(reading) or _LONG_NUMBER.search(reading):
        return False
    return all(char.isascii() or not _is_foreign(char) for char in set(reading))


def _is_foreign(char: str) -> bool:
    name = unicodedata.name(char, "")
    letter = unicodedata.category(char) in {"Ll", "Lu", "Lt", "Lo", "Mc"} or " LETTER " in f"{name} "
    return letter and not name.startswith(("GREEK", "MODIFIER"))


def _is_content(word: str) -> bool:
    """Tell whether a word is more than a letter or a function word; `WHO` is no function word."""
    if len(word) == 1:
        return word.isdigit()
    return word.isupper() or word.casefold() not in lexicon.FUNCTION_WORDS


@lru_cache(maxsize=65_536)
def _forms(word: str) -> frozenset[str]:
    if any(char.isdigit() for char in word):
        return frozenset({word})
    spelt = {_spelt(form) for form in {word, surface.singular(word), *lemmas(word)}}
    return frozenset(spelt | {form[:_STEM] for form in spelt})


def _spelt(word: str) -> str:
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word


def _joined(run: list[str]) -> Iterator[str]:
    """Yield neighbouring words as one, and runs of single letters (`U.S.A.`) as the word that they give."""
    folded = [surface.singular(word.casefold()) for word in run]
    for left, right in pairwise(folded):
        if left not in lexicon.FUNCTION_WORDS and right not in lexicon.FUNCTION_WORDS:
            yield _spelt(left + right)
    for letters in re.findall(r"(?:(?<= )\w ){2,}", f" {' '.join(folded)} "):
        yield letters.replace(" ", "")


def _within(forms: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether a form of six letters or more is within another, as `homocysteine` is in `hyperhomocysteinemia`."""
    text = " ".join(others)
    return any(len(form) >= _SHORTEST_WITHIN and form in text for form in forms)


def _numbers(reading: str) -> Iterator[Fraction]:
    yield from numbers(reading)
    yield from (quantity.value / 100 for quantity in quantities(reading) if quantity.unit == "%")


def _abbreviations(words: Iterable[str]) -> Iterator[str]:
    """Yield words of three letters or more, most of them capitals, in lower case and without digits."""
    for word in words:
        capitals = "".join(char for char in word if char.isupper())
        if len(capitals) >= _SHORTEST_ABBREVIATION:
            yield capitals.casefold()


def _initials(run: Iterable[str]) -> str:
    return "".join(word[0] for word in run).casefold()


def _spelled(abbreviations: Iterable[str], initials: Iterable[str]) -> bool:
    return any(short in letters for letters in initials for short in abbreviations)
