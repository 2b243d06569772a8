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
    from confute.judges.families import Family, build_panel, load_family
    from confute.judges.judge import Exhibit, Judge, JudgeCase, Panel, Turn
    from confute.judges.question import JudgeSettings
    from confute.judges.rules.panel import build_rule_panel
    from confute.models.chat import ChatModel, ChatReply, ChatRequest, Message, ModelSpec, ReplyCode, ToolCall, Usage
    from confute.models.chat_load import load_chat
    from confute.models.embedder import Embedder
    from confute.models.load import load as load_embedder
    from confute.models.scripted import ScriptedModel
    from confute.oracles.oracle import MoveSource, Oracle
    from confute.records import Candidate, Case, Edit, Label, Pair, Replacement, Ruling, Validity
    from confute.verdicts import Direction, Spent, Verdict, VerdictState, Vote, VoteState
    from confute.victims.detector import Detector
    from confute.victims.persona import Persona, Tool

__all__ = [
    "Agent",
    "AttackContract",
    "Candidate",
    "Case",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ConfuteError",
    "Counterexample",
    "Detector",
    "Direction",
    "Edit",
    "Embedder",
    "Exhibit",
    "Family",
    "Feedback",
    "Judge",
    "JudgeCase",
    "JudgeSettings",
    "Label",
    "Message",
    "ModelSpec",
    "MoveSource",
    "Oracle",
    "Pair",
    "Panel",
    "Persona",
    "Proposal",
    "Replacement",
    "ReplyCode",
    "Ruling",
    "ScriptedModel",
    "Spent",
    "Tool",
    "ToolCall",
    "Turn",
    "Usage",
    "Validity",
    "Verdict",
    "VerdictState",
    "View",
    "Vote",
    "VoteState",
    "build_panel",
    "build_rule_panel",
    "load_chat",
    "load_contract",
    "load_embedder",
    "load_family",
]

_LOCATIONS = {
    "Agent": ("agents.agent", "Agent"),
    "AttackContract": ("contract", "AttackContract"),
    "Candidate": ("records", "Candidate"),
    "Case": ("records", "Case"),
    "ChatModel": ("models.chat", "ChatModel"),
    "ChatReply": ("models.chat", "ChatReply"),
    "ChatRequest": ("models.chat", "ChatRequest"),
    "ConfuteError": ("errors", "ConfuteError"),
    "Counterexample": ("counterexample", "Counterexample"),
    "Detector": ("victims.detector", "Detector"),
    "Direction": ("verdicts", "Direction"),
    "Edit": ("records", "Edit"),
    "Embedder": ("models.embedder", "Embedder"),
    "Exhibit": ("judges.judge", "Exhibit"),
    "Family": ("judges.families", "Family"),
    "Feedback": ("agents.agent", "Feedback"),
    "Judge": ("judges.judge", "Judge"),
    "JudgeCase": ("judges.judge", "JudgeCase"),
    "JudgeSettings": ("judges.question", "JudgeSettings"),
    "Label": ("records", "Label"),
    "Message": ("models.chat", "Message"),
    "ModelSpec": ("models.chat", "ModelSpec"),
    "MoveSource": ("oracles.oracle", "MoveSource"),
    "Oracle": ("oracles.oracle", "Oracle"),
    "Pair": ("records", "Pair"),
    "Panel": ("judges.judge", "Panel"),
    "Persona": ("victims.persona", "Persona"),
    "Proposal": ("agents.agent", "Proposal"),
    "Replacement": ("records", "Replacement"),
    "ReplyCode": ("models.chat", "ReplyCode"),
    "Ruling": ("records", "Ruling"),
    "ScriptedModel": ("models.scripted", "ScriptedModel"),
    "Spent": ("verdicts", "Spent"),
    "Tool": ("victims.persona", "Tool"),
    "ToolCall": ("models.chat", "ToolCall"),
    "Turn": ("judges.judge", "Turn"),
    "Usage": ("models.chat", "Usage"),
    "Validity": ("records", "Validity"),
    "Verdict": ("verdicts", "Verdict"),
    "VerdictState": ("verdicts", "VerdictState"),
    "View": ("agents.agent", "View"),
    "Vote": ("verdicts", "Vote"),
    "VoteState": ("verdicts", "VoteState"),
    "build_panel": ("judges.families", "build_panel"),
    "build_rule_panel": ("judges.rules.panel", "build_rule_panel"),
    "load_chat": ("models.chat_load", "load_chat"),
    "load_contract": ("contract", "load"),
    "load_embedder": ("models.load", "load"),
    "load_family": ("judges.families", "load_family"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use, so that `import confute` alone loads nothing."""
    if name not in _LOCATIONS:
        raise AttributeError(f"module 'confute' has no attribute {name!r}")
    module, attribute = _LOCATIONS[name]
    return getattr(import_module(f"confute.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
