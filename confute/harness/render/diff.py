"""Two claims as one sequence of kept, removed and added words, and two sets of passages as what came and went."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from confute import text
from confute.harness.render.words import visible

_KEPT_WORDS = 24


class Kind(StrEnum):
    """What became of a run of words."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


class Segment(NamedTuple):
    """A run of words, made visible, and what became of it."""

    kind: Kind
    text: str


def word_diff(before: str, after: str) -> tuple[Segment, ...]:
    """Return the words of `after` and those of `before` that it dropped; long kept runs are cut in the middle."""
    left, right = _Words(before), _Words(after)
    segments: list[Segment] = []
    for change in Levenshtein.opcodes(left.tokens, right.tokens):
        if change.tag == "equal":
            segments += _kept(right, change.dest_start, change.dest_end)
            continue
        removed = left.run(change.src_start, change.src_end)
        segments += _marked(Kind.REMOVED, removed, spaced=change.tag == "replace")
        segments += _marked(Kind.ADDED, right.run(change.dest_start, change.dest_end), spaced=False)
    return tuple(segments)


def passage_diff(before: Sequence[str], after: Sequence[str], limit: int) -> tuple[Segment, ...]:
    """Return the passages that `after` dropped and then those that it added, at most `limit` characters of each."""
    gone, new = Counter(before), Counter(after)
    removed, added = (gone - new).elements(), (new - gone).elements()
    return (
        *(Segment(Kind.REMOVED, visible(passage, limit)) for passage in removed),
        *(Segment(Kind.ADDED, visible(passage, limit)) for passage in added),
    )


class _Words:
    def __init__(self, raw: str) -> None:
        self._text = unicodedata.normalize("NFC", raw)
        self._spans = text.spans(self._text)
        self.tokens: Sequence[str] = [span.text for span in self._spans]

    def run(self, start: int, end: int) -> str:
        if start == end:
            return ""
        stop = self._spans[end].start if end < len(self._spans) else len(self._text)
        return self._text[self._spans[start].start : stop]


def _kept(words: _Words, start: int, end: int) -> Iterator[Segment]:
    if end - start <= 2 * _KEPT_WORDS + 1:
        yield Segment(Kind.KEPT, visible(words.run(start, end)))
        return
    yield Segment(Kind.KEPT, visible(words.run(start, start + _KEPT_WORDS)))
    yield Segment(Kind.KEPT, "… ")
    yield Segment(Kind.KEPT, visible(words.run(end - _KEPT_WORDS, end)))


def _marked(kind: Kind, run: str, *, spaced: bool) -> Iterator[Segment]:
    if not run:
        return
    words = run.rstrip()
    yield Segment(kind, visible(words))
    if spaced or words != run:
        yield Segment(Kind.KEPT, " ")
