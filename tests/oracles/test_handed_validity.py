"""The handed cases on the validity of attacks, each as it was handed, and the kind that it stands for."""

from __future__ import annotations

import pytest

from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Label, Ruling, Validity

ORACLE = GuardedTextOracle()


def ruled(original: str, attacked: str, *evidence: str, goal: AttackGoal = AttackGoal.FALSE_ACCEPTANCE) -> Ruling:
    """Rule on a supported claim; without evidence of its own, the claim is its evidence."""
    case = Case(
        case_id="c",
        claim=original,
        evidence=evidence or (original,),
        label=Label.SUPPORTED,
        domain="d",
        source="s",
        group="g",
    )
    return ORACLE.rule(case, Candidate(case_id="c", goal=goal, edits=(), claim=attacked, evidence=case.evidence))


def outcome(original: str, attacked: str, *evidence: str) -> tuple[str, str]:
    """Return the validity and the reason's code, without its tag."""
    ruling = ruled(original, attacked, *evidence)
    return ruling.validity.value, ruling.reason.partition(":")[0]


@pytest.mark.parametrize(
    ("original", "attacked"),
    [
        ("Ana is married to Ben.", "Ben is married to Ana."),  # i17
        ("Ana met Ben.", "Ben met Ana."),
        ("France borders Spain.", "Spain borders France."),
        ("Exxon merged with Mobil.", "Mobil merged with Exxon."),
        ("Ana is a sibling of Ben.", "Ben is a sibling of Ana."),
        ("Six equals half of twelve.", "Half of twelve equals six."),
    ],
)
def test_the_arguments_of_a_symmetric_relation_exchange_without_a_change_of_truth(original: str, attacked: str) -> None:
    assert outcome(original, attacked) == ("INVALID", "symmetric_relation")


def test_the_order_of_a_list_is_not_decided() -> None:
    assert outcome("Ana and Ben are siblings.", "Ben and Ana are siblings.") == ("UNKNOWN", "unrecognised_edit")


@pytest.mark.parametrize(
    ("attacked", "expected"),
    [
        ("At least 40 people came.", ("INVALID", "still_entailed")),  # i21
        ("At least 60 people came.", ("VALID", "value_contradicted")),
        ("More than 40 people came.", ("INVALID", "still_entailed")),
        ("More than 60 people came.", ("VALID", "value_contradicted")),
        ("Up to 60 people came.", ("INVALID", "still_entailed")),
        ("Fewer than 40 people came.", ("VALID", "value_contradicted")),
        ("At most 40 people came.", ("VALID", "value_contradicted")),
        ("55 people came.", ("VALID", "value_contradicted")),
        ("40 people came.", ("UNKNOWN", "smaller_count")),  # 50 came, so 40 did
    ],
)
def test_a_bound_counts_only_where_it_excludes_the_stated_value(attacked: str, expected: tuple[str, str]) -> None:
    # 50 lies in [40, inf), (40, inf) and (-inf, 60], and outside [60, inf), (60, inf), (-inf, 40) and (-inf, 40].
    assert outcome("At least 50 people came.", attacked, "50 people came.") == expected


def test_the_complement_of_a_share_is_still_entailed() -> None:  # i23
    assert outcome("81% passed.", "19% did not pass.") == ("INVALID", "still_entailed")
    assert outcome("81% passed.", "81% did not pass.") == ("VALID", "negation")
    assert outcome("81% passed.", "29% did not pass.") == ("UNKNOWN", "may_cancel")


def test_a_part_of_a_sum_makes_the_claim_disagree_with_itself() -> None:  # i24: 6 + 7 = 13
    ruling = ruled("Total is 12 (5 + 7).", "Total is 12 (6 + 7).")
    assert ruling.validity is Validity.UNKNOWN
    assert ruling.reason == "derived_value_inconsistent:recomputed_total=13"


@pytest.mark.parametrize(
    ("original", "attacked", "expected"),
    [
        ("Change was 0 points.", "Change was -0 points.", ("INVALID", "same_value")),  # i30
        ("Change was 5 points.", "Change was -5 points.", ("VALID", "value_contradicted")),
        ("Weekly volume was 5 km.", "Weekly volume was -5 km.", ("UNKNOWN", "unsigned_quantity")),
        ("Weekly volume was 5 km.", "Weekly volume was five km.", ("INVALID", "same_value")),
        ("Weekly volume was 5 km.", "Weekly volume was 5,000 m.", ("INVALID", "same_value")),
    ],
)
def test_a_sign_counts_only_where_the_quantity_has_one(original: str, attacked: str, expected: tuple[str, str]) -> None:
    assert outcome(original, attacked) == expected


@pytest.mark.parametrize(
    ("attacked", "validity", "reason"),
    [
        ("Weekly volume was 102 km.", Validity.INVALID, "within_tolerance"),  # i31
        ("Weekly volume was 103 km.", Validity.INVALID, "within_tolerance"),  # 3 % itself is within
        ("Weekly volume was 110 km.", Validity.VALID, "value_contradicted"),
        ("Weekly volume was 112 km.", Validity.VALID, "value_contradicted"),  # 12 % itself is nearby
        ("Weekly volume was 180 km.", Validity.VALID, "value_contradicted:beyond_nearby"),  # i32
        ("Weekly volume was 100 m.", Validity.VALID, "value_contradicted:beyond_nearby"),  # another unit
    ],
)
def test_a_value_is_told_by_its_distance(attacked: str, validity: Validity, reason: str) -> None:
    ruling = ruled("Weekly volume was 100 km.", attacked)
    assert (ruling.validity, ruling.reason) == (validity, reason)


@pytest.mark.parametrize(
    ("original", "attacked"),
    [
        ("All valves are open.", "All valves are not open."),  # i37
        ("Every valve is open.", "Every valve is not open."),
        ("Both valves are open.", "Both valves are not open."),
        ("Some valves are open.", "Some valves are not open."),
    ],
)
def test_negation_beside_a_quantifier_is_not_decided(original: str, attacked: str) -> None:
    assert outcome(original, attacked) == ("UNKNOWN", "scope_ambiguous")


def test_negation_of_a_flat_statement_is_decided() -> None:
    assert outcome("The valve is open.", "The valve is not open.") == ("VALID", "negation")
    assert outcome("The valve is open.", "The valve isn't open.") == ("VALID", "negation")


def test_a_plural_alone_is_never_vouched_for() -> None:  # i38: the free checks refuse it as surface_only
    assert outcome("Two valve failed.", "Two valves failed.") == ("UNKNOWN", "unrecognised_edit")
