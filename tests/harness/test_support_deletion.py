"""Support deleted from free text: what the annotation of a row allows, and what a run says without one."""

import json

import pytest
from watching import Quiet

from confute import contract
from confute.harness import run
from confute.harness.evidence import EvidenceMoves
from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Case, Label, Mechanism

FA = AttackGoal.FALSE_ACCEPTANCE
FREE_TEXT_RUN = """
victim: {detector: word_overlap, threshold: {value: 0.5}}
objective: {oracle: guarded_text, attack_goal: false_acceptance}
attacker: {capabilities: [support_deletion], budgets: {victim_queries: 8, evidence_removals: 1}}
"""
NOTES = Case(
    case_id="notes",
    claim="Ada Lovelace wrote 7 notes.",
    evidence=("Lovelace wrote some.", "There were 7 notes.", "Babbage built engines."),
    label=Label.SUPPORTED,
    domain="d",
    source="s",
    group="g",
)


@pytest.mark.parametrize(("support", "removed"), [((), []), ((1,), [[1]]), ((0, 1), [[0, 1]]), ((0, 1, 2), [])])
def test_free_text_offers_the_deletion_of_all_annotated_support_where_other_passages_are_left(support, removed):
    annotated = {NOTES.case_id: support}
    oracle = GuardedTextOracle([NOTES], annotated)
    source = EvidenceMoves((Mechanism.SUPPORT_DELETION,), oracle, [NOTES], None, annotated)
    moves = source.moves(NOTES, FA)
    assert [[change.index for change in move.passages] for move in moves] == removed
    assert {move.expected_label for move in moves} <= {Label.UNSUPPORTED}


@pytest.mark.parametrize(("support", "stated"), [({}, True), ({"support": [0]}, False)])
def test_a_run_on_free_text_says_that_it_knows_of_no_support_to_delete(tmp_path, support, stated):
    rows = [
        {
            "id": f"{number}",
            "claim": f"Ada Lovelace wrote {number} notes.",
            "evidence": [f"Lovelace wrote {number} notes.", "Babbage built engines."],
            "label": "SUPPORTED",
            "group": f"{number}",
        }
        | support
        for number in range(4)
    ]
    data = tmp_path / "claims.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    order = run.Order(contract=contract.parse(FREE_TEXT_RUN), data=str(data))
    (tmp_path / "run").mkdir()
    report = run.carry_out(tmp_path / "run", run.prepare(order, None, Quiet()), Quiet())
    assert ("no_support_to_delete" in {one.code for one in report.warnings}) is stated
    assert report.cases_attacked == (0 if stated else 4)
