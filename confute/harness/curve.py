"""The success curve: how many items a search breaks within q victim queries, beside a search without feedback."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from confute.harness.outcome import ItemOutcome, Trace
from confute.harness.rates import Rate, rate
from confute.harness.stats.paired import mcnemar_exact
from confute.harness.stats.survival import kaplan_meier_median
from confute.records import AttackGoal, Outcome, Record

_MEASURED = {Outcome.SUCCEEDED, Outcome.RESISTED}


class CurvePoint(Record):
    """Success within `queries` victim queries; every rate is None above the budget.

    `success` keeps an item that was not broken in the denominator; `induced` counts the items whose paired control
    was decided rightly. `only_search` and `only_no_feedback` are the items that one arm alone broke, among those that
    both measured; `p_value` is McNemar's exact one, unadjusted.
    """

    queries: int = Field(ge=1)
    search: Rate | None
    search_induced: Rate | None
    no_feedback: Rate | None
    no_feedback_induced: Rate | None
    only_search: int | None
    only_no_feedback: int | None
    p_value: float | None


class Curve(Record):
    """The success curve towards one goal, with the median queries to success (None where half never succeed)."""

    goal: AttackGoal
    items: int = Field(ge=0)
    points: tuple[CurvePoint, ...]
    median_search: float | None
    median_no_feedback: float | None


def curve(
    goal: AttackGoal, items: Sequence[ItemOutcome], *, shown: Sequence[int], budget: int, finished: bool
) -> Curve:
    """Return the curve of the items of one goal at the budgets shown.

    In a finished run a search that ended without success had nothing left to try, so that it counts as seen up to the
    budget; in an unfinished one it is censored at what it had spent.
    """
    chosen = [item for item in items if item.goal is goal]
    searches, blind = [item.search for item in chosen], [item.no_feedback for item in chosen]
    return Curve(
        goal=goal,
        items=len(chosen),
        points=tuple(_point(queries, chosen, budget) for queries in shown),
        median_search=_median(searches, budget, finished=finished),
        median_no_feedback=_median(blind, budget, finished=finished),
    )


def _point(queries: int, items: Sequence[ItemOutcome], budget: int) -> CurvePoint:
    searches, blind = [(item, item.search) for item in items], [(item, item.no_feedback) for item in items]
    within = queries <= budget
    pairs = [(item.search.within(queries), item.no_feedback.within(queries)) for item in items]
    both = [pair for pair in pairs if _MEASURED.issuperset(pair)]
    only_search = sum(pair == (Outcome.SUCCEEDED, Outcome.RESISTED) for pair in both)
    only_blind = sum(pair == (Outcome.RESISTED, Outcome.SUCCEEDED) for pair in both)
    return CurvePoint(
        queries=queries,
        search=_success(searches, queries) if within else None,
        search_induced=_induced(searches, queries) if within else None,
        no_feedback=_success(blind, queries) if within else None,
        no_feedback_induced=_induced(blind, queries) if within else None,
        only_search=only_search if within else None,
        only_no_feedback=only_blind if within else None,
        p_value=mcnemar_exact(only_search, only_blind) if within and both else None,
    )


def _success(traces: Sequence[tuple[ItemOutcome, Trace]], queries: int) -> Rate:
    return rate(item.mark(trace.within(queries)) for item, trace in traces)


def _induced(traces: Sequence[tuple[ItemOutcome, Trace]], queries: int) -> Rate:
    outcomes = [(item, item.induced(trace, trace.within(queries))) for item, trace in traces]
    return rate(item.mark(outcome) for item, outcome in outcomes if outcome is not None)


def _median(traces: Sequence[Trace], budget: int, *, finished: bool) -> float | None:
    measured = [trace for trace in traces if trace.within(budget) in _MEASURED]
    seen_to = [budget if finished else trace.queries for trace in measured]
    successes = [trace.queries_to_success for trace in measured]
    return kaplan_meier_median(
        [last if success is None else success for success, last in zip(successes, seen_to, strict=True)],
        [success is not None for success in successes],
    )
