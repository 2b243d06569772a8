"""What an attack on a persona may cost at most, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pydantic import Field

from confute.agents.agent import Question, View
from confute.contract import AttackTree, RunBudgets
from confute.harness.persona.attack.attacker import view_of
from confute.harness.persona.attack.chance import false_induced
from confute.harness.persona.attack.course import most_baseline_calls
from confute.harness.persona.attack.run import Prepared, oracle_of
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.prices import Use, at_most, most, priced, within
from confute.models.chat import ModelSpec
from confute.records import Record

_BYTES_SHOWN = 3_700
"""The most bytes of one text in a prompt: 600 characters, each of at most 6 bytes, and its quotation marks."""
_LINE_BYTES = 512


class AttackCost(Record):
    """Upper bounds over all probes; None is no limit, of money also where the model has no price.

    Each probe costs its baseline, a search, a search without feedback, the confirming of both, and the shrinking of one
    success. `false_induced` is the greatest chance that a probe of a persona on which no frame does anything counts as
    induced, by one search. A call that nobody answers counts as none.
    """

    probes: int = Field(ge=0)
    persona_calls: int = Field(ge=0)
    attacker_calls: int
    attacker_tokens: int
    attacker_dollars: float | None
    judge_calls: int
    false_induced: float

    def words(self) -> Iterator[str]:
        """Yield it line by line."""
        yield f"probes: {self.probes}, at most {self.persona_calls} calls of the persona, with tools and redraws"
        money = "no price is known" if self.attacker_dollars is None else f"${self.attacker_dollars:.4f}"
        yield f"attacker: at most {self.attacker_calls} calls, {self.attacker_tokens} tokens ({money})"
        yield f"judges: at most {self.judge_calls} calls of a model, with redraws"
        yield (
            "a persona on which no frame does anything, whatever its failure rate: each probe counts as induced by a "
            f"search with a chance of at most {self.false_induced:.1e}"
        )


def most_of(prepared: Prepared) -> AttackCost:
    """Return what an attack may cost at most; nothing is asked."""
    contract, target = prepared.contract, prepared.target
    budgets, total = contract.attacker.budgets, contract.attacker.total or RunBudgets()
    searches = 2 * (budgets.victim_queries + budgets.shrink_queries)
    asked = _attacker(prepared)
    judged = sum(_judge_calls(prepared, probe) for probe in target.probes)
    return AttackCost(
        probes=len(target.probes),
        persona_calls=sum(
            most_baseline_calls(target.persona, contract.replays, len(probe.turns)) + searches
            for probe in target.probes
        ),
        attacker_calls=asked.calls,
        attacker_tokens=asked.tokens,
        attacker_dollars=None if asked.dollars is None else float(asked.dollars),
        judge_calls=at_most(judged, total.judge_calls),
        false_induced=max(
            false_induced(contract.replays, budgets.victim_queries // (contract.replays.search * len(probe.turns)))
            for probe in target.probes
        ),
    )


def _judge_calls(prepared: Prepared, probe: AttackedProbe) -> int:
    """Return the most calls of judges on one probe: one verdict a conversation, and one a doubt about free text."""
    plan, budgets, turns = prepared.contract.replays, prepared.contract.attacker.budgets, len(probe.turns)
    tries = plan.redraws + 1
    verdict, doubt = prepared.bench.calls_of_a_verdict * tries, prepared.bench.calls_of_a_doubt * tries
    searched, beside = budgets.victim_queries // turns, budgets.shrink_queries // turns
    doubts = doubt * (searched // plan.search), doubt * (beside // plan.shrinking)
    arms = (searched * verdict + doubts[0], searched * verdict, beside * verdict + doubts[1], beside * verdict)
    return (plan.search + plan.confirmed) * verdict + sum(at_most(one, budgets.judge_calls) for one in arms)


class _Asked(NamedTuple):
    calls: int
    tokens: int
    dollars: Fraction | None


def _attacker(prepared: Prepared) -> _Asked:
    """Return the most that the attacker's model is asked over all probes, retries included."""
    attacker = prepared.contract.attacker
    if attacker.model is None:
        return _Asked(0, 0, Fraction(0))
    searches = [_search(prepared, attacker.model, probe) for probe in prepared.target.probes]
    total = attacker.total or RunBudgets()
    dollars = sum((one.dollars or Fraction(0) for one in searches), Fraction(0))
    use = within(Use(sum(one.tokens for one in searches), dollars), total)
    calls = at_most(sum(one.calls for one in searches), total.attacker_calls)
    return _Asked(calls, use.tokens, use.dollars if priced(attacker.model) else None)


def _search(prepared: Prepared, spec: ModelSpec, probe: AttackedProbe) -> _Asked:
    attacker, budgets = prepared.contract.attacker, prepared.contract.attacker.budgets
    tree = attacker.tree or AttackTree()
    framed = prepared.target.framed(probe)
    view = view_of(prepared.contract, prepared.target.persona, framed, oracle_of(prepared, framed))
    first: Sequence[object] = next(prepared.chosen.agent.search(view), ())
    uses = [most(one.request, spec) for one in first if isinstance(one, Question)]
    if not uses:
        return _Asked(0, 0, Fraction(0))
    planned = tree.branching * (1 + tree.width * (tree.depth - 1)) * (tree.retries + 1)
    calls, largest = at_most(planned, budgets.attacker_calls), max(uses)
    attempt = (attacker.max_turns + 1) * _BYTES_SHOWN + _LINE_BYTES
    more = tree.remembered * attempt + tree.offered * _longest_move(view) + _LINE_BYTES
    dollars = largest.dollars + Fraction(str(spec.prompt_price or 0)) * more / 1_000_000
    use = within(Use((largest.tokens + more) * calls, dollars * calls), budgets)
    return _Asked(calls, use.tokens, use.dollars)


def _longest_move(view: View) -> int:
    """Return the most bytes of a move in a prompt, which a question for text has not, and the next may have."""
    written = [
        [*(one.text for one in edit.replacements), *(one.text or "" for one in edit.passages)] for edit in view.moves
    ]
    return max((sum(len(text.encode()) for text in texts) + _LINE_BYTES for texts in written), default=0)
