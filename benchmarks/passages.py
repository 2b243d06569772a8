"""How often the guards are right to vouch for a foreign passage: passages added to real claims, labelled by hand.

``CONFUTE_DATA=<folder> python benchmarks/passages.py`` rebuilds each labelled pair from its rows, rules on it anew,
and prints precision as JSON, by set and sample. ``--draw SEED`` draws claims and prints, one JSON row a line, by ids
and rulings alone, passages that the guards vouch for: one drawn for each of 40 claims a set, and the 20 a set that are
nearest to their claim. ``--rates SEED`` prints how many of the 64 nearest foreign passages they vouch for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from guards import proportion

from confute.edits import applied, unedited
from confute.harness import dataset
from confute.harness.arena import Embedders
from confute.models.embedder import Embedder
from confute.oracles.text import GuardedTextOracle
from confute.records import AttackGoal, Case, Edit, Label, Mechanism, PassageChange, Ruling, Validity

LABELS = Path(__file__).parent.parent / "data" / "guards" / "passages.jsonl"
SAMPLES = ("drawn", "hardest")
SETS = {"scifact": "claims", "feverous": "regimes"}
CACHE = Path.home() / ".cache" / "confute"
DRAWN = 40
HARDEST = 20
CLAIMS = 120
NEAREST = 64


@dataclass(frozen=True)
class Pool:
    """The cases of a set, the oracle over them, and every passage with its first place: row and index."""

    source: str
    cases: tuple[Case, ...]
    oracle: GuardedTextOracle

    @property
    def places(self) -> dict[str, tuple[str, int]]:
        """Where each passage stands first, by its text."""
        found: dict[str, tuple[str, int]] = {}
        for case in self.cases:
            for place, passage in enumerate(case.evidence):
                found.setdefault(passage, (case.case_id, place))
        return found

    def rule(self, case: Case, passage: str) -> Ruling:
        """Return the ruling on a case with a foreign passage added, for the goal that its label leaves open."""
        edit = Edit(
            mechanism=Mechanism.INFLATION if goal_of(case) is AttackGoal.FALSE_ACCEPTANCE else Mechanism.DISTRACTOR,
            slot="added",
            replacements=(),
            passages=(PassageChange(text=passage),),
            expected_label=case.label,
        )
        candidate = applied(unedited(case, goal_of(case)), (edit,))
        assert candidate is not None
        return self.oracle.rule(case, candidate)


def goal_of(case: Case) -> AttackGoal:
    """Return the goal of an attack that keeps the label of a case."""
    return AttackGoal.FALSE_REJECTION if case.label is Label.SUPPORTED else AttackGoal.FALSE_ACCEPTANCE


def read(data: Path, source: str) -> Pool:
    """Return the cases of a set that are judged, as a run reads them."""
    found = dataset.read(data / SETS[source] / f"{source}.jsonl").cases
    cases = tuple(case for case in found if case.label is not Label.NEI)
    return Pool(source, cases, GuardedTextOracle(cases))


class Looked(NamedTuple):
    """A foreign passage near a claim: its cosine and the ruling on adding it."""

    cosine: float
    passage: str
    ruling: Ruling

    @property
    def vouched(self) -> bool:
        """Whether it is ruled VALID."""
        return self.ruling.validity is Validity.VALID


def looked_at(pool: Pool, embedder: Embedder, seed: int) -> Iterator[tuple[Case, list[Looked]]]:
    """Yield drawn cases, each with the foreign passages that are nearest to its claim, the nearest first."""
    groups: dict[str, set[str]] = defaultdict(set)
    for case in pool.cases:
        for passage in case.evidence:
            groups[passage].add(case.group)
    passages = sorted(groups)
    vectors = embedder.embed(passages)
    for case in random.Random(f"{seed}/{pool.source}").sample(pool.cases, CLAIMS):
        cosines = vectors @ embedder.embed([case.claim])[0]
        foreign = (
            at
            for at in np.argsort(-cosines, kind="stable")
            if case.group not in groups[passages[at]] and passages[at] not in case.evidence
        )
        yield (
            case,
            [
                Looked(float(cosines[at]), passages[at], pool.rule(case, passages[at]))
                for at in islice(foreign, NEAREST)
            ],
        )


def draw(pool: Pool, embedder: Embedder, seed: int) -> Iterator[dict[str, Any]]:
    """Yield unlabelled rows of passages ruled VALID: DRAWN of one claim each, then the HARDEST of all other claims."""
    generator = random.Random(f"{seed}/{pool.source}/passage")
    vouched = [(case, [one for one in found if one.vouched]) for case, found in looked_at(pool, embedder, seed)]
    offered = [(case, found) for case, found in vouched if found]
    places = pool.places
    for case, found in offered[:DRAWN]:
        yield _row(pool, case, generator.choice(found), places, "drawn")
    nearest = sorted(((case, found[0]) for case, found in offered[DRAWN:]), key=lambda pair: -pair[1].cosine)
    for case, one in nearest[:HARDEST]:
        yield _row(pool, case, one, places, "hardest")


def _row(pool: Pool, case: Case, one: Looked, places: dict[str, tuple[str, int]], sample: str) -> dict[str, Any]:
    row, place = places[one.passage]
    return {
        "source": pool.source,
        "sample": sample,
        "row": case.case_id,
        "passage_row": row,
        "place": place,
        "passage_sha256": _digest(one.passage),
        "goal": goal_of(case),
        "ruled": one.ruling.validity,
        "reason": one.ruling.reason,
    }


def rates(pool: Pool, embedder: Embedder, seed: int) -> dict[str, Any]:
    """Return how many of the nearest foreign passages are VALID, how many claims have one, and why the rest are not."""
    found = [looked for _, looked in looked_at(pool, embedder, seed)]
    reasons = Counter(one.ruling.reason for looked in found for one in looked)
    return {
        "source": pool.source,
        "claims": len(found),
        "claims_with_a_valid_one": sum(any(one.vouched for one in looked) for looked in found),
        "looked_at": sum(map(len, found)),
        "valid": sum(one.vouched for looked in found for one in looked),
        "reasons": dict(sorted(reasons.items())),
    }


def rebuilt(data: Path) -> list[tuple[dict[str, Any], Ruling]]:
    """Return every labelled row with the current ruling; a row whose text has changed raises ValueError."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    pools = {source: read(data, source) for source in sorted({row["source"] for row in rows})}
    known = {source: {case.case_id: case for case in pool.cases} for source, pool in pools.items()}
    found = []
    for row in rows:
        passage = known[row["source"]][row["passage_row"]].evidence[row["place"]]
        if _digest(passage) != row["passage_sha256"]:
            raise ValueError(f"{row['source']} {row['passage_row']}: the passage is not the labelled one")
        found.append((row, pools[row["source"]].rule(known[row["source"]][row["row"]], passage)))
    return found


def precision(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return right, total and bounds of the rows as drawn, by sample and by set; unsure counts as wrong."""
    groups = {key: [row for row in rows if key in {row["source"], row["sample"]}] for key in (*SAMPLES, *SETS)}
    return {name: proportion(sum(row["valid"] is True for row in some), len(some)) for name, some in groups.items()}


def _digest(passage: str) -> str:
    return hashlib.sha256(passage.encode("utf-8", "surrogatepass")).hexdigest()


def main() -> None:
    """Print the figures, the rates, or a fresh sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="SEED", help="print a fresh sample to label instead")
    parser.add_argument("--rates", type=int, metavar="SEED", help="print how many passages are vouched for instead")
    options = parser.parse_args()
    if "CONFUTE_DATA" not in os.environ:
        parser.error("set CONFUTE_DATA to the folder that holds claims/ and regimes/")
    data = Path(os.environ["CONFUTE_DATA"])
    if options.draw is None and options.rates is None:
        labelled = rebuilt(data)
        still = sum(ruling.validity is Validity.VALID for _, ruling in labelled)
        print(json.dumps({"precision": precision([row for row, _ in labelled]), "still_vouched_for": still}, indent=1))
        return
    embedder = Embedders(CACHE).load("minilm")
    for pool in (read(data, source) for source in SETS):
        if options.draw is not None:
            for row in draw(pool, embedder, options.draw):
                print(json.dumps(row), flush=True)
        if options.rates is not None:
            print(json.dumps(rates(pool, embedder, options.rates)), flush=True)


if __name__ == "__main__":
    main()
