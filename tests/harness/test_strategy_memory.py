"""What worked on earlier cases is told to an attacker's model, and is frozen before a held-out figure is told."""

import json
import re

import pytest
from attacking import asked, attacked, contract_of, sensible

from confute import contract
from confute.agents.load import load
from confute.agents.memory import remembered
from confute.errors import ContractError
from confute.harness import run
from confute.harness.frozen_attacker import AttackerFile
from confute.harness.replies import open_replies
from confute.models.scripted import ScriptedModel
from confute.records import Arm

TOLD = "EARLIER CLAIMS"


def varied(request, repeat):
    """Choose among the offered edits by the seed, so that some of the choices win."""
    prompt = request.messages[0].content
    offered = [line for line in prompt.splitlines() if re.match(r"\d+\. ", line)]
    if not offered:
        return sensible(request, repeat)
    return json.dumps({"improvement": "i", "proposal": [1 + request.seed % len(offered)]})


def lenient(level="score", tree=""):
    """Return a contract whose victim accepts three in ten of the false claims that it was calibrated on."""
    fields = contract_of(level, tree=tree, cases=12).model_dump(mode="json")
    fields["victim"]["threshold"] = {"calibrate": {"error": "false_acceptance", "target_rate": 0.3}}
    fields["objective"]["attack_goal"] = "false_acceptance"
    return contract.parse(json.dumps(fields))


def changed(made, **attacker):
    suite = attacker.pop("suite", "development")
    fields = made.model_dump(mode="json")
    fields["attacker"] |= attacker
    fields["evaluation"] |= {"suite": suite}
    return contract.parse(json.dumps(fields))


@pytest.fixture(scope="module")
def development(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory") / "development"
    with pytest.MonkeyPatch.context() as patch:
        attacked(patch, folder, ScriptedModel(varied), lenient())
    return folder


def left(folder):
    return AttackerFile.model_validate_json((folder / "attacker.json").read_text(encoding="utf-8"))


def by_item(folder, arm=Arm.SEARCH):
    """Return the prompts of each item, in the order in which the items were attacked."""
    with open_replies(folder / "replies.sqlite") as ledger:
        rows = [one for one in ledger.rows if one.arm is arm]
    found = {}
    for one in rows:
        found.setdefault((one.case_id, one.goal), []).append(one.request.messages[0].content)
    return [found[(one.case.case_id, one.goal)] for one in run.outcomes_of(folder)]


def test_the_first_block_is_told_nothing_and_the_next_what_worked_before(development):
    prompts = by_item(development)
    assert len(prompts) > 8
    assert not any(TOLD in prompt for item in prompts[:8] for prompt in item)
    later = [prompt for item in prompts[8:16] for prompt in item]
    assert later
    assert all(TOLD in prompt for prompt in later)
    assert any("- Worked in " in prompt for prompt in later)


def test_a_development_run_says_that_it_learned(development):
    report = run.report_of(development)
    assert "attacker_adapts" in {one.code for one in report.warnings}
    assert left(development).lessons


def test_a_level_without_scores_is_told_none_from_memory(monkeypatch, tmp_path):
    attacked(monkeypatch, tmp_path / "run", ScriptedModel(varied), lenient("decision"))
    lines = [line for prompt in asked(tmp_path / "run", Arm.SEARCH) for line in prompt.splitlines()]
    told = {line for line in lines if line.startswith(("- Worked in", "- Never worked"))}
    assert told
    assert not any(re.search(r"risk|\d\.\d", line.split("Smallest")[0]) for line in told)


def test_a_held_out_run_is_told_the_frozen_lessons_from_its_first_question_on(monkeypatch, tmp_path, development):
    frozen = {"file": str(development / "attacker.json"), "fingerprint": left(development).fingerprint}
    held_out = changed(lenient(), frozen=frozen, suite="held_out")
    report = attacked(monkeypatch, tmp_path / "run", ScriptedModel(varied), held_out)
    expected = [f"- {line}" for line in remembered(left(development).lessons).splitlines()]
    assert expected
    for prompt in asked(tmp_path / "run", Arm.SEARCH):
        assert [line for line in prompt.splitlines() if line.startswith(("- Worked in", "- Never worked"))] == expected
    assert not any(TOLD in prompt for prompt in asked(tmp_path / "run", Arm.NO_FEEDBACK))
    assert report.held_out == report.directions
    assert left(tmp_path / "run") == left(development)


def test_a_frozen_memory_goes_with_its_model_and_its_templates(tmp_path, development):
    frozen = {"file": str(development / "attacker.json"), "fingerprint": left(development).fingerprint}
    model = {"model": "another", "prompt_price": 1.0, "completion_price": 2.0, "max_tokens": 100}
    asked_of_another = changed(lenient(), frozen=frozen, suite="held_out", model=model)
    from watching import Quiet

    with pytest.raises(ContractError, match="not the one that was frozen"):
        run.prepare(run.Order(contract=asked_of_another, data=None), None, Quiet())


def test_how_much_is_remembered_is_part_of_the_fingerprint():
    found = {load(contract_of(tree=f"lessons: {count}").attacker).fingerprint for count in (0, 6, 7)}
    assert len(found) == 3


def test_an_attacker_without_memory_learns_nothing_and_needs_no_freezing(monkeypatch, tmp_path):
    uniform = changed(lenient(tree="lessons: 0"), suite="held_out")
    report = attacked(monkeypatch, tmp_path / "run", ScriptedModel(varied), uniform)
    assert not any(TOLD in prompt for prompt in asked(tmp_path / "run", Arm.SEARCH))
    assert left(tmp_path / "run").lessons == ()
    assert "attacker_adapts" not in {one.code for one in report.warnings}


def test_a_memory_that_is_not_frozen_gives_no_held_out_figure():
    with pytest.raises(ContractError, match=r"learns across cases.*tree\.lessons"):
        changed(contract_of(), suite="held_out")
