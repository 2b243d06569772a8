"""An attacker that learns is frozen by a development run, and no other one gives a held-out figure."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from watching import Quiet

from confute import contract
from confute.agents import surrogate
from confute.errors import ContractError, ReportError
from confute.harness import ledger, run
from confute.harness.frozen_attacker import AttackerFile
from confute.harness.report import Report
from confute.records import Attempt

CONTRACT = """
victim: {detector: word_overlap, threshold: {calibrate: {error: false_acceptance, target_rate: 0.1}}}
objective: {oracle: facts, attack_goal: false_acceptance}
attacker: {strategy: bandit, budgets: {victim_queries: 6}%s}
evaluation: {max_cases: 16, seed: 3, suite: %s}
"""


class KilledError(Exception):
    """The process was killed."""


def written(suite: str, frozen: str = "") -> contract.AttackContract:
    return contract.parse(CONTRACT % (frozen, suite))


def attacked(folder: Path, asked: contract.AttackContract) -> Report:
    folder.mkdir(parents=True)
    order = run.Order(contract=asked, data=None)
    run.write_text(folder / "order.json", order.model_dump_json())
    return run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())


def frozen(file: Path, fingerprint: str) -> str:
    return f", frozen: {{file: '{file}', fingerprint: '{fingerprint}'}}"


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("development") / "run"
    attacked(folder, written("development"))
    return folder


@pytest.fixture(scope="module")
def held_out(development: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("held_out") / "run"
    attacked(folder, written("held_out", frozen(development / "attacker.json", left(development).fingerprint)))
    return folder


def left(folder: Path) -> AttackerFile:
    return AttackerFile.model_validate_json((folder / "attacker.json").read_text(encoding="utf-8"))


def test_a_development_run_leaves_what_it_learned_and_says_that_it_learned(development: Path) -> None:
    found = left(development)
    assert found.strategy == "bandit"
    assert sum(lesson.pulls for lesson in found.lessons) > 16
    report = run.report_of(development)
    assert "attacker_adapts" in {warning.code for warning in report.warnings}
    assert report.held_out is None


def test_the_archive_of_a_run_holds_the_smallest_counterexamples(development: Path) -> None:
    cells = json.loads((development / "archive.json").read_text(encoding="utf-8"))["cells"]
    found = {one.attack_id for one in run.report_of(development).counterexamples}
    assert cells
    assert {cell["attack_id"] for cell in cells} <= found


def test_an_attacker_that_adapts_gives_no_held_out_figure() -> None:
    with pytest.raises(ContractError, match=r"learns across cases.*attacker\.frozen"):
        written("held_out")


def test_the_frozen_attacker_gives_held_out_figures_and_learns_no_more(development: Path, held_out: Path) -> None:
    report = run.report_of(held_out)
    assert report.held_out == report.directions
    assert {"attacker_adapts", "attacker_not_frozen"}.isdisjoint(warning.code for warning in report.warnings)
    assert left(held_out) == left(development)


def test_a_killed_run_goes_on_to_the_same_lessons(
    development: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, batches = ledger.Ledger.append, iter(range(9))

    def append(self: ledger.Ledger, attempts: Sequence[Attempt]) -> None:
        if next(batches, None) is None:
            raise KilledError
        whole(self, attempts)

    monkeypatch.setattr(ledger.Ledger, "append", append)
    with pytest.raises(KilledError):
        attacked(tmp_path / "run", written("development"))
    monkeypatch.undo()
    folder = tmp_path / "run"
    run.carry_out(folder, run.prepare(run.read_order(folder), None, Quiet(), folder), Quiet())
    assert run.ledger_digest(folder) == run.ledger_digest(development)
    assert left(folder) == left(development)


def test_changed_lessons_are_refused_before_the_victim_is_asked(development: Path, tmp_path: Path) -> None:
    found = left(development)
    more = found.lessons[0].model_copy(update={"pulls": found.lessons[0].pulls + 1})
    changed = tmp_path / "attacker.json"
    changed.write_text(found.model_copy(update={"lessons": (more, *found.lessons[1:])}).model_dump_json())
    asked = written("held_out", frozen(changed, found.fingerprint))
    with pytest.raises(ContractError, match="not the one that was frozen"):
        run.prepare(run.Order(contract=asked, data=None), None, Quiet())


def test_a_changed_strategy_is_refused(development: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = written("held_out", frozen(development / "attacker.json", left(development).fingerprint))
    sources = inspect.getsource
    monkeypatch.setattr("inspect.getsource", lambda one: "changed" if one is surrogate else sources(one))
    with pytest.raises(ContractError, match="have changed"):
        run.prepare(run.Order(contract=asked, data=None), None, Quiet())


def test_a_report_of_another_attacker_than_the_frozen_one_is_refused(held_out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(held_out, folder)
    manifest = folder / "manifest.json"
    made = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(made | {"frozen_attacker": "0" * 64}), encoding="utf-8")
    with pytest.raises(ReportError, match="not the one that was frozen"):
        run.report_of(folder)


@pytest.mark.parametrize("content", [None, "{}", "not JSON", "\x00"])
def test_a_file_that_is_no_attacker_is_named(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "attacker.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    asked = written("held_out", frozen(file, "0" * 64))
    with pytest.raises(ContractError, match=r"attacker\.frozen\.file"):
        run.prepare(run.Order(contract=asked, data=None), None, Quiet())


def test_the_source_of_a_function_that_attacks_is_frozen_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    asked = contract.parse("""
victim: {detector: word_overlap, threshold: {calibrate: {target_rate: 0.1}}}
objective: {oracle: facts}
attacker: {strategy: llm, model: {provider: python, model: "frozen_attacker_module:answer"}}
evaluation: {max_cases: 4}
""")

    def strategy() -> str:
        return run.prepare(run.Order(contract=asked, data=None), None, Quiet()).strategy_fingerprint

    source = tmp_path / "frozen_attacker_module.py"
    source.write_text("def answer(messages, seed): return 'a'\n")
    before = strategy()
    assert strategy() == before
    source.write_text("def answer(messages, seed): return 'b'\n")
    assert strategy() != before
