import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from synthetic_run import FA, FR, attempt, canaries, case, counterexample, drawn_run, manifest

from confute.contract import parse
from confute.errors import ReportError
from confute.harness.curve import curve
from confute.harness.outcome import items
from confute.harness.report import Report, build
from confute.records import Arm, Attempt, Label, Mechanism, ScoreState, Validity

ACCEPTED, REJECTED = 0.2, 0.8


def codes(report: Report) -> set[str]:
    return {one.code for one in report.warnings}


def success(case_id: str, arm: Arm, queries: int | None) -> list[Attempt]:
    """Return a search of 64 queries that succeeds at one of them, or never."""
    steps = [attempt(case_id, FA, arm, REJECTED, queries=1)]
    steps.append(attempt(case_id, FA, arm, REJECTED if queries is None else ACCEPTED, step=1, queries=queries or 64))
    return steps


def test_the_success_curve_keeps_unbroken_items_in_its_denominator() -> None:
    # Broken at 1, 4, 30 and never; S(q) = 1/4, 2/4, 2/4, 3/4, and nothing above the budget of 64.
    cases = [case(name) for name in "abcd"]
    attempts = [
        step
        for arm in (Arm.SEARCH, Arm.NO_FEEDBACK)
        for name, q in zip("abcd", (1, 4, 30, None), strict=True)
        for step in success(name, arm, q)
    ]
    found = curve(FA, items(cases, attempts), shown=(1, 4, 16, 64, 256), budget=64, finished=True)
    rates = [point.search for point in found.points]
    assert [None if one is None else (one.numerator, one.denominator) for one in rates] == [
        (1, 4),
        (2, 4),
        (2, 4),
        (3, 4),
        None,
    ]
    assert found.points[-1].p_value is None
    assert found.median_search == 4


def test_the_two_arms_are_compared_item_by_item() -> None:
    # Search breaks a, b, c at once; the blind arm breaks only d: b = 3, c = 1, p = 2 * (1 + 4) / 16 = 0.625.
    cases = [case(name) for name in "abcd"]
    attempts = [
        *(step for name in "abc" for step in success(name, Arm.SEARCH, 2)),
        *success("d", Arm.SEARCH, None),
        *(step for name in "abc" for step in success(name, Arm.NO_FEEDBACK, None)),
        *success("d", Arm.NO_FEEDBACK, 2),
    ]
    found = curve(FA, items(cases, attempts), shown=(4,), budget=64, finished=True)
    point = found.points[0]
    assert (point.only_search, point.only_no_feedback) == (3, 1)
    assert point.p_value == pytest.approx(0.625)
    assert found.median_no_feedback is None


def test_an_item_that_one_arm_never_measured_is_compared_with_nothing() -> None:
    attempts = [*success("a", Arm.SEARCH, 1), attempt("a", FA, Arm.NO_FEEDBACK, ScoreState.ERROR)]
    point = curve(FA, items([case("a")], attempts), shown=(1,), budget=64, finished=True).points[0]
    assert (point.only_search, point.p_value) == (0, None)
    assert point.no_feedback is not None
    assert point.no_feedback.errors == 1


def test_induced_success_counts_only_items_whose_control_was_right() -> None:
    cases = [case("a"), case("b")]
    attempts = [
        attempt("a", FA, Arm.CONTROL, REJECTED),
        attempt("b", FA, Arm.CONTROL, ACCEPTED),
        *success("a", Arm.SEARCH, 4),
        *success("b", Arm.SEARCH, 1),
    ]
    points = curve(FA, items(cases, attempts), shown=(1, 4), budget=64, finished=True).points
    assert [(p.search_induced.numerator, p.search_induced.denominator) for p in points if p.search_induced] == [
        (0, 1),
        (1, 1),
    ]


def test_an_unfinished_search_is_censored_where_it_stands() -> None:
    # Unfinished, a and c were lost at 1 and 2, so that b alone is at risk at 3. Finished, 2 of 3 never succeed.
    cases = [case(name) for name in "abc"]
    attempts = [
        attempt("a", FA, Arm.SEARCH, REJECTED, queries=1),
        attempt("b", FA, Arm.SEARCH, ACCEPTED, queries=3),
        attempt("c", FA, Arm.SEARCH, REJECTED, queries=2),
    ]
    outcomes = items(cases, attempts)
    assert curve(FA, outcomes, shown=(64,), budget=64, finished=False).median_search == 3
    assert curve(FA, outcomes, shown=(64,), budget=64, finished=True).median_search is None


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_success_never_falls_as_the_budget_grows(seed: int) -> None:
    made, attempts, _ = drawn_run(seed, n=10)
    found = curve(FA, items(made.cases, attempts), shown=(1, 2, 4, 8, 16, 32, 64), budget=64, finished=True)
    for arm in ("search", "no_feedback"):
        counts = [getattr(point, arm).numerator for point in found.points]
        assert counts == sorted(counts)


def test_the_ladder_sets_decisions_beside_the_ranking() -> None:
    supported = {"a": 0.1, "b": 0.4, "c": 0.6}
    cases = [*(case(name) for name in supported), case("u", Label.UNSUPPORTED)]
    attempts = [attempt(name, FR, Arm.BASELINE, risk) for name, risk in supported.items()]
    attempts.append(attempt("u", FA, Arm.BASELINE, 0.45))
    unrelated: tuple[float | ScoreState, ...] = (0.9, 0.5, ScoreState.ERROR)
    attempts += [attempt(name, FA, Arm.LADDER, risk, level=0) for name, risk in zip(supported, unrelated, strict=True)]
    attempts += [attempt("a", FA, Arm.LADDER, risk, level=4, step=step) for step, risk in enumerate((0.9, 0.3, 0.7))]
    attempts.append(attempt("a", FA, Arm.CONTROL, 0.2))
    ladder = build(manifest(cases), attempts, []).ladder
    assert [one.level for one in ladder] == [0, 1, 2, 3, 4, 5]
    assert [(one.false_acceptance.numerator, one.false_acceptance.denominator) for one in ladder] == [
        (1, 2),  # a tie at the threshold accepts
        (1, 1),  # the set's own unsupported item
        (0, 0),
        (0, 0),
        (1, 1),  # the least risky of the three
        (1, 1),  # the blind draw
    ]
    assert ladder[0].false_acceptance.errors == 1
    assert {(one.false_rejection.numerator, one.false_rejection.denominator) for one in ladder} == {(1, 3)}
    expected = stats.mannwhitneyu([0.9, 0.5], list(supported.values())).statistic / 6
    assert ladder[0].auc.value == pytest.approx(expected)
    assert ladder[2].auc.value is None
    assert ladder[4].auc.value == pytest.approx(1 / 3)


def test_stages_count_how_far_the_proposals_came() -> None:
    attempts = [
        attempt("a", FA, Arm.SEARCH, REJECTED, step=0, probe=True),
        attempt("a", FA, Arm.SEARCH, step=1, validity=Validity.INVALID, method="constraints"),
        attempt("a", FA, Arm.SEARCH, step=2, validity=Validity.INVALID),
        attempt("a", FA, Arm.SEARCH, step=3, validity=Validity.UNKNOWN),
        attempt("a", FA, Arm.SEARCH, ScoreState.ERROR, step=4),
        attempt("a", FA, Arm.SEARCH, REJECTED, step=5),
        attempt("a", FA, Arm.SEARCH, ACCEPTED, step=6),
        attempt("a", FA, Arm.MINIMISE, ACCEPTED, step=0),
        attempt("a", FA, Arm.CONFIRM, ACCEPTED, repeat=0),
        attempt("a", FA, Arm.CONFIRM, ACCEPTED, repeat=1),
    ]
    stages = build(manifest([case("a")]), attempts, [counterexample("temporal-1")]).stages
    assert stages.model_dump() == {
        "probes": 1,
        "proposed": 6,
        "refused_by_constraints": 1,
        "ruled_invalid": 1,
        "ruled_unknown": 1,
        "ruled_valid": 3,
        "measured": 2,
        "decided_wrongly": 1,
        "minimised": 1,
        "confirmed": 1,
    }


def test_a_canary_scored_differently_at_the_end_withholds_the_figures_from_gates() -> None:
    report = build(manifest([case("a")]), canaries(0.3, 0.3000001), [])
    assert report.canaries.drifted is True
    assert report.gates_withheld == ("victim_drifted",)
    assert "victim_drifted" in codes(report)


def test_equal_canaries_let_gates_be_set() -> None:
    report = build(manifest([case("a")]), canaries(), [])
    assert report.canaries.drifted is False
    assert report.gates_withheld == ()
    assert report.finished


def test_a_run_without_its_last_canaries_is_unfinished() -> None:
    report = build(manifest([case("a")]), canaries(last=None), [])
    assert not report.finished
    assert report.canaries.drifted is None
    assert report.gates_withheld == ("run_unfinished",)


def test_a_canary_that_is_measured_at_one_end_alone_has_drifted() -> None:
    report = build(manifest([case("a")]), canaries(last=ScoreState.ERROR), [])
    assert report.canaries.drifted is True


def test_canaries_that_were_not_measured_cannot_rule_out_drift() -> None:
    report = build(manifest([case("a")]), canaries(ScoreState.ERROR, ScoreState.ERROR), [])
    assert report.canaries.drifted is None
    assert report.gates_withheld == ("canaries_unmeasured",)


def test_two_scores_in_all_are_flagged_as_binary() -> None:
    attempts = [attempt("a", FR, Arm.BASELINE, 0.0), attempt("b", FA, Arm.BASELINE, 1.0)]
    assert "binary_scores" in codes(build(manifest([case("a"), case("b", Label.UNSUPPORTED)]), attempts, []))


def test_one_score_in_all_is_flagged_as_constant() -> None:
    attempts = [attempt("a", FR, Arm.BASELINE, 0.5), attempt("b", FA, Arm.BASELINE, 0.5)]
    assert "constant_scores" in codes(build(manifest([case("a"), case("b", Label.UNSUPPORTED)]), attempts, []))


def test_every_reason_for_caution_is_told() -> None:
    made = manifest([case("a"), case("b")])
    given_threshold = made.victim.model_copy(update={"threshold_source": "given", "calibration": None})
    dataset = made.dataset.model_copy(update={"rows": 4, "dropped": {"not_json": 2}, "first_lines": {"not_json": 3}})
    made = made.model_copy(update={"victim": given_threshold, "dataset": dataset})
    report = build(made, [attempt("a", FA, Arm.SEARCH, ScoreState.ERROR)], [])
    assert codes(report) == {
        "run_unfinished",
        "victim_errors",
        "threshold_given",
        "rows_dropped",
        "few_clusters",
        "cases_without_moves",
    }
    assert report.errors == {"search:timeout": 1}
    assert any("2 of 4 rows were left out: 2 not JSON (first on line 3)." in one.message for one in report.warnings)


def test_steps_of_another_contract_are_never_pooled() -> None:
    foreign = attempt("a", FA, Arm.SEARCH, REJECTED).model_copy(update={"contract_digest": "0" * 64})
    with pytest.raises(ReportError, match="another contract"):
        build(manifest([case("a")]), [foreign], [])


def test_held_out_results_stand_only_on_a_held_out_suite() -> None:
    made, attempts, found = drawn_run(0, n=6)
    assert build(made, attempts, found).held_out is None
    held_out = parse(
        "victim: {detector: word_overlap, threshold: {value: 0.5}}\n"
        "objective: {oracle: facts}\n"
        "evaluation: {suite: held_out}\n"
    )
    report = build(made.model_copy(update={"contract": held_out}), attempts, found)
    assert report.held_out == report.directions


def test_an_empty_run_has_a_report_without_any_share() -> None:
    report = build(manifest([case("a")]), [], [])
    assert report.validity_rate is None
    assert {one.attack.asr_induced.value for one in report.directions} == {None}
    assert "nothing_attacked" in codes(report)


def test_the_same_run_gives_the_same_bytes_and_they_can_be_read_back() -> None:
    made, attempts, found = drawn_run(3)
    first = build(made, attempts, found).to_json()
    assert build(made, attempts, found[::-1]).to_json() == first
    assert Report.model_validate_json(first).to_json() == first


def test_counterexamples_stand_smallest_first() -> None:
    found = [
        counterexample("c", edit_distance_tokens=2),
        counterexample("b", edit_distance_chars=5),
        counterexample("a", edit_distance_chars=5),
    ]
    report = build(manifest([case("a")]), [], found)
    assert report.regression_ids == ("a", "b", "c")


def test_mechanisms_and_domains_partition_the_items_of_a_direction() -> None:
    made, attempts, found = drawn_run(5)
    report = build(made, attempts, found)
    whole = next(one.attack for one in report.directions if one.goal is FA)
    for parts in (report.by_mechanism, report.by_domain):
        attacks = [one.attack for one in parts if one.goal is FA]
        assert sum(one.asr_all.numerator for one in attacks) == whole.asr_all.numerator
        assert sum(one.asr_induced.denominator for one in attacks) == whole.asr_induced.denominator
    assert {one.mechanism for one in report.by_mechanism if one.goal is FA} == {
        Mechanism.ROLE_SWAP,
        Mechanism.TEMPORAL,
    }
