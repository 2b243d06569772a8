"""What is told of what worked, and the arms that it is told of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing_field import make_edit
from pydantic import ValidationError

from confute.agents.experience import Lesson, arm_of
from confute.agents.memory import remembered
from confute.records import Mechanism


def lesson(surface: str, pulls: int, wins: int, before: str | None = None, after: str | None = None) -> Lesson:
    return Lesson(mechanism=Mechanism.QUANTITY, surface=surface, pulls=pulls, wins=wins, before=before, after=after)


def test_nothing_learned_is_nothing_told() -> None:
    assert remembered(()) == ""


def test_the_most_promising_comes_first_with_its_smallest_example_and_failures_last() -> None:
    # Posterior means: (1 + 9) / (2 + 10) = 0.83 before (1 + 1) / (2 + 1) = 0.67.
    told = remembered([lesson("date", 1, 1), lesson("value", 10, 9, "2 cats", "3 cats"), lesson("object", 7, 0)])
    assert told.split("\n") == [
        'Worked in 9 of 10 tries: quantity on value. Smallest: "2 cats" became "3 cats".',
        "Worked in 1 of 1 tries: quantity on date.",
        "Never worked: quantity on object (0 of 7).",
    ]


def test_no_more_is_told_than_asked_for() -> None:
    many = [lesson(f"slot {index}", 2, index % 2) for index in range(20)]
    lines = remembered(many, at_most=3).split("\n")
    assert len(lines) == 4
    assert lines[-1].count("0 of 2") == 3


@given(st.text(st.characters(codec=None), max_size=600))
def test_hostile_claims_stay_within_their_line(claim: str) -> None:
    told = remembered([lesson("value", 1, 1, claim, f"not {claim}")])
    assert "\n" not in told
    assert told.isprintable() or "…" in told
    assert len(told) < 600


def test_a_lesson_cannot_win_more_than_it_pulled() -> None:
    with pytest.raises(ValidationError, match="more wins than pulls"):
        lesson("value", 1, 2)


def test_an_arm_is_the_first_change_of_content_and_its_places_without_numbers() -> None:
    number = make_edit("number 3", (0, 1, "x"))
    name = make_edit("name 12", (2, 3, "y"), mechanism=Mechanism.BINDING)
    paraphrase = make_edit("relation", (4, 5, "z"), mechanism=Mechanism.PARAPHRASE)
    assert arm_of([number]) == (Mechanism.QUANTITY, "number #")
    assert arm_of([paraphrase, name, number]) == (Mechanism.BINDING, "name # + number # beside a paraphrase")
    assert arm_of([paraphrase]) == (Mechanism.PARAPHRASE, "relation")
    with pytest.raises(ValueError, match="no edits"):
        arm_of([])
