"""Which evidence is of one source: by its group, by sources that are named, and by passages that are shared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from confute.contract import Segmentation
from confute.records import Case
from confute.text import fold
from confute.victims.segmentation import passages

_LEAST_SIGNS = 12
_MOST_READ = 1_000


@dataclass(frozen=True)
class Marks:
    """Tells the source of a case's evidence by marks: two cases with a mark in common share a source.

    Marks are its group, the sources that `named` gives by case id, what the first group of the regular expression
    `pattern` finds in a passage (within its first 1,000 characters), and each passage itself, as it was given and as it
    was cut; a text of fewer than 12 letters and digits ("Id.", "Affirmed.") tells no source. All are folded.
    """

    segmentation: Segmentation
    pattern: str | None = None
    named: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of(self, case: Case) -> frozenset[str]:
        """Return the marks of one case."""
        names = (case.group, *self.named.get(case.case_id, ()), *self._found(case.evidence))
        texts = map(fold, {*case.evidence, *passages(case.evidence, self.segmentation)})
        return frozenset(
            {f"source {fold(name)}" for name in names} | {f"passage {text}" for text in texts if _tells(text)}
        )

    def _found(self, evidence: Sequence[str]) -> Iterator[str]:
        if self.pattern is not None:
            for passage in evidence:
                if (found := re.search(self.pattern, passage[:_MOST_READ])) and found[1] and found[1].strip():
                    yield found[1]


@dataclass(frozen=True)
class Joined:
    """Cases whose groups are joined sources, how many groups they declared, and the most that were joined into one."""

    cases: tuple[Case, ...]
    declared: int
    largest: int


def joined(cases: Sequence[Case], marks: Marks) -> Joined:
    """Return the cases, in their order, with one group for all that share a source, also by way of others.

    A joined source has the least name of the groups in it.
    """
    parents: dict[str, str] = {}
    roots = [(case, _union(parents, sorted(marks.of(case)))) for case in cases]
    members: dict[str, set[str]] = defaultdict(set)
    for case, mark in roots:
        members[_root(parents, mark)].add(case.group)
    names = {root: min(groups) for root, groups in members.items()}
    return Joined(
        cases=tuple(case.model_copy(update={"group": names[_root(parents, mark)]}) for case, mark in roots),
        declared=len({case.group for case in cases}),
        largest=max(map(len, members.values()), default=0),
    )


def _union(parents: dict[str, str], marks: Sequence[str]) -> str:
    root = _root(parents, marks[0])
    for mark in marks[1:]:
        parents[_root(parents, mark)] = root
    return root


def _root(parents: dict[str, str], mark: str) -> str:
    """Return the mark that stands for all that are joined with this one; paths are halved on the way."""
    while (parent := parents.setdefault(mark, mark)) != mark:
        parents[mark] = parents[parent]
        mark = parents[mark]
    return mark


def _tells(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _LEAST_SIGNS
