"""Judges in a run: each call is paid for, and a resumed run judges nothing twice."""

import json

import pytest
from watching import Quiet

from confute import contract
from confute.harness import arena, referees, run
from confute.harness.ledger import Ledger
from confute.models.scripted import ScriptedModel
from confute.records import Arm, Validity

CLAIMS = [
    ("The museum opened its doors to visitors in 1998", "The museum opened its doors to visitors in 1998."),
    ("The bridge carries trains across the river", "The bridge carries trains across the river."),
    ("The school closed its library last spring", "The school closed its library last spring."),
    ("The farmers sold their wheat at the market", "The farmers sold their wheat at the market."),
]
CONTRACT = """
victim: {{detector: word_overlap, threshold: {{value: 0.3}}}}
objective: {{oracle: guarded_text, attack_goal: false_acceptance, judge: {{model: judge}}}}
attacker:
  strategy: llm
  capabilities: [binding]
  model: {{model: attacker}}
  tree: {{width: 1, branching: 1, depth: 2, writes: text}}
  budgets: {{victim_queries: 4, judge_calls: {judge_calls}}}
"""


@pytest.fixture
def claims(tmp_path):
    rows = [
        {"claim": claim + ".", "evidence": [evidence], "label": "SUPPORTED", "id": f"c{n}", "group": f"g{n}"}
        for n, (claim, evidence) in enumerate(CLAIMS)
    ]
    path = tmp_path / "claims.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rewrites(request, _repeat):
    claim = next(line for line in request.messages[0].content.splitlines() if line.startswith('"'))
    mechanism = '"mechanism": "binding", ' if '"mechanism"' in request.messages[0].content else ""
    return f'{{"improvement": "i", {mechanism}"proposal": {claim.replace("The ", "A small ", 1)}}}'


def finds_it_false(request, _repeat):
    prompt = request.messages[0].content
    quote = next(line for line in prompt.splitlines() if line.startswith("A small"))
    verdict = "no" if "state or necessarily imply all" in prompt else "yes"
    return json.dumps({"reason": "r", "quote": quote, "verdict": verdict})


def attacked(monkeypatch, folder, claims, judge, judge_calls=20):
    monkeypatch.setattr(arena, "load_chat", lambda spec: ScriptedModel(rewrites))
    monkeypatch.setattr(referees, "load_chat", lambda spec: judge)
    folder.mkdir(exist_ok=True)
    order = run.Order(contract=contract.parse(CONTRACT.format(judge_calls=judge_calls)), data=str(claims))
    run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())
    with Ledger(folder / "ledger.sqlite") as ledger:
        return [one for one in ledger.attempts if one.arm is Arm.SEARCH and one.ruling is not None]


def test_a_rewriting_that_no_guard_knows_reaches_the_victim_once_judges_vouch_for_it(monkeypatch, tmp_path, claims):
    judge = ScriptedModel(finds_it_false)
    found = attacked(monkeypatch, tmp_path / "run", claims, judge)
    judged = [one for one in found if one.ruling.method == "support_judges"]
    assert judged
    assert {(one.ruling.validity, one.ruling.reason) for one in judged} == {(Validity.VALID, "judged_unsupported")}
    assert all(one.score is not None for one in judged)


def test_a_resumed_run_judges_nothing_twice(monkeypatch, tmp_path, claims):
    first, second = ScriptedModel(finds_it_false), ScriptedModel([])
    attacked(monkeypatch, tmp_path / "run", claims, first)
    digest = run.ledger_digest(tmp_path / "run")
    attacked(monkeypatch, tmp_path / "run", claims, second)
    assert first.calls
    assert second.calls == []
    assert run.ledger_digest(tmp_path / "run") == digest


def test_no_item_spends_a_judge_call_more_than_its_budget(monkeypatch, tmp_path, claims):
    judge = ScriptedModel(finds_it_false)
    found = attacked(monkeypatch, tmp_path / "run", claims, judge, judge_calls=1)
    # A verdict takes two calls, one for each direction: with one of them it stays open.
    assert len(judge.calls) == len({one.case_id for one in found})
    assert {one.ruling.reason for one in found if one.ruling.method == "support_judges"} == {"judges:budget_spent"}
    assert all(one.score is None for one in found if one.ruling.method == "support_judges")
