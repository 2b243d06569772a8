"""How far the proposals of the searches came, and how each search ended."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from confute.contract import StrategyName
from confute.counterexample import Counterexample
from confute.harness.manifest import RunManifest
from confute.harness.search import AGENT_RAISED, NO_PROPOSAL
from confute.records import Arm, AttackGoal, Attempt, Outcome, Record, ScoreState, Validity


class StageCounts(Record):
    """How many proposals of the search came how far; the last two count items, shrunk to the end and confirmed."""

    probes: int = Field(ge=0)
    proposed: int = Field(ge=0)
    refused_by_constraints: int = Field(ge=0)
    ruled_invalid: int = Field(ge=0)
    ruled_unknown: int = Field(ge=0)
    ruled_valid: int = Field(ge=0)
    measured: int = Field(ge=0)
    decided_wrongly: int = Field(ge=0)
    minimised: int = Field(ge=0)
    confirmed: int = Field(ge=0)


class Endings(Record):
    """How the searches of both arms ended, and what they asked the victim: a repeated claim is not charged again."""

    search: dict[str, int]
    no_feedback: dict[str, int]
    queries_requested: int = Field(ge=0)
    queries_charged: int = Field(ge=0)


def stages(attempts: Sequence[Attempt], counterexamples: Sequence[Counterexample]) -> StageCounts:
    """Count how far the proposals of the search came."""
    search = [one for one in attempts if one.arm is Arm.SEARCH]
    proposals = [(one, one.ruling) for one in search if not one.probe and one.ruling is not None]
    free = [one for one, ruling in proposals if ruling.method == "constraints"]
    ruled = Counter(ruling.validity for _, ruling in proposals if ruling.method != "constraints")
    measured = [one for one, _ in proposals if one.score is not None and one.score.state is ScoreState.MEASURED]
    return StageCounts(
        probes=sum(one.probe for one in search),
        proposed=len(proposals),
        refused_by_constraints=len(free),
        ruled_invalid=ruled[Validity.INVALID],
        ruled_unknown=ruled[Validity.UNKNOWN],
        ruled_valid=ruled[Validity.VALID],
        measured=len(measured),
        decided_wrongly=sum(one.outcome is Outcome.SUCCEEDED for one in measured),
        minimised=len({(one.case_id, one.goal) for one in attempts if one.arm is Arm.CONFIRM}),
        confirmed=len(counterexamples),
    )


def endings(manifest: RunManifest, attempts: Sequence[Attempt]) -> Endings:
    """Tell how each search ended: `succeeded`, `budget_exhausted`, `agent_error` or `no_move_left`.

    A language model `attacker_stopped` at its depth, at a budget of its own or without a new idea, or made
    `no_proposal` at all.
    """
    searches: dict[tuple[Arm, str, AttackGoal | None], list[Attempt]] = {}
    for one in attempts:
        if one.arm in {Arm.SEARCH, Arm.NO_FEEDBACK}:
            searches.setdefault((one.arm, one.case_id, one.goal), []).append(one)
    ended = {
        arm: dict(sorted(Counter(_ending(manifest, steps) for key, steps in searches.items() if key[0] is arm).items()))
        for arm in (Arm.SEARCH, Arm.NO_FEEDBACK)
    }
    asked = [one for steps in searches.values() for one in steps if one.score is not None]
    return Endings(
        search=ended[Arm.SEARCH],
        no_feedback=ended[Arm.NO_FEEDBACK],
        queries_requested=len(asked),
        queries_charged=sum(steps[-1].queries for steps in searches.values()),
    )


def _ending(manifest: RunManifest, steps: Sequence[Attempt]) -> str:
    budgets = manifest.contract.attacker.budgets
    if any(one.outcome is Outcome.SUCCEEDED for one in steps):
        return "succeeded"
    if any(one.score is not None and one.score.error_code == AGENT_RAISED for one in steps):
        return "agent_error"
    if any(one.score is not None and one.score.error_code == NO_PROPOSAL for one in steps):
        return "no_proposal"
    attacker = manifest.contract.attacker
    asks = attacker.strategy is StrategyName.LLM and (steps[-1].arm is Arm.SEARCH or attacker.model_controls)
    calls = math.inf if asks or budgets.attacker_calls is None else budgets.attacker_calls
    spent = steps[-1].queries >= budgets.victim_queries or len(steps) >= calls
    return "budget_exhausted" if spent else "attacker_stopped" if asks else "no_move_left"
