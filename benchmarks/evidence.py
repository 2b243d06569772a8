"""What each mechanism of evidence does to Hallucination Energy at full and at truncated rank, on the built-in facts.

`python benchmarks/evidence.py --cases 64` runs every mechanism by itself and prints one Markdown row for each: the
items, those that the search turned wrong, those that blind draws did, and by how much added passages alone moved the
risk.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from confute import contract as contracts
from confute.contract import AttackContract
from confute.edits import evidence_size
from confute.harness import run
from confute.harness.ledger import Ledger
from confute.harness.render.words import cell
from confute.harness.report import Report
from confute.records import Arm, Attempt

CONTRACT = Path(__file__).parents[1] / "examples" / "evidence-facts.yaml"
MECHANISMS = {
    "false_acceptance": ("inflation", "duplication", "nearest_wrong", "support_deletion", "echo"),
    "false_rejection": ("rotation", "distractor", "duplication"),
}
HEAD = (
    "rank",
    "goal",
    "mechanism",
    "items",
    "wrong as they stand",
    "induced",
    "induced blindly",
    "risk moved by adding",
)


class Quiet:
    """Progress that nobody watches."""

    def begin(self, phase: str, total: int) -> None:
        """Do nothing."""

    def advance(self, units: int) -> None:
        """Do nothing."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=64)
    cases = parser.parse_args().cases
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for rank in ("full", 3):
        for goal, mechanisms in MECHANISMS.items():
            for mechanism in mechanisms:
                row = measured(contract_of(rank, goal, mechanism, cases))
                print(
                    f"| {rank} | {goal.replace('_', ' ')} | {mechanism.replace('_', ' ')} | {' | '.join(row)} |",
                    flush=True,
                )


def contract_of(rank: Literal["full"] | int | str, goal: str, mechanism: str, cases: int) -> AttackContract:
    """Return the example contract for one rank, goal and mechanism; the goal's own error is calibrated to 10 %."""
    made = contracts.load(CONTRACT).model_dump(mode="json")
    made["victim"]["rank"] = rank
    made["victim"]["threshold"]["calibrate"] |= {"error": goal}
    made["objective"]["attack_goal"] = goal
    made["attacker"]["capabilities"] = [mechanism]
    made["evaluation"]["max_cases"] = cases
    return AttackContract.model_validate(made)


def measured(contract: AttackContract) -> tuple[str, ...]:
    """Carry the contract out in a folder of its own, and return the cells of its row."""
    with tempfile.TemporaryDirectory() as folder:
        order = run.Order(contract=contract, data=None)
        report = run.carry_out(Path(folder), run.prepare(order, None, Quiet()), Quiet())
        with Ledger(Path(folder) / "ledger.sqlite") as ledger:
            moved = list(_moved(ledger.attempts))
    return _cells(report, moved)


def _cells(report: Report, moved: Sequence[float]) -> tuple[str, ...]:
    goal = report.directions[0].goal if report.directions[0].attack.items else report.directions[1].goal
    attack = next(one.attack for one in report.directions if one.goal is goal)
    curve = next(one for one in report.curves if one.goal is goal)
    blind = next(point for point in curve.points if point.queries == report.budgets.victim_queries).no_feedback_induced
    risk = f"{min(moved):+.3f} to {max(moved):+.3f}" if moved else "—"
    return str(attack.items), cell(attack.baseline), cell(attack.asr_induced), cell(blind), risk


def _moved(attempts: Sequence[Attempt]) -> Iterator[float]:
    """Yield the risk of every candidate that only adds passages, less the risk of its item as it stands."""
    before = {one.case_id: one.score.value for one in attempts if one.arm is Arm.BASELINE and one.score}
    for one in attempts:
        value, source = one.score.value if one.score else None, before.get(one.case_id)
        adds = evidence_size(one.edits)
        if one.arm in {Arm.SEARCH, Arm.NO_FEEDBACK} and adds[0] and not adds[1] and None not in {value, source}:
            yield (value or 0.0) - (source or 0.0)


if __name__ == "__main__":
    main()
