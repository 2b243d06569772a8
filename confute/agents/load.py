"""The built-in strategies by name, each with the fingerprint that freezes it."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass
from typing import Any

from confute.agents import beam, drafts, evolutionary, greedy, neighbours, random_search
from confute.agents.agent import Agent, Search, View
from confute.contract import Attacker, StrategyName
from confute.records import digest_of


@dataclass(frozen=True)
class Strategy:
    """An agent with its name, its version and what it is made of.

    `fingerprint` is the SHA-256, in hex, over name, version, parameters and the source of the strategy's modules.
    """

    name: StrategyName
    version: str
    parameters: dict[str, Any]
    fingerprint: str
    agent: Agent

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        return self.agent.search(view)


def load(attacker: Attacker) -> Strategy:
    """Return the strategy that a contract names, with its default parameters."""
    agent = _agent(attacker.strategy)
    parameters = asdict(agent)
    modules = (inspect.getmodule(type(agent)), drafts, neighbours)
    sources = [inspect.getsource(module) for module in modules if module is not None]
    return Strategy(
        name=attacker.strategy,
        version=attacker.version,
        parameters=parameters,
        fingerprint=digest_of([attacker.strategy, attacker.version, parameters, sources]),
        agent=agent,
    )


def _agent(
    name: StrategyName,
) -> random_search.RandomSearch | greedy.Greedy | beam.Beam | evolutionary.Evolutionary:
    match name:
        case StrategyName.RANDOM:
            return random_search.RandomSearch()
        case StrategyName.GREEDY:
            return greedy.Greedy()
        case StrategyName.BEAM:
            return beam.Beam()
        case StrategyName.EVOLUTIONARY:
            return evolutionary.Evolutionary()
