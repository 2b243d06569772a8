"""The arms without feedback: each item as it stands, and one blind draw from every mechanism."""

from __future__ import annotations

import random
from collections.abc import Sequence

from confute.agents.agent import View
from confute.harness.gate import Gate
from confute.harness.recorder import Step
from confute.harness.search import Item
from confute.records import Arm, AttackGoal, Candidate, Case, Edit, Label, Mechanism, Validity, edited


def baseline_goal(case: Case) -> AttackGoal:
    """Return the wrong decision that is possible on the case as it stands."""
    return AttackGoal.FALSE_REJECTION if case.label is Label.SUPPORTED else AttackGoal.FALSE_ACCEPTANCE


def baselines(cases: Sequence[Case]) -> list[Step]:
    """Return one step a case: the un-edited item, judged by its own label."""
    return [
        Step(
            case_id=case.case_id,
            goal=baseline_goal(case),
            arm=Arm.BASELINE,
            index=0,
            pair=case.pair,
            label=case.label,
            queries=1,
        )
        for case in cases
    ]


def paired(item: Item, gate: Gate, seed: int) -> list[Step]:
    """Return one step for every mechanism of the item that changes labels, drawn uniformly from its valid moves.

    A label-keeping attack needs none: its control is the item itself. The step's index is the mechanism's place in
    `Mechanism`.
    """
    steps = []
    for index, mechanism in enumerate(Mechanism):
        moves = [edit for edit in item.view.moves if edit.mechanism is mechanism]
        if mechanism is not Mechanism.PARAPHRASE and moves:
            steps += _draw(item, gate, moves, index, f"{seed}/control/{item.case.case_id}/{item.view.goal}/{mechanism}")
    return steps


def candidate_of(view: View, edits: tuple[Edit, ...]) -> Candidate:
    """Return the candidate that edits make of a view's start.

    Raises ValueError where two of them overlap.
    """
    claim = edited(view.start.claim, edits)
    if claim is None:
        raise ValueError("edits overlap")
    return view.start.model_copy(update={"edits": edits, "claim": claim})


def _draw(item: Item, gate: Gate, moves: list[Edit], index: int, seed: str) -> list[Step]:
    random.Random(seed).shuffle(moves)  # noqa: S311  a reproducible draw, not a secret
    for edit in moves:
        candidate = candidate_of(item.view, (edit,))
        ruling = gate.rule(item.case, candidate)
        if ruling.validity is Validity.VALID:
            return [
                Step(
                    case_id=item.case.case_id,
                    goal=item.view.goal,
                    arm=Arm.CONTROL,
                    index=index,
                    pair=candidate.pair,
                    label=ruling.label,
                    edits=candidate.edits,
                    ruling=ruling,
                    queries=1,
                )
            ]
    return []
