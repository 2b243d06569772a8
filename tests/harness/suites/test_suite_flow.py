"""Freeze, run, promote: what each demands of the files, and what is written down."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from confute import contract as contracts
from confute.cli import main
from confute.harness import run
from confute.harness.files import write_text
from confute.harness.suites import promoting, running
from confute.harness.suites import suite as suites
from confute.harness.suites.looks import looks_in
from confute.harness.suites.running import look_at
from confute.harness.suites.suite import read_suite, suites_in

CONTRACT = """
victim: {detector: word_overlap, threshold: {value: 0.4}}
objective: {oracle: facts, attack_goal: false_acceptance}
attacker: {strategy: %s, capabilities: [quantity, temporal], budgets: {victim_queries: 4}}
evaluation: {max_cases: 12, seed: 5}
"""


class Killed(BaseException):
    """Nobody catches it, as nobody catches a kill."""


class Quiet:
    """Shows no progress."""

    def begin(self, phase: str, total: int) -> None: ...

    def advance(self, units: int) -> None: ...


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def attacked(root: Path, name: str, strategy: str) -> Path:
    order = run.Order(contract=contracts.parse(CONTRACT % strategy), data=None)
    folder = root / name
    folder.mkdir(parents=True)
    run.write_text(folder / "order.json", order.model_dump_json())
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two development runs: of the attacker to freeze, and of another one."""
    root = tmp_path_factory.mktemp("suites")
    attacked(root, "dev", "greedy")
    attacked(root, "other", "random")
    return root


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def carried_out(root: Path, *arguments: object) -> Done:
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["confute", "suite", *map(str, arguments)])
        try:
            main()
        except SystemExit as ended:
            told = capsys.readouterr()
            return Done(int(ended.code or 0), told.out, told.err)
        raise AssertionError("the command did not end")

    return carried_out


@pytest.fixture(scope="module")
def ran(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with a held-out suite that was frozen for the run `dev` and run once as `runs/<id>`."""
    root = tmp_path_factory.mktemp("ran") / "root"
    shutil.copytree(made, root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for order in (["freeze", "suites/held", "--attacker", "dev"], ["run", "suites/held"]):
            patch.setattr(sys, "argv", ["confute", "suite", *order])
            with pytest.raises(SystemExit) as ended:
                main()
            assert not ended.value.code
    return root


@pytest.fixture
def copy(ran: Path, tmp_path: Path) -> Path:
    root = tmp_path / "root"
    shutil.copytree(ran, root)
    return root


def held_out_run(root: Path) -> Path:
    return Path("runs") / sorted(path.name for path in (root / "runs").iterdir())[0]


def failures(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "counterexamples.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_held_out_suite_holds_the_attacker_and_no_case_of_the_run(ran: Path) -> None:
    manifest = json.loads((ran / "suites/held/suite.json").read_text())
    left = json.loads((ran / "dev/attacker.json").read_text())
    assert manifest["attacker_fingerprint"] == left["fingerprint"]
    assert (ran / "suites/held/attacker.json").read_bytes() == (ran / "dev/attacker.json").read_bytes()
    assert manifest["contract"]["evaluation"]["suite"] == "held_out"
    report = json.loads((ran / held_out_run(ran) / "manifest.json").read_text())
    assert report["frozen_attacker"] == left["fingerprint"]
    assert all(case["case_id"].startswith("held_out-") for case in report["cases"])


def test_a_counterexample_comes_in_once_after_the_held_out_run(suite, copy: Path) -> None:
    found = failures(copy / "dev")
    assert len(found) > 1
    first = suite(
        copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy), "--id", found[0]["attack_id"]
    )
    assert first.code == 0, first.err
    assert "1 counterexamples came in, 0 were there already" in first.out
    rest = suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy))
    assert f"{len(found) - 1} counterexamples came in, 1 were there already" in rest.out
    assert [row["attack_id"] for row in failures(copy / "suites/known")] == [row["attack_id"] for row in found]


def test_a_regression_suite_is_replayed_and_stays_the_same_suite_when_a_status_moves(suite, copy: Path) -> None:
    suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy))
    (copy / "victim.yaml").write_text(CONTRACT % "greedy")
    done = suite(copy, "run", "suites/known", "--contract", "victim.yaml")
    assert done.code == 1, done.err
    assert "still fails" in done.out
    assert "suite known (regression)" in done.out
    rows = failures(copy / "suites/known")
    rows[0] |= {"status": "ACKNOWLEDGED_LIMITATION", "reason": "so it is"}
    (copy / "suites/known/counterexamples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    again = suite(copy, "run", "suites/known", "--contract", "victim.yaml")
    assert f": 1 of {len(rows)} as expected" in again.out
    assert "looked at 2 times" in again.out


def test_without_a_finished_held_out_run_nothing_is_promoted(suite, made: Path, copy: Path) -> None:
    for folder in ("dev", "other"):
        done = suite(copy, "promote", "dev", "suites/known", "--held-out", folder)
        assert done.code == 2
        assert "is no finished run of a held-out suite" in done.err
        assert not (copy / "suites/known").exists()
    for name in ("looks.sqlite", "looks.json"):
        (copy / "suites" / name).unlink()
    for target in ("suites/known", "elsewhere/known"):
        done = suite(copy, "promote", "dev", target, "--held-out", held_out_run(copy))
        assert "is no finished run of a held-out suite" in done.err
    assert not (copy / "elsewhere").exists()
    assert "holds no log of looks" in suite(copy, "looks", "suites").err


def test_what_another_attacker_found_is_not_promoted(suite, copy: Path) -> None:
    done = suite(copy, "promote", "other", "suites/known", "--held-out", held_out_run(copy))
    assert done.code == 2
    assert "not the one that was frozen" in done.err


def test_a_counterexample_that_the_ledger_has_none_of_is_not_promoted(suite, copy: Path) -> None:
    rows = failures(copy / "dev")
    rows[0]["adversarial_claim"] = "Invented."
    (copy / "dev/counterexamples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy))
    assert done.code == 2
    assert "is not confirmed in the ledger of the run" in done.err
    unknown = suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy), "--id", "nine")
    assert "is not among the run's" in unknown.err


def test_held_out_failures_do_not_become_known_ones_and_the_culprits_are_named(suite, copy: Path) -> None:
    found = failures(copy / held_out_run(copy))
    assert found
    done = suite(copy, "promote", held_out_run(copy), "suites/known", "--held-out", held_out_run(copy))
    assert done.code == 2
    for kind in ("entities (", "sources (", "runs of eight words ("):
        assert kind in done.err
    assert "the held_out suite suites/held" in done.err


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("suites/held/attacker.json", "is not what was frozen"),
        ("suites/held/suite.json", "is no suite"),
    ],
)
def test_an_altered_file_is_refused(suite, copy: Path, file: str, said: str) -> None:
    (copy / file).write_bytes((copy / file).read_bytes()[:-40] + b" " * 39 + b"?")
    done = suite(copy, "run", "suites/held")
    assert done.code == 2
    assert said in done.err


def test_an_altered_log_of_looks_is_refused(suite, copy: Path) -> None:
    with closing(sqlite3.connect(copy / "suites/looks.sqlite")) as log, log:
        log.execute("DROP TRIGGER attempts_stay")
        log.execute("UPDATE attempts SET body = replace(body, 'held', 'hell')")
    for order in (("run", "suites/held"), ("looks", "suites")):
        done = suite(copy, *order)
        assert done.code == 2
        assert "was altered after it was written" in done.err


@pytest.mark.parametrize("anchor", ["beside", "of the run"])
def test_a_log_without_its_last_looks_is_refused(suite, copy: Path, anchor: str) -> None:
    for _ in range(2):
        assert suite(copy, "run", "suites/held").code == 0
    assert suite(copy, "looks", "suites").code == 0
    with closing(sqlite3.connect(copy / "suites/looks.sqlite")) as log, log:
        log.execute("DROP TRIGGER attempts_last")
        log.execute("DELETE FROM attempts WHERE seq > 2")  # what the first run wrote
    told = json.loads((copy / "suites/looks.json").read_text())
    assert told["rows"] == 6  # a beginning and an end of each of three runs
    if anchor == "of the run":
        (copy / "suites/looks.json").unlink()
    else:
        assert "looks were taken out of the log" in suite(copy, "run", "suites/held").err
    done = suite(copy, "looks", "suites")
    assert done.code == 2
    assert "looks were taken out of the log" in done.err
    assert ("suite-run.json" if anchor == "of the run" else "looks.json") in done.err


def test_a_log_that_is_gone_is_refused_where_its_anchor_stayed(suite, copy: Path) -> None:
    (copy / "suites/looks.sqlite").unlink()
    assert "looks were taken out of the log" in suite(copy, "looks", "suites").err
    (copy / "suites/looks.json").write_text("[]")
    assert "is no anchor of a log of looks" in suite(copy, "looks", "suites").err


def test_looks_written_at_once_are_all_kept(suite, copy: Path) -> None:
    read = read_suite(copy / "suites/held")
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda at: look_at(read, f"run-{at}"), range(12)))
    assert sorted(one.looks for one in told) == list(range(2, 14))  # one was there before
    assert len({look.number for look in looks_in(copy / "suites")}) == 2 + 12


def test_a_held_out_run_that_was_stopped_is_finished_by_its_resumption_and_is_one_look(
    suite, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("looks.sqlite", "looks.json"):
        (copy / "suites" / name).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(running, "finished", interrupted)
        assert suite(copy, "run", "suites/held").code == 130
    stopped = sorted((copy / "runs").iterdir())[-1]
    assert suite(copy, "promote", "dev", "suites/known", "--held-out", stopped).code == 2
    for _ in range(2):
        monkeypatch.setattr(sys, "argv", ["confute", "attack", "--resume", str(stopped)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        assert not ended.value.code, told.err
        assert "looked at 1 time" in told.out
    assert [look.ledger for look in looks_in(copy / "suites")] == [None, run.ledger_digest(stopped)]
    assert suite(copy, "promote", "dev", "suites/known", "--held-out", stopped).code == 0


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("harm", ["moved", "another", "unreadable"])
def test_a_run_of_a_suite_that_is_not_there_any_more_is_not_resumed(
    suite, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], harm: str
) -> None:
    assert suite(copy, "run", "suites/held").code == 0
    latest = sorted((copy / "runs").iterdir())[-1]
    file = latest / "suite-run.json"
    if harm == "moved":
        (copy / "suites/held").rename(copy / "away")
    else:
        told = {**json.loads(file.read_text()), "suite_digest": "0" * 64}
        file.write_text(json.dumps(told) if harm == "another" else "[")
    monkeypatch.setattr(sys, "argv", ["confute", "attack", "--resume", str(latest)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = {"moved": "is no suite", "another": "is not the suite that", "unreadable": "does not tell of which suite"}
    assert said[harm] in capsys.readouterr().err


def test_two_promotions_at_once_lose_nothing(suite, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, held = failures(copy / "dev"), held_out_run(copy)
    inner: list[Done] = []
    origins = promoting._origins

    def meanwhile(*given):
        if not inner:
            inner.append(Done(0, "", ""))
            inner.append(suite(copy, "promote", "dev", "suites/known", "--held-out", held))
        return origins(*given)

    with monkeypatch.context() as patch:
        patch.setattr(promoting, "_origins", meanwhile)
        one = suite(copy, "promote", "dev", "suites/known", "--held-out", held, "--id", found[0]["attack_id"])
    assert (one.code, inner[1].code) == (0, 2)
    assert "is at work in this folder" in inner[1].err
    assert suite(copy, "promote", "dev", "suites/known", "--held-out", held).code == 0
    assert len(failures(copy / "suites/known")) == len(found)


def test_what_was_written_into_a_suite_since_a_promotion_read_it_is_not_lost(
    suite, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, held = failures(copy / "dev"), held_out_run(copy)
    suite(copy, "promote", "dev", "suites/known", "--held-out", held, "--id", found[0]["attack_id"])
    file, origins = copy / "suites/known/counterexamples.jsonl", promoting._origins

    def meanwhile(*given):
        row = {**failures(copy / "suites/known")[0], "status": "ACKNOWLEDGED_LIMITATION", "reason": "so it is"}
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        return origins(*given)

    with monkeypatch.context() as patch:
        patch.setattr(promoting, "_origins", meanwhile)
        done = suite(copy, "promote", "dev", "suites/known", "--held-out", held)
    assert done.code == 2
    assert "was changed by somebody else" in done.err
    assert [row["reason"] for row in failures(copy / "suites/known")] == ["so it is"]
    assert suite(copy, "promote", "dev", "suites/known", "--held-out", held).code == 0


def test_an_altered_regression_suite_is_refused(suite, copy: Path) -> None:
    suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy))
    file = copy / "suites/known/counterexamples.jsonl"
    (copy / "victim.yaml").write_text(CONTRACT % "greedy")
    file.write_text(file.read_text(encoding="utf-8").replace("REVIEW_OR_REJECT", "ACCEPT", 1), encoding="utf-8")
    assert "is not what was frozen" in suite(copy, "run", "suites/known", "--contract", "victim.yaml").err


def test_a_second_look_is_told_as_no_test_any_more_also_in_the_report(suite, copy: Path, monkeypatch, capsys) -> None:
    done = suite(copy, "run", "suites/held")
    assert done.code == 0
    assert "looked at 2 times" in done.out
    assert "a test that changes what is tried next is no longer a test" in done.out
    log = suite(copy, "looks", "suites")
    assert "2 looks at suites" in log.out
    assert "! held: these cases were looked at 2 times" in log.out
    latest = sorted((copy / "runs").iterdir())[-1]
    monkeypatch.setattr(sys, "argv", ["confute", "report", str(latest)])
    with pytest.raises(SystemExit):
        main()
    assert "looked at 2 times" in capsys.readouterr().out


def test_a_look_before_this_attacker_was_frozen_is_told(suite, copy: Path) -> None:
    assert "in common with the held_out suite" in suite(copy, "freeze", "suites/anew", "--attacker", "other").err
    (copy / "suites/held").rename(copy / "used-up")
    assert suite(copy, "freeze", "suites/anew", "--attacker", "other").code == 0
    done = suite(copy, "run", "suites/anew")
    assert "1 of these looks came before the present attacker was frozen" in done.out


def test_the_victim_of_another_contract_is_asked_by_the_frozen_attacker(suite, copy: Path) -> None:
    (copy / "victim.yaml").write_text((CONTRACT % "random").replace("0.4", "0.2").replace("seed: 5", "seed: 6"))
    assert suite(copy, "run", "suites/held", "--contract", "victim.yaml").code == 0
    manifest = json.loads((sorted((copy / "runs").iterdir())[-1] / "manifest.json").read_text())
    assert manifest["victim"]["threshold"] == 0.2
    assert (manifest["contract"]["attacker"]["strategy"], manifest["contract"]["evaluation"]["seed"]) == ("greedy", 5)


def test_an_exploration_is_of_new_mechanisms_and_is_no_test(suite, copy: Path) -> None:
    done = suite(copy, "freeze", "suites/new", "--attacker", "dev", "--kind", "exploration", "--mechanisms", "polarity")
    assert done.code == 0, done.err
    for _ in range(2):
        again = suite(copy, "run", "suites/new")
        assert again.code == 0
        assert "no longer a test" not in again.out
    manifest = json.loads((sorted((copy / "runs").iterdir())[-1] / "manifest.json").read_text())
    assert manifest["contract"]["attacker"]["capabilities"] == ["polarity"]


def test_known_failures_and_an_exploration_of_the_same_cases_are_refused(suite, copy: Path) -> None:
    explore = ("--attacker", "dev", "--kind", "exploration", "--mechanisms", "polarity")
    assert suite(copy, "freeze", "suites/new", *explore).code == 0
    done = suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy))
    assert done.code == 2
    assert "in common with the exploration suite suites/new" in done.err
    shutil.rmtree(copy / "suites/new")
    assert suite(copy, "promote", "dev", "suites/known", "--held-out", held_out_run(copy)).code == 0
    again = suite(copy, "freeze", "suites/new", *explore)
    assert "in common with the regression suite suites/known" in again.err
    other = suite(copy, "promote", "dev", "suites/second", "--held-out", held_out_run(copy))
    assert "in common with the regression suite suites/known" in other.err


def test_what_an_exploration_found_may_stand_beside_it_and_beside_no_other(suite, copy: Path) -> None:
    explore = ("--attacker", "dev", "--kind", "exploration", "--mechanisms", "polarity")
    suite(copy, "freeze", "suites/new", *explore)
    suite(copy, "run", "suites/new")
    explored = Path("runs") / sorted(path.name for path in (copy / "runs").iterdir())[-1]
    assert failures(copy / explored)
    (copy / "suites/held").rename(copy / "used-up")
    for order in (("freeze", "suites/unseen", "--attacker", explored), ("run", "suites/unseen")):
        assert suite(copy, *order).code == 0
    held = Path("runs") / sorted(path.name for path in (copy / "runs").iterdir())[-1]
    done = suite(copy, "promote", explored, "suites/known", "--held-out", held)
    assert done.code == 0, done.err
    digest = read_suite(copy / "suites/new").manifest.digest
    origins = json.loads((copy / "suites/known/suite.json").read_text())["origins"]
    assert {origin["exploration_suite"] for origin in origins} == {digest}
    shutil.rmtree(copy / "suites/known")
    shutil.copytree(copy / "suites/new", copy / "suites/twin")
    manifest = json.loads((copy / "suites/twin/suite.json").read_text())
    (copy / "suites/twin/suite.json").write_text(json.dumps({**manifest, "allowed_entities": ["x"]}))
    refused = suite(copy, "promote", explored, "suites/known", "--held-out", held)
    assert "in common with the exploration suite suites/twin" in refused.err


@pytest.mark.parametrize("writes", [0, 1, 2])
@pytest.mark.parametrize("rows_before", [0, 1])
def test_a_promotion_that_is_killed_leaves_the_old_suite_or_the_new_one(
    suite, copy: Path, monkeypatch: pytest.MonkeyPatch, rows_before: int, writes: int
) -> None:
    held, found = held_out_run(copy), failures(copy / "dev")
    if rows_before:
        suite(copy, "promote", "dev", "suites/known", "--held-out", held, "--id", found[0]["attack_id"])
    left = [writes]

    def killed(path: Path, content: str) -> None:
        if not left[0]:
            raise Killed
        left[0] -= 1
        write_text(path, content)
        if not left[0]:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(suites, "write_text", killed)
        with pytest.raises(Killed):
            suite(copy, "promote", "dev", "suites/known", "--held-out", held)
    there = {read.name: read.manifest.cases for read in suites_in(copy / "suites")}
    switched = writes == 2  # the manifest was laid beside, and the rows were replaced
    assert there.get("known", 0) == (len(found) if switched else rows_before)
    again = suite(copy, "promote", "dev", "suites/known", "--held-out", held)
    assert again.code == 0, again.err
    known = len(found) if switched else rows_before
    assert f"{len(found) - known} counterexamples came in, {known} were there already" in again.out
    assert [row["attack_id"] for row in failures(copy / "suites/known")] == [row["attack_id"] for row in found]
    there = sorted(path.name for path in (copy / "suites/known").iterdir() if path.name != ".lock")
    assert there == ["counterexamples.jsonl", "suite.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("suites/held", "--attacker", "dev"), "is frozen already"),
        (("suites/x", "--attacker", "none"), "not the folder of a run"),
        (("suites/x", "--attacker", "suites"), "not the folder of a run"),
        (("suites/x", "--attacker", "dev", "--data", "d.jsonl"), "knows its own cases alone"),
        (("suites/x", "--attacker", "dev", "--mechanisms", "polarity"), "has the mechanisms of the run"),
        (("suites/x", "--attacker", "dev", "--kind", "exploration"), "mechanisms that the run had none of"),
        (
            ("suites/x", "--attacker", "dev", "--kind", "exploration", "--mechanisms", "polarity,quantity"),
            "got: 'quantity'",
        ),
        (("suites/x", "--attacker", "dev", "--kind", "exploration", "--mechanisms", "magic"), "capabilities"),
    ],
)
def test_what_cannot_be_frozen_is_refused_and_leaves_nothing(suite, copy: Path, arguments, said: str) -> None:
    done = suite(copy, "freeze", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (copy / "suites/x").exists()


def test_a_held_out_run_freezes_no_attacker(suite, copy: Path) -> None:
    done = suite(copy, "freeze", "suites/x", "--attacker", held_out_run(copy))
    assert "is frozen by a development run" in done.err
