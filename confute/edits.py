"""What edits amount to: the claim and the evidence that they give, and how much they change."""

from __future__ import annotations

from collections.abc import Iterable

from confute import text
from confute.records import AttackGoal, Candidate, Case, Edit, PassageChange


def unedited(case: Case, goal: AttackGoal) -> Candidate:
    """Return a case as the candidate that no edit was made of, from which a search starts."""
    return Candidate(case_id=case.case_id, goal=goal, edits=(), claim=case.claim, evidence=case.evidence)


def edited(claim: str, edits: tuple[Edit, ...]) -> str | None:
    """Return the claim with every replacement of the edits made, or None where two of them overlap."""
    replacements = sorted(
        (replacement for edit in edits for replacement in edit.replacements), key=lambda one: (one.start, one.end)
    )
    pieces: list[str] = []
    at = 0
    for index, replacement in enumerate(replacements):
        same_place = index > 0 and replacement.start == replacements[index - 1].start
        if replacement.start < at or same_place:
            return None
        pieces += [claim[at : replacement.start], replacement.text]
        at = replacement.end
    return "".join([*pieces, claim[at:]])


def edited_evidence(evidence: tuple[str, ...], edits: tuple[Edit, ...]) -> tuple[str, ...] | None:
    """Return the evidence with every change of the edits made, what is added last, in the order of the edits.

    None where two changes are of one passage, or one is of a passage that is not there.
    """
    changes = passage_changes(edits)
    in_place = {change.index: change.text for change in changes if change.index is not None}
    is_twice = len(in_place) < evidence_size(edits)[1]
    if is_twice or max(in_place, default=-1) >= len(evidence):
        return None
    kept = (in_place.get(index, passage) for index, passage in enumerate(evidence))
    added = (change.text for change in changes if change.index is None)
    return tuple(passage for passage in (*kept, *added) if passage is not None)


def applied(start: Candidate, edits: tuple[Edit, ...]) -> Candidate | None:
    """Return the candidate that edits make of a source without edits, or None where two of them overlap."""
    claim, evidence = edited(start.claim, edits), edited_evidence(start.evidence, edits)
    if claim is None or evidence is None:
        return None
    return start.model_copy(update={"edits": edits, "claim": claim, "evidence": evidence})


def passage_changes(edits: Iterable[Edit]) -> tuple[PassageChange, ...]:
    """Return the changes of evidence that edits make, in their order."""
    return tuple(change for edit in edits for change in edit.passages)


def evidence_size(edits: Iterable[Edit]) -> tuple[int, int]:
    """Return how many passages edits add and how many they remove; a replacement does both."""
    changes = passage_changes(edits)
    return sum(one.text is not None for one in changes), sum(one.index is not None for one in changes)


def edit_size(source: str, candidate: str) -> tuple[int, int]:
    """Return the edit distance between two claims in tokens and in characters."""
    return text.token_distance(source, candidate), text.char_distance(source, candidate)
