"""Held-out cases must not stand in the prompts: no eight words in a row may be shared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from confute.errors import DatasetError
from confute.judges.fence import without_unseen
from confute.judges.judge import Exhibit, JudgeCase
from confute.text import fold

WORDS = 8
_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"[_*`~]+")
_SHOWN = 5


class Shared(NamedTuple):
    """Words in a row that a case and a template share."""

    case_id: str
    template: str
    words: str


def shared_words(cases: Sequence[JudgeCase], templates: Mapping[str, str]) -> tuple[Shared, ...]:
    """Return the first eight words in a row that each case shares with each template.

    Case, marks, accents, markup within a word and characters that cannot be seen do not count. Words that stand in
    several templates are told of the first one.
    """
    by_words = {words: name for name in reversed(list(templates)) for words in _runs(templates[name])}
    found: dict[tuple[str, str], Shared] = {}
    for case in cases:
        for text in texts(case.exhibit):
            for words in _runs(text):
                if (name := by_words.get(words)) is not None:
                    found.setdefault((case.case_id, name), Shared(case.case_id, name, " ".join(words)))
    return tuple(found.values())


def refuse_overlap(cases: Sequence[JudgeCase], templates: Mapping[str, str]) -> None:
    """Raise DatasetError naming case and template where any eight words in a row stand in both."""
    found = shared_words(cases, templates)
    if found:
        listed = "; ".join(f"case {one.case_id} and template {one.template}: {one.words!r}" for one in found[:_SHOWN])
        raise DatasetError(
            f"cases and prompt templates share {WORDS} words in a row, so the cases are not held out",
            allowed=f"no {WORDS} words in a row in both",
            got=f"{len(found)} shared, {listed}",
            hint="reword the template, or leave the case to development",
        )


def texts(exhibit: Exhibit) -> Iterator[str]:
    """Yield every text of an exhibit."""
    yield from (exhibit.reply, exhibit.prompt, exhibit.claim, exhibit.truth, exhibit.falsehood)
    yield from (exhibit.persona, exhibit.secret, *exhibit.evidence, *exhibit.capabilities)
    yield from (turn.content for turn in exhibit.turns)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    plain = _plain(text)
    for written in dict.fromkeys((_MARKUP.sub("", plain), _MARKUP.sub(" ", plain))):
        words = _WORD.findall(written)
        yield from (tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1))


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", fold(without_unseen(text)))
    return "".join(character for character in apart if not unicodedata.combining(character))
