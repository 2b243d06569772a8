"""What an attack may cost is an upper bound on what it does cost."""

import pytest
from attacking import attacked, contract_of, expense_of, sensible

from confute.harness import arena
from confute.harness.estimate import estimate
from confute.models.chat import ChatReply, ReplyCode, Usage
from confute.models.scripted import ScriptedModel


def measured(request, repeat):
    prompt = len(request.messages[0].content.encode())
    usage = Usage(prompt_tokens=prompt, completion_tokens=100)
    return ChatReply(code=ReplyCode.OK, model="m", text=sensible(request, repeat), usage=usage)


@pytest.mark.parametrize("budgets", ["", "attacker_calls: 3", "attacker_tokens: 6000"])
def test_a_run_stays_within_its_estimate(monkeypatch, tmp_path, budgets):
    asked = contract_of(budgets=budgets)
    found = estimate(asked, None)
    attacked(monkeypatch, tmp_path / "run", ScriptedModel(measured), asked)
    spent = expense_of(tmp_path / "run")
    assert 0 < spent.calls <= found.attacker_calls
    assert spent.charged_tokens <= found.tokens_at_most
    assert spent.dollars <= found.dollars_at_most


def test_nothing_is_asked_for_an_estimate(monkeypatch):
    monkeypatch.setattr(arena, "load_chat", lambda spec: pytest.fail("a model was loaded"))
    assert estimate(contract_of(), None).attacker_calls > 0


def test_limits_of_search_and_run_bound_the_estimate():
    # 2 questions for the root, then 2 for each of 2 nodes in 2 more rounds: 10, each at most 3 times, in both arms.
    free = estimate(contract_of(), None)
    assert free.attacker_calls == free.searches * 30 * 2
    capped = estimate(contract_of(budgets="attacker_calls: 4"), None)
    assert capped.attacker_calls == free.searches * 4 * 2
    total = estimate(contract_of(more="total: {attacker_calls: 7, attacker_tokens: 500, money_usd: 0.01}"), None)
    assert (total.attacker_calls, total.tokens_at_most) == (7, 500)
    assert total.dollars_at_most <= 0.01


def test_a_limit_of_calls_alone_bounds_tokens_and_money():
    # A run of 7 calls takes at most 7 times what its dearest call takes, and no more than it would without the limit.
    free, few, fewer = (estimate(contract_of(more=limit), None) for limit in ("", *_LIMITS))
    assert (few.attacker_calls, fewer.attacker_calls) == (70, 7)
    assert fewer.tokens_at_most < few.tokens_at_most < free.tokens_at_most
    assert fewer.tokens_at_most >= free.tokens_at_most * 7 / free.attacker_calls
    assert fewer.tokens_expected == pytest.approx(few.tokens_expected / 10, abs=1)
    assert fewer.dollars_at_most < few.dollars_at_most < free.dollars_at_most


_LIMITS = ("total: {attacker_calls: 70}", "total: {attacker_calls: 7}")


def test_the_control_is_counted_unless_it_draws_at_random():
    model, random = (estimate(contract_of(tree=f"control: {name}"), None) for name in ("model", "random"))
    assert (model.control_calls, random.control_calls) == (random.attacker_calls, 0)
    assert model.attacker_calls == 2 * random.attacker_calls
    assert model.tokens_at_most == 2 * random.tokens_at_most
    assert any("as the control" in line for line in model.words())


def test_what_is_told_of_earlier_cases_is_counted():
    with_memory, without = (estimate(contract_of(tree=f"lessons: {count}"), None) for count in (6, 0))
    assert with_memory.tokens_at_most > without.tokens_at_most


def test_without_a_model_nothing_is_paid_for():
    from confute.harness.quickstart import quickstart

    found = estimate(quickstart(), None)
    assert (found.attacker_calls, found.tokens_at_most, found.judge_calls) == (0, 0, 0)
    assert found.victim_queries == 64 * found.searches > 0


def test_an_unknown_price_is_told_as_such():
    asked = contract_of()
    model = asked.attacker.model.model_copy(update={"prompt_price": None})
    unknown = asked.model_copy(update={"attacker": asked.attacker.model_copy(update={"model": model})})
    assert estimate(unknown, None).dollars_at_most is None
    assert any("price not known" in line for line in estimate(unknown, None).words())
