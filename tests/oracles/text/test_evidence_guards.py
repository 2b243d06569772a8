"""The guards on changed evidence of free text."""

import pytest

from confute.oracles.text import GuardedTextOracle
from confute.oracles.text.evidence import EvidenceGuards
from confute.oracles.text.findings import Effect
from confute.records import AttackGoal, Candidate, Case, Label, Validity

CLAIM = "Ada Lovelace wrote 7 notes on the analytical engine."
OWN = ("Ada Lovelace wrote 7 notes.", "Babbage designed the engine.")
# Forty passages: "the" is in all of them, so that it is common; every other word of the claim is rare.
OTHERS = tuple(f"In the valley number{index} the rain fell." for index in range(40))
GUARDS = EvidenceGuards([OWN, OTHERS])


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((*OWN, OWN[0]), (Effect.SAME, "same_passages")),
        (OWN[::-1], (Effect.SAME, "same_passages")),
        ((*OWN, OTHERS[0]), (Effect.SAME, "unrelated_passages")),
        ((*OWN, "The rain fell on Lovelace."), (Effect.UNSURE, "shares_content")),
        ((*OWN, "The rain fell 7 times."), (Effect.UNSURE, "shares_content")),
        ((*OWN, "The rain made a NOTE."), (Effect.UNSURE, "shares_content")),
        ((*OWN, "The rain fell on L\u043evelace."), (Effect.UNSURE, "shares_content")),
        ((*OWN, "The rain fell.", "An engine ran."), (Effect.UNSURE, "shares_content")),
        (OWN[:1], (Effect.UNSURE, "support_not_annotated")),
        ((OWN[0], OTHERS[0]), (Effect.UNSURE, "support_not_annotated")),
        ((), (Effect.UNSURE, "no_evidence_left")),
        ((" ",), (Effect.UNSURE, "no_evidence_left")),
        ((*OWN, CLAIM), (Effect.SAME, "echo")),
    ],
)
def test_what_changed_evidence_does_to_a_label(after, expected):
    assert GUARDS.judge(CLAIM, OWN, after) == expected


@pytest.mark.parametrize(
    ("after", "support", "expected"),
    [
        (OWN[1:], (0,), (Effect.FALSE, "support_deleted")),
        ((OTHERS[0], OWN[1]), (0,), (Effect.FALSE, "support_deleted")),
        (OTHERS[:1], (0, 1), (Effect.FALSE, "support_deleted")),
        (OWN[:1], (0,), (Effect.SAME, "support_left")),
        (OWN[:1], (0, 1), (Effect.UNSURE, "support_partly_left")),
        ((OWN[0].upper(),), (0,), (Effect.SAME, "support_left")),
        ((OWN[1], "The rain fell on Lovelace."), (0,), (Effect.UNSURE, "shares_content")),
        ((OWN[1], CLAIM), (0,), (Effect.UNSURE, "shares_content")),
        ((), (0, 1), (Effect.UNSURE, "no_evidence_left")),
    ],
)
def test_annotated_support_is_left_or_deleted_as_a_whole_or_else_leaves_the_label_open(after, support, expected):
    assert GUARDS.judge(CLAIM, OWN, after, support) == expected


def test_a_claim_without_a_rare_word_can_be_told_from_no_passage():
    assert GUARDS.judge("the", OWN, (*OWN, OTHERS[0])) == (Effect.UNSURE, "shares_content")


@pytest.mark.parametrize("claim", ["Snow lies on the Valley.", "Snow lies on 40 valleys."])
def test_a_name_or_a_number_is_telling_however_common_it_is(claim):
    others = tuple(f"In the valley of 40 winds, number{index}, the rain fell." for index in range(40))
    assert EvidenceGuards([others]).judge(claim, OWN, (*OWN, others[0])) == (Effect.UNSURE, "shares_content")
    assert EvidenceGuards([others]).judge("Snow lies on the valley.", OWN, (*OWN, others[0]))[0] is Effect.SAME


def test_in_a_small_set_every_word_is_rare():
    assert EvidenceGuards([OWN]).judge(CLAIM, OWN, (*OWN, OTHERS[0])) == (Effect.UNSURE, "shares_content")


@pytest.mark.parametrize("passage", ["\x00", "\ud800", "a" * 100_000, "\u202e", "💥"])
def test_hostile_passages_are_judged(passage):
    assert GUARDS.judge(CLAIM, OWN, (*OWN, passage))[0] in set(Effect)


@pytest.mark.parametrize(
    ("label", "goal", "expected"),
    [
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, (Validity.VALID, Label.SUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_ACCEPTANCE, (Validity.INVALID, Label.SUPPORTED)),
        (Label.REFUTED, AttackGoal.FALSE_ACCEPTANCE, (Validity.VALID, Label.REFUTED)),
        (Label.NEI, AttackGoal.FALSE_ACCEPTANCE, (Validity.VALID, Label.UNSUPPORTED)),
    ],
)
def test_evidence_that_says_the_same_keeps_the_label(label, goal, expected):
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=label, domain="d", source="s", group="g")
    candidate = Candidate(case_id="c", goal=goal, edits=(), claim=CLAIM, evidence=(*OWN, OWN[1]))
    ruling = GuardedTextOracle([case]).rule(case, candidate)
    assert (ruling.validity, ruling.label) == expected


def test_claim_and_evidence_changed_at_once_are_left_open():
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=Label.SUPPORTED, domain="d", source="s", group="g")
    changed = Candidate(
        case_id="c",
        goal=AttackGoal.FALSE_ACCEPTANCE,
        edits=(),
        claim=CLAIM.replace("7", "9"),
        evidence=(*OWN, OWN[0]),
    )
    ruling = GuardedTextOracle([case]).rule(case, changed)
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "claim_and_evidence_changed")


@pytest.mark.parametrize(
    ("label", "goal", "evidence", "expected"),
    [
        (Label.SUPPORTED, AttackGoal.FALSE_ACCEPTANCE, OWN[1:], (Validity.VALID, Label.UNSUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, OWN[1:], (Validity.INVALID, Label.UNSUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, OWN[:1], (Validity.VALID, Label.SUPPORTED)),
        (Label.REFUTED, AttackGoal.FALSE_ACCEPTANCE, OWN[1:], (Validity.UNKNOWN, None)),
    ],
)
def test_a_deletion_of_annotated_support_makes_a_supported_claim_unsupported(label, goal, evidence, expected):
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=label, domain="d", source="s", group="g")
    candidate = Candidate(case_id="c", goal=goal, edits=(), claim=CLAIM, evidence=evidence)
    ruling = GuardedTextOracle([case], {"c": (0,)}).rule(case, candidate)
    assert (ruling.validity, ruling.label) == expected
    assert GuardedTextOracle([case]).rule(case, candidate).reason == "support_not_annotated"
