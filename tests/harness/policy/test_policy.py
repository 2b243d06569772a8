from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from confute.errors import CalibrationError, ReportError
from confute.harness.policy.choosing import Chosen, Targets, choose, read_policy
from confute.harness.policy.loads import load_at
from confute.harness.policy.measuring import Measured, measure
from confute.harness.policy.page import page
from confute.harness.policy.policy import Policy, Route, decide
from confute.harness.rates import Mark, rate
from confute.records import Case, Label, Outcome, Score, ScoreState

BAND = Policy(low=0.2, high=0.6)


def case(number: int, label: Label) -> Case:
    return Case(
        case_id=f"c{number}",
        claim="A claim.",
        evidence=("Evidence.",),
        label=label,
        domain="d",
        source="s",
        group=f"g{number}",
    )


def labelled(supported: list[float], unsupported: list[float]) -> tuple[list[Case], list[Score]]:
    labels = [Label.SUPPORTED] * len(supported) + [Label.REFUTED] * len(unsupported)
    cases = [case(number, label) for number, label in enumerate(labels)]
    return cases, [Score(state=ScoreState.MEASURED, value=risk) for risk in [*supported, *unsupported]]


FOR = {"detector": "d", "fingerprint": "f", "marks": ("source g0",)}


def chosen(targets: Targets | None = None) -> Chosen:
    # Supported risks 0.01 to 0.20, unsupported ones 0.105 to 0.295, twenty each.
    cases, scores = labelled([step / 100 for step in range(1, 21)], [0.105 + step / 100 for step in range(20)])
    return choose(cases, scores, targets or Targets(false_acceptance=0.05, false_rejection=0.1), **FOR)


@pytest.mark.parametrize(
    ("risk", "route"),
    [(-1.0, "ACCEPT"), (0.2, "ACCEPT"), (0.2001, "REVIEW"), (0.6, "REVIEW"), (0.6001, "REJECT"), (9.0, "REJECT")],
)
def test_a_risk_goes_by_the_band_and_a_tie_takes_the_milder_route(risk: float, route: str) -> None:
    assert decide(risk, BAND) == Route(route)


def test_an_empty_band_is_a_threshold_at_which_a_tie_accepts() -> None:
    tau = Policy(low=0.5, high=0.5)
    assert [decide(risk, tau) for risk in (0.5, 0.500001)] == [Route.ACCEPT, Route.REJECT]


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_a_higher_risk_never_goes_a_milder_way(one: float, other: float) -> None:
    order = list(Route)
    lower, higher = sorted((one, other))
    assert order.index(decide(lower, BAND)) <= order.index(decide(higher, BAND))


@pytest.mark.parametrize("risk", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_risk_is_no_decision(risk: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        decide(risk, BAND)


def test_a_review_counts_as_caught() -> None:
    assert [route.catches for route in Route] == [False, True, True]


def test_a_band_upside_down_is_refused() -> None:
    with pytest.raises(ValidationError, match="low must not exceed high"):
        Policy(low=0.6, high=0.2)


def test_the_band_keeps_both_targets_as_order_statistics_by_hand() -> None:
    # 5 % of 20 unsupported claims is one: low is the least of their risks, 0.105. 10 % of 20 supported ones is two:
    # high is the 18th smallest of theirs, 0.18.
    found = chosen().policy
    assert (found.low, found.high) == (0.105, 0.18)


def test_where_one_threshold_keeps_both_targets_nothing_is_reviewed() -> None:
    found = chosen(Targets(false_acceptance=0.5, false_rejection=0.5))
    # low: ten of the unsupported ones, 0.195; high would be the tenth supported one, 0.10, below it.
    assert found.policy == Policy(low=0.195, high=0.195)
    assert found.needs_no_review


RISKS = st.lists(st.integers(0, 40).map(lambda step: step / 40), min_size=10, max_size=30)
SHARES = st.sampled_from([0.01, 0.05, 0.1, 0.3])


@given(RISKS, RISKS, SHARES, SHARES)
def test_neither_target_is_passed_on_the_calibration_claims(
    supported: list[float], unsupported: list[float], accept: float, reject: float
) -> None:
    if len({*supported, *unsupported}) < 3:
        return  # one value cannot be tuned, and of two the lower is taken whatever the target
    cases, scores = labelled(supported, unsupported)
    found = choose(cases, scores, Targets(false_acceptance=accept, false_rejection=reject), **FOR).policy
    assert sum(risk <= found.low for risk in unsupported) <= accept * len(unsupported) + 1e-9
    assert sum(risk > found.high for risk in supported) <= reject * len(supported) + 1e-9


def test_too_few_claims_of_one_kind_choose_no_policy() -> None:
    cases, scores = labelled([0.1 * step for step in range(9)], [0.05 * step for step in range(20)])
    with pytest.raises(CalibrationError, match="no policy can be chosen"):
        choose(cases, scores, Targets(), **FOR)


def test_a_saved_policy_is_read_back_and_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    file.write_text(chosen().model_dump_json(), encoding="utf-8")
    assert read_policy(file) == chosen()
    for wrong in (
        "",
        "{}",
        "[1]",
        json.dumps({"policy": {"low": 2, "high": 1}}),
        "\x00\ud800".encode(errors="replace").decode(),
    ):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(ReportError, match="not a policy"):
            read_policy(file)
    with pytest.raises(ReportError, match="cannot be read"):
        read_policy(tmp_path / "none.json")


def measured() -> Measured:
    # With the band (0.105, 0.18]: supported 0.05 and 0.10 accepted, 0.15 reviewed, 0.30 rejected;
    # unsupported 0.05 accepted, 0.12 reviewed, 0.20, 0.25, 0.30 and 0.40 rejected.
    cases, scores = labelled([0.05, 0.10, 0.15, 0.30], [0.05, 0.12, 0.20, 0.25, 0.30, 0.40])
    cases.append(case(99, Label.SUPPORTED))
    scores.append(Score(state=ScoreState.ERROR, error_code="raised", error_message="no"))
    other = chosen(Targets(false_acceptance=0.05, false_rejection=0.5))
    return measure(chosen(), [other], cases, scores, base_rates=[0.5], seed=0)


def test_routes_are_counted_by_label_and_what_was_not_measured_stands_beside() -> None:
    supported, unsupported = measured().routed
    assert [one.numerator for one in (supported.accept, supported.review, supported.reject)] == [2, 1, 1]
    assert (supported.accept.denominator, supported.accept.errors) == (4, 1)
    assert [one.numerator for one in (unsupported.accept, unsupported.review, unsupported.reject)] == [1, 1, 4]


def test_coverage_is_what_is_decided_and_selective_risk_what_is_wrong_of_it() -> None:
    found = measured()
    assert (found.coverage.numerator, found.coverage.denominator) == (8, 10)
    assert (found.selective_risk.numerator, found.selective_risk.denominator) == (2, 8)


def test_rejecting_more_supported_claims_decides_more_without_a_person() -> None:
    # At most half rejected: high is the tenth supported risk, 0.10, and is raised to low, 0.105: the band is empty.
    cost = measured().costs[0]
    assert cost.high == pytest.approx(0.105)
    assert (cost.false_rejection.numerator, cost.coverage.numerator, cost.reviewed_supported.numerator) == (2, 10, 0)


def test_the_curve_ends_with_all_measured_claims() -> None:
    found = measured()
    assert found.curve[-1].coverage == 1.0
    assert (found.curve[-1].wrong.numerator, found.curve[-1].wrong.denominator) == (6, 10)
    assert found.aurc_constant == 0.6
    # 0.05 S U, 0.10 S, 0.12 U, 0.15 S, 0.20 U, 0.25 U, 0.30 S U, 0.40 U
    assert found.aurc.value == pytest.approx(
        (2 * 1 / 2 + 1 / 3 + 2 / 4 + 2 / 5 + 3 / 6 + 4 / 7 + 2 * 5 / 9 + 6 / 10) / 10
    )


def _rate(hits: int, n: int) -> object:
    return rate(Mark(str(one), Outcome.SUCCEEDED if one < hits else Outcome.RESISTED) for one in range(n))


def test_the_load_mixes_both_kinds_by_the_base_rate() -> None:
    unsupported = dict(zip(Route, (_rate(10, 100), _rate(30, 100), _rate(60, 100)), strict=True))
    supported = dict(zip(Route, (_rate(80, 100), _rate(15, 100), _rate(5, 100)), strict=True))
    found = load_at(0.1, unsupported, supported)  # type: ignore[arg-type]
    # review .1*.3+.9*.15, reject .1*.6+.9*.05, missed .1*.1, precision .1*.9/(.1*.9+.9*.2)
    assert found.review.value == pytest.approx(0.165)
    assert found.reject.value == pytest.approx(0.105)
    assert found.missed.value == pytest.approx(0.01)
    assert found.precision.value == pytest.approx(1 / 3)
    for one in (found.review, found.reject, found.missed, found.precision):
        assert one.low < one.value < one.high  # type: ignore[operator]


def test_without_claims_of_one_kind_a_load_is_not_known() -> None:
    unsupported = dict.fromkeys(Route, _rate(0, 0))
    found = load_at(0.1, unsupported, dict.fromkeys(Route, _rate(1, 10)))  # type: ignore[arg-type]
    assert (found.review.value, found.precision.value) == (None, None)


def test_a_page_tells_counts_and_the_claims_that_a_load_is_of() -> None:
    made = page(measured(), 2000)
    assert made.title == "policy of d: accept up to 0.105, reject over 0.18"
    assert any(part.title == "of 2000 claims" for part in made.parts)
    assert "8/10" in made.lines[2]
    assert made.parts[0].rows[0][-1] == "1 error"
    # half of the claims without support, one of six of them accepted: 2000 * .5 / 6
    assert made.parts[2].rows[0][3].startswith("167 [")
