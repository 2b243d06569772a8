"""How often the guards on free text are right: their VALID edits against labels given by hand.

``CONFUTE_DATA=<folder> python benchmarks/guards.py`` rebuilds each labelled edit from its row, rules on it anew, and
prints precision by mechanism; the last line is JSON. ``--draw`` prints a fresh sample to label, one JSON row a line.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.stats import beta

from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Ruling, Validity, edited

LABELS = Path(__file__).parent.parent / "data" / "guards" / "labels.jsonl"
SEEN = LABELS.with_name("seen.jsonl")
_OVERLAPPING = "feverous_s_matched"
"""A set whose rows, half of which were read, stand in `feverous` too, where the document is named by its title."""
REGIMES = ("feverous", "pubmedqa")
SOURCES = (
    "begin",
    "breaking_nli",
    "factcheck_gpt",
    "fever_symmetric",
    "feverous",
    "hans_regen",
    "infotabs",
    "pubmedqa",
    "q2_wow",
    "scifact",
    "summedits",
    "vitaminc",
)
WANTED = {
    Mechanism.QUANTITY: 40,
    Mechanism.TEMPORAL: 35,
    Mechanism.POLARITY: 45,
    Mechanism.BINDING: 40,
    Mechanism.ROLE_SWAP: 20,
    Mechanism.CAUSAL: 15,
    Mechanism.PARAPHRASE: 25,
}
WITHHELD = 60


@dataclass(frozen=True)
class Labelled:
    """An edit with the label given by hand and the ruling of the guards as they stand now.

    `right` is None where the labeller was unsure.
    """

    row: dict[str, Any]
    ruling: Ruling

    @property
    def right(self) -> bool:
        """Whether a VALID ruling on the edit is right; unsure counts as wrong."""
        return self.row["valid"] is True


def cases(data: Path, source: str) -> Iterator[Case]:
    """Yield the SUPPORTED rows of a source set."""
    folder = "regimes" if source in REGIMES else "claims"
    with (data / folder / f"{source}.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row["label"] == Label.SUPPORTED and row["meta"].get("construct") != "question_as_claim":
                yield Case(
                    case_id=row["id"],
                    claim=row["claim"],
                    evidence=tuple(row["evidence"]),
                    label=Label.SUPPORTED,
                    domain=row["domain"],
                    source=source,
                    group=row["group"] if source in REGIMES else row["meta"]["group"],
                )


def is_development(case: Case) -> bool:
    """Tell whether a case's source document is one that the guards were mended on."""
    return int(hashlib.sha256(case.group.encode()).hexdigest(), 16) % 2 == 0


def seen_groups(data: Path) -> frozenset[str]:
    """Return the source documents of the rows that were read while the guards were mended."""
    rows = [json.loads(line) for line in SEEN.read_text(encoding="utf-8").splitlines()]
    read = {(row["source"], row["row"]) for row in rows}
    sources = sorted({source for source, _ in read})
    groups = {case.group for source in sources for case in cases(data, source) if (source, case.case_id) in read}
    return frozenset(groups | {case.evidence[0].partition(": ")[0] for case in cases(data, _OVERLAPPING)})


def rebuilt(data: Path) -> list[Labelled]:
    """Return every labelled edit with the current ruling; a row whose text has changed raises ValueError."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    known = {source: {case.case_id: case for case in cases(data, source)} for source in {row["source"] for row in rows}}
    oracle = GuardedTextOracle()
    return [_ruled(oracle, known[row["source"]][row["row"]], row) for row in rows]


def _ruled(oracle: GuardedTextOracle, case: Case, row: dict[str, Any]) -> Labelled:
    edit = Edit.model_validate_json(json.dumps(row["edit"]))
    claim = edited(case.claim, (edit,)) or ""
    if _digest(claim) != row["claim_sha256"]:
        raise ValueError(f"{row['source']} {row['row']}: the edited claim is not the labelled one")
    return Labelled(row, _rule(oracle, case, AttackGoal(row["goal"]), edit))


def draw(data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Yield unlabelled rows of held-out source documents: WANTED vouched for by mechanism, then WITHHELD others."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    oracle = GuardedTextOracle()
    seen = seen_groups(data)
    for source in SOURCES:
        for case in cases(data, source):
            if not is_development(case) and case.group not in seen:
                _sort_in(found, oracle, case)
    for mechanism, wanted in WANTED.items():
        key = "reason" if mechanism is Mechanism.PARAPHRASE else "source"
        yield from _spread(found[mechanism], wanted, f"{seed}/{mechanism}", key)
    yield from _spread(found["withheld"], WITHHELD, f"{seed}/withheld", "reason")


def _sort_in(found: dict[str, list[dict[str, Any]]], oracle: GuardedTextOracle, case: Case) -> None:
    for edit, ruling in oracle.audit(case):
        keeps = edit.mechanism is Mechanism.PARAPHRASE
        goal = AttackGoal.FALSE_REJECTION if keeps else AttackGoal.FALSE_ACCEPTANCE
        word = _rule(oracle, case, goal, edit) if keeps else ruling
        row = {"row": case.case_id, "source": case.source, "goal": goal, "edit": edit.model_dump(mode="json")}
        row |= {
            "claim_sha256": _digest(edited(case.claim, (edit,)) or ""),
            "ruled": word.validity,
            "reason": word.reason,
        }
        found[edit.mechanism if word.validity is Validity.VALID else "withheld"].append(row)


def _rule(oracle: GuardedTextOracle, case: Case, goal: AttackGoal, edit: Edit) -> Ruling:
    claim = edited(case.claim, (edit,)) or ""
    candidate = Candidate(case_id=case.case_id, goal=goal, edits=(edit,), claim=claim, evidence=case.evidence)
    return oracle.rule(case, candidate)


def _spread(rows: list[dict[str, Any]], wanted: int, seed: str, key: str) -> list[dict[str, Any]]:
    """Return rows drawn in turn from each source (or reason), one a source row."""
    by_key: dict[str, list[dict[str, Any]]] = defaultdict(list)
    generator = random.Random(seed)
    for row in generator.sample(rows, len(rows)):
        by_key[row[key]].append(row)
    chosen: dict[str, dict[str, Any]] = {}
    while len(chosen) < wanted and any(by_key.values()):
        for name in sorted(by_key):
            left = [row for row in by_key[name] if row["row"] not in chosen]
            by_key[name] = left[1:]
            if left and len(chosen) < wanted:
                chosen[left[0]["row"]] = left[0]
    return list(chosen.values())


def _digest(claim: str) -> str:
    return hashlib.sha256(claim.encode("utf-8", "surrogatepass")).hexdigest()


def wilson(right: int, total: int) -> tuple[float, float]:
    """Return the two-sided 95 % Wilson interval."""
    z = 1.959963984540054
    share = right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return middle - half, middle + half


def lower_bound(right: int, total: int) -> float:
    """Return the one-sided 95 % Clopper-Pearson lower bound."""
    return float(beta.ppf(0.05, right, total - right + 1)) if right else 0.0


def precision(labelled: list[Labelled]) -> dict[str, dict[str, Any]]:
    """Return right, total and bounds of the edits now ruled VALID, overall and by mechanism."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for item in labelled:
        if item.ruling.validity is Validity.VALID:
            groups["all"].append(item.right)
            groups[item.row["edit"]["mechanism"]].append(item.right)
    return {name: _figures(sum(marks), len(marks)) for name, marks in groups.items()}


def _figures(right: int, total: int) -> dict[str, Any]:
    low, high = wilson(right, total)
    return {
        "right": right,
        "total": total,
        "precision": round(right / total, 4),
        "wilson95": [round(low, 4), round(high, 4)],
        "lower95": round(lower_bound(right, total), 4),
    }


def main() -> None:
    """Print the table, or a fresh sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="SEED", help="print a fresh sample to label instead")
    options = parser.parse_args()
    if "CONFUTE_DATA" not in os.environ:
        parser.error("set CONFUTE_DATA to the folder that holds claims/")
    data = Path(os.environ["CONFUTE_DATA"])
    if options.draw is not None:
        for row in draw(data, options.draw):
            print(json.dumps(row, ensure_ascii=False))
        return
    report(rebuilt(data))


def report(labelled: list[Labelled]) -> None:
    """Print precision by mechanism, and what became of the edits that the guards withheld."""
    figures = precision(labelled)
    frozen = [item for item in labelled if item.row["ruled"] == Validity.VALID]
    as_drawn = _figures(sum(item.right for item in frozen), len(frozen))
    print(f"{'mechanism':<12} {'right':>9}  {'precision':>9}  {'Wilson 95 %':>15}  {'one-sided lower':>15}")
    for name, row in sorted(figures.items()):
        low, high = row["wilson95"]
        print(
            f"{name:<12} {row['right']:>4}/{row['total']:<4}  {row['precision']:>9.3f}  {low:>6.3f} - {high:.3f}  "
            f"{row['lower95']:>15.3f}"
        )
    print(f"as drawn, before any label was known: {as_drawn['right']}/{as_drawn['total']} = {as_drawn['precision']}")
    withheld = [item for item in labelled if item.row["ruled"] != Validity.VALID]
    lost = Counter(str(item.row["valid"]).lower() for item in withheld)
    counts = f"good edits {lost['true']}, not good {lost['false']}, unsure {lost['unsure']}"
    print(f"withheld: {len(withheld)} labelled, of which {counts}")
    print(json.dumps({"as_drawn": as_drawn, "precision": figures, "withheld": dict(lost)}, sort_keys=True))


if __name__ == "__main__":
    main()
