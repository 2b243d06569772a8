"""Edit scripts: changes that can be left out one by one and together are the whole edit."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from playing_field import make_edit, make_view

from confute.agents.script import changes, script_of
from confute.edits import edited
from confute.records import AttackGoal, Candidate, Edit, Label, Mechanism, Replacement

ANY_TEXT = st.text(max_size=30)
WORDS = st.lists(st.sampled_from(["a", "bb", "10", ".", "(", "\u00e9", "e\u0301", "\ud800", "\x00"]), max_size=8)
SPACED = st.builds(lambda words, gap: gap.join(words), WORDS, st.sampled_from([" ", "", "  ", "\n"]))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (
            "Acme bought Beta in 2019.",
            "Beta bought Acme in 2020.",
            [(0, 4, "Beta"), (12, 16, "Acme"), (20, 24, "2020")],
        ),
        ("It rose 10.", "It never rose 12.", [(2, 2, " never"), (8, 10, "12")]),
        ("one two three", "one", [(3, 7, ""), (7, 13, "")]),
        ("foo bar", "bar", [(0, 7, "bar")]),
        ("a b", "(a) b", [(0, 0, "("), (1, 1, ")")]),
        ("the same", "the same", []),
        ("a  b", "a b", [(2, 4, "b")]),
    ],
)
def test_tokens_are_changed_apart_where_they_can_be(
    source: str, target: str, expected: list[tuple[int, int, str]]
) -> None:
    found = changes(source, Replacement(start=0, end=len(source), text=target))
    assert [(one.start, one.end, one.text) for one in found] == expected


def test_an_insertion_before_a_changed_token_is_an_operation_of_its_own() -> None:
    found = changes("It rose.", Replacement(start=0, end=8, text="It never fell."))
    assert len(found) == 2


@given(source=ANY_TEXT | SPACED, target=ANY_TEXT | SPACED, before=SPACED, after=SPACED)
@example(source="", target="\x85\x00", before="", after="a")
def test_the_changes_together_are_the_replacement_and_do_not_overlap(
    source: str, target: str, before: str, after: str
) -> None:
    claim = before + source + after
    replacement = Replacement(start=len(before), end=len(before) + len(source), text=target)
    found = changes(claim, replacement)
    edit = make_edit("slot").model_copy(update={"replacements": found})
    assert edited(claim, (edit,)) == before + target + after


def test_an_edit_that_keeps_its_operations_stands_as_proposed_and_one_that_lost_some_keeps_its_name() -> None:
    claim = "Acme bought Beta for 10 dollars"
    swap = make_edit("names", (0, 4, "Beta"), (12, 16, "Acme"), mechanism=Mechanism.ROLE_SWAP)
    price = make_edit("price", (21, 31, "12 euros"))
    start = make_view(claim, []).start
    found = start.model_copy(update={"edits": (swap, price), "claim": "Beta bought Acme for 12 euros"})
    script = script_of(start, found)
    assert script.apply(script.operations) == found
    shrunk = script.apply(script.operations[:3])
    assert shrunk is not None
    assert shrunk.claim == "Beta bought Acme for 12 dollars"
    assert shrunk.edits[0] is swap
    assert (shrunk.edits[1].slot, shrunk.edits[1].mechanism) == ("price", Mechanism.QUANTITY)
    assert shrunk.edits[1].replacements == (Replacement(start=21, end=23, text="12"),)


def test_a_claim_that_its_edits_do_not_give_is_taken_as_one_edit() -> None:
    start = make_view("one two three", []).start
    told = make_edit("told", (0, 3, "ten"))
    script = script_of(start, start.model_copy(update={"edits": (told,), "claim": "one too tree"}))
    assert [part.text for one in script.operations for part in one.replacements] == ["too", "tree"]
    whole = script.apply(script.operations)
    assert whole is not None
    assert (whole.claim, whole.edits[0].slot) == ("one too tree", "told")


def test_a_paraphrase_is_one_operation_since_a_part_of_it_may_say_something_else() -> None:
    claim = "Ana paid Ben"
    passive = Edit(
        mechanism=Mechanism.PARAPHRASE,
        slot="voice",
        replacements=(Replacement(start=0, end=3, text="Ben"), Replacement(start=4, end=12, text="was paid by Ana")),
        expected_label=Label.SUPPORTED,
    )
    start = Candidate(case_id="c", goal=AttackGoal.FALSE_REJECTION, edits=(), claim=claim, evidence=())
    found = start.model_copy(update={"edits": (passive,), "claim": "Ben was paid by Ana"})
    assert len(script_of(start, found).operations) == 1
