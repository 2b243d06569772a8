"""The whole attack on one probe: its baseline, the search, the search without feedback, and the shrinking."""

from __future__ import annotations

from confute.agents.agent import Agent
from confute.contract import Budgets
from confute.harness.meter import Meter
from confute.harness.persona.attack.attacker import CONTROL, view_of
from confute.harness.persona.attack.ground import Ground
from confute.harness.persona.attack.searching import Searched, Searching
from confute.harness.persona.attack.shrinking import Shrinking, Shrunk
from confute.harness.persona.attack.trial import Baseline, Trial, baseline_of
from confute.harness.persona.attack.work import Work
from confute.harness.persona.conversation import MOST_TOOL_STEPS
from confute.persona_plan import PersonaContract
from confute.records import Arm, Record
from confute.victims.persona import Persona


class ProbeOutcome(Record):
    """What an attack showed of one probe. What comes after the baseline is None where it was not stable."""

    probe_id: str
    baseline: Baseline
    trial: Trial
    search: Searched | None = None
    control: Searched | None = None
    shrunk: Shrunk | None = None


def attacked(contract: PersonaContract, persona: Persona, ground: Ground, agent: Agent) -> Work[ProbeOutcome]:
    """Attack one probe; only one that is resisted stably is attacked at all."""
    replays = contract.replays.search
    start = ground.framed.start
    paid = Meter(Budgets(victim_queries=_most_calls(persona, contract, len(ground.framed.turns))))
    baseline = yield from ground.tried(Arm.BASELINE, start, paid, times=replays)
    assert baseline is not None
    assert baseline.counts is not None
    state = baseline_of(baseline.counts)
    if state is not Baseline.STABLE:
        return ProbeOutcome(probe_id=ground.probe.id, baseline=state, trial=baseline)
    view = view_of(contract, persona, ground.framed, ground.oracle)
    budgets = contract.attacker.budgets
    asks = contract.attacker.model is not None
    arming = Searching(ground, Arm.SEARCH, Meter(budgets), replays=replays, asks=asks, pays=not asks)
    search = yield from arming.run(agent, view)
    blind = Searching(ground, Arm.NO_FEEDBACK, Meter(budgets), replays=replays, asks=False, pays=not asks)
    control = yield from blind.run(CONTROL, view)
    shrunk = None
    if search.candidate is not None:
        meter = Meter(budgets.model_copy(update={"victim_queries": budgets.shrink_queries}))
        shrunk = yield from Shrinking(ground, meter, contract.replays, baseline.counts).run(search.candidate)
    return ProbeOutcome(
        probe_id=ground.probe.id, baseline=state, trial=baseline, search=search, control=control, shrunk=shrunk
    )


def _most_calls(persona: Persona, contract: PersonaContract, turns: int) -> int:
    """Return the most calls that the baseline can take, tool calls and redraws included."""
    steps = MOST_TOOL_STEPS + 1 if persona.tools else 1
    return contract.replays.search * turns * steps * (contract.replays.redraws + 1)
