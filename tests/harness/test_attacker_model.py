"""The one place where an attacker's model is asked: budgets are never passed, also where calls run at once."""

from fractions import Fraction

import pytest
from attacking import Counting
from hypothesis import given
from hypothesis import strategies as st

from confute.agents.agent import Question
from confute.contract import Budgets, RunBudgets
from confute.errors import LedgerError
from confute.harness.attacker_model import Asked, AttackerModel, half_meters, run_meter
from confute.harness.meter import Meter
from confute.harness.prices import Use, most, used
from confute.harness.replies import ReplyKey, open_replies
from confute.models.chat import ChatReply, ChatRequest, Message, ModelSpec, ReplyCode, Usage
from confute.models.scripted import ScriptedModel
from confute.records import Arm, AttackGoal

SPEC = ModelSpec(model="m", prompt_price=1.0, completion_price=3.0, max_tokens=50)


def question(text="hello", **changes):
    return Question(request=ChatRequest(messages=(Message(role="user", content=text),), **changes))


def asked(number, meter, text="hello"):
    return Asked(ReplyKey("c", AttackGoal.FALSE_ACCEPTANCE, Arm.SEARCH, number), question(text), meter)


def answers(tokens=(10, 5)):
    usage = Usage(prompt_tokens=tokens[0], completion_tokens=tokens[1])
    return lambda request, repeat: ChatReply(code=ReplyCode.OK, model="m", text="x", usage=usage)


@pytest.fixture
def ledger(tmp_path):
    with open_replies(tmp_path / "replies") as opened:
        yield opened


def test_an_upper_bound_counts_each_byte_and_the_longest_reply():
    # 5 letters of 1 byte and one of 2, 16 for the message, 64 for the request, 50 for the reply.
    bound = most(question("hellö").request, SPEC)
    assert bound.tokens == 6 + 16 + 64 + 50
    assert bound.dollars == Fraction(86 * 1 + 50 * 3, 1_000_000)


def test_what_was_used_is_what_the_endpoint_tells_else_the_bound():
    bound = Use(100, Fraction(1, 10))
    told = ChatReply(code=ReplyCode.OK, model="m", usage=Usage(prompt_tokens=10, completion_tokens=5))
    assert used(told, SPEC, bound) == Use(15, Fraction(25, 1_000_000))
    priced = told.model_copy(update={"usage": Usage(prompt_tokens=10, completion_tokens=5, cost_usd=0.5)})
    assert used(priced, SPEC, bound) == Use(15, Fraction(1, 2))
    assert used(ChatReply(code=ReplyCode.TIMEOUT, model="m"), SPEC, bound) == bound


@given(
    calls=st.integers(1, 6),
    tokens=st.integers(1, 900),
    count=st.integers(1, 8),
    replied=st.tuples(st.integers(0, 80), st.integers(0, 50)),
)
def test_no_limit_is_passed_by_one_unit(tmp_path_factory, calls, tokens, count, replied):
    meter = Meter(Budgets(attacker_calls=calls, attacker_tokens=tokens))
    model = ScriptedModel(answers(replied))
    with open_replies(tmp_path_factory.mktemp("l") / "replies") as ledger:
        replies = AttackerModel(model, SPEC, ledger, run_meter(None)).answer([asked(n, meter) for n in range(count)])
    made = sum(reply.code is ReplyCode.OK for reply in replies)
    assert made == len(model.calls) == meter.spent("attacker_calls") <= calls
    assert meter.spent("attacker_tokens") == made * sum(replied) <= tokens
    # Whatever was refused did not fit: its bound of 135 tokens, or a call.
    assert made in {count, calls} or meter.spent("attacker_tokens") + 135 > tokens


def test_a_question_that_does_not_fit_beside_the_others_waits_for_them(ledger):
    # Each call is bound by 135 tokens and uses 15: of 150, one runs at a time, and two of them fit.
    meter = Meter(Budgets(attacker_tokens=150))
    model = AttackerModel(ScriptedModel(answers()), SPEC, ledger, run_meter(None))
    replies = model.answer([asked(n, meter) for n in range(4)])
    assert [one.code for one in replies] == [ReplyCode.OK, ReplyCode.OK, ReplyCode.BUDGET_SPENT, ReplyCode.BUDGET_SPENT]
    assert meter.exhausted == "attacker_tokens"


def test_the_runs_total_is_kept_across_searches_and_a_refusal_costs_the_search_nothing(ledger):
    meters = [Meter(Budgets()) for _ in range(3)]
    model = AttackerModel(ScriptedModel(answers()), SPEC, ledger, run_meter(RunBudgets(attacker_calls=2)))
    replies = [model.answer([asked(number, meter)])[0].code for number, meter in enumerate(meters)]
    assert replies == [ReplyCode.OK, ReplyCode.OK, ReplyCode.BUDGET_SPENT]
    assert [meter.spent("attacker_calls") for meter in meters] == [1, 1, 0]
    assert meters[2].money_spent == 0


def test_questions_of_one_round_run_at_once(ledger):
    model = Counting(answers())
    AttackerModel(model, SPEC, ledger, run_meter(None)).answer([asked(n, Meter(Budgets())) for n in range(5)])
    assert model.most_at_once == 5


def test_what_the_ledger_holds_is_not_asked_again_and_is_paid_for_all_the_same(ledger):
    first, again = Meter(Budgets()), Meter(Budgets())
    AttackerModel(ScriptedModel(answers()), SPEC, ledger, run_meter(None)).answer([asked(0, first)])
    silent = ScriptedModel([])
    (reply,) = AttackerModel(silent, SPEC, ledger, run_meter(None)).answer([asked(0, again)])
    assert (reply.text, silent.calls) == ("x", [])
    assert again.spent("attacker_tokens") == first.spent("attacker_tokens") == 15


def test_another_question_in_the_same_place_is_refused(ledger):
    model = AttackerModel(ScriptedModel(answers()), SPEC, ledger, run_meter(None))
    model.answer([asked(0, Meter(Budgets()))])
    with pytest.raises(LedgerError, match="another question"):
        model.answer([asked(0, Meter(Budgets()), "other")])


def test_an_endpoint_that_ignores_the_longest_reply_uses_the_budget_up(ledger):
    meter = Meter(Budgets(attacker_tokens=200))
    AttackerModel(ScriptedModel(answers((10, 500))), SPEC, ledger, run_meter(None)).answer([asked(0, meter)])
    assert (meter.remaining("attacker_tokens"), meter.exhausted) == (0, "attacker_tokens")


@pytest.mark.parametrize("text", ["\x00\ud800", "x" * 100_000])
def test_hostile_prompts_and_replies_are_kept(ledger, text):
    model = AttackerModel(ScriptedModel(lambda request, repeat: text), SPEC, ledger, run_meter(None))
    (reply,) = model.answer([asked(0, Meter(Budgets()), text)])
    assert reply.text == text


@given(calls=st.integers(1, 9), judges=st.integers(0, 9), dollars=st.floats(0, 10, allow_nan=False))
def test_the_halves_of_a_total_are_the_total_and_the_search_has_the_odd_one(calls, judges, dollars):
    search, control = half_meters(RunBudgets(attacker_calls=calls, judge_calls=judges, money_usd=dollars))
    assert search.remaining("attacker_calls") + control.remaining("attacker_calls") == calls
    assert search.remaining("attacker_calls") - control.remaining("attacker_calls") in {0, 1}
    assert search.remaining("judge_calls") + control.remaining("judge_calls") == judges
    assert not control.try_spend_money(dollars / 2 + 1e-9)
    assert (search.remaining("attacker_tokens"), control.remaining("attacker_tokens")) == (None, None)


def test_a_search_that_spends_its_half_leaves_the_control_the_other(ledger):
    model = AttackerModel(ScriptedModel(answers()), SPEC, ledger, half_meters(RunBudgets(attacker_calls=4)))
    meters = {arm: Meter(Budgets()) for arm in (Arm.SEARCH, Arm.NO_FEEDBACK)}
    codes = {}
    for arm, meter in meters.items():
        asked_for = [Asked(ReplyKey("c", AttackGoal.FALSE_ACCEPTANCE, arm, n), question(), meter) for n in range(3)]
        codes[arm] = [one.code for one in model.answer(asked_for)]
    assert codes[Arm.SEARCH] == codes[Arm.NO_FEEDBACK] == [ReplyCode.OK, ReplyCode.OK, ReplyCode.BUDGET_SPENT]


@pytest.mark.parametrize("price", [1.0, 0.0])
@pytest.mark.parametrize("of_the_run", [True, False])
def test_an_endpoint_that_bills_above_the_bound_is_asked_no_more_once_the_money_is_gone(ledger, price, of_the_run):
    # Bounds of 0.0001 dollars at most, bills of 0.05: of 0.06 dollars the first two calls are asked, and no third.
    usage = Usage(prompt_tokens=10, completion_tokens=5, cost_usd=0.05)
    scripted = ScriptedModel(lambda *_: ChatReply(code=ReplyCode.OK, model="m", text="x", usage=usage))
    spec = SPEC.model_copy(update={"prompt_price": price, "completion_price": price})
    total = run_meter(RunBudgets(money_usd=0.06) if of_the_run else None)
    meter = Meter(Budgets() if of_the_run else Budgets(money_usd=0.06))
    model = AttackerModel(scripted, spec, ledger, total)
    codes = [model.answer([asked(number, meter)])[0].code for number in range(5)]
    assert codes == [ReplyCode.OK] * 2 + [ReplyCode.BUDGET_SPENT] * 3
    limited = total if of_the_run else meter
    assert (len(scripted.calls), limited.money_spent, limited.exhausted) == (2, Fraction(6, 100), "money_usd")
