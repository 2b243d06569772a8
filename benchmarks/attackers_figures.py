"""The figures of attackers on the same cases: rates, ratios and p values, and the tables that show them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attackers_field import Trace
from textattack_arms import OWN, SAME_MOVES

from confute.harness.stats.paired import mcnemar_exact

BUDGETS = (4, 16, 64)
OURS, CONTROL = "surrogate", "random"
"""Our scored strategy, as chosen on the development suite, and the one without feedback."""

ARMS = {"a": [f"textattack {name}" for name in OWN], "b": [f"textattack {name}" for name in SAME_MOVES]}
_COLUMNS = "queries | tokens | characters | potency | model calls | model tokens | model s"

Results = dict[str, list[Trace]]


def rate(traces: Sequence[Trace], budget: int) -> float:
    """Return the share of the cases broken within a budget."""
    return sum(trace.won_at(budget) is not None for trace in traces) / len(traces)


def potency(traces: Sequence[Trace], budget: int) -> float:
    """Return validity rate x ASR within a budget."""
    valid, made = (sum(one) for one in zip(*(trace.validity(budget) for trace in traces), strict=True))
    return valid / made * rate(traces, budget) if made else 0.0


def p_value(first: Sequence[Trace], second: Sequence[Trace], budget: int) -> float:
    """Return the exact p value of McNemar's test over the same cases."""
    pairs = zip(first, second, strict=True)
    won = [(one.won_at(budget) is not None, other.won_at(budget) is not None) for one, other in pairs]
    return float(f"{mcnemar_exact(won.count((True, False)), won.count((False, True))):.3g}")


def table(victim: str, results: Results, budgets: Sequence[int] = BUDGETS) -> Iterator[str]:
    """Yield the lines of a table in Markdown: what each attacker broke, at what cost.

    Queries to success is the median over the cases broken within the largest budget, tokens and characters changed and
    what a case cost of the attacker's own model are means.
    """
    cases = len(next(iter(results.values())))
    yield f"| {victim}, {cases} cases | {' | '.join(f'q = {one}' for one in budgets)} | {_COLUMNS} |"
    yield "| --- " * (len(budgets) + 1 + _COLUMNS.count("|") + 1) + "|"
    for name, traces in results.items():
        yield f"| {name} | {' | '.join(_cells(traces, budgets))} |"


def _cells(traces: Sequence[Trace], budgets: Sequence[int]) -> Iterator[str]:
    last = max(budgets)
    won = [(trace, at) for trace in traces if (at := trace.won_at(last)) is not None]
    hits = [trace.calls[at - 1] for trace, at in won]
    asked = [trace.asked for trace in traces]
    yield from (str(sum(trace.won_at(budget) is not None for trace in traces)) for budget in budgets)
    yield _number(statistics.median([at for _, at in won]), "g") if won else "-"
    yield _mean([hit.tokens for hit in hits], ".1f")
    yield _mean([hit.chars for hit in hits], ".1f")
    yield f"{potency(traces, last):.3f}"
    yield _mean([one.calls for one in asked], ".3g")
    yield _mean([one.prompt_tokens + one.completion_tokens for one in asked], ".0f")
    yield _mean([one.seconds for one in asked], ".0f")


def _mean(values: Sequence[float], form: str) -> str:
    return _number(statistics.fmean(values), form) if values else "-"


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def pooled(found: Iterable[Results]) -> Results:
    """Return the traces of each attacker on all victims."""
    together: Results = {}
    for results in found:
        for name, traces in results.items():
            together.setdefault(name, []).extend(traces)
    return together


def asked(traces: Sequence[Trace]) -> dict[str, float]:
    """Return what the attacker's own model was asked for all cases together, and how often that led to the victim."""
    spent = [trace.asked for trace in traces]
    return {
        "victim_calls": sum(len(trace.calls) for trace in traces),
        "calls": sum(one.calls for one in spent),
        "prompt_tokens": sum(one.prompt_tokens for one in spent),
        "completion_tokens": sum(one.completion_tokens for one in spent),
        "seconds": round(sum(one.seconds for one in spent)),
    }


def overall(found: dict[str, Results]) -> dict[str, Any]:
    """Return the figures of each budget over all victims; a p value is the largest of the victims'."""
    shown = compared(pooled(found.values()))
    singly = [compared(results) for results in found.values()]
    for budget, figure in shown.items():
        ps = [one[budget]["mcnemar_p"] for one in singly]
        figure["mcnemar_p"] = {name: max(one[name] for one in ps) for name in ps[0]}
    return shown


def compared(results: Results, ours: str = OURS, budgets: Sequence[int] = BUDGETS) -> dict[str, Any]:
    """Return, for each budget, all rates, and those of one attacker against the best of each arm and the control."""
    return {str(budget): _compared(results, ours, budget) for budget in budgets}


def _compared(results: Results, ours: str, budget: int) -> dict[str, Any]:
    rates = {name: rate(traces, budget) for name, traces in results.items()}
    best = {arm: max((one for one in names if one in rates), key=rates.__getitem__, default=None)
            for arm, names in ARMS.items()}  # fmt: skip
    others = [name for name in rates if name != ours] if ours in rates else []
    return {
        "asr_valid_induced": {name: round(value, 4) for name, value in rates.items()},
        "ours": ours,
        "vs_textattack": {arm: _ratio(rates, ours, name) for arm, name in best.items()},
        "vs_control": _ratio(rates, ours, CONTROL),
        "mcnemar_p": {name: p_value(results[ours], results[name], budget) for name in others},
    }


def _ratio(rates: dict[str, float], ours: str, other: str | None) -> float | None:
    """Return the ratio of two rates; None where one is missing or the other attacker broke nothing."""
    if ours not in rates or other is None or not rates.get(other):
        return None
    return round(rates[ours] / rates[other], 3)
