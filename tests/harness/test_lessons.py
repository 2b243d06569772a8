"""What the searches that are over teach those that come after."""

from __future__ import annotations

from synthetic_run import FA

from confute.agents.agent import View
from confute.edits import unedited
from confute.harness.lessons import blocks, lessons
from confute.harness.search import Item
from confute.records import (
    Arm,
    Attempt,
    Case,
    Decision,
    Edit,
    Knowledge,
    Label,
    Mechanism,
    Outcome,
    Replacement,
    Ruling,
    Score,
    ScoreState,
    Validity,
)

WORDS = "10 cats met Ann"
NUMBER = Edit(
    mechanism=Mechanism.QUANTITY,
    slot="value",
    replacements=(Replacement(start=0, end=2, text="11"),),
    expected_label=Label.REFUTED,
)
LONGER = NUMBER.model_copy(update={"replacements": (Replacement(start=0, end=2, text="11 or 12"),)})
NAME = Edit(
    mechanism=Mechanism.BINDING,
    slot="subject",
    replacements=(Replacement(start=12, end=15, text="Bo"),),
    expected_label=Label.REFUTED,
)


def item(case_id: str) -> Item:
    case = Case(
        case_id=case_id,
        claim=WORDS,
        evidence=("Some.",),
        label=Label.SUPPORTED,
        domain="law",
        source="made up",
        group=case_id,
    )
    view = View(
        goal=FA,
        knowledge=Knowledge.SCORE,
        start=unedited(case, FA),
        moves=(NUMBER, NAME),
        victim_queries=8,
        max_edits=3,
        seed=0,
    )
    return Item(case, view)


def attempt(
    case_id: str,
    edit: Edit,
    outcome: Outcome,
    *,
    arm: Arm = Arm.SEARCH,
    step: int = 0,
    validity: Validity = Validity.VALID,
) -> Attempt:
    (change,) = edit.replacements
    ruling = Ruling(validity=validity, label=Label.REFUTED, reason="test", method="test", oracle_version="1")
    measured = outcome in {Outcome.SUCCEEDED, Outcome.RESISTED}
    return Attempt(
        contract_digest="c",
        case_id=case_id,
        goal=FA,
        arm=arm,
        step=step,
        claim=WORDS[: change.start] + change.text + WORDS[change.end :],
        evidence=("Some.",),
        edits=(edit,),
        ruling=ruling,
        score=Score(state=ScoreState.MEASURED, value=0.5) if measured else None,
        decision=Decision.REJECT if measured else None,
        outcome=outcome,
        queries=step + 1,
    )


def resisted_controls(case_id: str) -> list[Attempt]:
    return [
        attempt(case_id, edit, Outcome.RESISTED, arm=Arm.CONTROL, step=step) for step, edit in enumerate((NUMBER, NAME))
    ]


def test_blocks_double_and_keep_every_item_in_its_order() -> None:
    waiting = [item(f"{index:02}") for index in range(30)]
    cut = list(blocks(waiting))
    assert [len(block) for block in cut] == [8, 16, 6]
    assert [one for block in cut for one in block] == waiting


def test_a_lesson_counts_measured_candidates_and_shows_the_smallest_win() -> None:
    attempts = [
        *resisted_controls("a"),
        attempt("a", NAME, Outcome.RESISTED, step=0),
        attempt("a", LONGER, Outcome.SUCCEEDED, step=1),
        *resisted_controls("b"),
        attempt("b", NUMBER, Outcome.SUCCEEDED, step=0),
    ]
    told = {one.mechanism: one for one in lessons([item("a"), item("b")], attempts)}
    assert (told[Mechanism.BINDING].pulls, told[Mechanism.BINDING].wins) == (1, 0)
    assert told[Mechanism.BINDING].after is None
    number = told[Mechanism.QUANTITY]
    assert (number.surface, number.pulls, number.wins) == ("value", 2, 2)
    # "11" changes one token, "11 or 12" three.
    assert (number.before, number.after) == (WORDS, "11 cats met Ann")


def test_a_win_that_a_blind_draw_has_too_is_not_induced_and_counts_for_nothing() -> None:
    attempts = [
        attempt("a", NUMBER, Outcome.SUCCEEDED, arm=Arm.CONTROL, step=0),
        attempt("a", NAME, Outcome.RESISTED, arm=Arm.CONTROL, step=1),
        attempt("a", NUMBER, Outcome.SUCCEEDED, step=0),
        attempt("a", NAME, Outcome.RESISTED, step=1),
    ]
    assert [one.mechanism for one in lessons([item("a")], attempts)] == [Mechanism.BINDING]


def test_what_was_not_valid_not_measured_or_not_of_the_search_teaches_nothing() -> None:
    attempts = [
        *resisted_controls("a"),
        attempt("a", NUMBER, Outcome.INVALID, step=0, validity=Validity.INVALID),
        attempt("a", NUMBER, Outcome.ERROR, step=1),
        attempt("a", NUMBER, Outcome.SUCCEEDED, arm=Arm.NO_FEEDBACK, step=0),
        attempt("a", NAME, Outcome.RESISTED, step=2),
    ]
    told = lessons([item("a")], attempts)
    assert [(one.mechanism, one.pulls, one.wins) for one in told] == [(Mechanism.BINDING, 1, 0)]


def test_a_run_that_is_resumed_learns_nothing_from_the_cases_to_come() -> None:
    first = [*resisted_controls("a"), attempt("a", NUMBER, Outcome.SUCCEEDED)]
    later = [*resisted_controls("b"), attempt("b", NUMBER, Outcome.RESISTED)]
    assert lessons([item("a")], first + later) == lessons([item("a")], first)
