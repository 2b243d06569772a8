from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from relation_stage import built_once
from typer.testing import CliRunner

from confute.cli import app
from confute.errors import CalibrationError, ConfuteError
from confute.harness.relations import scenes

EXAMPLES = Path(__file__).parents[3] / "examples"
FAST = ["relations", "--detector", "word_overlap", "--cases", "1"]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(scenes, "built_in", built_once)


def run(*arguments):
    return CliRunner().invoke(app, [*FAST, *arguments])


def test_the_matrix_the_details_and_the_skipped_are_printed_and_written(tmp_path):
    found = run("--rows", "C1,E1,E16,P2,R1", "--out", "out")
    assert found.exit_code == 0, found.output
    assert "relation by victim" in found.output
    report = json.loads((tmp_path / "out" / "relations.json").read_text())
    figures = {one["row_id"]: one for one in report["figures"]}
    assert figures["C1"]["violations"]["denominator"] > 0
    assert figures["E1"]["violations"]["numerator"] == 0
    assert figures["E16"]["why_not"] == "has no rank"
    made = {one["row_id"]: one for one in report["made"]}
    assert made["C1"]["skipped"]["does_not_apply"] > 0
    written = (tmp_path / "out" / "relations.md").read_text()
    assert "not measured: P2, R1" in written.replace("\\", "")


def test_json_and_markdown_are_printed_too():
    assert json.loads(run("--rows", "E1", "--format", "json").stdout)["asked"] == ["E1"]
    assert run("--rows", "E1", "--format", "md").stdout.startswith("# Metamorphic relations")


def test_the_exit_code_tells_of_violations_only_where_that_is_asked():
    assert run("--rows", "C5").exit_code == 0
    failed = run("--rows", "C5", "--gate", "0.5")
    assert failed.exit_code == 1
    assert "over 0.5: C5 UP of word_overlap" in failed.output
    assert run("--rows", "E1", "--gate", "0.5").exit_code == 0


def test_what_was_not_measured_passes_no_gate():
    asked_of_nobody = run("--rows", "E1,R1", "--gate", "1")
    assert asked_of_nobody.exit_code == 1
    assert "no verdict, which never passes: R1 (not measured)" in asked_of_nobody.output
    failing = run("--detector", "relation_stage:Failing", "--rows", "E1", "--gate", "1")
    assert failing.exit_code == 1
    assert "E1 INV of relation_stage:Failing (" in failing.output


def test_the_example_of_an_own_relation_runs(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    found = run("--relations", "own_relation:headed", "--rows", "headed", "--format", "json")
    assert found.exit_code == 0, found.output
    (figures,) = json.loads(found.stdout)["figures"]
    assert figures["violations"]["denominator"] > 0
    (made,) = json.loads(found.stdout)["made"]
    assert made["title"] == "Put a heading that says nothing before the evidence"


def test_a_relation_that_fails_is_told_and_does_not_end_the_run(tmp_path, monkeypatch):
    (tmp_path / "hostile_relation.py").write_text(
        "def bad(scene, random):\n    raise ValueError('\\x00 no')\n    yield\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = run("--relations", "hostile_relation:bad", "--rows", "bad,E1", "--format", "json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert set(next(one for one in report["made"] if one["row_id"] == "bad")["skipped"]) == {"raised: ValueError"}
    assert {one["row_id"]: one["why_not"] for one in report["figures"]} == {
        "bad": "no instance of any case",
        "E1": None,
    }


def test_a_detector_that_cannot_be_calibrated_is_told_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    found = run("--detector", "relation_stage:Constant", "--rows", "E1", "--format", "json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    states = {one["name"]: one["why_not"] for one in report["victims"]}
    assert states["word_overlap"] is None
    assert "every case has the same score" in states["relation_stage:Constant"]
    assert {one["victim"] for one in report["figures"]} == {"word_overlap"}
    told = run("--detector", "relation_stage:Constant", "--rows", "E1").output
    assert "! relation_stage:Constant: not calibrated and not asked: every case has the same score" in told


def test_where_no_detector_can_be_calibrated_the_message_names_them(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    arguments = ["relations", "--cases", "1", "--rows", "E1", "--detector", "relation_stage:Constant"]
    found = CliRunner().invoke(app, arguments)
    assert isinstance(found.exception, CalibrationError)
    assert "relation_stage:Constant" in str(found.exception)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rows", "C99"], "no such row"),
        (["--rows", ","], "no such row"),
        (["--relations", "nowhere"], "is not module:attribute"),
        (["--relations", "nowhere_at_all:x"], "cannot be imported"),
        (["--relations", "json:nothing"], "has no attribute"),
        (["--relations", "json:__doc__"], "is a str"),
        (["--relations", "bisect:insort_right", "--relations", "bisect:insort_right"], "relation"),
        (["--detector", "word_overlap"], "stands twice"),
        (["--detector", "nothing"], "unknown detector"),
        (["--detector", " "], "must not be blank"),
        (["--judge", "nobody"], "no such judge"),
        (["--judge", "model"], "or a YAML file of a model"),
        (["--persona", "absent.yaml"], "absent.yaml"),
        (["--contract", "absent.yaml"], "cannot be read"),
        (["--rows", "E2", "--out", "/dev/null/x"], "cannot be written"),
    ],
)
def test_a_user_s_mistake_is_one_message(arguments, told):
    found = run(*arguments)
    assert isinstance(found.exception, ConfuteError), found.output
    assert told in str(found.exception)


def test_the_victim_of_a_contract_is_measured_under_its_own_settings(tmp_path):
    contract = tmp_path / "contract.yaml"
    contract.write_text("victim: {detector: word_overlap, threshold: {value: 0.3}}\nobjective: {oracle: facts}\n")
    found = CliRunner().invoke(
        app, ["relations", "--cases", "1", "--contract", str(contract), "--rows", "E1", "--format", "json"]
    )
    assert found.exit_code == 0, found.output
    (victim,) = json.loads(found.stdout)["victims"]
    assert (victim["name"], victim["threshold"]) == ("contract", 0.3)
