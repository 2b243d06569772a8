"""Whole runs of an attacker that is a language model: what it is shown, what it costs, and how a run goes on."""

import json
from collections import Counter

import pytest
from attacking import Counting, asked, attacked, contract_of, expense_of, sensible

from confute import contract
from confute.errors import ContractError, ModelError
from confute.harness import arena, run
from confute.harness.ledger import Ledger
from confute.harness.replies import open_replies
from confute.models.chat import ChatReply, ReplyCode, Usage
from confute.models.scripted import ScriptedModel
from confute.records import Arm


def steps(folder, arm=Arm.SEARCH):
    with Ledger(folder / "ledger.sqlite") as ledger:
        return [attempt for attempt in ledger.attempts if attempt.arm is arm]


def test_a_run_asks_the_model_and_writes_every_proposal_down(monkeypatch, tmp_path):
    model = ScriptedModel(sensible)
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of())
    assert report.finished
    assert steps(tmp_path / "run")
    assert expense_of(tmp_path / "run").calls == len(model.calls) > 0


@pytest.mark.parametrize(
    ("level", "scores", "describes", "attributes"),
    [
        ("decision", False, False, False),
        ("score", True, False, False),
        ("algorithm", True, True, False),
        ("white_box", True, True, True),
    ],
)
def test_the_prompt_that_is_sent_holds_what_the_level_may_see_and_no_more(
    monkeypatch, tmp_path, level, scores, describes, attributes
):
    model = ScriptedModel(sensible)
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of(level))
    sent = asked(tmp_path / "run", Arm.SEARCH)
    told = [prompt for prompt in sent if "WHAT YOU TRIED" in prompt]
    assert any("the detector says" in prompt for prompt in told)
    assert any(", risk 0." in prompt for prompt in told) is scores
    assert all(("WHAT IS KNOWN OF THE DETECTOR" in prompt) is describes for prompt in sent)
    assert any("expected risk" in prompt for prompt in sent) is describes
    assert all(("How much the risk rises" in prompt) is attributes for prompt in sent)
    assert not any(f"{report.victim.threshold:.4f}"[:6] in prompt for prompt in sent)
    if not scores:
        values = {f"{one.score.value:.4f}" for one in steps(tmp_path / "run") if one.score and one.score.value}
        assert not any(value in prompt for prompt in sent for value in values)


@pytest.mark.parametrize("level", ["decision", "score", "algorithm", "white_box"])
def test_the_control_is_the_same_model_and_hears_nothing_of_the_victim(monkeypatch, tmp_path, level):
    model = ScriptedModel(sensible)
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of(level, cases=12))
    search, control = (asked(tmp_path / "run", arm) for arm in (Arm.SEARCH, Arm.NO_FEEDBACK))
    assert len(search) + len(control) == len(model.calls)
    assert any("WHAT YOU TRIED" in prompt and "VALID" in prompt for prompt in control)
    hints = ("the detector says", "risk", "WHAT IS KNOWN", "EARLIER CLAIMS")
    told = [[hint in prompt.replace("a risk", "").replace("the risk", "") for hint in hints] for prompt in control]
    assert not any(map(any, told))
    assert any("the detector says" in prompt for prompt in search)
    assert steps(tmp_path / "run", Arm.NO_FEEDBACK)
    assert report.endings.no_feedback.keys() <= {"succeeded", "budget_exhausted", "attacker_stopped"}


def test_a_control_by_random_draws_asks_the_model_nothing(monkeypatch, tmp_path):
    model = ScriptedModel(sensible)
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of(tree="control: random"))
    assert asked(tmp_path / "run", Arm.NO_FEEDBACK) == []
    assert steps(tmp_path / "run", Arm.NO_FEEDBACK)
    assert [one.attacker is None for one in report.expense] == [False, True, True]


def test_a_run_that_was_stopped_goes_on_without_asking_again(monkeypatch, tmp_path):
    whole = ScriptedModel(sensible)
    attacked(monkeypatch, tmp_path / "whole", whole, contract_of())

    def fails_at(request, repeat):
        if len(first.calls) > 9:
            return ChatReply(code=ReplyCode.UNREACHABLE, model="m", detail="gone")
        return sensible(request, repeat)

    first, second = ScriptedModel(fails_at), ScriptedModel(sensible)
    with pytest.raises(ModelError, match="go on with --resume"):
        attacked(monkeypatch, tmp_path / "run", first, contract_of())
    attacked(monkeypatch, tmp_path / "run", second, contract_of())
    answered = expense_of(tmp_path / "run").calls
    assert answered == len(whole.calls)
    assert len(second.calls) == answered - 9
    assert run.ledger_digest(tmp_path / "run") == run.ledger_digest(tmp_path / "whole")
    third = ScriptedModel([])
    attacked(monkeypatch, tmp_path / "run", third, contract_of())
    assert third.calls == []


@pytest.mark.parametrize("calls", [1, 3, 5])
def test_no_search_makes_a_call_more_than_its_budget(monkeypatch, tmp_path, calls):
    model = ScriptedModel(sensible)
    attacked(monkeypatch, tmp_path / "run", model, contract_of(budgets=f"attacker_calls: {calls}"))
    with open_replies(tmp_path / "run" / "replies.sqlite") as ledger:
        made = Counter((one.case_id, one.goal, one.arm) for one in ledger.rows)
    assert {arm for _, _, arm in made} == {Arm.SEARCH, Arm.NO_FEEDBACK}
    assert 0 < max(made.values()) <= calls
    assert made.total() == len(model.calls)


def test_a_run_stops_at_its_total_of_calls(monkeypatch, tmp_path):
    model = ScriptedModel(sensible)
    attacked(monkeypatch, tmp_path / "run", model, contract_of(more="total: {attacker_calls: 5}"))
    assert len(model.calls) == 5
    # The search has the odd one: 5 calls are 3 and 2.
    assert [len(asked(tmp_path / "run", arm)) for arm in (Arm.SEARCH, Arm.NO_FEEDBACK)] == [3, 2]


def test_money_is_never_spent_beyond_the_limit(monkeypatch, tmp_path):
    def priced(request, repeat):
        text = sensible(request, repeat)
        prompt = len(request.messages[0].content)
        usage = Usage(prompt_tokens=prompt, completion_tokens=100)
        return ChatReply(code=ReplyCode.OK, model="m", text=text, usage=usage)

    model = ScriptedModel(priced)
    attacked(monkeypatch, tmp_path / "run", model, contract_of(more="total: {money_usd: 0.02}"))
    spent = expense_of(tmp_path / "run")
    # A call is a prompt of some 2,000 characters, each counted as a token at a dollar a million: about 0.002 dollars.
    assert 3 < spent.calls < 15
    assert 0 < spent.dollars <= 0.02


def test_a_model_that_never_proposes_leaves_one_step_that_says_so(monkeypatch, tmp_path):
    model = ScriptedModel(lambda request, repeat: "I would rather not.")
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of())
    found = steps(tmp_path / "run")
    assert {one.score.error_code for one in found} == {"no_proposal"}
    assert report.endings.search == {"no_proposal": len(found)}
    assert report.endings.no_feedback == report.endings.search
    # 2 retries each of 2 questions, in 2 rounds that bring nothing, in both arms.
    assert len(model.calls) == len(found) * 3 * 2 * 2 * 2


def test_two_runs_of_one_script_give_one_ledger(monkeypatch, tmp_path):
    for name in "ab":
        attacked(monkeypatch, tmp_path / name, ScriptedModel(sensible), contract_of())
    assert run.ledger_digest(tmp_path / "a") == run.ledger_digest(tmp_path / "b")


def test_a_missing_key_stops_the_run_before_anything_is_spent(monkeypatch, tmp_path):
    model = ScriptedModel(lambda request, repeat: ChatReply(code=ReplyCode.KEY_MISSING, model="m", detail="no key"))
    with pytest.raises(ModelError, match="set the variable"):
        attacked(monkeypatch, tmp_path / "run", model, contract_of())
    assert expense_of(tmp_path / "run").calls == 0


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"strategy": "greedy"}, "no other strategy takes one"),
        ({"model": None}, "needs a model"),
        ({"budgets": {"money_usd": 1.0}, "model": {"model": "m"}}, "prompt_price"),
    ],
)
def test_a_contract_that_could_not_be_carried_out_is_refused(changes, place):
    fields = contract_of().model_dump(mode="json")
    fields["attacker"] |= changes
    with pytest.raises(ContractError, match=place):
        contract.parse(json.dumps(fields))


def test_a_contract_without_a_model_keeps_its_digest():
    from confute.harness.quickstart import quickstart

    assert set(quickstart().model_dump(mode="json")["attacker"]).isdisjoint({"model", "tree", "total"})


def test_an_attacker_of_another_model_has_another_fingerprint(monkeypatch):
    from watching import Quiet

    found = set()
    for name in ("a", "b"):
        monkeypatch.setattr(arena, "load_chat", lambda spec, name=name: ScriptedModel([], name=name))
        order = run.Order(contract=contract_of(), data=None)
        found.add(run.prepare(order, None, Quiet()).attacker_fingerprint)
    assert len(found) == 2


def test_retries_of_malformed_replies_are_paid_from_the_search_s_budget(monkeypatch, tmp_path):
    model = ScriptedModel(lambda request, repeat: "no JSON")
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of(budgets="attacker_calls: 3"))
    searches = report.endings.search["no_proposal"]
    # The first round asks 2 questions, of whose retries the budget has 1 left: 3 calls in each of the 2 arms.
    assert len(model.calls) == searches * 3 * 2


def test_a_case_that_is_broken_is_asked_about_no_more(monkeypatch, tmp_path):
    fields = contract_of(tree="writes: moves").model_dump(mode="json")
    fields["victim"]["threshold"] = {"value": 2.0}
    fields["objective"]["attack_goal"] = "false_acceptance"
    accepts_all = contract.parse(json.dumps(fields))
    attacked(monkeypatch, tmp_path / "run", ScriptedModel(sensible), accepts_all)
    with open_replies(tmp_path / "run" / "replies.sqlite") as ledger:
        made = Counter((one.case_id, one.arm) for one in ledger.rows)
    # Branching 2 in the first of 3 rounds, which already wins.
    assert set(made.values()) == {2}


def test_the_questions_of_all_cases_run_at_once(monkeypatch, tmp_path):
    model = Counting(sensible)
    report = attacked(monkeypatch, tmp_path / "run", model, contract_of())
    # 4 cases, the supported ones towards both goals, each with 2 questions a node.
    searches = report.expense[0].items
    assert searches > 4
    assert model.most_at_once >= 2 * searches
