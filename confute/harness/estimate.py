"""What an attack may cost at most, and is expected to, before anything is asked: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from confute.agents import load as agents
from confute.agents.agent import Question, View
from confute.contract import AttackContract, Attacker, AttackTree, Budgets, RunBudgets
from confute.edits import unedited
from confute.harness import arena as arenas
from confute.harness.campaign import attackable, writes_text
from confute.harness.prices import Use, at_most, most, priced, within
from confute.models.chat import ModelSpec
from confute.oracles.constraints import token_limit
from confute.records import AttackGoal, Case, Record

_CHARACTERS_PER_TOKEN = 4
_HISTORY_LINES = 320
_LESSON_BYTES = 900
_JUDGED_ARMS = 3
_NOTHING = Use(0, Fraction(0))


class Estimate(Record):
    """The searches of an attack and what they may ask; money is None where no price is known, calls where no limit is.

    `tokens_expected` counts four characters of a prompt as a token, and half of the longest reply; `tokens_at_most`
    counts every byte as one, and is what the meter reserves. Both are for all calls, none of which need be made.
    `control_calls` are those, among `attacker_calls`, of the same model without feedback.
    """

    searches: int = Field(ge=0)
    victim_queries: int = Field(ge=0)
    attacker_calls: int = Field(ge=0)
    control_calls: int = Field(ge=0)
    tokens_expected: int = Field(ge=0)
    tokens_at_most: int = Field(ge=0)
    dollars_expected: float | None
    dollars_at_most: float | None
    judge_calls: int | None

    def words(self) -> Iterator[str]:
        """Yield it line by line."""
        yield f"searches: {self.searches}, at most {self.victim_queries} victim queries of the search"
        most = f"{self.tokens_at_most} tokens ({_money(self.dollars_at_most)})"
        control = f" ({self.control_calls} of them without feedback, as the control)" if self.control_calls else ""
        yield f"attacker: at most {self.attacker_calls} calls{control}, {most}"
        yield f"attacker, if every call is made: about {self.tokens_expected} tokens ({_money(self.dollars_expected)})"
        yield "judges: " + ("no limit of calls" if self.judge_calls is None else f"at most {self.judge_calls} calls")


def estimate(contract: AttackContract, data: Path | None) -> Estimate:
    """Return what an attack may cost; the victim, the attacker and the judges are not asked, nor the victim built.

    Moves are those on the claim alone. Raises the errors of `confute.harness.arena.gathered`.
    """
    material = arenas.gathered(contract, data)
    _, attacked = arenas.divided(contract, material.cases)
    goals = contract.objective.attack_goal.goals
    items = [(case, goal) for case in attacked for goal in goals if attackable(case, goal)]
    views = [_view(contract, case, goal, material) for case, goal in items]
    views = [view for view in views if view.moves or writes_text(contract)]
    attacker, judge = contract.attacker, contract.objective.judge
    asked = [] if attacker.model is None else [_asked(attacker, attacker.model, view) for view in views]
    asked *= 2 if attacker.model_controls else 1
    total = attacker.total or RunBudgets()
    calls = at_most(sum(one.calls for one in asked), total.attacker_calls)
    bound = _most(asked, calls, total)
    expected = _typical(asked, calls, total)
    is_priced = attacker.model is not None and priced(attacker.model)
    return Estimate(
        searches=len(views),
        victim_queries=len(views) * attacker.budgets.victim_queries,
        attacker_calls=calls,
        control_calls=calls // 2 if attacker.model_controls else 0,
        tokens_expected=min(expected.tokens, bound.tokens),
        tokens_at_most=bound.tokens,
        dollars_expected=float(min(expected.dollars, bound.dollars)) if is_priced else None,
        dollars_at_most=float(bound.dollars) if is_priced else None,
        judge_calls=0 if judge is None else _judge_calls(attacker, len(views)),
    )


def _view(contract: AttackContract, case: Case, goal: AttackGoal, material: arenas.Material) -> View:
    attacker, limits = contract.attacker, contract.validity_constraints
    return View(
        goal=goal,
        knowledge=attacker.knowledge,
        start=unedited(case, goal),
        moves=tuple(edit for edit in material.oracle.moves(case, goal) if edit.mechanism in attacker.capabilities),
        victim_queries=attacker.budgets.victim_queries,
        max_edits=limits.max_edits,
        max_edited_tokens=token_limit(limits, case.claim),
        seed=contract.evaluation.seed,
    )


class _Asked(NamedTuple):
    """The most calls of one search and those that it plans, without retries; the most that one takes, and a typical."""

    calls: int
    planned: int
    most: Use
    typical: Use
    budgets: Budgets

    @property
    def at_most(self) -> Use:
        """What all calls take at most."""
        return within(_times(self.most, self.calls), self.budgets)


def _asked(attacker: Attacker, spec: ModelSpec, view: View) -> _Asked:
    tree, budgets = attacker.tree or AttackTree(), attacker.budgets
    first = list(next(agents.load(attacker).search(view), ()))
    requests = [one.request for one in first if isinstance(one, Question)]
    if not requests:
        return _Asked(0, 0, _NOTHING, _NOTHING, budgets)
    planned = tree.branching * (1 + tree.width * (tree.depth - 1))
    calls = at_most(planned * (tree.retries + 1), budgets.attacker_calls)
    largest = max((most(one, spec) for one in requests), key=lambda use: use.tokens)
    history = _HISTORY_LINES * tree.remembered + _LESSON_BYTES * tree.lessons
    texts = sum(len(message.content) for request in requests for message in request.messages) // len(requests)
    tokens = (texts + history) // _CHARACTERS_PER_TOKEN
    reply = (requests[0].max_tokens or 0) // 2
    return _Asked(
        calls,
        min(planned, calls),
        Use(largest.tokens + history, largest.dollars + _price(history, spec)),
        Use(tokens + reply, _price(tokens, spec) + Fraction(str(spec.completion_price or 0)) * reply / 1_000_000),
        budgets,
    )


def _most(asked: Sequence[_Asked], calls: int, total: RunBudgets) -> Use:
    """Return what so many calls take at most, whichever searches make them: the dearest first."""
    every = _sum(one.at_most for one in asked)
    left, dearest = calls, _NOTHING
    for one in sorted(asked, key=lambda one: one.most, reverse=True):
        made = min(one.calls, left)
        dearest, left = _sum((dearest, _times(one.most, made))), left - made
    return within(Use(min(every.tokens, dearest.tokens), min(every.dollars, dearest.dollars)), total)


def _typical(asked: Sequence[_Asked], calls: int, total: RunBudgets) -> Use:
    """Return what the planned calls take as a rule, or their share that so many calls allow."""
    planned = sum(one.planned for one in asked)
    every = _sum(within(_times(one.typical, one.planned), one.budgets) for one in asked)
    share = min(Fraction(1), Fraction(calls, planned or 1))
    return within(Use(int(every.tokens * share), every.dollars * share), total)


def _times(use: Use, count: int) -> Use:
    return Use(use.tokens * count, use.dollars * count)


def _sum(uses: Iterable[Use]) -> Use:
    found = tuple(uses)
    return Use(sum(use.tokens for use in found), sum((use.dollars for use in found), Fraction(0)))


def _price(prompt_tokens: int, spec: ModelSpec) -> Fraction:
    return Fraction(str(spec.prompt_price or 0)) * prompt_tokens / 1_000_000


def _judge_calls(attacker: Attacker, searches: int) -> int | None:
    each, total = attacker.budgets.judge_calls, None if attacker.total is None else attacker.total.judge_calls
    return total if each is None else at_most(each * searches * _JUDGED_ARMS, total)


def _money(dollars: float | None) -> str:
    return "price not known" if dollars is None else f"${dollars:.4f}"
