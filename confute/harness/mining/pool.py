"""The evidence that a claim can be given: every distinct set of the cases, embedded, and who may not have which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from confute.contract import Segmentation
from confute.errors import VictimError
from confute.harness.mining.bases import Floats, Places
from confute.harness.mining.shortlist import Ineligible, ineligible
from confute.models.embedder import Embedder
from confute.records import Case
from confute.victims.segmentation import passages


@dataclass(frozen=True)
class EvidenceSet:
    """One distinct set of passages, named by the first case that has it, with the sources and domains of all that do.

    `evidence` is that case's evidence before it was cut into passages.
    """

    set_id: str
    evidence: tuple[str, ...]
    passages: tuple[str, ...]
    groups: frozenset[str]
    domains: frozenset[str]


@dataclass(frozen=True)
class Pool:
    """Evidence sets in the order of their ids, their embedded rows, and the cases that have none.

    `rows` (all passages, dimension) holds the passages of set i at offsets[i]:offsets[i + 1].
    """

    sets: tuple[EvidenceSet, ...]
    rows: Floats
    offsets: Places
    without_evidence: int


def pool(cases: Sequence[Case], segmentation: Segmentation, embedder: Embedder) -> Pool:
    """Return the pool of the cases' evidence, whatever their labels; cases with the same passages share a set.

    Raises VictimError where no case has evidence, or the embedder's vectors are not finite.
    """
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
        )
        for cut, some in owners.items()
    )
    texts = list(dict.fromkeys(chain.from_iterable(one.passages for one in sets)))
    place_of = {text: place for place, text in enumerate(texts)}
    flat = [place_of[text] for one in sets for text in one.passages]
    offsets = np.concatenate([[0], np.cumsum([len(one.passages) for one in sets])]).astype(np.intp)
    return Pool(sets=sets, rows=embedder.embed(texts)[flat], offsets=offsets, without_evidence=empty)


def excluded(claims: Sequence[Case], made: Pool, segmentation: Segmentation, *, guarded: bool) -> Ineligible:
    """Return the sets that each claim may not be given: its own and, where `guarded`, all of its source group."""
    own = {one.passages: place for place, one in enumerate(made.sets)}
    of_group: dict[str, set[int]] = defaultdict(set)
    if guarded:
        for place, one in enumerate(made.sets):
            for group in one.groups:
                of_group[group].add(place)
    lists = []
    for claim in claims:
        mine = own.get(passages(claim.evidence, segmentation))
        lists.append(sorted(of_group[claim.group] | ({mine} if mine is not None else set())))
    return ineligible(lists)
