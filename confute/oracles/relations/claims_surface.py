"""Relations of a claim's surface: case, space, full stop, Unicode form, and typos in function words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from confute.oracles.facts.parse import Reading
from confute.oracles.relations.claim_edits import claimed, read
from confute.oracles.relations.normal import FUNCTION_WORDS, slips
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene

_WORD = re.compile(r"[^\W\d_]+")
_LIGATURES = {
    "ffi": "\N{LATIN SMALL LIGATURE FFI}",
    "fi": "\N{LATIN SMALL LIGATURE FI}",
    "fl": "\N{LATIN SMALL LIGATURE FL}",
}
_WIDE = {chr(code): chr(code + 0xFEE0) for code in range(ord("a"), ord("z") + 1)}


def _resurfaced(scene: Scene, random: Random) -> Iterator[Instance]:
    """Change the case or Unicode form of a word, a space or the full stop, all outside names and numbers."""
    told = read(scene)
    words = [] if told is None else _own_words(told)
    if words:
        change = random.choice(_CHANGES)
        yield _kept(scene, change(scene.claim, random.choice(words)))


def _mistyped(scene: Scene, random: Random) -> Iterator[Instance]:
    """Make one slip in one function word."""
    told = read(scene)
    found = [] if told is None else [word for word in _own_words(told) if word.group() in FUNCTION_WORDS]
    if found:
        word = random.choice(found)
        yield _kept(scene, _with(scene.claim, word, random.choice(slips(word.group()))))


def _own_words(told: Reading) -> list[re.Match[str]]:
    """Return the words in lower case that are no part of a name, number or date."""
    text, sentence = told.sentence.text, told.sentence
    taken = [name for name in (*sentence.texts.values(), sentence.speaker) if name is not None]
    spans = [(text.index(name), text.index(name) + len(name)) for name in taken]
    words = (word for word in _WORD.finditer(text) if word.group().islower())
    return [word for word in words if not any(start <= word.start() < end for start, end in spans)]


def _capitals(claim: str, word: re.Match[str]) -> str:
    return _with(claim, word, word.group().upper())


def _two_spaces(claim: str, word: re.Match[str]) -> str:
    return _with_space(claim, word, "  ")


def _no_break(claim: str, word: re.Match[str]) -> str:
    return _with_space(claim, word, "\N{NO-BREAK SPACE}")


def _no_full_stop(claim: str, _: re.Match[str]) -> str:
    return claim.removesuffix(".")


def _spaced_full_stop(claim: str, _: re.Match[str]) -> str:
    return f"{claim.removesuffix('.')} ."


def _unicode_form(claim: str, word: re.Match[str]) -> str:
    ligature = next((pair for pair in _LIGATURES.items() if pair[0] in word.group()), None)
    wide = "".join(_WIDE.get(char, char) for char in word.group())
    return _with(claim, word, word.group().replace(*ligature, 1) if ligature else wide)


_CHANGES = (_capitals, _two_spaces, _no_break, _no_full_stop, _spaced_full_stop, _unicode_form)


def _with_space(claim: str, word: re.Match[str], space: str) -> str:
    """Put other white space in the place of the first after a word, or where there is none of the last before it."""
    after = claim.find(" ", word.end())
    at = after if after >= 0 else claim.rfind(" ")
    return claim[:at] + space + claim[at + 1 :]


def _with(claim: str, word: re.Match[str], text: str) -> str:
    return claim[: word.start()] + text + claim[word.end() :]


def _kept(scene: Scene, text: str) -> Instance:
    return claimed(scene, scene.claim, text, Expected.INVARIANT, scene.label)


SURFACE_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "C41",
        "case, space, punctuation, Unicode form",
        "a claim with a word in lower case outside names, numbers and dates",
        _resurfaced,
    ),
    Relation(
        "C42",
        "typo in function word",
        f"a claim with one of {', '.join(FUNCTION_WORDS)} outside names, numbers and dates",
        _mistyped,
    ),
)
