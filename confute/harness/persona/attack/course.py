"""The whole attack on one probe: its baseline, the search, the search without feedback, and the shrinking."""

from __future__ import annotations

from typing import Any

from confute.agents.agent import Agent
from confute.contract import Budgets
from confute.harness.meter import Meter, Resource
from confute.harness.persona.attack.attacker import CONTROL, view_of
from confute.harness.persona.attack.ground import Ground
from confute.harness.persona.attack.replays import Counts
from confute.harness.persona.attack.searching import Searched, Searching
from confute.harness.persona.attack.shrinking import Shrinking, Shrunk
from confute.harness.persona.attack.trial import Baseline, Trial, baseline_of, redrawn_baseline_of
from confute.harness.persona.attack.work import Work
from confute.harness.persona.conversation import MOST_TOOL_STEPS
from confute.persona_plan import PersonaContract, Replays
from confute.records import Arm, Record
from confute.victims.persona import Persona

_SPARE: tuple[Resource, ...] = ("victim_queries", "judge_calls")


class ProbeOutcome(Record):
    """What an attack showed of one probe. What comes after the baseline is None where it was not stable."""

    probe_id: str
    baseline: Baseline
    trial: Trial
    search: Searched | None = None
    control: Searched | None = None
    shrunk: Shrunk | None = None


def attacked(contract: PersonaContract, persona: Persona, ground: Ground, agent: Agent) -> Work[ProbeOutcome]:
    """Attack one probe; only one that is resisted stably, and again in more fresh replays, is attacked at all."""
    plan = contract.replays
    paid = Meter(Budgets(victim_queries=most_baseline_calls(persona, plan, len(ground.framed.turns))))
    baseline = yield from _baseline(ground, paid, times=plan.search)
    state = baseline_of(baseline.counts or Counts())
    if state in {Baseline.STABLE, Baseline.FAILS}:
        baseline = yield from _baseline(ground, paid, times=plan.confirmed, first=plan.search)
        state = redrawn_baseline_of(baseline.counts or Counts())
    if state is not Baseline.STABLE:
        return ProbeOutcome(probe_id=ground.probe.id, baseline=state, trial=baseline)
    view = view_of(contract, persona, ground.framed, ground.oracle)
    budgets = contract.attacker.budgets
    aside = budgets.model_copy(update={"victim_queries": budgets.shrink_queries, "wall_clock_s": None})
    asks, spare = contract.attacker.model is not None, Meter(aside)
    arming = Searching(ground, Arm.SEARCH, Meter(budgets), spare, plan, asks=asks, pays=not asks)
    search = yield from arming.run(agent, view)
    blind = Searching(ground, Arm.NO_FEEDBACK, Meter(budgets), Meter(aside), plan, asks=False, pays=not asks)
    control = yield from blind.run(CONTROL, view)
    shrunk = None
    if search.candidate is not None and search.trial is not None:
        left: dict[str, Any] = {name: spare.remaining(name) for name in _SPARE}
        meter = Meter(budgets.model_copy(update=left))
        shrunk = yield from Shrinking(ground, meter, plan, baseline).run(search.candidate, search.trial)
    return ProbeOutcome(
        probe_id=ground.probe.id, baseline=state, trial=baseline, search=search, control=control, shrunk=shrunk
    )


def _baseline(ground: Ground, meter: Meter, *, times: int, first: int = 0) -> Work[Trial]:
    trial = yield from ground.tried(Arm.BASELINE, ground.framed.start, meter, times=times, first=first)
    assert trial is not None
    return trial


def most_baseline_calls(persona: Persona, plan: Replays, turns: int) -> int:
    """Return the most calls that a baseline of so many turns can take, tool calls and redraws included."""
    steps = MOST_TOOL_STEPS + 1 if persona.tools else 1
    return (plan.search + plan.confirmed) * turns * steps * (plan.redraws + 1)
