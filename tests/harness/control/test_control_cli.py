from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from confute.cli import app
from confute.errors import DatasetError

run = CliRunner().invoke


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    file = tmp_path / "claims.jsonl"
    rows = [
        {"id": str(place), "claim": f"Bridge {name} is {120 + 7 * place} km long.", "label": "SUPPORTED",
         "evidence": [f"Bridge {name} is {120 + 7 * place} km long."], "domain": name, "group": name}
        for place, name in enumerate(("Aldo", "Brum", "Cade"))
    ]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_three_records_are_too_few_to_earn_the_power_to_block(claims: Path) -> None:
    done = run(app, ["control", "--detector", "grounding", "--data", str(claims)])
    assert done.exit_code == 1
    assert "has not earned the power to block" in done.output
    assert "0 of 3" in done.output


def test_json_has_every_arm_with_its_counts_and_the_plot_is_a_file(claims: Path, tmp_path: Path) -> None:
    plot = tmp_path / "sep.svg"
    arguments = ["control", "--detector", "grounding", "--data", str(claims), "--format", "json", "--plot", str(plot)]
    found = json.loads(run(app, arguments).output)
    corrupted = next(one for one in found["arms"] if (one["arm"], one["drift"]) == ("corrupted", 0.1))
    assert (corrupted["flagged"]["numerator"], corrupted["flagged"]["denominator"]) == (3, 3)
    assert found["passed"] is False
    assert plot.read_text().startswith("<svg")


@pytest.mark.parametrize(
    "arguments", [[], ["--detector", "grounding", "--drift", "0.3"], ["--detector", "a", "--self-test"]]
)
def test_a_mistake_in_the_options_is_refused(arguments: list[str]) -> None:
    assert run(app, ["control", *arguments]).exit_code == 2


def test_a_file_without_a_claim_to_use_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    row = {
        "id": "1",
        "claim": "It is blue.",
        "label": "SUPPORTED",
        "evidence": ["It is blue."],
        "domain": "d",
        "group": "g",
    }
    file.write_text(json.dumps(row))
    done = run(app, ["control", "--detector", "grounding", "--data", str(file)])
    assert isinstance(done.exception, DatasetError)
