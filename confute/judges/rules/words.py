"""Words of a text as rules compare them: folded, without function words, with the commonest endings taken off."""

from __future__ import annotations

import re

from confute.judges.rules.sentences import folded

_WORD = re.compile(r"\w+(?:[.,]\d+)?")
_ENDING = re.compile(r"(?:ing|ed|es|s|ly)$")
_FUNCTION = frozenset(
    re.findall(
        r"\w+",
        "a about after all also am an and any are as at be been being but by can could did do does doing for "
        "from get got had has have he her here him his how i if in into is it its just let me more my no not "
        "of off on one or our out please she should so some tell than that the their them then there these "
        "they this those to too up us very was we were what when where which who whom whose why will with "
        "would you your",
    )
)


def stem(word: str) -> str:
    """Return a folded word without its ending, if three letters are left of it."""
    cut = _ENDING.sub("", word) if word.isalpha() else word
    return cut if len(cut) >= 3 else word


def words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text in order; a decimal number is one."""
    return tuple(_WORD.findall(folded(text)))


def content(text: str) -> frozenset[str]:
    """Return the stems of a text's words that are no function words."""
    return frozenset(stem(word) for word in words(text) if word not in _FUNCTION)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written."""
    return frozenset(word for word in words(text) if word[0].isdigit())


def names(text: str) -> frozenset[str]:
    """Return the folded words that are written as names: with a capital after the first word, or with a digit."""
    found = re.findall(r"(?<!^)(?<![.!?:]\s)\b[A-Z][\w-]+|\b\w*\d[\w.]*", text)
    return frozenset(folded(word) for word in found if folded(word) not in _FUNCTION)
