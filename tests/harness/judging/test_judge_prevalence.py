from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from judge_bench import Scripted, twins, validated, verdict

from confute.errors import ReportError
from confute.harness.judging.correction import by_validation
from confute.harness.judging.gates import Limits
from confute.harness.judging.prevalence_page import prevalence_page
from confute.harness.judging.report import report
from confute.harness.stats.prevalence import Count, known_rates
from confute.judges.judge import JudgeCase
from confute.verdicts import VerdictState

SUCCEEDED, RESISTED = VerdictState.SUCCEEDED, VerdictState.RESISTED
WRONG = {"0a", "1a", "0b", "1b", "2b", "3b"}
"""Of 40 twins: 38 of the 40 failures are found, and 36 of the 40 safe replies cleared."""


def folder(
    runs: Path, cases: Sequence[JudgeCase] = twins(40), *, failed: int = 0, limits: Limits | None = None
) -> Path:
    says = {
        one.exhibit.reply: RESISTED if (one.right == "S") is (one.case_id.removeprefix("case-") in WRONG) else SUCCEEDED
        for one in cases
    }
    lost = {one.exhibit.reply for one in cases[len(cases) - failed :]}
    panel = Scripted(
        lambda exhibit, _repeat: verdict(VerdictState.ERROR if exhibit.reply in lost else says[exhibit.reply])
    )
    measured = validated(panel, cases, runs)
    report(measured, limits or Limits())
    return measured.folder


def edited(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    made = json.loads((place / "report.json").read_text(encoding="utf-8"))
    change(made)
    (place / "report.json").write_text(json.dumps(made), encoding="utf-8")


def test_a_validation_that_its_ledger_vouches_for_corrects_a_rate(tmp_path: Path) -> None:
    # 38 of 40 and 36 of 40: the interval that the statistics' own test derives by hand.
    place = folder(tmp_path)
    found = by_validation(30, 100, place)
    assert (found.corrected, found.low, found.high) == pytest.approx((0.235, 0.0754, 0.3662), abs=5e-4)
    assert by_validation(30, 100, place / "report.json") == found


def test_cases_of_one_group_count_as_what_they_are_worth(tmp_path: Path) -> None:
    shared = [one.model_copy(update={"group": "g"}) for one in twins(40)]
    loose = Limits(max_error=1.0)
    assert by_validation(30, 100, folder(tmp_path, shared, limits=loose)).reason == "judge_uninformative"


def test_development_cases_and_circular_labels_correct_nothing(tmp_path: Path) -> None:
    changes = {"held_out": {"split": "development"}, "labels": {"label_source": "judge"}}
    for number, (name, change) in enumerate(changes.items()):
        cases = [one.model_copy(update=change) for one in twins(40)]
        with pytest.raises(ReportError, match="cannot vouch") as raised:
            by_validation(30, 100, folder(tmp_path / str(number), cases))
        assert name in str(raised.value)


def test_a_validation_that_failed_on_coverage_or_errors_corrects_nothing(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot vouch") as raised:
        by_validation(30, 100, folder(tmp_path, failed=40))
    assert "coverage" in str(raised.value)
    assert "error" in str(raised.value)


def passed(made: dict[str, Any]) -> None:
    for gate in made["gates"]:
        gate["passed"] = True


def better(made: dict[str, Any]) -> None:
    made["result"]["overall"]["sensitivity"] |= {"numerator": 40, "value": 1.0}


def relabelled(made: dict[str, Any]) -> None:
    made["result"]["labels"][0]["right"] = "R"


def without_gates(made: dict[str, Any]) -> None:
    made["gates"] = []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (better, "not those of the votes"),
        (relabelled, "not of the ledger beside it"),
        (without_gates, "gates are missing"),
        (lambda made: made.update(ledger="0" * 64), "not of the ledger beside it"),
        (lambda made: made["result"].update(judge="another"), "not of the ledger beside it"),
    ],
)
def test_a_report_that_is_not_of_its_ledger_corrects_nothing(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    place = folder(tmp_path)
    edited(place, change)
    with pytest.raises(ReportError, match=told):
        by_validation(30, 100, place)


def test_gates_that_were_turned_by_hand_do_not_make_development_cases_held_out(tmp_path: Path) -> None:
    place = folder(tmp_path, [one.model_copy(update={"split": "development"}) for one in twins(40)])
    edited(place, passed)
    with pytest.raises(ReportError, match="not held out"):
        by_validation(30, 100, place)
    place = folder(tmp_path / "b", [one.model_copy(update={"label_source": "judge"}) for one in twins(40)])
    edited(place, passed)
    with pytest.raises(ReportError, match="circular_labels"):
        by_validation(30, 100, place)


def test_a_report_without_its_ledger_corrects_nothing(tmp_path: Path) -> None:
    place = folder(tmp_path)
    shutil.copy(place / "report.json", tmp_path / "report.json")
    with pytest.raises(ReportError, match="ledger of its votes is not beside it"):
        by_validation(30, 100, tmp_path)
    (place / "ledger.sqlite").write_bytes(b"no ledger at all, and long enough to be read")
    with pytest.raises(ReportError, match="vouches for nothing"):
        by_validation(30, 100, place)


def test_a_rate_below_the_false_alarms_is_told_as_that_with_a_bound() -> None:
    told = prevalence_page(0, 100, known_rates(Count(k=0, n=100), 0.9, 0.8)).lines
    # 1 - .05^(1/100) = .029513, over .9: .032792.
    assert told[1] == (
        "true failures: none shown, the measured rate is below the judge's false-alarm rate; "
        "at most 0.033 (one-sided 95 %)"
    )
    told = prevalence_page(100, 100, known_rates(Count(k=100, n=100), 0.8, 0.9)).lines
    assert told[1].endswith("all, the measured rate is above the judge's sensitivity; at least 0.967 (one-sided 95 %)")
