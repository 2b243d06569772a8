"""A run that is killed goes on to the very report of one that was not."""

import random
import subprocess
import sys

import pytest
from watching import Quiet

from confute import contract
from confute.harness import run

CONTRACT = """
victim: {detector: word_overlap, threshold: {calibrate: {target_rate: 0.2}}}
objective: {oracle: facts}
attacker: {strategy: greedy, budgets: {victim_queries: 12}}
evaluation: {max_cases: 12, seed: 3}
"""

KILLED_AFTER = """
import os, signal, sys
from pathlib import Path
from confute.harness import ledger, run
from tests_quiet import Quiet

written, limit, whole = 0, int(sys.argv[2]), ledger.Ledger.append

def append(self, attempts):
    global written
    if written == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    whole(self, attempts)
    written += 1

ledger.Ledger.append = append
folder = Path(sys.argv[1])
run.carry_out(folder, run.prepare(run.read_order(folder), None, Quiet()), Quiet())
"""


def new_run(root):
    order = run.Order(contract=contract.parse(CONTRACT), data=None)
    folder = root / "run"
    folder.mkdir(parents=True)
    run.write_text(folder / "order.json", order.model_dump_json())
    return folder, order


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder, order = new_run(tmp_path_factory.mktemp("whole"))
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    return folder


def outcome(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in {".json", ".jsonl", ".html"}}


def test_two_runs_of_one_seed_give_one_ledger_and_one_report(whole, tmp_path):
    folder, order = new_run(tmp_path)
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    assert run.ledger_digest(folder) == run.ledger_digest(whole)
    assert outcome(folder) == outcome(whole)


@pytest.mark.parametrize("batches", sorted(random.Random(2).sample(range(11), 5)))
def test_a_run_killed_at_any_point_resumes_to_the_same_report(whole, tmp_path, batches):
    folder, _ = new_run(tmp_path)
    (tmp_path / "tests_quiet.py").write_text(
        "class Quiet:\n    def begin(self, *_): pass\n    def advance(self, *_): pass\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_AFTER, str(folder), str(batches)], cwd=tmp_path, capture_output=True, check=False
    )
    assert killed.returncode == -9, killed.stderr.decode()
    run.carry_out(folder, run.prepare(run.read_order(folder), None, Quiet()), Quiet())
    assert run.ledger_digest(folder) == run.ledger_digest(whole)
    assert outcome(folder) == outcome(whole)


def test_a_finished_run_can_be_resumed_without_a_new_step(whole):
    before = run.ledger_digest(whole), outcome(whole)
    run.carry_out(whole, run.prepare(run.read_order(whole), None, Quiet()), Quiet())
    assert (run.ledger_digest(whole), outcome(whole)) == before
