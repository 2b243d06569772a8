"""Shrinking: the result is interesting, 1-minimal, and found without asking anything twice."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing_field import make_edit, make_view

from confute.agents.minimise import minimise, needed, sort_key
from confute.agents.script import script_of
from confute.edits import edited
from confute.records import Candidate, Edit, Mechanism

Predicate = Callable[[str], bool]
SOURCE = "a0 a1 a2 a3 a4 a5 a6 a7 a8"
START = make_view(SOURCE, []).start
# Three edits of three tokens each: edit k changes the tokens 3k, 3k + 1 and 3k + 2 from a to b.
EDITS = tuple(
    make_edit(f"slot-{k}", *((9 * k + 3 * i, 9 * k + 3 * i + 2, f"b{3 * k + i}") for i in range(3))) for k in range(3)
)
FOUND = START.model_copy(update={"edits": EDITS, "claim": SOURCE.replace("a", "b")})


def run(
    found: Candidate, interesting: Predicate, moves: Sequence[Edit] = (), alternatives: int = 32
) -> tuple[Candidate, list[str]]:
    generator = minimise(START, found, moves, alternatives)
    tested: list[str] = []
    try:
        candidate = next(generator)
        while True:
            tested.append(candidate.claim)
            candidate = generator.send(interesting(candidate.claim))
    except StopIteration as stop:
        return stop.value, tested


def changed(claim: str) -> frozenset[int]:
    """The places of the tokens that are not as in the source; claims here have the source's number of tokens."""
    return frozenset(i for i, (old, new) in enumerate(zip(SOURCE.split(), claim.split(), strict=True)) if old != new)


def needs(*required: int) -> Predicate:
    return lambda claim: set(required) <= changed(claim)


def noisy(seed: int, share: float) -> Predicate:
    """Interesting at random, without any order among claims; the found one always is."""
    return lambda claim: claim == FOUND.claim or random.Random(f"{seed}/{claim}").random() < share


def without_each(candidate: Candidate) -> list[str]:
    """The claims that are left when one changed token of the candidate is put back."""
    tokens = candidate.claim.split()
    source = SOURCE.split()
    return [" ".join([*tokens[:i], source[i], *tokens[i + 1 :]]) for i in changed(candidate.claim)]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_failure_that_needs_some_changes_is_shrunk_to_exactly_those(size: int) -> None:
    for required in combinations(range(9), size):
        smallest, _ = run(FOUND, needs(*required))
        assert changed(smallest.claim) == set(required)
        assert edited(SOURCE, smallest.edits) == smallest.claim
        assert {edit.slot for edit in smallest.edits} == {f"slot-{place // 3}" for place in required}


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.02, 0.1, 0.3, 0.6, 1.0]))
def test_whatever_the_predicate_the_result_is_interesting_and_loses_it_with_any_one_change_less(
    seed: int, share: float
) -> None:
    interesting = noisy(seed, share)
    smallest, _ = run(FOUND, interesting)
    assert interesting(smallest.claim)
    assert not any(interesting(claim) for claim in without_each(smallest) if claim != SOURCE)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.02, 0.1, 0.3, 0.6]))
def test_no_claim_is_tested_twice_and_neither_source_nor_found_at_all(seed: int, share: float) -> None:
    moves = [make_edit("m", (3 * i, 3 * i + 2, word)) for i in range(9) for word in ("c", f"b{i}", f"a{i}")]
    smallest, tested = run(FOUND, noisy(seed, share), moves)
    assert len(set(tested)) == len(tested)
    assert not {SOURCE, FOUND.claim} & set(tested)
    assert sort_key(START, smallest) <= sort_key(START, FOUND)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.05, 0.2, 0.5]))
def test_a_simpler_move_is_shrunk_like_what_was_found(seed: int, share: float) -> None:
    interesting = noisy(seed, share)
    moves = [make_edit("m", (3 * i, 3 * i + 5, f"c{i} c{i}")) for i in range(8)]
    smallest, _ = run(FOUND, interesting, moves)
    operations = script_of(START, smallest).operations
    less = [script_of(START, smallest).apply([*operations[:i], *operations[i + 1 :]]) for i in range(len(operations))]
    assert not any(interesting(candidate.claim) for candidate in less if candidate is not None)


def test_simpler_moves_are_tried_smallest_first_up_to_the_bound() -> None:
    moves = [make_edit("m", (0, 2, "z" * size)) for size in (9, 2, 5)]
    _, tested = run(FOUND.model_copy(update={"edits": EDITS[:1]}), lambda claim: False, moves, alternatives=2)
    assert [claim.split()[0] for claim in tested if claim.startswith("z")] == ["zz", "zzzzz"]


def test_a_smaller_move_replaces_what_was_found() -> None:
    number = make_edit("m", (0, 2, "a9"))
    smallest, _ = run(FOUND, lambda claim: claim in {FOUND.claim, edited(SOURCE, (number,))}, [number])
    assert smallest.edits == (number,)


def test_what_cannot_be_shrunk_comes_back_as_it_was() -> None:
    smallest, tested = run(FOUND, lambda claim: claim == FOUND.claim)
    assert smallest is FOUND
    # Halves; quarters and their complements; ninths and theirs, where parts of one operation are met once: at the
    # size of the script every single operation and every complement of one has been tried.
    assert {9 - 1, 1} <= {len(changed(claim)) for claim in tested}
    assert sum(len(changed(claim)) == 8 for claim in tested) == 9


def test_a_found_claim_without_edits_is_left_alone() -> None:
    bare = START.model_copy(update={"claim": "something else"})
    assert run(bare, lambda claim: True) == (bare, [])


def test_the_order_puts_fewer_edits_first_then_tokens_characters_mechanism_and_text() -> None:
    def candidate(*edits: Edit) -> Candidate:
        return START.model_copy(update={"edits": edits, "claim": edited(SOURCE, edits)})

    def move(start: int, text: str, mechanism: Mechanism = Mechanism.QUANTITY) -> Edit:
        return make_edit("m", (start, start + 2, text), mechanism=mechanism)

    ordered = [
        candidate(move(0, "a8")),
        candidate(move(0, "a9")),
        candidate(move(0, "a1", Mechanism.POLARITY)),
        candidate(move(0, "a1", Mechanism.ROLE_SWAP)),
        candidate(move(0, "a1", Mechanism.BINDING)),
        candidate(move(0, "a1", Mechanism.CAUSAL)),
        candidate(move(0, "a1", Mechanism.PARAPHRASE)),
        candidate(move(0, "b9")),
        candidate(move(0, "c d")),
        candidate(move(0, "a9"), move(3, "a9")),
    ]
    shuffled = random.Random(3).sample(ordered, len(ordered))
    assert sorted(shuffled, key=lambda one: sort_key(START, one)) == ordered


@pytest.mark.parametrize("replays", range(51))
def test_four_fifths_of_the_replays_are_needed(replays: int) -> None:
    assert needed(replays) == math.ceil(8 * replays / 10)


def test_four_of_5_and_16_of_20_are_needed() -> None:
    assert (needed(1), needed(5), needed(20)) == (1, 4, 16)
