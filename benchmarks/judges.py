"""Print the tables of docs/results/judges.md.

python benchmarks/judges.py own                                      # rule judges on data/judges/*.jsonl
python benchmarks/judges.py public --data DATA                       # rule judges on three public sets
python benchmarks/judges.py model --data DATA --votes VOTES.jsonl    # a model beside the rules, on the same rows
python benchmarks/judges.py sample                                   # 4 held-out twins of each family, as a case file

DATA is the folder that holds xstest.jsonl, truthfulqa_human.jsonl and halueval_general.jsonl; VOTES.jsonl comes from
benchmarks/judge_votes.py.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from judge_votes import CONSTRUCTS, MAX_PROMPT, MAX_REPLY, OWN, Asked, public_rows, read_votes, sampled_twins

from confute.harness.judging.cases import read_cases
from confute.harness.judging.figures import Judged, figures
from confute.harness.judging.validation import twins
from confute.harness.rates import Rate
from confute.harness.stats.proportion import wilson
from confute.judges.clamp import ask
from confute.judges.families import family_names
from confute.judges.rules.abstention import AbstentionRates
from confute.judges.rules.lexicon import load_lexicon
from confute.judges.rules.panel import build_rule_panel
from confute.judges.rules.reading import read_reply
from confute.verdicts import VerdictState, VoteState

_STATES = (VerdictState.SUCCEEDED, VerdictState.RESISTED, VerdictState.INCONCLUSIVE, VerdictState.ERROR)
_TWINS = 4
_RIGHTS = ("S", "v", "R", "s")


def main() -> None:
    """Print one kind of table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("own", "public", "model", "sample"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--votes", type=Path)
    options = parser.parse_args()
    if options.table == "own":
        print_own()
    elif options.table == "sample":
        for case in chain.from_iterable(sampled_twins(_TWINS).values()):
            print(case.model_dump_json())
    elif options.data is None or (options.table == "model" and options.votes is None):
        parser.error("the public sets need --data, a model's table --votes too")
    elif options.table == "public":
        print_public(options.data)
    else:
        print_model(options.data, read_votes(options.votes))


def print_own() -> None:
    """Print verdicts by label, and rates, of the rule panels on each split of our own cases."""
    for split in ("development", "held_out"):
        judged = {family: asyncio.run(_judge_file(split, family)) for family in family_names()}
        everything = [one for listed in judged.values() for one in listed]
        print(f"\n### {split}: verdicts by label\n")
        _print_row("family", "label", "n", *(state.lower() for state in _STATES))
        _print_rule(7)
        for family, listed in judged.items():
            for right in _RIGHTS:
                _print_counts(family, right, [one for one in listed if one.case.right == right])
        print(f"\n### {split}: rates\n")
        _print_row(
            "family", "cases", "vulnerable called resisted", "safe called succeeded", "inconclusive", "both right"
        )
        _print_rule(6)
        for family, listed in {**judged, "all": everything}.items():
            _print_rates(family, listed)


def print_public(data: Path) -> None:
    """Print votes by label of the rule judges on whole public sets, by the half that was looked at and the other."""
    _print_vote_head()
    for source, constructs in CONSTRUCTS.items():
        rows = public_rows(data, source, tuple(one.leg for one in constructs), whole=True)
        for half in sorted({_half(row) for row in rows}):
            votes = asyncio.run(_votes(row for row in rows if _half(row) == half))
            _print_votes(f"{source}, {half}", votes, "rules", source)
    rows = public_rows(data, "truthfulqa_human", (), whole=True)
    print(f"\n{_abstentions(rows)}")


def print_model(data: Path, kept: Sequence[dict[str, Any]]) -> None:
    """Print a model's votes by label, and the rules' on the same cut rows."""
    print(f"Replies cut to {MAX_REPLY} characters, prompts to {MAX_PROMPT}.\n")
    _print_vote_head()
    for source, constructs in CONSTRUCTS.items():
        asked = {(row["row"], row["leg"]): row for row in kept if row["source"] == source}
        model = [(row["leg"], row["label"], row["vote"]["state"]) for row in asked.values()]
        _print_votes(source, model, "model", source)
        rows = public_rows(data, source, tuple(one.leg for one in constructs))
        same = asyncio.run(_votes(rows, only=set(asked)))
        _print_votes(source, same, "rules", source)
        codes = Counter(row["vote"]["code"] for row in asked.values() if row["vote"]["code"])
        print(f"| {source} | model's codes | {dict(sorted(codes.items())) or 'none'} | | | | | |")


async def _judge_file(split: str, family: str) -> list[Judged]:
    panel = build_rule_panel(family)
    cases = read_cases(OWN / f"{split}.jsonl", family).cases
    return [Judged(case, await panel.conclude(case.exhibit)) for case in cases]


async def _votes(rows: Iterable[Asked], only: set[tuple[str, str]] | None = None) -> list[tuple[str, str, str]]:
    """Leg, label and state of the rules' vote on each row and leg, or on those that are named."""
    judges = {judge.name: judge for judge in build_rule_panel("misinformation").judges}
    return [
        (leg, row.label, (await ask(judges[leg], row.exhibit)).state)
        for row in rows
        for leg in row.legs
        if only is None or (row.row, leg) in only
    ]


def _abstentions(rows: Iterable[Asked]) -> str:
    """Abstentions on replies that people found uninformative, and on true, informative ones."""
    lexicon = load_lexicon()
    counts: Counter[tuple[str, bool]] = Counter()
    for row in rows:
        counts[row.label, read_reply(row.exhibit.reply, lexicon, prompt=row.exhibit.prompt).withholds] += 1
    rates = AbstentionRates(
        unanswerable=counts["DENIAL", True] + counts["DENIAL", False],
        abstained_unanswerable=counts["DENIAL", True],
        answerable=counts["TRUTHFUL", True] + counts["TRUTHFUL", False],
        abstained_answerable=counts["TRUTHFUL", True],
    )
    found = _share(rates.abstained_unanswerable, rates.unanswerable)
    false = _share(rates.abstained_answerable, rates.answerable)
    return f"Read as withheld: {found} of DENIAL, {false} of TRUTHFUL; told apart: {rates.tells_apart}."


def _print_counts(family: str, right: str, listed: Sequence[Judged]) -> None:
    states = Counter(one.verdict.state for one in listed)
    states[VerdictState.SUCCEEDED] += states[VerdictState.CONFLICT]
    if listed:
        _print_row(family, right, len(listed), *(states[state] for state in _STATES))


def _print_rates(family: str, listed: Sequence[Judged]) -> None:
    found = figures(listed)
    shown = (found.fabrication_vulnerable, found.fabrication_safe, found.abstain, twins(listed).both_right)
    _print_row(family, found.cases, *(_rate(one) for one in shown))


def _print_vote_head() -> None:
    _print_row("set", "judge", "leg", "label", "should fire", "fired", "abstained", "error")
    _print_rule(8)


def _half(row: Asked) -> str:
    """Halves by source group: rules were mended on the replies of xstest in the one half, and on nothing else here."""
    odd = hashlib.sha256(row.group.encode()).digest()[0] % 2
    return "whole" if row.source != "xstest" else "held-out half" if odd else "development half"


def _print_votes(shown: str, votes: Sequence[tuple[str, str, str]], who: str, source: str) -> None:
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for leg, label, state in votes:
        counts[leg, label][state] += 1
    for construct in CONSTRUCTS[source]:
        for label in sorted({label for leg, label in counts if leg == construct.leg}):
            states = counts[construct.leg, label]
            should = "yes" if label == construct.fires else "no" if label in construct.silent else "open"
            fired = _share(states[VoteState.FIRED], states.total() - states[VoteState.ERROR])
            rest = (states[VoteState.ABSTAIN], states[VoteState.ERROR])
            _print_row(shown, who, construct.leg, label, should, fired, *rest)


def _rate(one: Rate) -> str:
    return _share(one.numerator, one.denominator)


def _share(count: int, of: int) -> str:
    interval = wilson(count, of)
    if interval is None:
        return f"{count} of {of}"
    return f"{count} of {of} = {count / of:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _print_row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |")


def _print_rule(columns: int) -> None:
    print("| " + " | ".join(["---"] * columns) + " |")


if __name__ == "__main__":
    main()
