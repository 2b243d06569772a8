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

from confute.edits import edited
from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Ruling, Validity

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
CASES_READ = 120
"""Rows that a draw of paraphrases reads of each source."""


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

    @property
    def round(self) -> int:
        """The sample that the edit was drawn in: 1, or 2 for the paraphrases drawn after their guards were mended."""
        return int(self.row.get("round", 1))


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


def draw_paraphrases(data: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Yield unlabelled label-keeping edits, spread over the reasons, from source documents that no file here names."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    oracle = GuardedTextOracle()
    labelled = {row["row"] for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())}
    seen = seen_groups(data)
    for source in SOURCES:
        known = list(cases(data, source))
        seen_here = seen | {case.group for case in known if case.case_id in labelled}
        fresh = [case for case in known if not is_development(case) and case.group not in seen_here]
        for case in random.Random(f"{seed}/{source}").sample(fresh, min(len(fresh), CASES_READ)):
            _sort_in(found, oracle, case)
    yield from _spread(found[Mechanism.PARAPHRASE], wanted, f"{seed}/paraphrase", "reason")


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
    return {name: proportion(sum(marks), len(marks)) for name, marks in groups.items()}


def proportion(right: int, total: int) -> dict[str, Any]:
    """Return right, total, precision, its Wilson interval and its one-sided lower bound."""
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
    parser.add_argument("--paraphrases", type=int, metavar="N", help="with --draw: N label-keeping edits alone")
    options = parser.parse_args()
    if "CONFUTE_DATA" not in os.environ:
        parser.error("set CONFUTE_DATA to the folder that holds claims/")
    data = Path(os.environ["CONFUTE_DATA"])
    if options.draw is not None:
        only = options.paraphrases
        for row in draw_paraphrases(data, options.draw, only) if only else draw(data, options.draw):
            print(json.dumps(row, ensure_ascii=False))
        return
    report(rebuilt(data))


def report(labelled: list[Labelled]) -> None:
    """Print precision by mechanism and by round, and what became of the edits that the guards withheld."""
    first = [item for item in labelled if item.round == 1]
    figures = precision(first)
    rounds = {"as_drawn": _as_drawn(first), "second_round": second_round(labelled)}
    print(f"{'mechanism':<22} {'right':>9}  {'precision':>9}  {'Wilson 95 %':>15}  {'one-sided lower':>15}")
    for name, row in sorted(figures.items()):
        _print(name, row)
    as_drawn = rounds["as_drawn"]
    print(f"as drawn, before any label was known: {as_drawn['right']}/{as_drawn['total']} = {as_drawn['precision']}")
    print("second round, paraphrases alone, as drawn:")
    for name, row in rounds["second_round"].items():
        _print(name, row)
    withheld = [item for item in first if item.row["ruled"] != Validity.VALID]
    lost = Counter(str(item.row["valid"]).lower() for item in withheld)
    counts = f"good edits {lost['true']}, not good {lost['false']}, unsure {lost['unsure']}"
    print(f"withheld: {len(withheld)} labelled, of which {counts}")
    print(json.dumps(rounds | {"precision": figures, "withheld": dict(lost)}, sort_keys=True))


def second_round(labelled: list[Labelled]) -> dict[str, dict[str, Any]]:
    """Return how many paraphrases of the second round are right as drawn: all, by reason, and those that say the same.

    `meaning_kept` asks of the edit alone; `all` asks too that the row's own label is right.
    """
    second = [item for item in labelled if item.round == 2]
    marks = [item.row["meaning_kept"] is True for item in second]
    plain = [mark for mark, item in zip(marks, second, strict=True) if item.row["reason"] != "typo_in_function_word"]
    figures = {"all": _as_drawn(second), "meaning_kept": proportion(sum(marks), len(marks))}
    figures["meaning_kept_but_typos"] = proportion(sum(plain), len(plain))
    for reason in sorted({item.row["reason"] for item in second}):
        figures[reason] = _as_drawn([item for item in second if item.row["reason"] == reason])
    return figures


def _as_drawn(labelled: list[Labelled]) -> dict[str, Any]:
    frozen = [item for item in labelled if item.row["ruled"] == Validity.VALID]
    return proportion(sum(item.right for item in frozen), len(frozen))


def _print(name: str, row: dict[str, Any]) -> None:
    low, high = row["wilson95"]
    counts = f"{row['right']:>4}/{row['total']:<4}  {row['precision']:>9.3f}"
    print(f"{name:<22} {counts}  {low:>6.3f} - {high:.3f}  {row['lower95']:>15.3f}")


if __name__ == "__main__":
    main()
