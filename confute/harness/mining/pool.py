"""The evidence that a claim can be given: every distinct set of the cases, embedded, and who may not have which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from confute.contract import Segmentation
from confute.errors import VictimError
from confute.harness.mining.bases import Floats, Places
from confute.harness.mining.shortlist import Ineligible, ineligible
from confute.harness.mining.sources import Marks
from confute.harness.mining.support import Support
from confute.models.embedder import Embedder
from confute.records import Case, Validity
from confute.text import fold
from confute.victims.segmentation import passages


@dataclass(frozen=True)
class EvidenceSet:
    """One distinct set of passages, named by the first case that has it, with the groups and domains of all that do.

    `evidence` is that case's evidence before it was cut into passages; `marks` tell the sources of all cases with it.
    """

    set_id: str
    evidence: tuple[str, ...]
    passages: tuple[str, ...]
    groups: frozenset[str]
    domains: frozenset[str]
    marks: frozenset[str]


@dataclass(frozen=True)
class Pool:
    """Evidence sets in the order of their ids, their embedded rows, and the cases that have none.

    `rows` (all passages, dimension) holds the passages of set i at offsets[i]:offsets[i + 1]; `marks` is what told the
    sources.
    """

    sets: tuple[EvidenceSet, ...]
    rows: Floats
    offsets: Places
    without_evidence: int
    marks: Marks


@dataclass(frozen=True)
class Kept:
    """The sets that each claim may not be given, by claim, and why, in numbers of pairs of a claim and a set.

    `supporting` are the sets that hold every passage of the claim's own, or support it by an oracle's word. `shared`
    counts the pairs that only a passage or a named source keeps apart, beyond their groups.
    """

    out: Ineligible
    supporting: Ineligible
    shared: int


def pool(cases: Sequence[Case], segmentation: Segmentation, embedder: Embedder, marks: Marks | None = None) -> Pool:
    """Return the pool of the cases' evidence, whatever their labels; cases with the same passages share a set.

    `marks` tells the sources; without it, groups and shared passages alone do.
    Raises VictimError where no case has evidence, or the embedder's vectors are not finite.
    """
    marks = marks or Marks(segmentation)
    owners: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: case.case_id):
        owners[passages(case.evidence, segmentation)].append(case)
    empty = len(owners.pop((), ()))
    if not owners:
        raise VictimError(
            "no case has evidence, so there is nothing to mine",
            got=f"{empty} cases without evidence",
            hint="give cases with evidence of several sources",
        )
    sets = tuple(
        EvidenceSet(
            set_id=some[0].case_id,
            evidence=some[0].evidence,
            passages=cut,
            groups=frozenset(case.group for case in some),
            domains=frozenset(case.domain for case in some),
            marks=frozenset().union(*map(marks.of, some)),
        )
        for cut, some in owners.items()
    )
    texts = list(dict.fromkeys(chain.from_iterable(one.passages for one in sets)))
    place_of = {text: place for place, text in enumerate(texts)}
    flat = [place_of[text] for one in sets for text in one.passages]
    offsets = np.concatenate([[0], np.cumsum([len(one.passages) for one in sets])]).astype(np.intp)
    return Pool(sets=sets, rows=embedder.embed(texts)[flat], offsets=offsets, without_evidence=empty, marks=marks)


def kept_apart(claims: Sequence[Case], made: Pool, *, guarded: bool, support: Support | None = None) -> Kept:
    """Return the sets that a claim may not be given: its own, those that support it and, where `guarded`, its source's.

    A set is of the claim's source where they have a mark in common. `support` is asked of the sets that share a
    passage with the claim's or, where it knows all, of every set.
    """
    own = {one.passages: place for place, one in enumerate(made.sets)}
    of_mark = _places(one.marks for one in made.sets)
    of_passage = _places(frozenset(map(fold, one.passages)) for one in made.sets)
    out, supporting, shared = list[list[int]](), list[list[int]](), 0
    for claim in claims:
        cut = passages(claim.evidence, made.marks.segmentation)
        mine = {own[cut]} if cut in own else set()
        held = [of_passage[text] for text in sorted(set(map(fold, cut)))]
        holding = set.intersection(*held) - mine if held else set()
        if support is not None:
            asked = set(range(len(made.sets))) if support.knows_all else set().union(*held)
            holding |= {place for place in asked - holding - mine if _supports(support, claim, made.sets[place])}
        marked = set().union(*(of_mark[mark] for mark in made.marks.of(claim))) - mine if guarded else set()
        shared += sum(claim.group not in made.sets[place].groups for place in marked)
        supporting.append(sorted(holding))
        out.append(sorted(mine | holding | marked))
    return Kept(ineligible(out), ineligible(supporting), shared)


def _places(of_sets: Iterable[frozenset[str]]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for place, names in enumerate(of_sets):
        for name in names:
            found[name].add(place)
    return found


def _supports(support: Support, claim: Case, other: EvidenceSet) -> bool:
    return support.word(claim, other.evidence) is Validity.INVALID
