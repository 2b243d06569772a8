"""The guards on free text: what they vouch for, what they refuse, and what they leave open."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confute.edits import edited
from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Replacement, Ruling, Validity

ORACLE = GuardedTextOracle()
ACCEPT, REJECT = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
CLAIM = "Ada Lovelace wrote 7 notes on 5 May 1843 in London."
EVIDENCE = ("In London, Ada Lovelace wrote 7 notes on 5 May 1843.", "Charles Babbage designed an engine.")


def case(claim: str, *evidence: str, label: Label = Label.SUPPORTED) -> Case:
    return Case(case_id="c", claim=claim, evidence=evidence or (claim,), label=label, domain="d", source="s", group="g")


def rule(given_case: Case, claim: str, goal: AttackGoal = ACCEPT, edits: tuple[Edit, ...] = ()) -> Ruling:
    candidate = Candidate(case_id="c", goal=goal, edits=edits, claim=claim, evidence=given_case.evidence)
    return ORACLE.rule(given_case, candidate)


def verdict(original: str, attacked: str, *evidence: str) -> tuple[str, str]:
    ruling = rule(case(original, *evidence), attacked)
    return ruling.validity.value, ruling.reason.partition(":")[0]


NOTES = case(CLAIM, *EVIDENCE)


def test_a_changed_value_is_vouched_for_as_unsupported() -> None:
    ruling = rule(NOTES, CLAIM.replace("7", "9"))
    assert (ruling.validity, ruling.label) == (Validity.VALID, Label.UNSUPPORTED)


def test_every_move_is_ruled_valid_alone_and_keeps_its_place_in_the_order() -> None:
    for goal in AttackGoal:
        moves = ORACLE.moves(NOTES, goal)
        assert moves
        assert moves == GuardedTextOracle([NOTES]).moves(NOTES, goal)
        for move in moves:
            ruling = rule(NOTES, edited(CLAIM, (move,)) or "", goal)
            assert (ruling.validity, ruling.label) == (Validity.VALID, move.expected_label)


def test_the_moves_reach_number_date_name_and_verb() -> None:
    mechanisms = {move.mechanism for move in ORACLE.moves(NOTES, ACCEPT)}
    assert mechanisms >= {Mechanism.QUANTITY, Mechanism.TEMPORAL, Mechanism.BINDING, Mechanism.POLARITY}
    assert {move.mechanism for move in ORACLE.moves(NOTES, REJECT)} == {Mechanism.PARAPHRASE}


def test_the_ruling_follows_the_text_and_not_the_edit_that_claims_to_have_made_it() -> None:
    lie = Edit(
        mechanism=Mechanism.PARAPHRASE,
        slot="anything",
        replacements=(Replacement(start=0, end=1, text="x"),),
        expected_label=Label.SUPPORTED,
    )
    claim = CLAIM.replace("7", "9")
    assert rule(NOTES, claim, edits=(lie,)) == rule(NOTES, claim)


def test_another_value_that_no_move_offers_is_judged_all_the_same() -> None:
    assert verdict(CLAIM, CLAIM.replace("7", "forty-one"), *EVIDENCE) == ("VALID", "value_contradicted")


def test_what_no_guard_recognises_is_unknown() -> None:
    assert verdict(CLAIM, CLAIM.replace("notes", "letters"), *EVIDENCE) == ("UNKNOWN", "unrecognised_edit")
    assert verdict(CLAIM, CLAIM + " Or so.", *EVIDENCE) == ("UNKNOWN", "unrecognised_edit")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("7 notes on 5 May 1843", "9 notes on 5 May 1851", ("VALID", "value_contradicted")),
        ("7 notes on 5 May 1843", "seven notes on 5 May 1851", ("VALID", "date_contradicted")),
        ("Ada Lovelace wrote 7", "Tomas Varga wrote 9", ("VALID", "name_not_in_evidence")),
        ("wrote 7", "did not write 9", ("UNKNOWN", "may_cancel")),
        ("Ada Lovelace wrote", "Tomas Varga did not write", ("UNKNOWN", "may_cancel")),
    ],
)
def test_several_changes_count_where_none_can_undo_another(old: str, new: str, expected: tuple[str, str]) -> None:
    assert verdict(CLAIM, CLAIM.replace(old, new), *EVIDENCE) == expected


def test_two_new_names_may_tell_another_truth() -> None:
    claim = "Ada Lovelace married William King in Norwich."
    attacked = "Tomas Varga married Daniel Okafor in Norwich."
    assert verdict(claim, attacked) == ("UNKNOWN", "may_cancel")


@pytest.mark.parametrize(
    ("claim", "old", "new", "reason"),
    [
        ("The tower may hold 7 bells.", "7", "9", "modal"),
        ("The tower probably holds 7 bells.", "7", "9", "hedged"),
        ("If the tower stands, it holds 7 bells.", "7", "9", "conditional"),
        ("Does the tower hold 7 bells?", "7", "9", "question"),
        ("Ann said that the tower holds 7 bells.", "7", "9", "reported_speech"),
        ("The tower holds 7 bells or gongs.", "7", "9", "disjunction"),
        ('The song is called "holds 7 bells" today.', "7", "9", "quotation"),
        ("The tower does not hold 7 bells.", "7", "9", "negated"),
        ("The tower holds between 7 and 11 bells.", "7", "9", "range"),
        ("The tower holds 7-11 bells.", "7", "9", "range"),
        ("The tower holds 7 bells.", "7", "5", "smaller_count"),
        ("Ten percent (10%) of the bells are new.", "10", "19", "stated_twice"),
        ("The tower holds about 100 bells.", "100", "115", "approximate"),
    ],
)
def test_a_number_that_the_claim_does_not_flatly_assert_is_left_open(
    claim: str, old: str, new: str, reason: str
) -> None:
    assert verdict(claim, claim.replace(old, new, 1)) == ("UNKNOWN", reason)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("The tower holds many bells.", "value_not_stated_once"),
        ("The tower holds 7 bells. The other tower holds 7 bells.", "value_not_stated_once"),
        ("The tower holds 7 bells. The gate holds 9 bells.", "value_elsewhere_in_evidence"),
        ("The tower has 7 windows.", "unit_not_matched"),
    ],
)
def test_a_number_that_the_evidence_does_not_settle_is_left_open(evidence: str, reason: str) -> None:
    assert verdict("The tower holds 7 bells.", "The tower holds 9 bells.", evidence) == ("UNKNOWN", reason)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("in 1843", ("INVALID", "still_entailed")),  # a year holds its days
        ("on May 5, 1843", ("INVALID", "same_date")),
        ("on 1843-05-05", ("INVALID", "same_date")),
        ("on 6 May 1843", ("UNKNOWN", "value_elsewhere_in_evidence")),  # the year itself stands in the evidence
        ("on 5 May 1844", ("VALID", "date_contradicted")),
    ],
)
def test_a_date_is_compared_as_precisely_as_it_is_stated(new: str, expected: tuple[str, str]) -> None:
    if new.startswith("in"):
        claim = CLAIM.replace("on 5 May 1843", "in May 1843")
        assert verdict(claim, claim.replace("May 1843", "1843"), *EVIDENCE) == expected
    else:
        assert verdict(CLAIM, CLAIM.replace("on 5 May 1843", new), *EVIDENCE) == expected


@pytest.mark.parametrize(
    ("year", "expected"),
    [("1860", ("INVALID", "still_entailed")), ("1840", ("UNKNOWN", "bound"))],
)
def test_a_later_bound_on_before_still_holds(year: str, expected: tuple[str, str]) -> None:
    claim = "The bridge was built before 1850."
    assert verdict(claim, claim.replace("1850", year)) == expected


def test_a_year_inside_a_stated_span_is_left_open() -> None:
    evidence = "There was a governorate from 1937 to 1941. It was founded in 1939."
    assert verdict("It was founded in 1939.", "It was founded in 1940.", evidence) == ("UNKNOWN", "range")


@pytest.mark.parametrize(
    ("original", "attacked", "expected"),
    [
        ("The drug increases survival.", "The drug decreases survival.", ("VALID", "antonym")),
        ("The drug did not help patients.", "The drug helped patients.", ("VALID", "negation")),
        ("The drug never helped patients.", "The drug helped patients.", ("VALID", "negation")),
        ("The drug is not safe.", "The drug is safe.", ("VALID", "negation")),
        ("Heat causes drought.", "Drought causes heat.", ("VALID", "cause_and_effect_exchanged")),
        ("Google acquired YouTube.", "YouTube acquired Google.", ("VALID", "arguments_exchanged")),
        ("Everest is taller than Fuji.", "Fuji is taller than Everest.", ("VALID", "arguments_exchanged")),
        ("I know that the drug works.", "I do not know that the drug works.", ("UNKNOWN", "attitude")),
    ],
)
def test_a_flat_statement_turned_round_is_no_longer_supported(
    original: str, attacked: str, expected: tuple[str, str]
) -> None:
    assert verdict(original, attacked) == expected


def test_an_antonym_that_the_evidence_uses_is_left_open() -> None:
    evidence = "The drug increases survival in men and decreases survival in women."
    assert verdict("The drug increases survival.", "The drug decreases survival.", evidence) == (
        "UNKNOWN",
        "antonym_in_evidence",
    )


def test_a_negation_is_left_open_where_the_evidence_denies_something_of_the_kind() -> None:
    evidence = "No association between surgery and cancer rates was found."
    assert verdict("Surgery increases cancer rates.", "Surgery does not increase cancer rates.", evidence) == (
        "UNKNOWN",
        "negation_in_evidence",
    )


def test_a_name_of_which_the_evidence_says_the_same_is_left_open() -> None:
    evidence = ("Ada Lovelace wrote notes.", "Charles Babbage wrote notes.")
    assert verdict("Ada Lovelace wrote notes.", "Charles Babbage wrote notes.", *evidence) == (
        "UNKNOWN",
        "content_stated_of_both",
    )
    assert verdict(CLAIM, CLAIM.replace("Ada Lovelace", "Charles Babbage"), *EVIDENCE) == ("VALID", "name_elsewhere")


@pytest.mark.parametrize("label", [Label.UNSUPPORTED, Label.REFUTED, Label.NEI])
def test_a_false_claim_keeps_its_label_under_a_paraphrase_alone(label: Label) -> None:
    false = case(CLAIM, *EVIDENCE, label=label)
    kept = rule(false, CLAIM.replace("7", "seven"))
    assert kept.validity is Validity.VALID
    assert kept.label == (Label.UNSUPPORTED if label is Label.NEI else label)
    assert rule(false, CLAIM.replace("7", "9")).reason == "label_not_recomputed"
    assert {move.mechanism for move in ORACLE.moves(false, ACCEPT)} == {Mechanism.PARAPHRASE}
    assert ORACLE.moves(false, REJECT) == ()


def test_a_false_rejection_needs_a_claim_that_is_still_supported() -> None:
    people = case("At least 50 people came.", "50 people came.")
    assert rule(people, "At least fifty people came.", REJECT).label is Label.SUPPORTED
    assert rule(people, "At least 40 people came.", REJECT).validity is Validity.VALID
    assert rule(people, "At least 60 people came.", REJECT).validity is Validity.INVALID


def test_a_claim_that_changed_with_its_evidence_is_not_ruled_on() -> None:
    candidate = Candidate(case_id="c", goal=ACCEPT, edits=(), claim=CLAIM.replace("7", "9"), evidence=("Else.",))
    assert ORACLE.rule(NOTES, candidate).reason == "claim_and_evidence_changed"


def test_texts_of_a_hundred_kilobytes_are_unknown() -> None:
    assert rule(NOTES, CLAIM * 2000).reason == "too_long"
    long = case("word " * 20_000, "word")
    assert rule(long, "other").reason == "too_long"
    assert ORACLE.moves(long, ACCEPT) == ()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet=st.characters(codec=None), min_size=1, max_size=40).filter(str.strip), st.text(max_size=40))
def test_no_text_breaks_a_ruling(claim: str, candidate: str) -> None:
    hostile = case(claim, "\x00\ud800 <b>7 bells</b>")
    assert rule(hostile, candidate).validity in set(Validity)
    ORACLE.moves(hostile, ACCEPT)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_moves_on_different_places_are_recognised_together(data: st.DataObject) -> None:
    moves = [*ORACLE.moves(NOTES, ACCEPT), *ORACLE.moves(NOTES, REJECT)]
    chosen = tuple(data.draw(st.lists(st.sampled_from(moves), min_size=1, max_size=3, unique=True)))
    claim = edited(CLAIM, chosen)
    if claim is not None:
        assert rule(NOTES, claim).reason != "unrecognised_edit"


def test_the_guards_load_no_parser_until_they_are_asked() -> None:
    code = "import sys, confute.oracles.text; print(any(m in sys.modules for m in ('spacy', 'pint', 'lemminflect')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
