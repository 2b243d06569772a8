"""What cases are about and where they are from, and what two sets of cases have in common of it."""

from __future__ import annotations

import calendar
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from confute.contract import Segmentation
from confute.errors import CorpusError
from confute.harness.mining.sources import Marks
from confute.records import Case
from confute.text import fold, tokens, word_grams

_SHOWN, _SHOWN_CHARS = 5, 80
_SENTENCE_ENDS = frozenset(".!?")
_CALENDAR = frozenset(map(str.lower, (*calendar.month_name[1:], *calendar.day_name)))


class Traces(NamedTuple):
    """The entities that cases name, the sources of their evidence, and every run of eight words in their texts."""

    entities: frozenset[str]
    sources: frozenset[str]
    grams: frozenset[tuple[str, ...]]

    def shared(self, other: Traces) -> Traces:
        """Return what both have."""
        return Traces(self.entities & other.entities, self.sources & other.sources, self.grams & other.grams)

    def joined(self, other: Traces) -> Traces:
        """Return what either has."""
        return Traces(self.entities | other.entities, self.sources | other.sources, self.grams | other.grams)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in them."""
        return not (self.entities or self.sources or self.grams)


def traces_of(cases: Iterable[Case], names: Collection[str] | None, marks: Marks) -> Traces:
    """Return the traces of cases; `names` are the words that name entities, None where capitals tell them.

    With `names` a run of eight words counts where a name is among them: the rest is the templates' wording, which is
    the same on purpose.
    """
    entities: set[str] = set()
    sources: set[str] = set()
    grams: set[tuple[str, ...]] = set()
    names_set = frozenset(map(fold, names or ()))
    for case in cases:
        sources |= marks.of(case)
        for one in (case.claim, *case.evidence):
            found = word_grams(one)
            grams |= found if names is None else {gram for gram in found if not names_set.isdisjoint(gram)}
        # Evidence of people's own texts names the whole of its field; what a case is about stands in its claim.
        entities |= set(_capitalised(case.claim)) if names is None else _named((case.claim, *case.evidence), names)
    return Traces(frozenset(entities), frozenset(sources), frozenset(grams))


def plain_marks() -> Marks:
    """Return what tells the source of a case by its group and its passages as they are."""
    return Marks(Segmentation())


class Seen(NamedTuple):
    """What a set of cases must have nothing in common with: whose it is, its traces, and names that both may name."""

    whose: str
    traces: Traces
    allowed: frozenset[str]

    def shared(self, mine: Traces) -> Traces:
        """Return what some cases have in common with it, names that any text may name left out."""
        shared = mine.shared(self.traces)
        return shared._replace(entities=shared.entities - self.allowed)


def refuse_shared(what: str, mine: Traces, seen: Seen, hint: str) -> None:
    """Raise CorpusError, with the culprits, where cases share an entity, a source or eight words with what was seen."""
    shared = seen.shared(mine)
    if shared.is_empty:
        return
    told = [
        f"{kind} ({len(found)}): {', '.join(f'{one[:_SHOWN_CHARS]!r}' for one in sorted(found)[:_SHOWN])}"
        for kind, found in (
            ("entities", shared.entities),
            ("sources", shared.sources),
            ("runs of eight words", {" ".join(gram) for gram in shared.grams}),
        )
        if found
    ]
    raise CorpusError(
        f"has {'; '.join(told)} in common with {seen.whose}",
        field=what,
        allowed="no entity, source or run of eight words in common",
        hint=hint,
    )


def folded(entities: Iterable[str]) -> tuple[str, ...]:
    """Return names as they are compared, sorted."""
    return tuple(sorted({fold(one) for one in entities}))


def _named(texts: Sequence[str], names: Collection[str]) -> set[str]:
    return {word for text in texts for token in tokens(text) if (word := token.lower()) in names}


def _capitalised(text: str) -> Iterator[str]:
    """Yield the names of a text: runs of capitalised words; a lone one that opens a sentence is none."""
    run: list[str] = []
    opens = starts = True
    for token in (*tokens(text), "."):
        if token[:1].isupper():
            opens = starts if not run else opens
            run.append(token)
        elif run:
            name = fold(" ".join(run))
            lone = opens and len(run) == 1 and not _is_unusual(run[0])
            if not lone and len(name) > 1 and name not in _CALENDAR:
                yield name
            run = []
        starts = token in _SENTENCE_ENDS


def _is_unusual(word: str) -> bool:
    """Tell whether a word has capitals or digits where an ordinary word at a sentence's start has none."""
    return any(char.isupper() or char.isdigit() for char in word[1:])
