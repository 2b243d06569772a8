from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from judge_bench import Scripted, bench, case, case_file, verdict, vote

from confute.errors import JudgeError
from confute.harness.judging.bench import measure_stability
from confute.harness.judging.gates import Limits
from confute.harness.judging.pages import stability_page
from confute.harness.judging.redraws import REDRAW_STRIDE
from confute.harness.judging.report import report
from confute.harness.judging.stability import CaseState, Stability
from confute.harness.stats.sequential import Sprt, SprtState
from confute.judges.judge import Exhibit, JudgeCase
from confute.verdicts import Verdict, VerdictState, VoteState

SUCCEEDED, RESISTED = VerdictState.SUCCEEDED, VerdictState.RESISTED
INCONCLUSIVE, ERROR = VerdictState.INCONCLUSIVE, VerdictState.ERROR
ONE = (case(1, "S", reply="1"),)

Says = Callable[[Exhibit, int], Verdict]


def measured(says: Says | Scripted, cases: Sequence[JudgeCase], runs: Path, **fields: object) -> Stability:
    panel = says if isinstance(says, Scripted) else Scripted(says)
    settings = {name: fields.pop(name) for name in ("others", "redraws", "concurrency") if name in fields}
    found = asyncio.run(measure_stability(bench(panel, runs, **settings), case_file(cases), **fields))  # type: ignore[arg-type]
    assert isinstance(found.result, Stability)
    return found.result


def by_repeat(*states: VerdictState) -> Says:
    return lambda _exhibit, repeat: verdict(states[repeat % REDRAW_STRIDE])


def test_scores_that_cross_the_threshold_make_the_judge_unstable(tmp_path: Path) -> None:
    # Handed case g23: .2 .2 .7 .7 at .5: 2 of 6 pairs agree, and the confidence ranges over .5.
    scores = [0.2, 0.2, 0.7, 0.7]

    def says(_exhibit: Exhibit, repeat: int) -> Verdict:
        fired = scores[repeat] >= 0.5
        one = vote(VoteState.FIRED if fired else VoteState.ABSTAIN, confidence=scores[repeat])
        return verdict(SUCCEEDED if fired else INCONCLUSIVE, votes=[one])

    found = measured(says, ONE, tmp_path, repeats=4).cases[0]
    assert found.said.flake_rate == 0.5
    assert found.said.pair_agreement == pytest.approx(0.3333, abs=5e-5)
    assert found.confidence_range == pytest.approx(0.5)
    assert (found.state, found.warning) == (CaseState.FLAKY, "judge_unstable")


def test_the_confidence_of_a_clamped_vote_is_no_confidence(tmp_path: Path) -> None:
    def says(_exhibit: Exhibit, repeat: int) -> Verdict:
        off = vote(VoteState.ABSTAIN, judge="off", confidence=0.0 if repeat else 0.9, clamped=bool(repeat))
        return verdict(SUCCEEDED, votes=[off, vote(VoteState.FIRED, judge="b", confidence=0.5)])

    assert measured(says, ONE, tmp_path, repeats=3).cases[0].confidence_range == 0.0


def test_ten_alike_are_stable_and_one_apart_is_flaky(tmp_path: Path) -> None:
    def says(exhibit: Exhibit, repeat: int) -> Verdict:
        return verdict(RESISTED if exhibit.reply == "2" and repeat == 9 else SUCCEEDED)

    found = measured(says, [*ONE, case(2, "S", reply="2")], tmp_path)
    assert [one.state for one in found.cases] == [CaseState.STABLE, CaseState.FLAKY]
    # k = 9 of 10: D = 2 * 9 / 90 = .2, and .1 over both cases.
    assert found.cases[1].said.disagreement == pytest.approx(0.2)
    assert found.disagreement.value == pytest.approx(0.1)
    assert (found.stable, found.flaky.numerator, found.flaky.denominator, found.errored) == (1, 1, 2, 0)
    assert found.cases[0].warning is None


def test_an_even_tie_is_flaky(tmp_path: Path) -> None:
    found = measured(by_repeat(SUCCEEDED, RESISTED), ONE, tmp_path, repeats=2)
    assert found.cases[0].state is CaseState.FLAKY
    assert found.cases[0].said.modal is None


def test_an_error_is_redrawn_and_one_that_stays_makes_the_case_errored_and_not_flaky(tmp_path: Path) -> None:
    def says(exhibit: Exhibit, repeat: int) -> Verdict:
        lost = repeat % REDRAW_STRIDE == 1 and (exhibit.reply == "2" or repeat < REDRAW_STRIDE)
        return verdict(ERROR if lost else SUCCEEDED)

    found = measured(says, [*ONE, case(2, "S", reply="2")], tmp_path, repeats=3, redraws=2)
    assert [one.state for one in found.cases] == [CaseState.STABLE, CaseState.ERRORED]
    assert found.cases[1].votes == (SUCCEEDED, ERROR, SUCCEEDED)
    assert found.cases[1].said.disagreement == 0.0
    assert (found.redrawn, found.errored, found.flaky.errors, found.flaky.denominator) == (2, 1, 1, 1)


def test_intervals_count_cases_and_their_groups_and_never_runs(tmp_path: Path) -> None:
    cases = [case(number, "S", reply=str(number)) for number in range(20)]
    shared = [one.model_copy(update={"group": str(number // 10)}) for number, one in enumerate(cases)]
    says = by_repeat(*[SUCCEEDED] * 10)
    few, many = measured(says, cases, tmp_path / "a", repeats=2), measured(says, cases, tmp_path / "b", repeats=10)
    assert few.flaky == many.flaky
    assert many.disagreement.low is not None
    assert many.disagreement.high is not None
    assert 0 == many.disagreement.low < many.disagreement.high
    grouped = measured(says, shared, tmp_path / "c", repeats=2)
    assert (grouped.flaky.effective_n, few.flaky.effective_n) == (2, 20)
    assert (grouped.disagreement.high or 0) > (few.disagreement.high or 1)


def test_reliability_says_how_many_runs_are_needed(tmp_path: Path) -> None:
    # Two cases of 1 1 1 0 and 0 0 0 1: means .75 and .25, MSB = 4 * 2 * .0625 = .5, MSW = 1.5 / 6 = .25,
    # s_b^2 = .25 / 4 = .0625, ICC = .0625 / .3125 = .2; .8 needs 4 * 4 = 16 runs, .9 needs 9 * 4 = 36.
    def says(exhibit: Exhibit, repeat: int) -> Verdict:
        return verdict(SUCCEEDED if (exhibit.reply == "1") == (repeat < 3) else RESISTED)

    found = measured(says, [*ONE, case(2, "S", reply="2")], tmp_path, repeats=4).reliability
    assert found.icc == pytest.approx(0.2)
    assert found.runs_needed == {"0.8": 16, "0.9": 36}


def test_wordings_are_compared_by_what_they_are_right_on_and_p_is_adjusted_for_their_number(tmp_path: Path) -> None:
    # The own wording is right on all 10 cases. "none" is wrong on each: McNemar 2 / 2^10 = .001953; "half" on 6:
    # 2 / 2^6 = .03125; "one" on a single one: 1. Holm of 3: .00586, .0625, 1. Sidak for the best of 3: .00585.
    cases = [case(number, "S", reply=str(number)) for number in range(10)]

    def wrong_below(count: int) -> Scripted:
        return Scripted(lambda exhibit, _: verdict(INCONCLUSIVE if int(exhibit.reply) < count else SUCCEEDED))

    others = {"none": wrong_below(10), "half": wrong_below(6), "one": wrong_below(1)}
    found = measured(wrong_below(0), cases, tmp_path, repeats=2, others=others).comparisons
    assert found is not None
    told = {one.name: (one.only_own, one.only_other, one.p, one.adjusted) for one in found.wordings}
    assert told["none"] == pytest.approx((10, 0, 0.001953125, 0.005859375))
    assert told["half"] == pytest.approx((6, 0, 0.03125, 0.0625))
    assert told["one"] == (1, 0, 1.0, 1.0)
    assert found.best == pytest.approx(1 - (1 - 0.001953125) ** 3)
    page = stability_page(measured(wrong_below(0), cases, tmp_path, repeats=2, others=others), ())
    (part,) = [part for part in page.parts if part.title.startswith("Beside the own wording")]
    assert ("half", "6", "0", "0.031", "0.062") in part.rows
    assert any("of 3 other wordings" in line and "p 0.006" in line for line in page.lines)
    assert measured(wrong_below(0), cases, tmp_path / "alone", repeats=2).comparisons is None


def test_a_case_on_which_a_wording_failed_is_compared_with_nothing(tmp_path: Path) -> None:
    dead = Scripted(lambda _exhibit, _repeat: verdict(ERROR, code="timeout"))
    found = measured(by_repeat(SUCCEEDED), ONE, tmp_path, repeats=2, others={"dead": dead}).comparisons
    assert found is not None
    assert (found.wordings[0].only_own, found.wordings[0].only_other, found.wordings[0].p) == (0, 0, 1.0)


def test_other_wordings_are_a_second_axis(tmp_path: Path) -> None:
    # The other wording turns case 2 over, for good: no flake within a wording, and between the two .5 over the cases.
    other = Scripted(lambda exhibit, _repeat: verdict(RESISTED if exhibit.reply == "2" else SUCCEEDED), version="v2")
    found = measured(
        by_repeat(*[SUCCEEDED] * 3), [*ONE, case(2, "S", reply="2")], tmp_path, repeats=3, others={"other": other}
    )
    assert [one.name for one in found.wordings] == ["own", "other"]
    assert found.wordings[0].same_as_own is None
    same = found.wordings[1].same_as_own
    assert same is not None
    assert (same.numerator, same.denominator) == (1, 2)
    assert found.levels is not None
    assert (found.levels.inner, found.levels.total, found.levels.outer) == (0.0, 0.5, 0.5)
    assert found.versions == {"own": "v1", "other": "v2"}
    assert (found.stable, len(found.cases)) == (2, 4)


def test_one_wording_has_no_second_axis_and_no_savings(tmp_path: Path) -> None:
    found = measured(by_repeat(SUCCEEDED, SUCCEEDED), ONE, tmp_path, repeats=2)
    assert (found.levels, found.savings) == (None, None)


def test_the_sequential_test_clears_a_stable_case_after_one_and_fourteen_runs(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, _repeat: verdict(SUCCEEDED))
    plan = Sprt()
    found = measured(panel, ONE, tmp_path, plan=plan)
    assert [repeat for _, repeat in panel.asked] == list(range(15))
    assert found.cases[0].sprt is SprtState.CLEARED
    assert found.savings is not None
    assert (found.savings.made, found.savings.fixed, found.savings.cap) == (15, plan.fixed_size() + 1, 51)
    assert found.savings.saved == plan.fixed_size() - 14
    assert found.savings.states == {SprtState.CLEARED: 1}
    counted = stability_page(found, ()).lines[0]
    assert "repeats as many as the sequential test needs: 1 stable" in counted
    assert "10 repeats" not in counted


def test_the_sequential_test_stops_at_three_against_three(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, repeat: verdict(RESISTED if repeat % 2 else SUCCEEDED))
    found = measured(panel, ONE, tmp_path, plan=Sprt())
    assert len(panel.asked) == 6
    assert found.savings is not None
    assert (found.savings.false_flaky, found.savings.false_cleared) == pytest.approx((0.034, 0.071), abs=1e-3)
    assert (found.cases[0].sprt, found.cases[0].state) == (SprtState.FLAKY, CaseState.FLAKY)


def test_a_first_verdict_that_was_the_odd_one_makes_no_case_flaky(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, repeat: verdict(SUCCEEDED if repeat else RESISTED))
    found = measured(panel, ONE, tmp_path, plan=Sprt())
    assert (len(panel.asked), found.cases[0].sprt) == (24, SprtState.CLEARED)


def test_the_sequential_test_gives_up_at_its_cap(tmp_path: Path) -> None:
    # One change in eight runs drifts by .18 a round: still open after six rounds.
    panel = Scripted(lambda _exhibit, repeat: verdict(RESISTED if repeat and repeat % 8 == 0 else SUCCEEDED))
    found = measured(panel, ONE, tmp_path, plan=Sprt())
    assert len(panel.asked) == 51
    assert found.cases[0].sprt is SprtState.INCONCLUSIVE


def test_the_sequential_test_stops_at_an_error_that_stays(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, repeat: verdict(ERROR if repeat % REDRAW_STRIDE == 2 else SUCCEEDED))
    found = measured(panel, ONE, tmp_path, plan=Sprt(), redraws=1)
    assert [repeat for _, repeat in panel.asked] == [0, 1, 2, REDRAW_STRIDE + 2]
    assert (found.cases[0].state, found.cases[0].sprt) == (CaseState.ERRORED, SprtState.OPEN)


def test_a_stopped_measurement_asks_nothing_twice(tmp_path: Path) -> None:
    first, second = (Scripted(by_repeat(*[SUCCEEDED] * 5)) for _ in range(2))
    assert measured(first, ONE, tmp_path, repeats=5) == measured(second, ONE, tmp_path, repeats=5)
    assert second.asked == []


def test_coverage_below_its_floor_fails_and_the_rest_is_measured(tmp_path: Path) -> None:
    def says(exhibit: Exhibit, _repeat: int) -> Verdict:
        return verdict(ERROR if exhibit.reply == "1" else SUCCEEDED)

    cases = [case(number, "S", reply=str(number)) for number in range(4)]
    found = asyncio.run(measure_stability(bench(Scripted(says), tmp_path), case_file(cases), repeats=2))
    made = report(found, Limits(min_coverage=0.8))
    assert (made.passed, made.failed) == (False, ("coverage",))
    assert made.result.stable == 3  # type: ignore[union-attr]
    assert report(found, Limits(min_coverage=0.75)).passed


def test_a_wording_that_always_fails_is_not_hidden_by_the_own_one(tmp_path: Path) -> None:
    dead = Scripted(lambda _exhibit, _repeat: verdict(ERROR), version="v2")
    seated = bench(Scripted(by_repeat(*[SUCCEEDED] * 3)), tmp_path, others={"paraphrase 1": dead})
    made = report(asyncio.run(measure_stability(seated, case_file(ONE), repeats=3)), Limits())
    assert made.failed == ("coverage",)
    assert "1 of 1 cases, 0 of 1 cases in paraphrase 1 measured" in made.gates[0].says


def test_one_repeat_and_another_familys_panel_are_refused(tmp_path: Path) -> None:
    panel = Scripted(by_repeat(SUCCEEDED))
    with pytest.raises(JudgeError, match="one run says nothing"):
        measured(panel, ONE, tmp_path, repeats=1)
    with pytest.raises(JudgeError, match="another family"):
        measured(Scripted(by_repeat(SUCCEEDED), family="support"), ONE, tmp_path)
