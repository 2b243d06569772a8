"""The built-in strategies by name, each with the fingerprint that freezes it."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

from confute.agents import (
    bandit,
    beam,
    boundary,
    drafts,
    evolutionary,
    expected,
    experience,
    flips,
    greedy,
    informed,
    lexical,
    linear_model,
    llm,
    llm_prompt,
    llm_reply,
    llm_tried,
    memory,
    neighbours,
    pool,
    random_search,
    surrogate,
)
from confute.agents.agent import Agent, Search, View
from confute.agents.informed import Flipper
from confute.contract import Attacker, AttackTree, StrategyName
from confute.models.embedder import Embedder
from confute.models.request_body import fingerprint_of
from confute.records import Knowledge, digest_of

_REPLY_TOKENS = {llm_prompt.DETECTORS: 500, llm_prompt.PERSONAS: 300}
_SURROGATE = (surrogate, pool, lexical, linear_model)
_MODULES = {
    StrategyName.SURROGATE: _SURROGATE,
    StrategyName.BANDIT: (bandit, experience, *_SURROGATE),
}


@dataclass(frozen=True)
class Strategy:
    """An agent with its name, its version and what it is made of.

    `fingerprint` is the SHA-256, in hex, over name, version, parameters and the source of the strategy's modules, and
    over the templates, the model's address and parameters, the embedder and the gradients that it works with.
    """

    name: StrategyName
    version: str
    parameters: dict[str, Any]
    fingerprint: str
    agent: Agent

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        return self.agent.search(view)


@dataclass(frozen=True)
class _Made:
    """An agent, its parameters, and the modules and other things that it depends on."""

    agent: Agent
    parameters: dict[str, Any]
    modules: tuple[ModuleType, ...]
    parts: tuple[str | None, ...] = ()


def load(
    attacker: Attacker,
    *,
    embedder: Embedder | None = None,
    flipper: Flipper | None = None,
    folder: str = llm_prompt.DETECTORS,
) -> Strategy:
    """Return the strategy that a contract names, with its default parameters, as its knowledge level has it.

    `embedder` is the public model that the victim is disclosed to work with and `flipper` makes edits by its gradients:
    neither is used below the levels `algorithm` and `white_box`. A model is asked by the templates of the `folder`.
    """
    made = _made(attacker, embedder, flipper, folder)
    sources = [inspect.getsource(module) for module in made.modules]
    known = [attacker.strategy, attacker.version, made.parameters, sources, *made.parts]
    return Strategy(
        name=attacker.strategy,
        version=attacker.version,
        parameters=made.parameters,
        fingerprint=digest_of(known),
        agent=made.agent,
    )


def _made(attacker: Attacker, embedder: Embedder | None, flipper: Flipper | None, folder: str) -> _Made:
    knows = attacker.knowledge.includes(Knowledge.ALGORITHM)
    formula = expected.Expected(embedder) if knows else None
    if attacker.strategy is StrategyName.LLM:
        return _language_model(attacker, formula, folder)
    agent = _agent(attacker.strategy)
    modules = _MODULES.get(attacker.strategy, (_module(agent), neighbours))
    inner = _Made(agent, asdict(agent), (*modules, drafts))
    if attacker.strategy is StrategyName.RANDOM:
        return inner
    if formula is not None:
        inside = flipper if attacker.knowledge.includes(Knowledge.WHITE_BOX) else None
        parts = (formula.fingerprint, None if inside is None else inside.fingerprint)
        known = (*inner.modules, informed, expected, flips)
        return _Made(informed.Informed(agent, formula, inside), inner.parameters, known, parts)
    if attacker.knowledge is Knowledge.DECISION:
        return _Made(boundary.Boundary(agent), inner.parameters, (*inner.modules, boundary))
    return inner


def _language_model(attacker: Attacker, formula: expected.Expected | None, folder: str) -> _Made:
    assert attacker.model is not None
    tree, model = attacker.tree or AttackTree(), attacker.model
    temperature = 1.0 if model.temperature is None else model.temperature
    prompts = llm_prompt.Prompts(
        attacker.capabilities,
        max_tokens=model.max_tokens or _REPLY_TOKENS[folder],
        temperature=temperature,
        folder=folder,
    )
    modules = (llm, llm_prompt, llm_reply, llm_tried, memory, experience, expected, drafts)
    parts = (prompts.fingerprint, fingerprint_of(model), None if formula is None else formula.fingerprint)
    return _Made(llm.TreeOfAttacks(tree, prompts, formula), tree.model_dump(mode="json"), modules, parts)


def _module(agent: Agent) -> ModuleType:
    module = inspect.getmodule(type(agent))
    assert module is not None
    return module


_BuiltIn = (
    random_search.RandomSearch
    | greedy.Greedy
    | beam.Beam
    | evolutionary.Evolutionary
    | surrogate.SurrogateSearch
    | bandit.Bandit
)


def _agent(name: StrategyName) -> _BuiltIn:
    match name:
        case StrategyName.RANDOM:
            return random_search.RandomSearch()
        case StrategyName.GREEDY:
            return greedy.Greedy()
        case StrategyName.BEAM:
            return beam.Beam()
        case StrategyName.EVOLUTIONARY:
            return evolutionary.Evolutionary()
        case StrategyName.SURROGATE:
            return surrogate.SurrogateSearch()
        case StrategyName.BANDIT:
            return bandit.Bandit()
        case StrategyName.LLM:
            raise ValueError("a language model is no search by itself")
