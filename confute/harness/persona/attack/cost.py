"""What an attack on a persona may cost at most, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from confute.contract import RunBudgets
from confute.harness.persona.attack.target import Target
from confute.models.chat import ModelSpec
from confute.persona_plan import PersonaContract
from confute.records import Record


class AttackCost(Record):
    """Upper bounds over all probes; None is no limit.

    Each probe costs its baseline, a search, a search without feedback, and the shrinking of one success.
    """

    probes: int = Field(ge=0)
    persona_calls: int = Field(ge=0)
    attacker_calls: int | None
    attacker_tokens: int | None
    judge_calls: int | None

    def words(self) -> Iterator[str]:
        """Yield it line by line."""
        yield f"probes: {self.probes}, at most {self.persona_calls} calls of the persona, without tools and redraws"
        yield f"attacker: {_bound(self.attacker_calls, 'calls')}, {_bound(self.attacker_tokens, 'tokens')}"
        yield f"judges: {_bound(self.judge_calls, 'calls')}"


def most_of(contract: PersonaContract, target: Target) -> AttackCost:
    """Return what an attack may cost at most."""
    budgets, total = contract.attacker.budgets, contract.attacker.total or RunBudgets()
    probes = len(target.probes)
    baselines = sum(contract.replays.search * len(probe.turns) for probe in target.probes)
    asks = contract.attacker.model is not None
    judge_asks = isinstance(contract.objective.judge, ModelSpec) or contract.objective.validity is not None
    return AttackCost(
        probes=probes,
        persona_calls=baselines + probes * (2 * budgets.victim_queries + budgets.shrink_queries),
        attacker_calls=_least(budgets.attacker_calls, probes, total.attacker_calls) if asks else 0,
        attacker_tokens=_least(budgets.attacker_tokens, probes, total.attacker_tokens) if asks else 0,
        judge_calls=_least(budgets.judge_calls, 3 * probes, total.judge_calls) if judge_asks else 0,
    )


def _least(each: int | None, times: int, total: int | None) -> int | None:
    limits = [limit for limit in (None if each is None else each * times, total) if limit is not None]
    return min(limits) if limits else None


def _bound(limit: int | None, unit: str) -> str:
    return f"no limit of {unit}" if limit is None else f"at most {limit} {unit}"
