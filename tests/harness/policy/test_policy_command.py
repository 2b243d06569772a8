from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from confute.cli import app
from confute.errors import CalibrationError
from confute.harness.policy.choosing import read_policy

CONTRACT = """
victim: {detector: word_overlap, threshold: {value: 0.5}}
objective: {oracle: facts}
"""


def run(tmp_path: Path, *options: str) -> object:
    contract = tmp_path / "contract.yaml"
    contract.write_text(CONTRACT, encoding="utf-8")
    return CliRunner().invoke(app, ["policy", str(contract), *options])


def test_the_command_prints_routes_costs_loads_and_the_curve(tmp_path: Path) -> None:
    done = run(tmp_path, "--base-rate", "0.3", "--claims", "500")
    assert done.exit_code == 0, done.output
    for words in ("where claims go", "what a bound on false rejection costs", "of 500 claims", "30.0%", "AURC"):
        assert words in done.output


def test_what_is_saved_is_what_was_measured_and_no_source_is_on_both_sides(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    done = run(tmp_path, "--save", str(file), "--format", "json")
    found = json.loads(done.stdout)
    assert read_policy(file).model_dump(mode="json") == found["chosen"]
    chosen = found["chosen"]
    # The built-in facts of seed 0: 710 claims of 64 documents, halved by document.
    assert (found["groups"], found["cases"]) == (32, 354)
    assert chosen["accept"]["n"] + chosen["reject"]["n"] == 710 - 354


def test_the_same_command_prints_the_same(tmp_path: Path) -> None:
    assert run(tmp_path, "--format", "md").stdout == run(tmp_path, "--format", "md").stdout


def test_claims_of_one_label_end_in_a_message(tmp_path: Path) -> None:
    data, contract = tmp_path / "claims.jsonl", tmp_path / "contract.yaml"
    rows = [
        {"id": str(one), "claim": f"Claim {one}.", "evidence": [f"E{one}."], "label": "SUPPORTED"} for one in range(40)
    ]
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    contract.write_text(CONTRACT.replace("facts", "guarded_text"), encoding="utf-8")
    done = CliRunner().invoke(app, ["policy", str(contract), "--data", str(data)])
    assert isinstance(done.exception, CalibrationError)
    with pytest.raises(CalibrationError, match="no policy can be chosen"):
        raise done.exception
