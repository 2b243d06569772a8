"""Who attacks a persona: the search strategies as they are, on frames in the place of claims, and what they may see."""

from __future__ import annotations

from confute.agents import llm_prompt
from confute.agents import load as agents
from confute.agents.agent import Disclosure, View
from confute.agents.random_search import RandomSearch
from confute.oracles.constraints import token_limit
from confute.oracles.probe.oracle import ProbeOracle
from confute.oracles.probe.probe import FramedProbe
from confute.persona_plan import PersonaContract
from confute.records import Knowledge
from confute.victims.persona import Persona

CONTROL = RandomSearch(batch=1)
"""The search without feedback that every strategy is compared with on equal victim queries."""


def chosen(contract: PersonaContract) -> agents.Strategy:
    """Return the agent that a contract names.

    The strategies are those against detectors: what they learn is how many replays held. What a level shows of the
    inside of a detector has no counterpart here, so that what is searched is the same at every level but for the
    scores, and for what `view_of` shows.
    """
    attacker = contract.attacker.model_copy(update={"knowledge": Knowledge.SCORE})
    return agents.load(attacker, folder=llm_prompt.PERSONAS)


def view_of(contract: PersonaContract, persona: Persona, probe: FramedProbe, oracle: ProbeOracle) -> View:
    """Return all that an agent receives of a probe; the persona's own words from the level `algorithm` on."""
    attacker, limits = contract.attacker, contract.validity_constraints
    shows = attacker.knowledge.includes(Knowledge.ALGORITHM)
    calls = contract.replays.search * len(probe.turns)
    return View(
        goal=probe.start.goal,
        knowledge=attacker.knowledge,
        start=probe.start,
        moves=oracle.moves,
        victim_queries=max(1, attacker.budgets.victim_queries // calls),
        max_edits=limits.max_edits,
        max_additions=attacker.max_turns - 1 if len(probe.turns) == 1 else 0,
        max_removals=0,
        max_edited_tokens=token_limit(limits, " ".join(probe.turns)),
        disclosure=_disclosed(persona) if shows else None,
        seed=contract.evaluation.seed,
    )


def _disclosed(persona: Persona) -> Disclosure:
    tools = ", ".join(tool.name for tool in persona.tools)
    configuration = {"can": "; ".join(persona.can), "cannot": "; ".join(persona.cannot), "tools": tools}
    return Disclosure(
        description=persona.system_prompt,
        configuration={name: value for name, value in configuration.items() if value},
        passages=(),
    )
