"""A curve that is killed goes on to the very ledger and pages of one that was not."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hashing_words import hashed

from confute import contract
from confute.errors import LedgerError, ReportError
from confute.harness import degradation_run
from confute.harness.degradation_prepare import prepare
from confute.harness.degradation_rows import opened
from confute.harness.progress import Lines
from confute.harness.render.degradation_html import written
from confute.models import load as models

CONTRACT = """
victim:
  detector: hallucination_energy
  rank: full
  segmentation: {unit: passage}
  threshold: {calibrate: {error: false_rejection, target_rate: 0.2, share: 0.4}}
objective: {oracle: facts}
evaluation: {max_cases: 24}
curve: {budgets: [1, 4, all], ranks: [1, full], ablate: true, resamples: 200}
"""
# Two ranks and four ablations, each with its own evidence, three strategies without a budget, and three budgets.
POINTS = (2 + 4) * (1 + 3 + 3)

CARRIED_OUT = """
import os, signal, sys
from pathlib import Path
from confute import contract
from confute.harness import degradation_run
from confute.harness.degradation_prepare import prepare
from confute.harness.degradation_rows import PointLedger
from confute.harness.progress import Lines
from confute.models import load
from hashing_words import hashed

load.load = hashed
limit, whole, written = int(sys.argv[2]), PointLedger.append, 0

def append(self, rows):
    global written
    if written == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    whole(self, rows)
    written += 1

PointLedger.append = append
prepared = prepare(contract.load(Path("c.yaml")), (), None, None, Lines())
degradation_run.carry_out(Path(sys.argv[1]), prepared, Lines())
print(written)
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    (folder / "c.yaml").write_text(CONTRACT)
    return folder


def carried_out(root, name, killed_after=POINTS):
    arguments = [sys.executable, "-c", CARRIED_OUT, str(root / name), str(killed_after)]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    return subprocess.run(arguments, cwd=root, env=found, capture_output=True, encoding="utf-8", check=False)


@pytest.fixture(scope="module")
def whole(root):
    done = carried_out(root, "whole")
    assert done.stdout == f"{POINTS}\n", done.stderr
    return root / "whole"


def outcome(folder):
    result = degradation_run.result_of(folder)
    manifest = (folder / "curve-manifest.json").read_bytes()
    return degradation_run.ledger_digest(folder), manifest, [written(result, form) for form in ("json", "md", "html")]


@pytest.mark.parametrize("points", sorted(random.Random(4).sample(range(1, POINTS), 4)))
def test_a_curve_killed_at_any_point_resumes_to_the_same_bytes(root, whole, points):
    name = f"killed-{points}"
    assert carried_out(root, name, points).returncode == -9
    again = carried_out(root, name)
    assert again.stdout == f"{POINTS - points}\n", again.stderr
    assert outcome(root / name) == outcome(whole)


def test_an_unfinished_curve_shows_the_ranks_that_are_whole_and_says_so(root, whole):
    # Eight points: the seven of rank 1, and the own evidence of the full rank.
    carried_out(root, "part", 8)
    result = degradation_run.result_of(root / "part")
    assert [one.rank for one in result.curves] == [1]
    assert result.curves[0] == degradation_run.result_of(whole).curves[0]
    assert result.warnings[0].message.startswith(f"Unfinished: 8 of {POINTS} points")


def test_a_curve_without_a_whole_rank_cannot_be_reported_on(root):
    carried_out(root, "begun", 3)
    with pytest.raises(ReportError, match=f"3 of {POINTS} points"):
        degradation_run.result_of(root / "begun")


def test_a_finished_curve_is_not_measured_again(root, whole):
    before = outcome(whole)
    assert carried_out(root, "whole").stdout == "0\n"
    assert outcome(whole) == before


def test_a_ledger_of_other_parts_is_refused(whole, monkeypatch):
    changed = contract.parse(CONTRACT.replace("max_cases: 24", "max_cases: 23"))
    monkeypatch.setattr(models, "load", hashed)
    prepared = prepare(changed, (), None, None, Lines())
    with pytest.raises(LedgerError, match="contract"):
        degradation_run.carry_out(whole, prepared, Lines())


def test_every_row_names_its_contract_and_its_set(whole):
    parsed = contract.parse(CONTRACT)
    with opened(whole / "ledger.sqlite") as ledger:
        points = list(ledger._points)
        rows = [row for point in points for row in ledger.rows(point)]
    assert len(points) == POINTS
    planned = parsed.model_copy(update={"curve": parsed.curve.model_copy(update={"ranks": (1, "full")})})
    assert {row.contract_digest for row in rows} == {planned.digest}
    assert all((row.set_id is None) == (row.validity is None) for row in rows)
