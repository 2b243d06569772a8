"""Two processes never work in one run's folder, and a killed one leaves nothing that holds it."""

import subprocess
import sys

import pytest
from attacking import contract_of
from watching import Quiet

from confute.errors import LedgerError
from confute.harness import run
from confute.harness.run_lock import locked

HOLD = """
import sys
from pathlib import Path
from confute.harness.run_lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LedgerError, match="another run is at work"), locked(tmp_path):
            pass
        other.kill()
    with locked(tmp_path), pytest.raises(LedgerError, match="another run is at work"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_a_folder_that_is_none_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="cannot be written"), locked(tmp_path / "file"):
        pass


def test_an_attack_on_a_detector_is_refused_in_a_folder_that_is_in_use(tmp_path):
    order = run.Order(contract=contract_of(cases=2), data=None)
    prepared = run.prepare(order, None, Quiet())
    with locked(tmp_path), pytest.raises(LedgerError, match="another run is at work"):
        run.carry_out(tmp_path, prepared, Quiet())
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
