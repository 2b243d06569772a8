"""Statements turned round: a claim that says of an evidence sentence the opposite, in nearly its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from confute.text import fold

_PAIRS = (
    "enabled disabled, enable disable, active inactive, allowed forbidden, permitted prohibited, accepted "
    "rejected, accept reject, included excluded, include exclude, increased decreased, increase decrease, rose "
    "fell, rises falls, rising falling, gained lost, up down, higher lower, more less, more fewer, before after, "
    "above below, always never, open closed, true false, safe unsafe, legal illegal, valid invalid, required "
    "optional, success failure, succeeded failed, first last, largest smallest, highest lowest, best "
    "worst, maximum minimum, all none, present absent, positive negative, begins ends, started ended, on off, "
    "approved denied, public private, north south, east west, early late, fast "
    "slow, hot cold, strong weak, likely unlikely, possible impossible, supports opposes, supported opposed, "
    "older younger, longer shorter, improved worsened, strengthened weakened, expanded shrank, visible hidden, "
    "online offline, manual automatic"
)
_OPPOSITES: dict[str, frozenset[str]] = {}
for _left, _right in (pair.split() for pair in _PAIRS.split(", ")):
    _OPPOSITES[_left] = _OPPOSITES.get(_left, frozenset()) | {_right}
    _OPPOSITES[_right] = _OPPOSITES.get(_right, frozenset()) | {_left}

_NEGATING = "not never no cannot neither nor without none nobody nothing"
_NEGATIONS = frozenset(_NEGATING.split())
_HELPING = "a an the is are was were be been do does did has have had will would can could"
_AUXILIARY = frozenset(_HELPING.split())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s*")
_SAME_WORDS = 0.85


def is_opposite(claim: str, passages: Sequence[str]) -> bool:
    """Tell whether a claim says the opposite of a sentence of some passages.

    It does where 85 % of its content words stand in the sentence and either one word is an antonym of one there, or
    the sentence and the claim differ in whether they are negated. A sentence that says the claim as it is settles it.
    """
    said = _words(claim)
    relations = [_relation(said, _words(one)) for passage in passages for one in _SENTENCE.split(passage)]
    return False not in relations and True in relations


def _relation(claim: list[str], sentence: list[str]) -> bool | None:
    """Return True for the opposite, False for the same, and None where the two are about different things."""
    there = frozenset(sentence)
    content = [word for word in claim if word not in _AUXILIARY and not _is_negation(word)]
    swapped = [word for word in content if word not in there and _OPPOSITES.get(word, frozenset()) & there]
    kept = [word for word in content if word in there]
    if len(content) < 2 or len(kept) + len(swapped) < _SAME_WORDS * len(content) or len(swapped) > 1 or not kept:
        return None
    if any(word not in there for word in content if any(char.isdigit() for char in word)):
        return None
    negated = _is_negated(claim) != _is_negated(sentence)
    return (len(swapped) == 1) != negated


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).replace("\u2019", "'"))


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _is_negated(words: list[str]) -> bool:
    return sum(map(_is_negation, words)) % 2 == 1
