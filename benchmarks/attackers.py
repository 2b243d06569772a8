"""Compare attackers on identical cases, victims, oracle and victim queries: our strategies, and TextAttack in two arms.

    python benchmarks/attackers.py [--cases 200] [--room 64] [--cache DIR] [--only NAME ...]

Supported claims of the built-in facts are turned into claims that do not follow, and the victim is to accept one. A
victim is calibrated to accept 5 % of the false claims of other documents. Cases are those with more candidates than
queries, of which no victim accepts a blind draw of any mechanism: every success is induced, over the same cases for
every attacker. What was chosen, was chosen on the development suite, where the bandit learns before it is frozen;
figures are of the held-out suite. Each attacker is run once with 64 queries and read off at 4, 16 and 64. TextAttack
runs in an environment that the first start makes in the cache folder; the call that scores the source is not charged.
What was measured is kept in the cache folder, so that a run that was stopped goes on and an attacker can be added.
The last line of the output is JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attackers_field import VICTIMS, Field, Trace, Victim, call_of, run, whole
from attackers_kept import kept
from textattack_arms import OWN, SAME_MOVES, TextAttack, described

from confute.agents.bandit import Bandit
from confute.agents.experience import Arm, Lesson, arm_of
from confute.agents.load import load
from confute.contract import Attacker, StrategyName, Suite
from confute.edits import applied
from confute.harness.controls import candidate_of
from confute.harness.lessons import blocks
from confute.harness.search import Item
from confute.harness.stats.paired import mcnemar_exact
from confute.records import Candidate, Knowledge, Pair, Validity, digest_of

BUDGETS = (4, 16, 64)
RATE = 0.05
CONTROL = "random"
SCORED = ("greedy", "beam", "evolutionary", "surrogate", "bandit")
STRATEGIES: dict[str, tuple[StrategyName, Knowledge]] = {
    "surrogate": (StrategyName.SURROGATE, Knowledge.SCORE),
    "random": (StrategyName.RANDOM, Knowledge.SCORE),
    "surrogate, no score": (StrategyName.SURROGATE, Knowledge.DECISION),
    "beam": (StrategyName.BEAM, Knowledge.SCORE),
    "bandit": (StrategyName.BANDIT, Knowledge.SCORE),
    "bandit, no score": (StrategyName.BANDIT, Knowledge.DECISION),
    "greedy": (StrategyName.GREEDY, Knowledge.SCORE),
    "evolutionary": (StrategyName.EVOLUTIONARY, Knowledge.SCORE),
}
EXTRA: dict[str, Callable[[Field, Victim, Sequence[Item]], list[Trace]]] = {}
"""Attackers that run themselves, by name: a language model's column is one."""

Results = dict[str, list[Trace]]


def main() -> None:
    """Run every attacker against every victim, and print the table and the figures."""
    options = _options()
    halves = [(victim, rivals) for victim in VICTIMS for rivals in (False, True)]
    found: dict[str, Results] = {victim: {} for victim in VICTIMS}
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        for (victim, _), results in zip(halves, pool.map(against_one, halves, [options] * len(halves)), strict=True):
            found[victim] |= results
    cases = {len(traces) for results in found.values() for traces in results.values()}
    print(json.dumps({"cases": max(cases), "seeds": options.seeds, "budgets": figures(found), "victims": each(found)}))


def against_one(half: tuple[str, bool], options: argparse.Namespace) -> Results:
    """Run our attackers, or the rivals, against one victim, print their rows, and return the traces."""
    name, rivals = half
    field = Field(options.seeds, Suite(options.suite), options.rate, options.cache)
    victim, items = field.victims[name], field.items(options.cases, max(BUDGETS), options.room)
    told = f"{len(items)} cases; tau {victim.tau:.4f}"
    print(f"{name}: {told}, {victim.rejects_supported:.0%} of the supported claims rejected", flush=True)
    found: Results = {}
    for attacker, traces in (rivalled if rivals else attacked)(field, victim, items, options):
        found[attacker] = traces
        print(line(f"{name}: {attacker}", traces), flush=True)
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2), help="seeds of the built-in facts")
    parser.add_argument("--room", type=int, default=64, help="the least candidates of a case")
    parser.add_argument("--rate", type=float, default=RATE, help="the false claims that a victim accepts")
    parser.add_argument("--suite", choices=("held_out", "development"), default="held_out")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "confute" / "attackers")
    parser.add_argument("--learned-on", type=int, default=64, help="the development cases that the bandit learns on")
    parser.add_argument("--jobs", type=int, default=2, help="processes; there is work for six")
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
    for name, attack in EXTRA.items():
        if _wanted(options.only, name):
            yield name, attack(field, victim, items)


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


def _kept(
    options: argparse.Namespace, field: Field, victim: Victim, known: list[Any], made: Callable[[], list[Trace]]
) -> list[Trace]:
    """Return traces of an earlier run, where the same attacker met the same cases and victim."""
    setting = [options.suite, list(options.seeds), options.cases, options.room, victim.name, victim.tau]
    return kept(options.cache, [setting, max(BUDGETS), field.oracle.version, known], made)


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


def line(name: str, traces: Sequence[Trace]) -> str:
    """Return an attacker's row: items broken at each budget, median queries, edit size potency, and acceptances."""
    last = max(BUDGETS)
    won = [trace.won_at(last) for trace in traces]
    hits = [trace.calls[at - 1] for trace, at in zip(traces, won, strict=True) if at is not None]
    broken = "  ".join(f"{sum(trace.won_at(budget) is not None for trace in traces):4d}" for budget in BUDGETS)
    queries = statistics.median([at for at in won if at is not None]) if hits else math.nan
    tokens = statistics.fmean([hit.tokens for hit in hits]) if hits else math.nan
    return (
        f"  {name:46s} {broken}   queries {queries:5.1f}   tokens {tokens:4.1f}   potency {potency(traces, last):.3f}"
    )


def potency(traces: Sequence[Trace], budget: int) -> float:
    """Return validity rate x ASR within a budget."""
    valid, made = (sum(one) for one in zip(*(trace.validity(budget) for trace in traces), strict=True))
    return valid / made * rate(traces, budget) if made else 0.0


def rate(traces: Sequence[Trace], budget: int) -> float:
    """Return the share of the cases broken within a budget."""
    return sum(trace.won_at(budget) is not None for trace in traces) / len(traces)


def figures(found: dict[str, Results]) -> dict[str, Any]:
    """Return the figures of each budget over all victims; the p value is the largest of the victims'."""
    pooled: Results = {}
    for results in found.values():
        for name, traces in results.items():
            pooled.setdefault(name, []).extend(traces)
    singly = each(found)
    shown = compared(pooled)
    for budget, figure in shown.items():
        ps = [one[budget]["mcnemar_p"] for one in singly.values()]
        figure["mcnemar_p"] = {name: max(one[name] for one in ps) for name in (ps[0] if ps else {})}
    return shown


def each(found: dict[str, Results]) -> dict[str, Any]:
    """Return the figures of each victim and budget."""
    return {name: compared(results) for name, results in found.items()}


def compared(results: Results) -> dict[str, Any]:
    """Return, for each budget, the rates, and the best scored strategy of ours against the best of each rival."""
    return {str(budget): _compared(results, budget) for budget in BUDGETS}


def _compared(results: Results, budget: int) -> dict[str, Any]:
    rates = {name: rate(traces, budget) for name, traces in results.items()}
    ours = _best(rates, SCORED)
    arms = {
        "a": _best(rates, [f"textattack {name}" for name in OWN]),
        "b": _best(rates, [f"textattack {name}" for name in SAME_MOVES]),
    }
    others = [name for name in rates if name != ours]
    return {
        "asr_valid_induced": {name: round(value, 4) for name, value in rates.items()},
        "best": ours,
        "vs_textattack": {arm: _ratio(rates, ours, name) for arm, name in arms.items()},
        "vs_control": _ratio(rates, ours, CONTROL),
        "mcnemar_p": {name: p_value(results, ours, name, budget) for name in others} if ours else {},
    }


def _best(rates: dict[str, float], names: Sequence[str]) -> str | None:
    return max((name for name in names if name in rates), key=rates.__getitem__, default=None)


def _ratio(rates: dict[str, float], ours: str | None, other: str | None) -> float | None:
    """Return the ratio of two rates; None where one is missing or the other attacker broke nothing."""
    if ours is None or other is None or not rates.get(other):
        return None
    return round(rates[ours] / rates[other], 3)


def p_value(results: Results, first: str, second: str, budget: int) -> float:
    """Return the exact p value of McNemar's test over the same cases."""
    pairs = zip(results[first], results[second], strict=True)
    won = [(one.won_at(budget) is not None, other.won_at(budget) is not None) for one, other in pairs]
    return float(f"{mcnemar_exact(won.count((True, False)), won.count((False, True))):.3g}")


if __name__ == "__main__":
    main()
