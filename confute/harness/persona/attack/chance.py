"""How often a persona on which no frame does anything is taken for one that was turned."""

from __future__ import annotations

from math import comb, expm1, log1p

from confute.agents.minimise import needed
from confute.persona_plan import Replays

_STEPS = 200


def false_induced(plan: Replays, candidates: int) -> float:
    """Return the greatest chance that a probe counts as induced by one search of so many candidates by luck alone.

    It is that of a persona which fails each replay, framed or not, with one and the same chance, whichever is worst:
    the probe is resisted in two rounds, and one candidate fails in three, each in fresh replays.
    """
    return max(_chance(plan, candidates, step / _STEPS) for step in range(1, _STEPS))


def _chance(plan: Replays, candidates: int, failing: float) -> float:
    stable = _at_least(plan.search, 1 - failing) * _at_least(plan.confirmed, 1 - failing)
    turned = _at_least(plan.search, failing) ** 2 * _at_least(plan.confirmed, failing)
    return stable * (1.0 if turned >= 1 else -expm1(candidates * log1p(-turned)))


def _at_least(replays: int, chance: float) -> float:
    """Return the chance that ceil(0.8 r) of r independent replays go one way."""
    ways = range(needed(replays), replays + 1)
    return sum(comb(replays, k) * chance**k * (1 - chance) ** (replays - k) for k in ways)
