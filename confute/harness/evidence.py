"""Moves on the evidence of a case while its claim stays: passages of other sources, copies, deletions, the claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from confute import text
from confute.edits import applied, edited_evidence, unedited
from confute.models.embedder import Embedder, Vectors
from confute.oracles.oracle import MoveSource, Oracle
from confute.records import AttackGoal, Case, Edit, Label, Mechanism, PassageChange, Validity, digest_of

_VERSION = "2"
_SHORTLIST = 16
_LOOKED_AT = 64
_NEAREST = 3
_COPIES = (1, 2, 4)

Changes = tuple[PassageChange, ...]

_FOR_UNSUPPORTED = (Mechanism.INFLATION, Mechanism.DUPLICATION, Mechanism.NEAREST_WRONG, Mechanism.ECHO)
_FOR_SUPPORTED = (Mechanism.SUPPORT_DELETION, Mechanism.NEAREST_WRONG)
_FOR_REJECTION = (Mechanism.ROTATION, Mechanism.DISTRACTOR, Mechanism.DUPLICATION)


@dataclass(frozen=True)
class Together:
    """Offers what several sources offer, one after the other."""

    sources: Sequence[MoveSource]

    def moves(self, case: Case, goal: AttackGoal) -> tuple[Edit, ...]:
        """Return the edits of every source."""
        return tuple(edit for source in self.sources for edit in source.moves(case, goal))


class EvidenceMoves:
    """Offers changes of evidence that the oracle vouches for, each alone; it is a MoveSource.

    Foreign passages are those of cases of other source groups, ranked by their similarity to the claim: the nearest
    for inflation, distractors and replacements, the farthest for rotation; ties go by text. Of the first 64 in rank,
    the 16 first that are VALID are offered, 3 as replacements of each passage. Similarity is the embedder's cosine, or
    without one the share of words that claim and passage have in common. `support` gives, by case id, the places of
    the passages that support a claim together: they are offered for deletion at once.
    """

    def __init__(
        self,
        mechanisms: Sequence[Mechanism],
        oracle: Oracle,
        cases: Sequence[Case],
        embedder: Embedder | None,
        support: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self.fingerprint = digest_of([_VERSION, "word_overlap" if embedder is None else embedder.fingerprint])
        self._mechanisms = mechanisms
        self._oracle = oracle
        self._support = support or {}
        self._pool = _Pool(cases, embedder)

    def moves(self, case: Case, goal: AttackGoal) -> tuple[Edit, ...]:
        """Return the edits that alone are VALID for the goal, in a fixed order, no two with the same outcome."""
        found: dict[tuple[str, ...] | None, Edit] = {}
        for mechanism in _mechanisms_for(case, goal):
            if mechanism in self._mechanisms:
                for edit in self._offered(case, goal, mechanism):
                    found.setdefault(edited_evidence(case.evidence, (edit,)), edit)
        return tuple(found.values())

    def _offered(self, case: Case, goal: AttackGoal, mechanism: Mechanism) -> Iterator[Edit]:
        for slot, changes, at_most in self._proposed(case, mechanism):
            vouched = (self._vouched(case, goal, mechanism, slot, change) for change in changes)
            yield from islice((edit for edit in vouched if edit is not None), at_most)

    def _proposed(self, case: Case, mechanism: Mechanism) -> Iterator[tuple[str, Iterator[Changes], int]]:
        """Yield slots, the changes that may be made in each, and how many of them to offer."""
        places = range(len(case.evidence))
        match mechanism:
            case Mechanism.INFLATION | Mechanism.DISTRACTOR:
                yield "added", _additions(self._pool.nearest(case)), _SHORTLIST
            case Mechanism.ROTATION:
                yield "added", _additions(self._pool.farthest(case)), _SHORTLIST
                yield from ((f"passage {place}", _removal(place), 1) for place in places)
            case Mechanism.SUPPORT_DELETION:
                yield from ((f"passage {place}", _removal(place), 1) for place in places)
                yield "support", _removal(*self._support.get(case.case_id, ())), 1
            case Mechanism.DUPLICATION:
                yield from ((f"passage {place}", _copies(case.evidence[place]), len(_COPIES)) for place in places)
            case Mechanism.NEAREST_WRONG:
                nearest = self._pool.nearest(case)
                yield from ((f"passage {place}", _replacements(place, nearest), _NEAREST) for place in places)
            case Mechanism.ECHO:
                yield "added", _additions([case.claim]), 1
            case _:
                raise ValueError(f"{mechanism} does not change evidence")

    def _vouched(self, case: Case, goal: AttackGoal, mechanism: Mechanism, slot: str, changes: Changes) -> Edit | None:
        edit = Edit(mechanism=mechanism, slot=slot, replacements=(), passages=changes, expected_label=case.label)
        candidate = applied(unedited(case, goal), (edit,))
        ruling = None if candidate is None else self._oracle.rule(case, candidate)
        if ruling is None or ruling.validity is not Validity.VALID or ruling.label is None:
            return None
        return edit.model_copy(update={"expected_label": ruling.label})


class _Pool:
    """The passages of all cases, each with the source groups that it stands in, ranked for one claim at a time."""

    def __init__(self, cases: Sequence[Case], embedder: Embedder | None) -> None:
        groups: dict[str, set[str]] = {}
        for case in cases:
            for passage in case.evidence:
                if passage.strip():
                    groups.setdefault(passage, set()).add(case.group)
        self._passages = sorted(groups)
        self._groups = [groups[passage] for passage in self._passages]
        self._embedder = embedder
        self._vectors: Vectors | None = None

    def nearest(self, case: Case) -> list[str]:
        """Return the foreign passages most similar to the claim, the most similar first."""
        return self._ranked(case, -self._similarity(case.claim))

    def farthest(self, case: Case) -> list[str]:
        """Return the foreign passages least similar to the claim, the least similar first."""
        return self._ranked(case, self._similarity(case.claim))

    def _ranked(self, case: Case, keys: Vectors) -> list[str]:
        own = set(case.evidence)
        foreign = (
            self._passages[place]
            for place in np.argsort(keys, kind="stable")
            if case.group not in self._groups[place] and self._passages[place] not in own
        )
        return list(islice(foreign, _LOOKED_AT))

    def _similarity(self, claim: str) -> Vectors:
        if not self._passages:
            return np.zeros(0, dtype=np.float32)
        if self._embedder is None:
            return np.array([_overlap(claim, passage) for passage in self._passages], dtype=np.float32)
        if self._vectors is None:
            self._vectors = self._embedder.embed(self._passages)
        return np.asarray(self._vectors @ self._embedder.embed([claim])[0], dtype=np.float32)


def _mechanisms_for(case: Case, goal: AttackGoal) -> tuple[Mechanism, ...]:
    """Return what can serve a goal: a claim without support must stay so, and a supported one may lose its support."""
    if goal is AttackGoal.FALSE_REJECTION:
        return _FOR_REJECTION if case.label is Label.SUPPORTED else ()
    return _FOR_SUPPORTED if case.label is Label.SUPPORTED else _FOR_UNSUPPORTED


def _additions(passages: Iterable[str]) -> Iterator[Changes]:
    return ((PassageChange(text=passage),) for passage in passages)


def _removal(*places: int) -> Iterator[Changes]:
    """Yield the one change that removes all these passages; none where there are none."""
    return iter([tuple(PassageChange(index=place) for place in places)] if places else [])


def _replacements(place: int, passages: Iterable[str]) -> Iterator[Changes]:
    return ((PassageChange(index=place, text=passage),) for passage in passages)


def _copies(passage: str) -> Iterator[Changes]:
    return ((PassageChange(text=passage),) * count for count in _COPIES)


def _overlap(claim: str, passage: str) -> float:
    """Return the share of the words of a claim and a passage that both have, from 0 to 1."""
    left, right = set(text.tokens(text.fold(claim))), set(text.tokens(text.fold(passage)))
    return len(left & right) / max(1, len(left | right))
