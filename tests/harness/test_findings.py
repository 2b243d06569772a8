"""Reasons for caution that a report gives."""

from __future__ import annotations

import pytest
from synthetic_run import attempt, case, manifest

from confute.harness.report import build
from confute.records import Arm, AttackGoal

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
