"""Ask one real model, leg by leg, about a sample of labelled rows, and keep every vote.

python benchmarks/judge_votes.py --data DATA --votes VOTES.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME

DATA is the folder that holds xstest.jsonl, truthfulqa_human.jsonl and halueval_general.jsonl. The same command goes on
with a stopped run. VOTES.jsonl names rows by their id and holds none of their text but what the model quoted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from confute.harness.judging.cases import read_rows
from confute.judges.clamp import ask
from confute.judges.families import build_panel, family_names
from confute.judges.judge import Exhibit, JudgeCase
from confute.judges.question import JudgeSettings
from confute.models.chat import ModelSpec
from confute.models.chat_load import load_chat

OWN = Path(__file__).resolve().parent.parent / "data" / "judges"
SEED = 0
MAX_REPLY, MAX_PROMPT, MAX_TOKENS = 600, 300, 160


@dataclass(frozen=True)
class Construct:
    """What a leg should find in a set: it should fire on `fires`, and stay silent on the labels of `silent`."""

    leg: str
    fires: str
    silent: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """One exhibit and the legs of a family that are asked about it."""

    source: str
    row: str
    label: str
    family: str
    legs: tuple[str, ...]
    exhibit: Exhibit
    cut: bool
    group: str = ""


CONSTRUCTS = {
    "xstest": (Construct("clean_refusal", "REFUSAL", ("COMPLY",)),),
    "truthfulqa_human": (
        Construct("clean_refusal", "DENIAL", ("CONFAB", "TRUTHFUL")),
        Construct("confabulation", "CONFAB", ("DENIAL", "TRUTHFUL")),
    ),
    "halueval_general": (Construct("confabulation", "CONFAB", ("TRUTHFUL",)),),
}
"""All are legs of the family misinformation; PARTIAL_REFUSAL of xstest is neither, and is reported beside."""


def main() -> None:
    """Ask, and append votes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--votes", type=Path, required=True)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rows", type=int, default=42, help="rows of each public set")
    parser.add_argument("--twins", type=int, default=4, help="twins of each family, of the held-out cases")
    options = parser.parse_args()
    spec = ModelSpec(model=options.model, base_url=options.base_url, timeout_s=600, concurrency=1)
    work = [*public_sample(options.data, options.rows), *own_sample(options.twins)]
    asyncio.run(_ask_all(work, spec, options.votes))


def public_rows(data: Path, source: str, legs: tuple[str, ...], *, whole: bool = False) -> list[Asked]:
    """Return every row of a public set, unless `whole` with texts cut to what a small model reads in time."""
    rows = [row for _, row in read_rows(data / f"{source}.jsonl")]
    return [
        Asked(
            source, row["id"], row["label"], "misinformation", legs, *_exhibit(row, whole=whole), row["meta"]["group"]
        )
        for row in rows
    ]


def public_sample(data: Path, count: int) -> list[Asked]:
    """Return the rows sampled from each public set, equally many of each label, labels and sets taking turns.

    Second questions about the same rows come after all first ones, so that a stopped run has whole sets.
    """
    rounds = zip_longest(*([(source, one.leg) for one in listed] for source, listed in CONSTRUCTS.items()))
    return [
        one
        for asked in rounds
        for one in _taking_turns(_sample(data, pair[0], pair[1], count) for pair in asked if pair is not None)
    ]


def _sample(data: Path, source: str, leg: str, count: int) -> list[Asked]:
    by_label: dict[str, list[Asked]] = defaultdict(list)
    for one in public_rows(data, source, (leg,)):
        by_label[one.label].append(one)
    share = -(-count // len(by_label))
    return _taking_turns(
        random.Random(f"{SEED}/{source}/{label}").sample(by_label[label], share) for label in sorted(by_label)
    )


def own_sample(twins: int) -> list[Asked]:
    """Return both cases of so many twins of each family, families taking turns."""
    return _taking_turns([own_rows(cases) for cases in sampled_twins(twins).values()])


def sampled_twins(twins: int) -> dict[str, list[JudgeCase]]:
    """Return the cases of so many twins of each family, drawn from the held-out ones."""
    pairs: dict[str, dict[str, list[JudgeCase]]] = defaultdict(lambda: defaultdict(list))
    for _, row in read_rows(OWN / "held_out.jsonl"):
        case = JudgeCase.model_validate(row)
        pairs[case.family][case.twin or case.case_id].append(case)
    drawn = {}
    for family in sorted(pairs):
        names = random.Random(f"{SEED}/twins/{family}").sample(sorted(pairs[family]), twins)
        drawn[family] = [case for name in names for case in pairs[family][name]]
    return drawn


def own_rows(cases: Sequence[JudgeCase]) -> list[Asked]:
    """Return labelled cases of our own, with every leg of their family."""
    return [Asked("own", one.case_id, one.right, one.family, (), one.exhibit, cut=False) for one in cases]


def read_votes(path: Path) -> list[dict[str, Any]]:
    """Return the votes kept so far."""
    return [row for _, row in read_rows(path)] if path.exists() else []


async def _ask_all(work: Sequence[Asked], spec: ModelSpec, votes: Path) -> None:
    model = load_chat(spec)
    settings = JudgeSettings(max_tokens=MAX_TOKENS)
    panels = {family: build_panel(family, model, settings=settings) for family in family_names()}
    done = {(row["row"], row["leg"]) for row in read_votes(votes)}
    with votes.open("a", encoding="utf-8") as out:
        for one in work:
            for judge in panels[one.family].judges:
                if (one.legs and judge.name not in one.legs) or (one.row, judge.name) in done:
                    continue
                vote = await ask(judge, one.exhibit)
                kept = {"source": one.source, "row": one.row, "label": one.label, "family": one.family, "cut": one.cut}
                out.write(json.dumps({**kept, "leg": judge.name, "vote": vote.model_dump(mode="json")}) + "\n")
                out.flush()


def _exhibit(row: dict[str, Any], *, whole: bool) -> tuple[Exhibit, bool]:
    prompt, reply = row["prompt"], row["response"]
    if whole:
        return Exhibit(prompt=prompt, reply=reply), False
    return Exhibit(prompt=prompt[:MAX_PROMPT], reply=reply[:MAX_REPLY]), len(reply) > MAX_REPLY


def _taking_turns(groups: Iterable[Sequence[Asked]]) -> list[Asked]:
    return [one for one in chain.from_iterable(zip_longest(*groups)) if one is not None]


if __name__ == "__main__":
    main()
