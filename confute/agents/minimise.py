"""Candidates shrunk to the smallest that still fails, by delta debugging on the edit script and simpler moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from fractions import Fraction
from itertools import pairwise

from confute import text
from confute.agents.script import Operation, Script, script_of
from confute.edits import applied, edit_size, passage_changes
from confute.records import Candidate, Edit, Mechanism

_RANKS = {
    Mechanism.QUANTITY: 0,
    Mechanism.TEMPORAL: 0,
    Mechanism.POLARITY: 1,
    Mechanism.ROLE_SWAP: 2,
    Mechanism.BINDING: 3,
    Mechanism.CAUSAL: 4,
    Mechanism.PARAPHRASE: 5,
    Mechanism.SUPPORT_DELETION: 6,
    Mechanism.DUPLICATION: 7,
    Mechanism.ECHO: 8,
    Mechanism.DISTRACTOR: 9,
    Mechanism.INFLATION: 9,
    Mechanism.ROTATION: 9,
    Mechanism.NEAREST_WRONG: 10,
    Mechanism.POLITENESS: 11,
    Mechanism.HISTORY: 12,
    Mechanism.LANGUAGE_SWITCH: 13,
    Mechanism.ROLE: 14,
    Mechanism.PERMISSION: 15,
    Mechanism.AUTHORITY: 16,
    Mechanism.FALSE_PRESUPPOSITION: 17,
    Mechanism.INVENTED_ENTITY: 18,
}
_WRONG_SHARE = Fraction(4, 5)
_ALTERNATIVES = 32

SortKey = tuple[int, int, int, int, int, tuple[int, ...], str, tuple[str, ...]]
Shrinking = Generator[Candidate, bool, Candidate]
_Tests = Generator[Candidate, bool, bool]
_Ask = Callable[[Candidate], _Tests]


def minimise(
    source: Candidate, found: Candidate, moves: Sequence[Edit] = (), alternatives: int = _ALTERNATIVES
) -> Shrinking:
    """Shrink a found candidate: yield each candidate to test, be sent whether it is interesting, return the smallest.

    Interesting means that the victim is wrong, the oracle's label is the declared one and the claim is well formed.
    `found` is taken to be interesting and is never tested. Delta debugging (Zeller and Hildebrandt 2002) on the edit
    script comes first; then at most `alternatives` single moves that are smaller in the order of `sort_key` are tried,
    the smallest first, and the first interesting one is shrunk in its turn. The result is 1-minimal: none of its
    operations can be left out. No claim with its evidence is tested twice.
    """
    memo = {found.pair: True}

    def ask(candidate: Candidate) -> _Tests:
        if candidate.pair not in memo:
            memo[candidate.pair] = yield candidate
        return memo[candidate.pair]

    smallest = yield from _ddmin(script_of(source, found), ask)
    for simpler in _simpler(source, smallest or found, moves)[:alternatives]:
        if (yield from ask(simpler)):
            return (yield from _ddmin(script_of(source, simpler), ask)) or simpler
    return smallest or found


def sort_key(source: Candidate, candidate: Candidate) -> SortKey:
    """Return the key by which candidates of one source are ordered, the smallest first.

    In turn: the number of edits, tokens changed and characters changed (a turn said before a probe counts with both),
    passages changed, their characters, the ranks of the mechanisms (number or date < negation < swap < entity < clause
    < free < evidence < frames), and the text.
    """
    tokens, characters = edit_size(source.claim, candidate.claim)
    turns = [one.text or "" for edit in candidate.edits if edit.mechanism.frames_a_probe for one in edit.passages]
    tokens, characters = tokens + sum(len(text.tokens(turn)) for turn in turns), characters + sum(map(len, turns))
    changes = passage_changes(candidate.edits)
    written = sum(len(change.text or "") for change in changes)
    ranks = tuple(sorted((_RANKS[edit.mechanism] for edit in candidate.edits), reverse=True))
    return (
        len(candidate.edits),
        tokens,
        characters,
        len(changes),
        written,
        ranks,
        candidate.claim,
        candidate.evidence,
    )


def needed(replays: int) -> int:
    """Return how many of a candidate's replays must fail for it to be interesting: ceil(0.8 replays)."""
    return math.ceil(_WRONG_SHARE * replays)


def _ddmin(script: Script, ask: _Ask) -> Generator[Candidate, bool, Candidate | None]:
    """Return the candidate of a 1-minimal subset of the operations; None where no operation can be left out."""
    kept, parts = list(script.operations), 2
    smallest: Candidate | None = None
    while len(kept) >= 2:
        parts = min(parts, len(kept))
        for chosen, next_parts in _choices(kept, parts):
            candidate = script.apply(chosen)
            if candidate is not None and (yield from ask(candidate)):
                kept, parts, smallest = chosen, next_parts, candidate
                break
        else:
            if parts == len(kept):
                break
            parts *= 2
    return smallest


def _choices(kept: Sequence[Operation], parts: int) -> list[tuple[list[Operation], int]]:
    """Return each part of the operations and then each complement, with how many parts to go on with."""
    bounds = [len(kept) * index // parts for index in range(parts + 1)]
    pairs = list(pairwise(bounds))
    subsets = [(list(kept[start:end]), 2) for start, end in pairs]
    complements = [([*kept[:start], *kept[end:]], max(parts - 1, 2)) for start, end in pairs]
    return subsets + (complements if parts > 2 else [])


def _simpler(source: Candidate, limit: Candidate, moves: Sequence[Edit]) -> list[Candidate]:
    """Return the candidates of single moves that are smaller than the limit, the smallest first."""
    candidates = (applied(source, (edit,)) for edit in moves)
    changed = (one for one in candidates if one is not None and one.pair != source.pair)
    smaller = (one for one in changed if sort_key(source, one) < sort_key(source, limit))
    return sorted(smaller, key=lambda one: sort_key(source, one))
