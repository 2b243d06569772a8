"""What a run cost, arm by arm and item by item, and that every form of its report tells it."""

import csv
import io
import json

import pytest
from attacking import attacked, contract_of, sensible
from rich.console import Console

from confute.harness import run
from confute.harness.asking import spending_of
from confute.harness.expense import judge_expense
from confute.harness.judging.judgements import Judgement
from confute.harness.outcome import items
from confute.harness.render import words
from confute.harness.render.formats import rendered
from confute.harness.render.terminal import print_report
from confute.models.chat import ChatReply, ModelSpec, ReplyCode, Usage
from confute.models.scripted import ScriptedModel
from confute.records import Arm, Outcome
from confute.verdicts import Direction, Spent, Verdict, Vote, VoteState


def told(request, repeat):
    usage = Usage(prompt_tokens=70, completion_tokens=30)
    return ChatReply(code=ReplyCode.OK, model="m", text=sensible(request, repeat), usage=usage)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("expense") / "run"
        attacked(patch, made, ScriptedModel(told), contract_of())
    return made


def arm(folder, name):
    return next(one for one in run.report_of(folder).expense if one.arm is name)


def recorded(folder):
    return [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", [Arm.SEARCH, Arm.NO_FEEDBACK])
def test_an_arm_costs_what_its_calls_cost(folder, name):
    calls = sum(one.arm is name for one in spending_of(folder).exchanges)
    spent = arm(folder, name).attacker
    # 70 tokens of a prompt at 1 dollar a million and 30 of a reply at 2 make 130 millionths of a dollar a call.
    assert calls > 0
    assert (spent.calls, spent.charged_tokens) == (calls, 100 * calls)
    assert spent.dollars == pytest.approx(130e-6 * calls)
    assert arm(folder, name).judges is None


def test_each_item_has_a_record_of_what_it_cost_and_they_sum_to_the_arms(folder):
    found = recorded(folder)
    outcomes = run.outcomes_of(folder)
    assert [(one["case_id"], one["goal"]) for one in found] == [(one.case.case_id, one.goal) for one in outcomes]
    for name in ("search", "no_feedback"):
        whole = arm(folder, Arm(name))
        assert sum(one[name]["attacker_calls"] for one in found) == whole.attacker.calls
        assert sum(one[name]["attacker_tokens"] for one in found) == whole.attacker.charged_tokens
        assert sum(one[name]["victim_queries"] for one in found) == whole.victim_queries
        assert sum(one[name]["outcome"] == "SUCCEEDED" for one in found) == whole.successes


def test_queries_to_success_stand_beside_each_item_that_was_broken(folder):
    searches = [one[name] for one in recorded(folder) for name in ("search", "no_feedback")]
    broken = [one for one in searches if one["outcome"] == Outcome.SUCCEEDED]
    assert broken
    assert all(1 <= one["queries_to_success"] <= one["victim_queries"] for one in broken)
    assert {one["queries_to_success"] for one in searches if one not in broken} <= {None}


def test_a_report_made_anew_from_the_ledgers_tells_the_same(folder):
    assert run.report_of(folder).to_json() == (folder / "report.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["md", "html", "terminal"])
def test_every_form_shows_the_cost_of_each_arm(folder, form):
    report = run.report_of(folder)
    stream = io.StringIO()
    print_report(report, Console(file=stream, width=160, highlight=False))
    text = stream.getvalue() if form == "terminal" else rendered(report, form)
    lines = [line for line in text.splitlines() if all(cell in line for cell in words.expense(report.expense[0]))]
    assert "cost" in text
    assert len(lines) == 1


def test_the_table_of_rates_holds_the_cost_of_each_arm(folder):
    rows = list(csv.DictReader(io.StringIO(rendered(run.report_of(folder), "csv"))))
    found = {(row["metric"], row["group"]): row["value"] for row in rows}
    assert float(found["attacker_tokens", "arm:search"]) == arm(folder, Arm.SEARCH).attacker.charged_tokens
    assert float(found["attacker_calls", "arm:no_feedback"]) == arm(folder, Arm.NO_FEEDBACK).attacker.calls


def test_a_run_that_asks_no_model_shows_no_money(folder):
    from synthetic_run import drawn_run

    from confute.harness.report import build

    manifest, attempts, found = drawn_run(1, 12)
    report = build(manifest, attempts, found)
    assert "What it cost" not in rendered(report, "md") + rendered(report, "html")
    search = report.expense[0]
    assert (search.attacker, search.judges) == (None, None)
    assert search.victim_queries == sum(one.search.queries for one in items(manifest.cases, attempts)) > 0


def vote(**spent):
    return Vote(
        judge="j",
        version="v",
        direction=Direction.POSITIVE,
        label="l",
        state=VoteState.ABSTAIN,
        spent=Spent(**spent),
    )


def judged(*votes):
    return Judgement(case_id="c/false_acceptance/search", verdict=Verdict(family="support", version="v", votes=votes))


def test_verdicts_cost_what_their_votes_cost():
    priced = ModelSpec(model="j", prompt_price=1.0, completion_price=4.0)
    known = judged(
        vote(calls=1, prompt_tokens=100, completion_tokens=10), vote(calls=2, prompt_tokens=50, completion_tokens=5)
    )
    # 150 millionths of a dollar for the prompts and 4 times 15 for the replies.
    spent = judge_expense(priced, [known])
    assert (spent.verdicts, spent.calls, spent.cached, spent.tokens) == (1, 3, 0, 165)
    assert spent.dollars == pytest.approx(210e-6)
    assert judge_expense(ModelSpec(model="j"), [known]).dollars is None
    unknown = judge_expense(priced, [known, judged(vote(calls=1))])
    assert (unknown.calls, unknown.tokens, unknown.dollars) == (4, None, None)
    assert judge_expense(ModelSpec(model="j"), []).tokens == 0
