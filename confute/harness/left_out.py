"""The rows of a claims file that were left out, told in words."""

from __future__ import annotations

from confute.harness.manifest import DatasetSummary

LABEL_NEI = "label_nei_is_neither"
"""The reason of a row that is left out since its label puts it on neither side of an attack."""

_WORDS = {
    "not_json": "not JSON",
    "not_an_object": "not a JSON object",
    "no_claim": "without a claim",
    "empty_claim": "with a blank claim",
    "unknown_label": "with an unknown label",
    "not_a_name": "with an id, domain, source, group or split that is no text",
    "evidence_not_strings": "with evidence that is no list of texts",
    "support_not_places": "with support that lists no places of the evidence",
    "sources_not_names": "with sources that are no list of names",
    "duplicate_id": "with an id that stands before",
    LABEL_NEI: "labelled NEI, neither supported nor contradicted",
}


def rows_left_out(dataset: DatasetSummary) -> str | None:
    """Return how many rows were left out, why, and where the first of each kind stands; None where none was."""
    dropped = sum(dataset.dropped.values())
    if not dropped:
        return None
    reasons = ", ".join(_reason(dataset, reason) for reason in sorted(dataset.dropped))
    return f"{dropped} of {dataset.rows} rows {'was' if dropped == 1 else 'were'} left out: {reasons}."


def _reason(dataset: DatasetSummary, reason: str) -> str:
    line = dataset.first_lines.get(reason)
    first = "" if line is None else f" (first on line {line})"
    return f"{dataset.dropped[reason]} {_WORDS.get(reason, reason)}{first}"
