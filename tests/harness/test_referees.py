"""Judges in a run: each call is paid for, and a resumed run judges nothing twice."""

import json

import pytest
from watching import Quiet

from confute import contract
from confute.errors import LedgerError
from confute.harness import arena, referees, run
from confute.harness.ledger import Ledger
from confute.models.scripted import ScriptedModel
from confute.records import Arm, Decision, Outcome, Validity
from confute.victims.overlap import WordOverlap

CLAIMS = [
    ("The museum opened its doors to visitors in 1998", "The museum opened its doors to visitors in 1998."),
    ("The bridge carries trains across the river", "The bridge carries trains across the river."),
    ("The school closed its library last spring", "The school closed its library last spring."),
    ("The farmers sold their wheat at the market", "The farmers sold their wheat at the market."),
]
CONTRACT = """
victim: {{detector: word_overlap, threshold: {{value: {threshold}}}}}
objective: {{oracle: guarded_text, attack_goal: false_acceptance, judge: {{model: judge}}}}
attacker:
  strategy: llm
  capabilities: [binding]
  model: {{model: attacker}}
  tree: {{width: 1, branching: 1, depth: 2, writes: text, control: {control}}}
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
    verdict = "no" if asks_for_support(request) else "yes"
    return json.dumps({"reason": "r", "quote": shown(request, "CLAIM"), "verdict": verdict})


def finds_it_supported(request, _repeat):
    verdict = "yes" if asks_for_support(request) else "no"
    return json.dumps({"reason": "r", "quote": shown(request, "EVIDENCE"), "verdict": verdict})


def asks_for_support(request):
    return "state or necessarily imply all" in request.messages[0].content


def shown(request, what):
    lines = request.messages[0].content.splitlines()
    return lines[next(place for place, line in enumerate(lines) if line.startswith(f"<<<{what}")) + 1]


def attacked(monkeypatch, folder, claims, judge, judge_calls=20, threshold=0.3, control="random", attacker=rewrites):
    monkeypatch.setattr(arena, "load_chat", lambda spec: ScriptedModel(attacker))
    monkeypatch.setattr(referees, "load_chat", lambda spec: judge)
    folder.mkdir(exist_ok=True)
    asked = contract.parse(CONTRACT.format(judge_calls=judge_calls, threshold=threshold, control=control))
    run.carry_out(folder, run.prepare(run.Order(contract=asked, data=str(claims)), None, Quiet()), Quiet())
    return [one for one in ledger_of(folder) if one.arm is Arm.SEARCH and one.ruling is not None]


def ledger_of(folder):
    with Ledger(folder / "ledger.sqlite") as ledger:
        return ledger.attempts


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
    judged = [one for one in found if one.ruling.method == "support_judges"]
    assert {(one.ruling.reason, one.ruling.validity) for one in judged} == {("judges:budget_spent", Validity.UNKNOWN)}
    assert {one.outcome for one in judged} == {Outcome.UNKNOWN}


def test_the_control_has_judges_of_its_own_budget(monkeypatch, tmp_path, claims):
    judge = ScriptedModel(finds_it_false)
    attacked(monkeypatch, tmp_path / "run", claims, judge, judge_calls=1, control="model")
    report = run.report_of(tmp_path / "run")
    spent = {one.arm: one.judges.calls for one in report.expense}
    assert spent == {Arm.SEARCH: len(CLAIMS), Arm.NO_FEEDBACK: len(CLAIMS), Arm.MINIMISE: 0}


def test_judges_are_asked_of_nothing_that_the_victim_decides_rightly(monkeypatch, tmp_path, claims):
    # 2 of 9 words or so are new: a risk over 0.1, so that the victim rejects every rewriting.
    judge = ScriptedModel([])
    found = attacked(monkeypatch, tmp_path / "run", claims, judge, threshold=0.1)
    assert judge.calls == []
    open_ones = [one for one in found if one.ruling.reason == "unrecognised_edit"]
    assert {one.case_id for one in open_ones} == {f"c{n}" for n in range(len(CLAIMS))}
    assert {(one.decision, one.ruling.validity, one.outcome) for one in open_ones} == {
        (Decision.REJECT, Validity.UNKNOWN, Outcome.UNKNOWN)
    }
    report = run.report_of(tmp_path / "run")
    accepted = next(one.attack for one in report.directions if one.goal == "false_acceptance")
    # No success and nothing valid: the items stand as resisted, and no proposal counts as valid.
    assert (accepted.asr_all.numerator, accepted.asr_all.denominator) == (0, len(CLAIMS))
    assert (accepted.validity.valid, accepted.validity.unknown) == (0, accepted.validity.attempted)
    assert "unjudged_proposals" in {one.code for one in report.warnings}


def test_each_rewriting_costs_one_victim_query_before_any_judge(monkeypatch, tmp_path, claims):
    order = []
    score = WordOverlap.score
    monkeypatch.setattr(WordOverlap, "score", lambda self, pairs: order.append("victim") or score(self, pairs))

    def judges(request, repeat):
        order.append("judge")
        return finds_it_false(request, repeat)

    found = attacked(monkeypatch, tmp_path / "run", claims, ScriptedModel(judges))
    assert {one.queries for one in found if one.outcome is Outcome.SUCCEEDED} == {1}
    first = order.index("judge")
    assert order[first - 1] == "victim"
    # Canary, baselines, controls and the batch of rewritings have been measured by then.
    assert order[:first].count("judge") == 0


def test_what_judges_find_supported_is_no_success_though_the_victim_was_fooled(monkeypatch, tmp_path, claims):
    found = attacked(monkeypatch, tmp_path / "run", claims, ScriptedModel(finds_it_supported))
    fooled = [one for one in found if one.decision is Decision.ACCEPT]
    assert {(one.ruling.validity, one.ruling.reason, one.outcome) for one in fooled} == {
        (Validity.INVALID, "judged_supported", Outcome.INVALID)
    }
    accepted = run.report_of(tmp_path / "run").directions[0].attack
    assert accepted.asr_all.denominator == 0


def test_a_free_text_that_no_judge_settles_stays_unknown_and_is_no_success(monkeypatch, tmp_path, claims):
    judge = ScriptedModel(lambda request, repeat: "I cannot tell.")
    found = attacked(monkeypatch, tmp_path / "run", claims, judge)
    fooled = [one for one in found if one.decision is Decision.ACCEPT]
    assert fooled
    assert {(one.ruling.validity, one.outcome) for one in fooled} == {(Validity.UNKNOWN, Outcome.UNKNOWN)}
    assert run.report_of(tmp_path / "run").counterexamples == ()


def test_what_was_judged_is_shrunk_by_the_same_judges(monkeypatch, tmp_path, claims):
    def changes_two_places(request, repeat):
        return rewrites(request, repeat).replace("A small ", "Our ").replace('."', ' today."')

    judge = ScriptedModel(finds_it_false)
    attacked(monkeypatch, tmp_path / "run", claims, judge, attacker=changes_two_places)
    shrunk = [one for one in ledger_of(tmp_path / "run") if one.arm is Arm.MINIMISE]
    assert any(one.ruling.method == "support_judges" for one in shrunk)
    found = run.report_of(tmp_path / "run").counterexamples
    assert {(one.oracle_method, one.one_minimal) for one in found} == {("support_judges", True)}


def test_a_verdict_that_the_ledger_of_steps_contradicts_is_refused(monkeypatch, tmp_path, claims):
    attacked(monkeypatch, tmp_path / "run", claims, ScriptedModel(finds_it_false))
    for path in (tmp_path / "run").glob("verdicts.sqlite*"):
        path.unlink()
    with pytest.raises(LedgerError, match="another step in this one's place"):
        attacked(monkeypatch, tmp_path / "run", claims, ScriptedModel(lambda request, repeat: "no verdict"))
