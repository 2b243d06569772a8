"""Adversarial testing of hallucination detectors and LLM personas."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confute.agents.agent import Agent, Feedback, Proposal, View
    from confute.contract import AttackContract
    from confute.contract import load as load_contract
    from confute.counterexample import Counterexample
    from confute.errors import ConfuteError
    from confute.models.embedder import Embedder
    from confute.models.load import load as load_embedder
    from confute.oracles.oracle import MoveSource, Oracle
    from confute.records import Candidate, Case, Edit, Label, Pair, Replacement, Ruling, Validity
    from confute.victims.detector import Detector

__all__ = [
    "Agent",
    "AttackContract",
    "Candidate",
    "Case",
    "ConfuteError",
    "Counterexample",
    "Detector",
    "Edit",
    "Embedder",
    "Feedback",
    "Label",
    "MoveSource",
    "Oracle",
    "Pair",
    "Proposal",
    "Replacement",
    "Ruling",
    "Validity",
    "View",
    "load_contract",
    "load_embedder",
]

_LOCATIONS = {
    "Agent": ("agents.agent", "Agent"),
    "AttackContract": ("contract", "AttackContract"),
    "Candidate": ("records", "Candidate"),
    "Case": ("records", "Case"),
    "ConfuteError": ("errors", "ConfuteError"),
    "Counterexample": ("counterexample", "Counterexample"),
    "Detector": ("victims.detector", "Detector"),
    "Edit": ("records", "Edit"),
    "Embedder": ("models.embedder", "Embedder"),
    "Feedback": ("agents.agent", "Feedback"),
    "Label": ("records", "Label"),
    "MoveSource": ("oracles.oracle", "MoveSource"),
    "Oracle": ("oracles.oracle", "Oracle"),
    "Pair": ("records", "Pair"),
    "Proposal": ("agents.agent", "Proposal"),
    "Replacement": ("records", "Replacement"),
    "Ruling": ("records", "Ruling"),
    "Validity": ("records", "Validity"),
    "View": ("agents.agent", "View"),
    "load_contract": ("contract", "load"),
    "load_embedder": ("models.load", "load"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use, so that `import confute` alone loads nothing."""
    if name not in _LOCATIONS:
        raise AttributeError(f"module 'confute' has no attribute {name!r}")
    module, attribute = _LOCATIONS[name]
    return getattr(import_module(f"confute.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
