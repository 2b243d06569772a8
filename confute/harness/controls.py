"""The arms without feedback: each item as it stands, and one blind draw from every mechanism."""

from __future__ import annotations

import random
from collections.abc import Sequence

from confute.agents.agent import View
from confute.edits import applied
from confute.harness.gate import Gate
from confute.harness.recorder import Step, own_goal
from confute.harness.search import Item
from confute.records import Arm, Candidate, Case, Edit, Mechanism, Validity


def baselines(cases: Sequence[Case]) -> list[Step]:
    """Return one step a case: the un-edited item, judged by its own label."""
    return [
        Step(
            case_id=case.case_id,
            goal=own_goal(case.label),
            arm=Arm.BASELINE,
            index=0,
            pair=case.pair,
            label=case.label,
            queries=1,
        )
        for case in cases
    ]


def paired(item: Item, gate: Gate, seed: int) -> list[Step]:
    """Return one step for every mechanism of an item whose label must change, drawn uniformly from its valid moves.

    An attack that keeps the label needs none: its control is the item itself. The step's index is the mechanism's
    place in `Mechanism`.
    """
    if own_goal(item.case.label) is item.view.goal:
        return []
    steps = []
    for index, mechanism in enumerate(Mechanism):
        moves = [edit for edit in item.view.moves if edit.mechanism is mechanism]
        if moves:
            steps += _draw(item, gate, moves, index, f"{seed}/control/{item.case.case_id}/{item.view.goal}/{mechanism}")
    return steps


def candidate_of(view: View, edits: tuple[Edit, ...]) -> Candidate:
    """Return the candidate that edits make of a view's start.

    Raises ValueError where two of them overlap.
    """
    candidate = applied(view.start, edits)
    if candidate is None:
        raise ValueError("edits overlap")
    return candidate


def _draw(item: Item, gate: Gate, moves: list[Edit], index: int, seed: str) -> list[Step]:
    random.Random(seed).shuffle(moves)  # noqa: S311  a reproducible draw, not a secret
    for edit in moves:
        candidate = candidate_of(item.view, (edit,))
        ruling = gate.screen(item.case, candidate).ruling
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
