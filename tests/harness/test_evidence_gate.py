"""Changes of evidence: what edits make of it, and what the gate lets through."""

import pytest
from pydantic import ValidationError

from confute.contract import Budgets, ValidityConstraints
from confute.edits import applied, edited_evidence, evidence_size
from confute.harness.gate import Gate
from confute.records import (
    AttackGoal,
    Candidate,
    Case,
    Edit,
    Label,
    Mechanism,
    PassageChange,
    Replacement,
    Ruling,
    Validity,
)

CASE = Case(
    case_id="c",
    claim="Ana paid Ben.",
    evidence=("one", "two", "three"),
    label=Label.UNSUPPORTED,
    domain="d",
    source="s",
    group="g",
)
START = Candidate(case_id="c", goal=AttackGoal.FALSE_ACCEPTANCE, edits=(), claim=CASE.claim, evidence=CASE.evidence)


class EverythingIsUnsupported:
    def rule(self, case, candidate):
        return Ruling(validity=Validity.VALID, label=Label.UNSUPPORTED, reason="ok", method="test", oracle_version="1")


def change(*passages, mechanism=Mechanism.INFLATION):
    return Edit(mechanism=mechanism, slot="added", replacements=(), passages=passages, expected_label=Label.UNSUPPORTED)


def add(text):
    return PassageChange(text=text)


def remove(place):
    return change(PassageChange(index=place))


def reason(candidate, **budgets):
    limits = ValidityConstraints(max_edits=3)
    return Gate(limits, EverythingIsUnsupported(), Budgets(**budgets)).rule(CASE, candidate).reason


def test_passages_are_removed_and_replaced_in_place_and_added_at_the_end():
    edits = (change(add("x")), change(PassageChange(index=0), PassageChange(index=2, text="drei")), change(add("y")))
    assert edited_evidence(CASE.evidence, edits) == ("two", "drei", "x", "y")
    assert evidence_size(edits) == (3, 2)


@pytest.mark.parametrize("places", [(1, 1), (3,)])
def test_two_changes_of_one_passage_or_one_of_none_give_no_candidate(places):
    assert applied(START, tuple(change(PassageChange(index=place)) for place in places)) is None


def test_a_change_must_change_something():
    with pytest.raises(ValidationError, match="index of a passage"):
        PassageChange()


@pytest.mark.parametrize(
    ("edits", "budgets", "expected"),
    [
        ((change(add("x"), add("y")),), {"evidence_additions": 2}, "ok"),
        ((change(add("x"), add("y")), change(add("z"))), {"evidence_additions": 2}, "over_budget_additions"),
        ((change(PassageChange(index=0, text="x")),), {"evidence_additions": 0}, "over_budget_additions"),
        ((remove(0), remove(1)), {"evidence_removals": 2}, "ok"),
        ((remove(0), remove(1)), {"evidence_removals": 1}, "over_budget_removals"),
        ((change(PassageChange(index=0, text="x")),), {"evidence_removals": 0}, "over_budget_removals"),
        (tuple(change(add(text)) for text in "wxyz"), {}, "too_many_edits"),
        ((change(PassageChange(index=0, text="\uff2fne ")),), {}, "equal_after_normalisation"),
        ((change(add("ana  paid ben.")),), {}, "undeclared_echo"),
        ((change(add("_Ana_ <b>pa</b>id Ben")),), {}, "undeclared_echo"),
        ((change(add("A n a  p a i d  B e n")),), {}, "undeclared_echo"),
        ((change(PassageChange(index=0, text="An\u00e1 paid **Ben**!")),), {}, "undeclared_echo"),
        ((change(add("Ana paid Ben."), mechanism=Mechanism.ECHO),), {}, "ok"),
        ((change(add("ana  PAID Ben."), mechanism=Mechanism.ECHO),), {}, "ok"),
        ((change(add("Hills are green."), mechanism=Mechanism.ECHO),), {}, "not_an_echo"),
        ((change(add("Ana paid Ben twice."), mechanism=Mechanism.ECHO),), {}, "not_an_echo"),
        ((change(PassageChange(index=0, text="Ana paid Ben."), mechanism=Mechanism.ECHO),), {}, "not_an_echo"),
        ((change(PassageChange(index=0), mechanism=Mechanism.ECHO),), {}, "not_an_echo"),
        ((change(add(" ")),), {}, "blank_passage"),
        ((change(add("x"), add("\u200b\u3164")),), {}, "blank_passage"),
        ((change(PassageChange(index=0, text="")),), {}, "blank_passage"),
        ((change(add("x"), mechanism=Mechanism.PARAPHRASE),), {}, "mechanism_misnamed"),
    ],
)
def test_the_gate_holds_a_candidate_to_its_limits_exactly(edits, budgets, expected):
    assert reason(applied(START, edits), **budgets) == expected


def test_evidence_that_the_edits_do_not_give_is_refused():
    candidate = applied(START, (change(add("x")),))
    other = candidate.model_copy(update={"evidence": ("one", "two", "three", "X")})
    assert reason(other) == "edits_do_not_give_evidence"
    assert reason(START.model_copy(update={"evidence": ("one",)})) == "edits_do_not_give_evidence"


def test_claim_and_evidence_are_never_changed_at_once():
    quantity = Edit(
        mechanism=Mechanism.ROLE_SWAP,
        slot="s",
        replacements=(Replacement(start=0, end=3, text="Eva"),),
        expected_label=Label.UNSUPPORTED,
    )
    assert reason(applied(START, (quantity, change(add("x"))))) == "claim_and_evidence_changed"
    assert reason(applied(START, (quantity,))) == "ok"
