"""Names coined from syllables, such that no two suites can ever share one."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from random import Random

from confute.contract import Suite
from confute.errors import OracleError
from confute.oracles.facts.relation import Kind

_VOWELS = "aeiou"
_CONSONANTS = "bdfgklmnprstvz"
_TRIES = 10_000


def suite_of(coined: str) -> Suite:
    """Return the suite that a coined word belongs to: a hash of the word shares out all words among the suites."""
    suites = tuple(Suite)
    digest = hashlib.sha256(coined.lower().encode()).digest()
    return suites[int.from_bytes(digest[:8], "big") % len(suites)]


def coin(kind: Kind, suite: Suite, random: Random, taken: Collection[str]) -> tuple[str, str]:
    """Return a fresh coined word of the suite, and the name that the kind makes of it.

    `taken` holds the coined words in use, in lower case. Raises OracleError where a kind has no more words.
    """
    for _ in range(_TRIES):
        word = random.choice(kind.starts) + random.choice(kind.middles) + random.choice(kind.ends)
        if word.lower() not in taken and suite_of(word) is suite:
            name = random.choice(kind.forms).replace("{}", word)
            return word, f"{name} {random.choice(kind.nouns)}" if kind.nouns else name
    raise OracleError(
        "a kind has too few syllables for so many names",
        field="kinds",
        got=kind.starts,
        hint="a suite owns one of three words: give three times as many combinations as names, and some more",
    )


def near(name: str, word: str, taken: Collection[str]) -> Iterator[str]:
    """Yield names whose coined word is one letter away and of the same suite, `taken` ones left out."""
    for index in range(len(word) - 1, 0, -1):
        letters = _VOWELS if word[index] in _VOWELS else _CONSONANTS
        others = (word[:index] + letter + word[index + 1 :] for letter in letters if letter != word[index])
        names = (name.replace(word, other, 1) for other in others if suite_of(other) is suite_of(word))
        fresh = next((other for other in names if other not in taken), None)
        if fresh is not None:
            yield fresh
