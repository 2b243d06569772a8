"""`confute regress`: what it prints, writes and ends with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from known_failures import known_failure, paraphrase

from confute import contract
from confute.cli import main
from confute.counterexample import Counterexample, Status
from confute.harness import run

DETECTORS = """
calls = 0
def good(pairs):  # a claim of the evidence's numbers is safe
    return [0.1 if all(c in ' '.join(p.evidence) for c in p.claim if c.isdigit()) else 0.9 for p in pairs]
def scaled(pairs):
    return [1000 * risk ** 3 for risk in good(pairs)]
def safe(pairs):
    return [1 - risk for risk in good(pairs)]
def bad(pairs):
    return [0.1 for _ in pairs]
def strict(pairs):  # tells the claims apart, and rejects the true ones, too
    return [0.6 + risk / 10 for risk in good(pairs)]
def rejects(pairs):
    return [0.9 for _ in pairs]
def raises(pairs):
    raise RuntimeError('out of order')
def flaky(pairs):
    global calls
    calls += any('length of the two' in p.claim for p in pairs)
    return [0.9 if calls == 2 and 'length' in p.claim else risk for p, risk in zip(pairs, good(pairs))]
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "theirs.py").write_text(DETECTORS)
    file = tmp_path / "corpus.jsonl"
    write(file, known_failure("one"), paraphrase("two"))
    return file


def write(file: Path, *rows: Counterexample) -> None:
    file.write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def regress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def carried_out(corpus: Path, *arguments: object) -> Done:
        monkeypatch.chdir(corpus.parent)
        monkeypatch.setattr(sys, "argv", ["confute", "regress", corpus.name, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return Done(int(ended.value.code or 0), told.out, told.err)

    return carried_out


def statuses(file: Path) -> list[str]:
    return [json.loads(line)["status"] for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--detector", "theirs:good"), 0, "2 of 2 as expected"),
        (("--detector", "theirs:scaled", "--threshold", 125), 0, "2 of 2 as expected"),
        (("--detector", "theirs:safe", "--higher-is-safer"), 0, "2 of 2 as expected"),
        (("--detector", "theirs:bad"), 1, "1 still fails"),
        (("--detector", "theirs:rejects"), 1, "2 still fails"),
        (("--detector", "theirs:raises", "--replays", 2), 1, "2 not measured"),
        (("--detector", "theirs:flaky"), 1, "1 flaky"),
    ],
)
def test_a_detector_is_held_to_relations_and_its_own_threshold(regress, corpus: Path, arguments, code, said) -> None:
    before = corpus.read_bytes()
    done = regress(corpus, *arguments)
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout + done.stderr
    assert corpus.read_bytes() == before


def test_an_update_names_the_version_that_did_it_and_a_later_failure_ends_with_1(regress, corpus: Path) -> None:
    assert regress(corpus, "--detector", "theirs:good", "--update").returncode == 0
    assert statuses(corpus) == ["MITIGATED", "MITIGATED"]
    by = json.loads(corpus.read_text(encoding="utf-8").splitlines()[0])["mitigated_by"]
    assert by["detector"] == "theirs:good"
    assert len(by["fingerprint"]) == 64
    again = regress(corpus, "--detector", "theirs:bad", "--update")
    assert again.returncode == 1
    assert "1 fails again" in again.stdout
    assert statuses(corpus) == ["ACTIVE_REGRESSION", "MITIGATED"]


@pytest.mark.parametrize(
    ("detector", "said"),
    [
        ("bad", "all un-edited claims have one and the same risk"),  # it accepts everything, and so the paraphrase
        ("strict", "the original claim is decided wrongly, too, for 2"),
    ],
)
def test_a_detector_that_tells_nothing_mitigates_nothing(regress, corpus: Path, detector: str, said: str) -> None:
    done = regress(corpus, "--detector", f"theirs:{detector}", "--update")
    assert statuses(corpus) == ["ACTIVE_REGRESSION", "ACTIVE_REGRESSION"]
    assert said in done.stdout
    assert "1 holds now, unproven" in done.stdout
    assert "holds, and stays as it is, for 1" in done.stdout
    assert "due by --update" not in done.stdout
    assert "0 statuses moved" in done.stderr


def test_an_acknowledged_failure_is_no_reason_to_fail(regress, corpus: Path) -> None:
    told = regress(corpus, "--acknowledge", "one", "--reason", "numbers are not read")
    assert (told.returncode, told.stdout) == (0, "corpus.jsonl: one is an acknowledged limitation\n")
    assert statuses(corpus) == ["ACKNOWLEDGED_LIMITATION", "ACTIVE_REGRESSION"]
    done = regress(corpus, "--detector", "theirs:bad", "--format", "json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert [row["state"] for row in found["rows"]] == ["FAILS", "HOLDS"]
    # pass^5 of a case that always fails is 0, of one that always passes 1.
    assert found["pass_hat"] == [{"k": 1, "value": 0.5, "cases": 2}, {"k": 5, "value": 0.5, "cases": 2}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "which victim is asked?"),
        (("--detector", "theirs:none"), "no attribute 'none'"),
        (("--detector", "theirs:good", "--contract", "x.yaml"), "instead of a contract"),
        (("--contract", "none.yaml"), "none.yaml: cannot be read"),
        (("--contract", "none.yaml", "--threshold", 0.3), "belong to --detector"),
        (("--detector", "theirs:good", "--replays", 0), "--replays"),
        (("--detector", "theirs:good", "--threshold", "nan"), "--threshold"),
        (("--acknowledge", "one"), "give both or neither"),
        (("--acknowledge", "nine", "--reason", "r"), "is not in the corpus"),
        (("--acknowledge", "one", "--reason", " "), "with a reason"),
        (("--acknowledge", "done", "--reason", "r"), "cannot be acknowledged"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(regress, corpus: Path, arguments, said: str) -> None:
    write(corpus, known_failure("one"), known_failure("done", status=Status.MITIGATED))
    before = corpus.read_bytes()
    done = regress(corpus, *arguments)
    assert done.returncode == 2, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert corpus.read_bytes() == before


def test_hostile_text_in_a_corpus_is_printed_made_visible(regress, corpus: Path) -> None:
    write(corpus, known_failure("\x1b[31m<b>\u202e\x00", adversarial_claim="x" * 100_000 + "\x00 9"))
    done = regress(corpus, "--detector", "theirs:good")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


class Quiet:
    """Shows no progress."""

    def begin(self, phase: str, total: int) -> None: ...

    def advance(self, units: int) -> None: ...


CONTRACT = """
victim: {{detector: {detector}, threshold: {{calibrate: {{target_rate: 0.2, share: 0.5}}}}}}
objective: {{oracle: facts}}
attacker: {{budgets: {{victim_queries: 8}}}}
evaluation: {{max_cases: 12, seed: {seed}}}
"""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("regress-attack")
    (root / "attack.yaml").write_text(CONTRACT.format(detector="word_overlap", seed=5))
    order = run.Order(contract=contract.load(root / "attack.yaml"), data=None)
    folder = run.new_folder(root / "runs", order)
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    return folder


def test_what_a_run_found_still_fails_on_the_victim_of_the_run(regress, attacked: Path) -> None:
    done = regress(attacked, "--format", "json", "--replays", 2)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert {row["state"] for row in found["rows"]} == {"FAILS"}
    manifest = json.loads((attacked / "manifest.json").read_text())
    assert found["victim"]["fingerprint"] == manifest["victim"]["digest"]


def test_a_threshold_is_never_set_on_the_cases_of_the_counterexamples(regress, attacked: Path) -> None:
    file = attacked / "leaky.jsonl"
    lines = (attacked / "counterexamples.jsonl").read_text(encoding="utf-8").splitlines()
    row = Counterexample.model_validate_json(lines[0])
    others = [row.model_copy(update={"attack_id": f"{n}", "case_id": row.case_id[:-1] + str(n)}) for n in range(4)]
    groups = [f"development-5-geography-{n}-0" for n in range(8)]
    more = [row.model_copy(update={"attack_id": name, "case_id": name}) for name in groups]
    write(file, *others, *more)
    done = regress(file, "--contract", "../../attack.yaml")
    assert done.returncode == 2
    assert "leaky_threshold" in done.stderr
