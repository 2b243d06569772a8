"""The smallest edit: from two texts to the replacements that change only the tokens that differ."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from confute.edits import edited
from confute.records import Edit, Label, Mechanism, Replacement
from confute.text import spans


def edit(source: str, target: str, mechanism: Mechanism, slot: str, label: Label) -> Edit:
    """Return the edit that makes the target of the source and touches only the tokens that differ."""
    made = Edit(mechanism=mechanism, slot=slot, replacements=replacements(source, target), expected_label=label)
    if edited(source, (made,)) == target:
        return made
    whole = Replacement(start=0, end=len(source), text=target)
    return made.model_copy(update={"replacements": (whole,)})


def replacements(source: str, target: str) -> tuple[Replacement, ...]:
    """Return replacements of the source's differing tokens; white space is kept as the source has it."""
    old, new = spans(source), spans(target)
    found = []
    for start, end, new_start, new_end in _changed([span.text for span in old], [span.text for span in new]):
        here = old[start - 1].end if start else 0
        there = new[new_start - 1].end if new_start else 0
        stop = old[end - 1].end if end > start else here
        new_stop = new[new_end - 1].end if new_end > new_start else there
        if start == 0 and end == 0:
            here, stop, new_stop = 0, 0, new[new_end].start if new_end < len(new) else len(target)
        found.append(_trimmed(source, here, stop, target[there:new_stop]))
    return tuple(found)


def _changed(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    merged: list[tuple[int, int, int, int]] = []
    for operation in Levenshtein.opcodes(old, new):
        if operation.tag == "equal":
            continue
        box = (operation.src_start, operation.src_end, operation.dest_start, operation.dest_end)
        if merged and merged[-1][1] == box[0] and merged[-1][3] == box[2]:
            merged[-1] = (merged[-1][0], box[1], merged[-1][2], box[3])
        else:
            merged.append(box)
    return merged


def _trimmed(source: str, start: int, end: int, text: str) -> Replacement:
    """Drop the white space that both sides begin with."""
    while start < end and text and source[start] == text[0] and text[0].isspace():
        start, text = start + 1, text[1:]
    return Replacement(start=start, end=end, text=text)
