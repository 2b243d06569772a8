"""Edits that look as if they kept the label and change what is said are not vouched for as paraphrases."""

from __future__ import annotations

import pytest

from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Label, Mechanism, Validity

ORACLE = GuardedTextOracle()


def outcome(original: str, attacked: str) -> tuple[str, str]:
    """Rule on a supported claim that is its own evidence."""
    case = Case(
        case_id="c", claim=original, evidence=(original,), label=Label.SUPPORTED, domain="d", source="s", group="g"
    )
    goal = AttackGoal.FALSE_REJECTION
    ruling = ORACLE.rule(case, Candidate(case_id="c", goal=goal, edits=(), claim=attacked, evidence=case.evidence))
    return ruling.validity.value, ruling.reason


@pytest.mark.parametrize(
    ("original", "attacked"),
    [
        ("The Salt Fork and Ember Hills Tramway closed.", "Ember Hills Tramway and the Salt Fork closed."),
        ("The pump has a very low noise and vibration level.", "The pump has a vibration and very low noise level."),
        ("It shows bonds between AX-9 and copper proteins.", "It shows bonds between copper proteins and AX-9."),
        ("Lack of sleep and bad food harm pilots.", "Bad food and lack of sleep harm pilots."),
        ("He is known as Ironfoot and his sister fled.", "He is known as his sister and Ironfoot fled."),
        ("Salt and pepper were sold.", "Pepper and salt were sold."),
    ],
)
def test_the_order_of_a_list_is_left_open(original: str, attacked: str) -> None:
    assert outcome(original, attacked)[0] == "UNKNOWN"


@pytest.mark.parametrize(
    ("original", "attacked"),
    [
        ("The plan was met with fierce protest.", "Fierce protest was met with the plan."),
        ("Ana was met with Ben.", "Ben was met with Ana."),
        ("Ana met fame.", "Fame met Ana."),
        ("Smoke resembles fog.", "Fog resembles smoke."),
        ("France borders Spain to the north.", "Spain borders France to the north."),
        ("Ana married Ben as a widow.", "Ben married Ana as a widow."),
    ],
)
def test_a_relation_with_a_direction_is_not_symmetric(original: str, attacked: str) -> None:
    assert outcome(original, attacked)[0] == "UNKNOWN"


@pytest.mark.parametrize(
    ("original", "attacked"),
    [
        ("Ana met Ben.", "Ben met Ana."),
        ("Ana met Ben in Paris in 1990.", "Ben met Ana in Paris in 1990."),
        ("Ana is married to Ben.", "Ben is married to Ana."),
    ],
)
def test_two_names_of_a_kind_may_change_places_in_a_symmetric_relation(original: str, attacked: str) -> None:
    assert outcome(original, attacked) == ("VALID", "symmetric_relation")


@pytest.mark.parametrize(
    ("original", "old", "new"),
    [
        ("She starred in 45 Minutes last May.", "45 Minutes", "2,700 seconds"),
        ("The play 12 Lanterns was a hit.", "12", "twelve"),
        ("The type 4 valve is new.", "4", "four"),
        ("The helper 3 cells divide.", "3", "three"),
        ("A phase 2 study of salt began.", "2", "two"),
        ("The club plays in Division Three today.", "Three", "3"),
        ("Vitamin D 3 is sold here.", "3", "three"),
        ("The song Seven Gates is old.", "Seven", "7"),
        ("It is a two-way valve.", "two", "2"),
        ("A 12 hour clock hangs there.", "12 hour", "720 minutes"),
    ],
)
def test_a_number_in_a_title_or_of_a_kind_has_one_spelling(original: str, old: str, new: str) -> None:
    assert outcome(original, original.replace(old, new))[0] == "UNKNOWN"


@pytest.mark.parametrize(
    ("original", "old", "new", "expected"),
    [
        ("The tower holds 7 bells.", "7", "seven", "VALID"),
        ("The walk took 2 hours.", "2 hours", "120 minutes", "VALID"),
        ("Over 50 people came.", "Over", "More than", "VALID"),
        ("It grew over 5 years.", "over", "more than", "UNKNOWN"),
        ("He spoke about 5 topics.", "about", "approximately", "UNKNOWN"),
        ("It sold an average of 50 books.", "an average of", "exactly", "UNKNOWN"),
    ],
)
def test_a_count_may_be_rewritten_and_a_preposition_may_not(original: str, old: str, new: str, expected: str) -> None:
    assert outcome(original, original.replace(old, new))[0] == expected


@pytest.mark.parametrize(
    ("original", "old", "new", "expected"),
    [
        ("Though it rained, they won.", "Though", "Although", "VALID"),
        ("They won, though it rained.", "though", "although", "VALID"),
        ("Pike swim though the lock.", "though", "although", "UNKNOWN"),
        ("They won, though.", "though", "although", "UNKNOWN"),
        ("The thin film of oil dried.", "film", "movie", "UNKNOWN"),
        ("Ben started 12 games.", "started", "began", "UNKNOWN"),
        ("Ben stood before the judge.", "before", "prior to", "UNKNOWN"),
    ],
)
def test_a_synonym_stands_only_where_it_has_the_same_sense(original: str, old: str, new: str, expected: str) -> None:
    assert outcome(original, original.replace(old, new))[0] == expected


@pytest.mark.parametrize(
    ("original", "old", "new"),
    [
        ("Twelve percent (12%) of the bells are new.", "Twelve", "Nineteen"),
        ("The road is 10 km (6.2 miles) long.", "10", "15"),
        ("There were nine (9) bells.", "nine", "twelve"),
        ("There were 24 bells (40%) left.", "24", "36"),
    ],
)
def test_a_value_that_the_claim_gives_again_beside_it_is_left_open(original: str, old: str, new: str) -> None:
    assert outcome(original, original.replace(old, new))[0] == "UNKNOWN"


def test_a_date_that_names_something_has_one_spelling() -> None:
    assert outcome("The June 9 parades began.", "The 9 June parades began.")[0] == "UNKNOWN"
    assert outcome("It began on June 9, 1950.", "It began on 9 June 1950.") == ("VALID", "same_date")


def test_a_typo_is_named_as_one() -> None:
    case = Case(
        case_id="c",
        claim="It fell from it.",
        evidence=("It fell.",),
        label=Label.REFUTED,
        domain="d",
        source="s",
        group="g",
    )
    moves = ORACLE.moves(case, AttackGoal.FALSE_ACCEPTANCE)
    assert [(move.mechanism, move.replacements[0].text) for move in moves] == [(Mechanism.PARAPHRASE, "fomr")]
    assert outcome("It fell from it.", "It fell fomr it.") == (Validity.VALID.value, "typo_in_function_word")
