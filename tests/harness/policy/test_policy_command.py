from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from confute.cli import app
from confute.contract import Suite
from confute.errors import CalibrationError, ReportError
from confute.harness.policy.choosing import read_policy
from confute.oracles.facts.builtin import builtin
from confute.records import digest_of
from confute.text import fold

CONTRACT = """
victim: {detector: word_overlap, threshold: {value: 0.5}}
objective: {oracle: facts}
"""


def run(tmp_path: Path, *options: str) -> Result:
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


def test_a_frozen_policy_is_measured_on_the_sources_that_did_not_choose_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    chosen = json.loads(run(tmp_path, "--save", str(file), "--format", "json").stdout)
    again = json.loads(run(tmp_path, "--frozen", str(file), "--format", "json").stdout)
    assert again["costs"] == []
    assert {**again, "costs": chosen["costs"]} == chosen


def test_a_policy_of_another_detector_or_with_another_choice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    run(tmp_path, "--save", str(file))
    assert run(tmp_path, "--frozen", str(file), "--share", "0.2").exit_code == 2
    other = tmp_path / "other.yaml"
    other.write_text(CONTRACT.replace("word_overlap", "grounding"), encoding="utf-8")
    done = CliRunner().invoke(app, ["policy", str(other), "--frozen", str(file)])
    with pytest.raises(ReportError, match="another detector"):
        raise done.exception or AssertionError


def test_a_policy_is_not_measured_on_the_claims_that_chose_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    run(tmp_path, "--save", str(file))
    policy = json.loads(file.read_text(encoding="utf-8"))
    oracle = builtin(0, Suite.DEVELOPMENT)
    policy["sources"] = sorted({digest_of(f"source {fold(case.group)}") for case in oracle.cases})
    file.write_text(json.dumps(policy), encoding="utf-8")
    with pytest.raises(ReportError, match="every claim is of a source that chose the policy"):
        raise run(tmp_path, "--frozen", str(file)).exception or AssertionError


def rows(prefix: str, passages: int) -> list[dict[str, object]]:
    """Return a supported and an unsupported claim of each passage, in groups named after the prefix."""
    found: list[dict[str, object]] = []
    for at in range(passages):
        words = [f"{word}{at}" for word in ("alpha", "beta", "gamma", "delta")]
        evidence, group = [" ".join(words) + "."], f"{prefix}-{at}"
        kept = words[: 1 + at % 4]
        for label, claim in (("SUPPORTED", kept), ("UNSUPPORTED", [*kept, *["other"] * (1 + at % 3)])):
            row = {"id": f"{group}-{label}", "claim": " ".join(claim) + ".", "evidence": evidence, "label": label}
            found.append({**row, "group": group})
    return found


def guarded(tmp_path: Path, claims: list[dict[str, object]], *options: str, victim: str = "") -> Result:
    data, contract = tmp_path / "claims.jsonl", tmp_path / "contract.yaml"
    data.write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    told = CONTRACT.replace("facts", "guarded_text").replace("value: 0.5}", "value: 0.5}" + victim)
    contract.write_text(told, encoding="utf-8")
    return CliRunner().invoke(app, ["policy", str(contract), "--data", str(data), *options])


def test_passages_that_chose_a_policy_are_known_again_under_other_names_of_groups(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    first = json.loads(guarded(tmp_path, rows("one", 40), "--save", str(file), "--format", "json").stdout)
    renamed = guarded(tmp_path, rows("two", 40), "--frozen", str(file), "--format", "json")
    # Of the 40 passages half chose it, whatever their groups are called by now.
    assert (first["groups"], json.loads(renamed.stdout)["groups"]) == (20, 20)
    # A claim of a new passage leaves with its group where another claim of the group is of a passage that chose it.
    joined = [{**row, "group": "one"} for row in rows("three", 40)]
    with pytest.raises(ReportError, match="every claim is of a source that chose the policy"):
        raise guarded(tmp_path, joined, "--frozen", str(file)).exception or AssertionError


def test_a_policy_counts_for_the_scores_that_it_was_chosen_on(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    guarded(tmp_path, rows("one", 40), "--save", str(file))
    for other in (", higher_is_safer: true", ", segmentation: {unit: whole}"):
        done = guarded(tmp_path, rows("one", 40), "--frozen", str(file), victim=other)
        with pytest.raises(ReportError, match="chosen for other scores of this detector"):
            raise done.exception or AssertionError
    same = guarded(tmp_path, rows("one", 40), "--frozen", str(file), victim=", timeout_s: 7")
    assert same.exit_code == 0, same.output


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
