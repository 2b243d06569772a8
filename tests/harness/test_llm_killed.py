"""An attack by a language model that is killed at any write goes on to the very ledgers of one that was not."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from attacking import attacked, contract_of, sensible
from test_referees import CLAIMS, finds_it_false
from test_referees import attacked as judged

from confute.harness import chain, run
from confute.harness.judging.judgements import open_judgements
from confute.harness.ledger import Ledger
from confute.harness.replies import open_replies
from confute.models.scripted import ScriptedModel

HERE = Path(__file__).parent
KILLED_AT = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from attacking import sensible
from watching import Quiet
from confute.harness import arena, chain, run
from confute.models.scripted import ScriptedModel

written, limit, whole = 0, int(sys.argv[2]), chain.Chain.append

def append(self, rows, evidence):
    global written
    if written == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    whole(self, rows, evidence)
    written += 1

chain.Chain.append = append
arena.load_chat = lambda spec: ScriptedModel(sensible)
folder = Path(sys.argv[1])
run.carry_out(folder, run.prepare(run.read_order(folder), None, Quiet()), Quiet())
"""


class KilledError(BaseException):
    """The process was killed."""


def left(folder):
    """Return all that a run leaves: its steps byte by byte, its questions and verdicts by key, and its files."""
    with Ledger(folder / "ledger.sqlite") as ledger:
        steps = [one.model_dump_json() for one in ledger.attempts]
    with open_replies(folder / "replies.sqlite") as ledger:
        replies = list(ledger.lines())
    verdicts = []
    if (folder / "verdicts.sqlite").exists():
        with open_judgements(folder / "verdicts.sqlite") as ledger:
            verdicts = [json.loads(line) for line in ledger.lines()]
    for vote in (vote for one in verdicts for vote in one["verdict"]["votes"]):
        vote["spent"].pop("seconds")
    files = {one.name: one.read_bytes() for one in folder.iterdir() if one.suffix in {".json", ".jsonl", ".html"}}
    return run.ledger_digest(folder), steps, replies, verdicts, files


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder, writes = tmp_path_factory.mktemp("whole") / "run", []
    with pytest.MonkeyPatch.context() as patch:
        append = chain.Chain.append
        patch.setattr(chain.Chain, "append", lambda *given: writes.append(given) or append(*given))
        write_order(folder)
        attacked(patch, folder, ScriptedModel(sensible), contract_of())
    return left(folder), len(writes)


def write_order(folder):
    folder.mkdir(exist_ok=True)
    run.write_text(folder / "order.json", run.Order(contract=contract_of(), data=None).model_dump_json())


@pytest.mark.parametrize("share", sorted(random.Random(1).sample(range(1, 100), 3)))
def test_an_attack_killed_between_any_two_writes_resumes_to_the_same_ledgers(monkeypatch, whole, tmp_path, share):
    expected, writes = whole
    folder = tmp_path / "run"
    write_order(folder)
    command = [sys.executable, "-c", KILLED_AT, str(folder), str(writes * share // 100), str(HERE)]
    killed = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr.decode()
    attacked(monkeypatch, folder, ScriptedModel(sensible), contract_of())
    assert left(folder) == expected


def test_an_attack_with_judges_stopped_at_every_fifth_write_resumes_to_the_same_ledgers(monkeypatch, tmp_path):
    rows = [
        {"claim": claim + ".", "evidence": [evidence], "label": "SUPPORTED", "id": f"c{n}", "group": f"g{n}"}
        for n, (claim, evidence) in enumerate(CLAIMS)
    ]
    claims = tmp_path / "claims.jsonl"
    claims.write_text("".join(json.dumps(row) + "\n" for row in rows))
    append, writes = chain.Chain.append, []

    def counted(*given):
        if len(writes) == limit:
            raise KilledError
        append(*given)
        writes.append(given)

    def carried_out(folder):
        # Of 3 calls a verdict takes 2: the last of an item's verdicts finds its budget spent.
        judged(monkeypatch, folder, claims, ScriptedModel(finds_it_false), judge_calls=3, control="model")

    monkeypatch.setattr(chain.Chain, "append", counted)
    limit = -1
    carried_out(tmp_path / "run")
    expected, total = left(tmp_path / "run"), len(writes)
    assert total > 12
    for stop in range(1, total, 5):
        folder, limit = tmp_path / f"at-{stop}" / "run", stop
        folder.parent.mkdir()
        writes.clear()
        with pytest.raises(KilledError):
            carried_out(folder)
        limit = -1
        carried_out(folder)
        assert left(folder) == expected
