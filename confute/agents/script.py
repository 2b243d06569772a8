"""The edit script of a candidate: the smallest changes of text that can be left out one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from confute import text
from confute.edits import applied, edited
from confute.records import Candidate, Edit, Mechanism, PassageChange, Replacement


@dataclass(frozen=True)
class Operation:
    """One change of the source, and the place of the edit that it belongs to among the candidate's.

    A paraphrase and a frame of a probe are each one operation with all of their replacements, since a part may say
    something else. Of evidence, each passage that is added, removed or replaced is an operation.
    """

    edit: int
    replacements: tuple[Replacement, ...] = ()
    passages: tuple[PassageChange, ...] = ()


@dataclass(frozen=True)
class Script:
    """The operations that turn a source into a candidate."""

    source: Candidate
    edits: tuple[Edit, ...]
    operations: tuple[Operation, ...]

    def apply(self, operations: Sequence[Operation]) -> Candidate | None:
        """Return the candidate of some of the operations; None where they overlap or leave the source as it is.

        An edit that keeps all of its operations stands as it was proposed.
        """
        edits = tuple(
            part for index, edit in enumerate(self.edits) if (part := self._part(index, edit, operations)) is not None
        )
        candidate = applied(self.source, edits)
        return None if candidate is None or candidate.pair == self.source.pair else candidate

    def _part(self, index: int, edit: Edit, operations: Sequence[Operation]) -> Edit | None:
        kept = [one for one in operations if one.edit == index]
        if len(kept) == sum(one.edit == index for one in self.operations):
            return edit
        replacements = tuple(replacement for one in kept for replacement in one.replacements)
        passages = tuple(change for one in kept for change in one.passages)
        return edit.model_copy(update={"replacements": replacements, "passages": passages}) if kept else None


def script_of(source: Candidate, candidate: Candidate) -> Script:
    """Return the candidate's edit script, one operation a token or passage where they can be changed apart.

    Where the candidate's edits do not give its claim, its first edit is taken to stand for the whole difference.
    """
    edits = candidate.edits
    if edits and edited(source.claim, edits) != candidate.claim:
        edits = (edits[0].model_copy(update={"replacements": _whole(source.claim, candidate.claim)}),)
    operations = tuple(
        operation for index, edit in enumerate(edits) for operation in _operations(source.claim, index, edit)
    )
    return Script(source, edits, operations)


def _operations(source: str, index: int, edit: Edit) -> Iterator[Operation]:
    if edit.replacements:
        yield from (Operation(index, replacements=part) for part in _separable(source, edit))
    yield from (Operation(index, passages=(change,)) for change in edit.passages)


def _separable(source: str, edit: Edit) -> Iterator[tuple[Replacement, ...]]:
    if edit.mechanism is Mechanism.PARAPHRASE or edit.mechanism.frames_a_probe:
        yield edit.replacements
    else:
        yield from ((change,) for replacement in edit.replacements for change in changes(source, replacement))


def changes(source: str, replacement: Replacement) -> tuple[Replacement, ...]:
    """Return a replacement as the token changes it consists of, which do not overlap and together amount to it."""
    before, after = source[replacement.start : replacement.end], replacement.text
    merged: list[tuple[int, int, int, int]] = []
    for start, end, new_start, new_end in _aligned(before, after):
        if before[start:end] == after[new_start:new_end]:
            continue
        if merged and _must_join(merged[-1], start, end, before, after[new_start:new_end]):
            merged[-1] = (merged[-1][0], end, merged[-1][2], new_end)
        else:
            merged.append((start, end, new_start, new_end))
    trimmed = (_trimmed(before[a:b], after[c:d], a + replacement.start) for a, b, c, d in merged)
    return tuple(trimmed)


def _whole(source: str, claim: str) -> tuple[Replacement, ...]:
    return (Replacement(start=0, end=len(source), text=claim),)


def _aligned(before: str, after: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield (start, end) of both texts for one token at a time, each with the gap that comes before it."""
    old, new = text.spans(before), text.spans(after)
    at, new_at = 0, 0
    for block in Levenshtein.opcodes([one.text for one in old], [one.text for one in new]):
        for step in range(max(block.src_end - block.src_start, block.dest_end - block.dest_start)):
            end = at if block.tag == "insert" else old[block.src_start + step].end
            new_end = new_at if block.tag == "delete" else new[block.dest_start + step].end
            yield at, end, new_at, new_end
            at, new_at = end, new_end
    yield at, len(before), new_at, len(after)


def _must_join(last: tuple[int, int, int, int], start: int, end: int, before: str, written: str) -> bool:
    """Tell whether a change cannot be made apart from the one before it.

    A change that starts where text was inserted overlaps it, and a gap that changes beside a change belongs to it.
    """
    if last[1] != start:
        return False
    only_gap = before[start:end].strip() == written.strip()
    starts_at_insertion = last[0] == last[1] and _shared_space(before[start:end], written) == 0
    return only_gap or starts_at_insertion


def _trimmed(old: str, new: str, start: int) -> Replacement:
    """Return the replacement without the white space that both texts begin with."""
    shared = _shared_space(old, new)
    return Replacement(start=start + shared, end=start + len(old), text=new[shared:])


def _shared_space(old: str, new: str) -> int:
    at = 0
    while at < min(len(old), len(new)) and old[at] == new[at] and old[at].isspace():
        at += 1
    return at
