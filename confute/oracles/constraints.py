"""The free checks that a candidate passes before an oracle is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

from confute import text
from confute.contract import Budgets, ValidityConstraints
from confute.edits import edit_size, edited, evidence_size, passage_changes
from confute.oracles.surface import letters, skeleton, words
from confute.records import Edit, Mechanism, Pair, Record


class Refusal(Record):
    """Why a candidate is refused before the oracle, with both of its sizes and the limit that was passed.

    `token_edits` and `char_edits` are edit distances to the source claim without its paraphrases; `limit` is None
    where the reason is not a size.
    """

    reason: str
    token_edits: int
    char_edits: int
    limit: int | None = None


def check(constraints: ValidityConstraints, source: str, candidate: str, edits: Sequence[Edit]) -> Refusal | None:
    """Return why a candidate may not be tried, or None where it may.

    The reasons, in the order of the checks: `equal_after_normalisation` (NFKC, look-alike letters and invisible
    characters folded), `too_many_edits`, `over_budget` (tokens), `over_budget_chars`, `surface_only` (case, spacing,
    punctuation or a plural ending). Paraphrases count as edits, and not towards the size.
    """
    kept = tuple(edit for edit in edits if edit.mechanism is Mechanism.PARAPHRASE)
    start = edited(source, kept) if kept else source
    token_edits, char_edits = edit_size(source if start is None else start, candidate)

    def refuse(reason: str, limit: int | None = None) -> Refusal:
        return Refusal(reason=reason, token_edits=token_edits, char_edits=char_edits, limit=limit)

    if skeleton(source) == skeleton(candidate):
        return refuse("equal_after_normalisation")
    if len(edits) > constraints.max_edits:
        return refuse("too_many_edits", constraints.max_edits)
    limit = token_limit(constraints, source)
    if token_edits > limit:
        return refuse("over_budget", limit)
    if constraints.max_edited_chars is not None and char_edits > constraints.max_edited_chars:
        return refuse("over_budget_chars", constraints.max_edited_chars)
    return refuse("surface_only") if words(source) == words(candidate) else None


def check_evidence(
    constraints: ValidityConstraints, budgets: Budgets, source: Pair, candidate: Pair, edits: Sequence[Edit]
) -> str | None:
    """Return why a candidate whose evidence is changed may not be tried, or None where it may.

    The reasons, in the order of the checks: `claim_and_evidence_changed`, `equal_after_normalisation` (every passage),
    `blank_passage` (one that shows nothing is added), `undeclared_echo` (the claim, by its letters and digits, is added
    by another mechanism), `not_an_echo` (an echo that is not the claim added), `too_many_edits`,
    `over_budget_additions`, `over_budget_removals`.
    """
    additions, removals = evidence_size(edits)
    refused = {
        "claim_and_evidence_changed": candidate.claim != source.claim,
        "equal_after_normalisation": [*map(_folded, candidate.evidence)] == [*map(_folded, source.evidence)],
        "blank_passage": _adds_blank(edits),
        "undeclared_echo": _echoes_unsaid(source, edits),
        "not_an_echo": _echoes_another(source, edits),
        "too_many_edits": len(edits) > constraints.max_edits,
        "over_budget_additions": _is_over(additions, budgets.evidence_additions),
        "over_budget_removals": _is_over(removals, budgets.evidence_removals),
    }
    return next((reason for reason, holds in refused.items() if holds), None)


def _is_over(size: int, limit: int | None) -> bool:
    return limit is not None and size > limit


def token_limit(constraints: ValidityConstraints, source: str) -> int:
    """Return how many tokens of a claim may change: max(max_edited_tokens, floor(max_edited_share * tokens))."""
    share = math.floor(constraints.max_edited_share * len(text.tokens(source)))
    return max(constraints.max_edited_tokens or 0, share)


def _adds_blank(edits: Sequence[Edit]) -> bool:
    return any(change.text is not None and text.is_blank(change.text) for change in passage_changes(edits))


def _echoes_unsaid(source: Pair, edits: Sequence[Edit]) -> bool:
    claim = letters(source.claim)
    if claim in map(letters, source.evidence):
        return False
    others = passage_changes(edit for edit in edits if edit.mechanism is not Mechanism.ECHO)
    return any(change.text is not None and letters(change.text) == claim for change in others)


def _echoes_another(source: Pair, edits: Sequence[Edit]) -> bool:
    claim = _folded(source.claim)
    echoes = passage_changes(edit for edit in edits if edit.mechanism is Mechanism.ECHO)
    return any(change.index is not None or _folded(change.text or "") != claim for change in echoes)


def _folded(passage: str) -> str:
    return text.fold(skeleton(passage))
