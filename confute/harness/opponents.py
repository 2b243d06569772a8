"""What stands beside an arena's attacker and oracle: gradients, who controls it, its model, and judges."""

from __future__ import annotations

from confute.agents.flips import GradientFlips
from confute.contract import AttackContract, Attacker, StrategyName
from confute.harness.referees import Referees
from confute.models import load as models
from confute.models import weights
from confute.models.chat import ChatModel
from confute.models.minilm_torch import TorchMiniLM
from confute.oracles.judged import JudgedTextOracle
from confute.oracles.oracle import Oracle
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import Knowledge
from confute.victims import load as victims


def flipper_of(contract: AttackContract) -> GradientFlips | None:
    """Return what makes edits by the victim's gradients: for a white box with the embedded model's directions.

    Raises ModelError where PyTorch is absent.
    """
    victim, attacker = contract.victim, contract.attacker
    folder = weights.find()
    has_gradients = victims.rank_of(victim) is not None and victims.embedder_name(victim) == models.DEFAULT
    if not attacker.knowledge.includes(Knowledge.WHITE_BOX) or not has_gradients or folder is None:
        return None
    return GradientFlips(TorchMiniLM(folder), attacker.capabilities)


def without_feedback(attacker: Attacker) -> Attacker:
    """Return who searches beside an attacker without feedback: its model knowing the least, or uniform draws."""
    if attacker.model_controls:
        return attacker.model_copy(update={"knowledge": Knowledge.DECISION, "frozen": None})
    return attacker.model_copy(update={"strategy": StrategyName.RANDOM, "model": None, "tree": None})


def judged(guards: Oracle, version: str, referees: Referees | None) -> tuple[Oracle, str]:
    """Return an oracle with judges behind its guards, where there are any, and its version."""
    if referees is None or not isinstance(guards, GuardedTextOracle):
        return guards, version
    oracle = JudgedTextOracle(guards, referees.of, referees.version)
    return oracle, oracle.version


def fingerprints(model: ChatModel | None) -> list[str]:
    """Return the fingerprint of the attacker's model, where it asks one."""
    return [] if model is None else [model.fingerprint]
