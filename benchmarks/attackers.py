"""Compare attackers on identical cases, victims, oracle and victim queries: our strategies, and TextAttack in two arms.

    python benchmarks/attackers.py [--cases 200] [--jobs 6] [--only NAME ...] [--llm http://127.0.0.1:8080/v1]

Supported claims of the built-in facts are turned into claims that do not follow, and the victim is to accept one. A
victim is calibrated to accept 5 % of the false claims of other documents. Cases are those with more candidates than
queries, of which no victim accepts a blind draw of any mechanism: every success is induced, over the same cases for
every attacker. What was chosen, was chosen on the development suite, where the bandit learns before it is frozen;
figures are of the held-out suite. Each attacker is run once with 64 queries and read off at 4, 16 and 64. TextAttack
runs in an environment that the first start makes in the cache folder; the call that scores the source is not charged.
A language model (`--llm`, any endpoint of the OpenAI protocol) attacks one victim in the first cases, as it is slow.
What was measured is kept in the cache folder, so that a run that was stopped goes on and an attacker can be added.
The output is the tables in Markdown, and a last line of JSON; what is done meanwhile is told on the standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attackers_llm
from attackers_field import VICTIMS, Field, Trace, Victim, call_of, run, whole
from attackers_figures import BUDGETS, Results, asked, compared, overall, rate, table
from attackers_kept import find, keep
from textattack_arms import OWN, SAME_MOVES, TextAttack, described

from confute.agents.bandit import Bandit
from confute.agents.experience import Arm, Lesson, arm_of
from confute.agents.load import load
from confute.contract import Attacker, StrategyName, Suite
from confute.edits import applied
from confute.harness.controls import candidate_of
from confute.harness.lessons import blocks
from confute.harness.search import Item
from confute.records import Candidate, Knowledge, Pair, Validity, digest_of

RATE = 0.05
STRATEGIES: dict[str, tuple[StrategyName, Knowledge]] = {
    "surrogate": (StrategyName.SURROGATE, Knowledge.SCORE),
    "surrogate, no score": (StrategyName.SURROGATE, Knowledge.DECISION),
    "bandit, frozen": (StrategyName.BANDIT, Knowledge.SCORE),
    "bandit, frozen, no score": (StrategyName.BANDIT, Knowledge.DECISION),
    "beam": (StrategyName.BEAM, Knowledge.SCORE),
    "greedy": (StrategyName.GREEDY, Knowledge.SCORE),
    "evolutionary": (StrategyName.EVOLUTIONARY, Knowledge.SCORE),
    "random": (StrategyName.RANDOM, Knowledge.SCORE),
}
LLM, LLM_VICTIM = "llm", next(iter(VICTIMS))
LLM_CASES = {4: 20, 16: 20}
"""How many of the first cases a language model attacks with so many queries; more queries go on from fewer."""

OURS, RIVALS = "ours", "rivals"


def main() -> None:
    """Run every attacker against every victim, and print the tables and the figures."""
    options = _options()
    parts = [(victim, part) for victim in VICTIMS for part in (OURS, RIVALS)] + [(LLM_VICTIM, LLM)]
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        results = dict(zip(parts, pool.map(against_one, parts, [options] * len(parts)), strict=True))
    found = {victim: results[victim, OURS] | results[victim, RIVALS] for victim in VICTIMS}
    for victim, shown in found.items():
        print(*table(victim, shown), "", sep="\n")
    told: dict[str, Any] = {
        "cases": max((len(traces) for shown in found.values() for traces in shown.values()), default=0),
        "seeds": list(options.seeds),
        "budgets": overall(found),
        "victims": {victim: compared(shown) for victim, shown in found.items()},
    }
    for name, traces in results[LLM_VICTIM, LLM].items():
        budget = int(name.removeprefix(LLM))
        paired = {other: ours[: len(traces)] for other, ours in found[LLM_VICTIM].items()} | {LLM: traces}
        print(*table(LLM_VICTIM, paired, [budget]), "", sep="\n")
        figures = compared(paired, LLM, [budget])[str(budget)] | {"cases": len(traces), "asked": asked(traces)}
        told.setdefault(LLM, {"model": attackers_llm.MODEL, "victim": LLM_VICTIM})[str(budget)] = figures
    print(json.dumps(told))


def against_one(part: tuple[str, str], options: argparse.Namespace) -> Results:
    """Run our attackers, or the rivals, or the language model, against one victim, and return the traces."""
    name, who = part
    field = Field(options.seeds, Suite(options.suite), options.rate, options.cache)
    victim, items = field.victims[name], field.items(options.cases, max(BUDGETS), options.room)
    told = f"{len(items)} cases; tau {victim.tau:.4f}"
    _say(f"{name}: {told}, {victim.rejects_supported:.0%} of the supported claims rejected")
    attackers = {OURS: attacked, RIVALS: rivalled, LLM: modelled}[who]
    found: Results = {}
    for attacker, traces in attackers(field, victim, items, options):
        found[attacker] = traces
        _say(f"{name}: {attacker} {[round(rate(traces, budget), 3) for budget in BUDGETS]}")
    return found


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2), help="seeds of the built-in facts")
    parser.add_argument("--room", type=int, default=64, help="the least candidates of a case")
    parser.add_argument("--rate", type=float, default=RATE, help="the false claims that a victim accepts")
    parser.add_argument("--suite", choices=("held_out", "development"), default="held_out")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "confute" / "attackers")
    parser.add_argument("--learned-on", type=int, default=64, help="the development cases that the bandit learns on")
    parser.add_argument("--jobs", type=int, default=2, help="processes; there is work for seven")
    parser.add_argument("--llm", help="where a language model answers; without it, what is kept of one is shown")
    parser.add_argument("--only", nargs="*", default=(), help="attackers to run, by name")
    return parser.parse_args()


def _wanted(only: Sequence[str], name: str) -> bool:
    return not only or any(name.startswith(one) for one in only)


def attacked(
    field: Field, victim: Victim, items: Sequence[Item], options: argparse.Namespace
) -> Iterator[tuple[str, list[Trace]]]:
    """Yield each of our attackers with its traces, one an item; what the bandit learned on other cases is frozen."""
    lessons: tuple[Lesson, ...] | None = None
    for name, (strategy, knowledge) in STRATEGIES.items():
        if not _wanted(options.only, name):
            continue
        agent = load(Attacker(strategy=strategy))
        changes: dict[str, Any] = {"knowledge": knowledge}
        if strategy.learns_across_cases:
            lessons = learned(victim.name, options) if lessons is None else lessons
            changes |= {"experience": lessons}
        chosen = [Item(one.case, one.view.model_copy(update=changes)) for one in items]
        known = [agent.fingerprint, knowledge, [one.model_dump(mode="json") for one in lessons or ()]]
        yield name, _kept(options, field, victim, known, partial(run, agent, field, victim, chosen))


def rivalled(
    field: Field, victim: Victim, items: Sequence[Item], options: argparse.Namespace
) -> Iterator[tuple[str, list[Trace]]]:
    """Yield each of TextAttack's attackers with its traces, one an item."""
    with TextAttack(options.cache) as rival:
        for name in (*SAME_MOVES, *OWN):
            if _wanted(options.only, f"textattack {name}"):
                made = partial(_against_all, rival, name, field, victim, items)
                yield f"textattack {name}", _kept(options, field, victim, [name, rival.fingerprint], made)


def _against_all(rival: TextAttack, name: str, field: Field, victim: Victim, items: Sequence[Item]) -> list[Trace]:
    return [against(rival, name, field, victim, item) for item in items]


def modelled(
    field: Field, victim: Victim, items: Sequence[Item], options: argparse.Namespace
) -> Iterator[tuple[str, list[Trace]]]:
    """Yield the language model with its traces of the first cases, where it was asked or can be."""
    if not _wanted(options.only, LLM):
        return
    agent = attackers_llm.strategy(attackers_llm.spec_at(None))
    for queries, cases in LLM_CASES.items():
        known = [LLM, agent.fingerprint, attackers_llm.MODEL, queries, cases]
        if options.llm is None and find(options.cache, _known(options, field, victim, known)) is None:
            _say("no language model: nothing is kept of one, and --llm names none")
            return
        chosen = [attackers_llm.facing(item, queries) for item in items[:cases]]
        made = partial(attackers_llm.attack, options.llm, options.cache, field, victim, chosen)
        yield f"{LLM} {queries}", _kept(options, field, victim, known, made)


def _kept(
    options: argparse.Namespace, field: Field, victim: Victim, known: list[Any], made: Callable[[], list[Trace]]
) -> list[Trace]:
    """Return traces of an earlier run, where the same attacker met the same cases and victim."""
    whole_key = _known(options, field, victim, known)
    traces = find(options.cache, whole_key)
    if traces is None:
        keep(options.cache, whole_key, traces := made())
    return traces


def _known(options: argparse.Namespace, field: Field, victim: Victim, known: list[Any]) -> list[Any]:
    setting = [options.suite, list(options.seeds), options.cases, options.room, victim.name, victim.tau]
    return [setting, max(BUDGETS), field.oracle.version, known]


def learned(name: str, options: argparse.Namespace) -> tuple[Lesson, ...]:
    """Return what the bandit learns on development cases of seed 0, block by block as in a run of the harness."""
    field = Field((0,), Suite.DEVELOPMENT, options.rate, options.cache)
    victim, items = field.victims[name], field.items(options.learned_on, max(BUDGETS), options.room)
    counts: dict[Arm, list[bool]] = {}
    lessons: tuple[Lesson, ...] = ()
    for block in blocks(items):
        taught = [Item(one.case, one.view.model_copy(update={"experience": lessons})) for one in block]
        calls = [call for trace in run(Bandit(), field, victim, taught) for call in trace.calls if call.is_valid]
        for call in calls:
            counts.setdefault(arm_of(call.edits), []).append(call.is_accepted)
        lessons = tuple(
            Lesson(mechanism=arm[0], surface=arm[1], pulls=len(counts[arm]), wins=sum(counts[arm]))
            for arm in sorted(counts)
        )
    return lessons


def against(rival: TextAttack, name: str, field: Field, victim: Victim, item: Item) -> Trace:
    """Return the trace of one of TextAttack's attacks; what it is told of validity costs no query, as with ours."""
    view, source, trace = item.view, item.case.claim, Trace()
    edits = view.moves + view.companions
    candidates: dict[str, Candidate] = {}

    def ruled(candidate: Candidate) -> bool:
        return field.gate.rule(item.case, candidate).validity is Validity.VALID

    def rule(sets: Sequence[Sequence[int]]) -> list[bool]:
        made = [applied(view.start, tuple(edits[index] for index in one)) for one in sets]
        candidates.update((one.claim, one) for one in made if one is not None)
        return [one is not None and ruled(one) for one in made]

    def score(texts: Sequence[str]) -> list[float | None]:
        pairs = [Pair(claim=claim, evidence=view.start.evidence) for claim in texts]
        left = view.victim_queries - len(trace.calls) + sum(claim == source for claim in texts)
        risks = victim.measure(pairs[:left])
        for claim, risk in zip(texts, risks, strict=False):
            if claim != source:
                one = candidates.get(claim) or candidate_of(view, (whole(source, claim),))
                trace.calls.append(call_of(source, one, risk, victim.tau, is_valid=ruled(one)))
                trace.proposals.append(len(trace.calls))
        return [*risks, *[None] * (len(texts) - len(risks))]

    task = {
        "claim": source,
        "search": name,
        "moves": [described(edit) for edit in view.moves],
        "companions": [described(edit) for edit in view.companions],
        "max_edits": view.max_edits,
        "seed": int(digest_of([field.seed, item.case.case_id])[:8], 16),
    }
    rival.attack(task, victim.tau, score, rule)
    return trace


if __name__ == "__main__":
    main()
