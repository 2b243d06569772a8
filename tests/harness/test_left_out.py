"""Rows that were left out, in words."""

import pytest

from confute.contract import parse
from confute.harness import arena
from confute.harness.left_out import rows_left_out
from confute.harness.manifest import DatasetSummary


def summary(dropped, lines=None):
    return DatasetSummary(name="c.jsonl", digest="d", rows=9, dropped=dropped, first_lines=lines or {})


@pytest.mark.parametrize(
    ("dropped", "lines", "said"),
    [
        ({}, {}, None),
        ({"not_json": 1}, {"not_json": 3}, "1 of 9 rows was left out: 1 not JSON (first on line 3)."),
        (
            {"no_claim": 2, "label_nei_is_neither": 4},
            {"no_claim": 5},
            "6 of 9 rows were left out: 4 labelled NEI, neither supported nor contradicted, "
            "2 without a claim (first on line 5).",
        ),
        ({"of_a_later_version": 1}, {}, "1 of 9 rows was left out: 1 of_a_later_version."),
    ],
)
def test_rows_left_out_are_counted_by_reason_with_the_first_line(dropped, lines, said):
    assert rows_left_out(summary(dropped, lines)) == said


def test_the_first_row_that_is_neither_side_has_its_line(tmp_path):
    rows = [f'{{"id": "{label}", "claim": "c", "evidence": ["e"], "label": "{label}"}}' for label in ("REFUTED", "NEI")]
    (tmp_path / "c.jsonl").write_text("\n".join(rows))
    contract = parse("victim: {detector: word_overlap}\nobjective: {oracle: guarded_text}\n")
    found = arena.gathered(contract, tmp_path / "c.jsonl").source
    assert (found.dropped, found.first_lines) == ({"label_nei_is_neither": 1}, {"label_nei_is_neither": 2})
