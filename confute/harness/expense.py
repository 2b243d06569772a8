"""What a run cost, arm by arm and item by item: victim queries, and what attacker's model and judges were asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import Field

from confute.contract import AttackContract
from confute.harness.judging.judgements import Judgement
from confute.harness.outcome import ItemOutcome, Trace
from confute.harness.prices import most, priced, used
from confute.harness.referees import item_of
from confute.harness.replies import Exchange
from confute.models.chat import ModelSpec, ReplyCode
from confute.records import Arm, AttackGoal, Attempt, Outcome, Record
from confute.verdicts import total

_ARMS = (Arm.SEARCH, Arm.NO_FEEDBACK, Arm.MINIMISE)
_Key = tuple[str, AttackGoal, Arm]


class AttackerExpense(Record):
    """What an attacker's model was asked and what that cost; `dollars` is None where no price is known.

    `charged_tokens` counts an upper bound for the replies that did not tell what they used. `failures` counts replies
    by the code of what kept them from being a text.
    """

    model: str
    calls: int = Field(ge=0)
    charged_tokens: int = Field(ge=0)
    dollars: float | None
    failures: dict[str, int]


class JudgeExpense(Record):
    """What judges were asked; tokens and dollars are None where a call does not tell them."""

    model: str
    verdicts: int = Field(ge=0)
    calls: int = Field(ge=0)
    cached: int = Field(ge=0)
    tokens: int | None
    dollars: float | None


class ArmExpense(Record):
    """What one arm of a run cost; `attacker` and `judges` are None where it asks none.

    `victim_queries` counts those that were charged, of shrinking every one; `successes` are items that the arm broke,
    for shrinking those that it shrank.
    """

    arm: Arm
    items: int = Field(ge=0)
    successes: int = Field(ge=0)
    victim_queries: int = Field(ge=0)
    attacker: AttackerExpense | None
    judges: JudgeExpense | None


class ItemExpense(Record):
    """What a search came to and cost; `queries_to_success` is None without a success, the rest where none was asked."""

    outcome: Outcome
    victim_queries: int = Field(ge=0)
    queries_to_success: int | None
    attacker_calls: int | None
    attacker_tokens: int | None
    attacker_dollars: float | None
    judge_calls: int | None


class ItemRecord(Record):
    """One item of a run: how it stood before any attack, and its two searches."""

    case_id: str
    goal: AttackGoal
    baseline: Outcome | None
    search: ItemExpense
    no_feedback: ItemExpense


class Spending(NamedTuple):
    """All that the attacker's model and the judges of a run were asked, as its ledgers keep it."""

    exchanges: Sequence[Exchange] = ()
    judgements: Sequence[Judgement] = ()


def expense(spec: ModelSpec, exchanges: Iterable[Exchange]) -> AttackerExpense:
    """Return what exchanges cost together."""
    found = list(exchanges)
    uses = [used(one.reply, spec, most(one.request, spec)) for one in found]
    failed = Counter(one.reply.code.value for one in found if one.reply.code is not ReplyCode.OK)
    return AttackerExpense(
        model=spec.model,
        calls=len(found),
        charged_tokens=sum(use.tokens for use in uses),
        dollars=float(sum(use.dollars for use in uses)) if priced(spec) else None,
        failures=dict(sorted(failed.items())),
    )


def judge_expense(spec: ModelSpec, judgements: Iterable[Judgement]) -> JudgeExpense:
    """Return what verdicts cost together; what the endpoint does not price is priced by its tokens."""
    verdicts = [one.verdict for one in judgements]
    spent = total([part for one in verdicts for part in (*(vote.spent for vote in one.votes), one.cancelled_spent)])
    nothing = spent.calls == 0
    prompt = 0 if nothing else spent.prompt_tokens
    completion = 0 if nothing else spent.completion_tokens
    known = prompt is not None and completion is not None
    dollars = spent.cost_usd
    if dollars is None and known and priced(spec):
        dollars = ((prompt or 0) * (spec.prompt_price or 0) + (completion or 0) * (spec.completion_price or 0)) / 1e6
    return JudgeExpense(
        model=spec.model,
        verdicts=len(verdicts),
        calls=spent.calls,
        cached=spent.cached,
        tokens=(prompt or 0) + (completion or 0) if known else None,
        dollars=dollars,
    )


def by_arm(
    contract: AttackContract, outcomes: Sequence[ItemOutcome], attempts: Sequence[Attempt], spending: Spending
) -> tuple[ArmExpense, ...]:
    """Return what the search, the search without feedback and the shrinking of a run cost."""
    asked = _Asked(contract, spending)
    shrunk = [one for one in attempts if one.arm in {Arm.MINIMISE, Arm.CONFIRM}]
    counts = {
        Arm.SEARCH: _counts([one.search for one in outcomes]),
        Arm.NO_FEEDBACK: _counts([one.no_feedback for one in outcomes]),
        Arm.MINIMISE: (
            len({(one.case_id, one.goal) for one in shrunk}),
            len({(one.case_id, one.goal) for one in shrunk if one.arm is Arm.CONFIRM}),
            sum(one.score is not None for one in shrunk),
        ),
    }
    return tuple(
        ArmExpense(
            arm=arm,
            items=counts[arm][0],
            successes=counts[arm][1],
            victim_queries=counts[arm][2],
            attacker=asked.attacker(arm),
            judges=asked.judges(arm),
        )
        for arm in _ARMS
    )


def by_item(contract: AttackContract, outcomes: Sequence[ItemOutcome], spending: Spending) -> tuple[ItemRecord, ...]:
    """Return what each item's searches came to and cost."""
    asked = _Asked(contract, spending)
    return tuple(
        ItemRecord(
            case_id=one.case.case_id,
            goal=one.goal,
            baseline=one.baseline,
            search=asked.item((one.case.case_id, one.goal, Arm.SEARCH), one.search),
            no_feedback=asked.item((one.case.case_id, one.goal, Arm.NO_FEEDBACK), one.no_feedback),
        )
        for one in outcomes
    )


def _counts(traces: Sequence[Trace]) -> tuple[int, int, int]:
    broken = sum(one.outcome is Outcome.SUCCEEDED for one in traces)
    return len(traces), broken, sum(one.queries for one in traces)


class _Asked:
    """What models were asked for each item and arm."""

    def __init__(self, contract: AttackContract, spending: Spending) -> None:
        self._attacker, self._judge = contract.attacker, contract.objective.judge
        self._exchanges: dict[_Key, list[Exchange]] = defaultdict(list)
        self._judgements: dict[_Key, list[Judgement]] = defaultdict(list)
        for one in spending.exchanges:
            self._exchanges[one.case_id, one.goal, one.arm].append(one)
        for verdict in spending.judgements:
            self._judgements[item_of(verdict.case_id)].append(verdict)

    def attacker(self, arm: Arm) -> AttackerExpense | None:
        spec = self._attacker.model if self._asks(arm) else None
        chosen = [one for key, found in self._exchanges.items() if key[2] is arm for one in found]
        return None if spec is None else expense(spec, chosen)

    def judges(self, arm: Arm) -> JudgeExpense | None:
        chosen = [one for key, found in self._judgements.items() if key[2] is arm for one in found]
        return None if self._judge is None else judge_expense(self._judge, chosen)

    def item(self, key: _Key, trace: Trace) -> ItemExpense:
        spec = self._attacker.model if self._asks(key[2]) else None
        spent = None if spec is None else expense(spec, self._exchanges.get(key, ()))
        judged = None if self._judge is None else judge_expense(self._judge, self._judgements.get(key, ()))
        return ItemExpense(
            outcome=trace.outcome,
            victim_queries=trace.queries,
            queries_to_success=trace.queries_to_success,
            attacker_calls=None if spent is None else spent.calls,
            attacker_tokens=None if spent is None else spent.charged_tokens,
            attacker_dollars=None if spent is None else spent.dollars,
            judge_calls=None if judged is None else judged.calls,
        )

    def _asks(self, arm: Arm) -> bool:
        return arm is Arm.SEARCH or (arm is Arm.NO_FEEDBACK and self._attacker.model_controls)
