"""Reasons for caution that a report gives."""

from __future__ import annotations

import pytest
from synthetic_run import attempt, canaries, case, manifest

from confute.harness.report import build
from confute.records import Arm, AttackGoal, Validity

FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
N = 20


def codes_of(edited: str, **calibration: object) -> list[str]:
    cases = [case(f"c{index}") for index in range(N)]
    steps = []
    for index, one in enumerate(cases):
        faithful = attempt(one.case_id, FR, Arm.BASELINE, 0.1).model_copy(update={"claim": f"The sum is {index}."})
        control = attempt(one.case_id, FA, Arm.CONTROL, 0.6).model_copy(
            update={"claim": edited.format(index + 1 if index % 2 else index - 1)}
        )
        steps += [faithful, control]
    made = manifest(cases)
    assert made.victim.calibration is not None
    tuned = made.victim.calibration.model_copy(update=calibration)
    made = made.model_copy(update={"victim": made.victim.model_copy(update={"calibration": tuned})})
    return [warning.code for warning in build(made, steps, []).warnings]


def test_i25_edits_that_one_surface_feature_gives_away_are_warned_of() -> None:
    assert "shortcut" in codes_of("The sum is {}!!")


def test_edits_that_look_like_faithful_claims_are_not() -> None:
    assert "shortcut" not in codes_of("The sum is {}.")


@pytest.mark.parametrize(
    ("calibration", "code"),
    [({"warnings": ("binary_scores",)}, "binary_calibration"), ({"unmeasured": 3}, "calibration_unmeasured")],
)
def test_what_the_calibration_warned_of_reaches_the_report(calibration: dict[str, object], code: str) -> None:
    assert code in codes_of("The sum is {}.", **calibration)
    assert code not in codes_of("The sum is {}.")


def test_texts_that_the_embedder_cuts_are_warned_of() -> None:
    made = manifest([case("c")])
    warned = [build(one, [], []).warnings for one in (made, made.model_copy(update={"truncated_texts": 2}))]
    assert [any(warning.code == "truncated_texts" for warning in warnings) for warnings in warned] == [False, True]


def test_the_report_says_how_searches_ended_and_what_they_asked() -> None:
    cases = [case(f"c{index}") for index in range(3)]
    made = manifest(cases)
    budget = made.contract.attacker.budgets.victim_queries
    steps = [
        attempt("c0", FA, Arm.SEARCH, 0.9),
        attempt("c0", FA, Arm.SEARCH, 0.1, step=1),
        attempt("c1", FA, Arm.SEARCH, 0.9, queries=budget),
        attempt("c2", FA, Arm.SEARCH, 0.9),
        attempt("c2", FA, Arm.SEARCH, 0.9, step=1, queries=1),
    ]
    ended = build(made, steps, []).endings
    assert ended.search == {"budget_exhausted": 1, "no_move_left": 1, "succeeded": 1}
    # c0 asked two, c1 all of its budget at a stroke here, c2 the same claim twice: 5 rows, 2 + budget + 1 charged.
    assert (ended.queries_requested, ended.queries_charged) == (5, 2 + budget + 1)


def test_an_oracle_that_fails_is_counted_and_warned_of() -> None:
    failed = attempt("c", FA, Arm.SEARCH, validity=Validity.UNKNOWN, reason="oracle_raised:ValueError: no")
    report = build(manifest([case("c")]), [failed], [])
    assert report.errors == {"oracle_raised": 1}
    assert "oracle_errors" in [warning.code for warning in report.warnings]


def test_i32_edits_beyond_what_a_victim_is_declared_to_see_have_an_arm_of_their_own() -> None:
    beyond = "value_contradicted:beyond_nearby"
    steps = [
        attempt("c", FA, Arm.SEARCH, 0.9, reason="value_contradicted"),
        attempt("c", FA, Arm.SEARCH, 0.1, step=1, reason=beyond),
    ]
    (direction, *_) = build(manifest([case("c")]), steps, []).directions
    arms = direction.attack.validity.wrong_by_reason
    assert {reason: (one.numerator, one.denominator) for reason, one in arms.items()} == {
        "value_contradicted": (0, 1),
        beyond: (1, 1),
    }


@pytest.mark.parametrize(("deterministic", "code"), [(True, "victim_drifted"), (False, "canaries_noisy")])
def test_drift_of_a_noisy_victim_is_not_told_from_its_noise_and_sets_no_gate(deterministic: bool, code: str) -> None:
    made = manifest([case("c")])
    victim = made.contract.victim.model_copy(update={"deterministic": deterministic})
    made = made.model_copy(update={"contract": made.contract.model_copy(update={"victim": victim})})
    report = build(made, canaries(0.3, 0.4), [])
    assert report.gates_withheld == (code,)
    assert code in [warning.code for warning in report.warnings]
