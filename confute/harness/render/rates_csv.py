"""Every rate of a report as one long table, and what each arm cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from confute.harness.expense import ArmExpense
from confute.harness.rates import Estimate, Rate
from confute.harness.render.words import visible
from confute.harness.report import Report
from confute.harness.summary import AttackSummary


class Row(NamedTuple):
    """One line of the table; a figure that does not exist is empty."""

    metric: str
    goal: str
    group: str
    numerator: str
    denominator: str
    value: str
    low: str
    high: str
    gate_low: str
    gate_high: str
    n_clusters: str
    errors: str
    no_evidence: str
    unknown: str


def rates_csv(report: Report) -> str:
    """Return the table as CSV; every text cell begins with a word of ours, so none is read as a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(_rows(report))
    return stream.getvalue()


def _rows(report: Report) -> Iterator[Row]:
    for one in report.directions:
        yield from _attack(one.goal, "all", one.attack)
        yield _estimate("potency", one.goal, "all", one.potency)
    for curve in report.curves:
        for point in curve.points:
            at = f"q={point.queries}"
            for metric, value in (
                ("success_search", point.search),
                ("success_search_induced", point.search_induced),
                ("success_no_feedback", point.no_feedback),
                ("success_no_feedback_induced", point.no_feedback_induced),
            ):
                if value is not None:
                    yield _rate(metric, curve.goal, at, value)
    for by_mechanism in report.by_mechanism:
        yield from _attack(by_mechanism.goal, f"mechanism:{by_mechanism.mechanism}", by_mechanism.attack)
    for by_domain in report.by_domain:
        yield from _attack(by_domain.goal, f"domain:{by_domain.domain}", by_domain.attack)
    for row in (*report.discrimination, *report.ladder):
        group = row.name if row.level is None else f"level {row.level}: {row.name}"
        yield _rate("false_acceptance", "false_acceptance", group, row.false_acceptance)
        yield _rate("false_rejection", "false_rejection", group, row.false_rejection)
        yield _estimate("auc", "", group, row.auc)
    for arm in report.expense:
        yield from _expense(arm)


def _expense(one: ArmExpense) -> Iterator[Row]:
    amounts: dict[str, float | None] = {"victim_queries": one.victim_queries if one.items else None}
    if one.attacker is not None:
        amounts |= {"attacker_calls": one.attacker.calls, "attacker_tokens": one.attacker.charged_tokens}
        amounts |= {"attacker_dollars": one.attacker.dollars}
    if one.judges is not None:
        amounts |= {"judge_calls": one.judges.calls, "judge_tokens": one.judges.tokens}
        amounts |= {"judge_dollars": one.judges.dollars}
    empty = Row(*[""] * len(Row._fields))
    for metric, amount in amounts.items():
        yield empty._replace(metric=metric, group=f"arm:{one.arm}", value="" if amount is None else f"{amount:.12g}")


def _attack(goal: str, group: str, attack: AttackSummary) -> Iterator[Row]:
    yield _rate("baseline_failure", goal, group, attack.baseline)
    yield _rate("control_failure", goal, group, attack.control)
    yield _rate("asr_all", goal, group, attack.asr_all)
    yield _rate("asr_induced", goal, group, attack.asr_induced)
    yield _rate("worst_case", goal, group, attack.worst_case)
    yield _rate("validity", goal, group, attack.validity.rate)


def _rate(metric: str, goal: str, group: str, rate: Rate) -> Row:
    return Row(
        metric=metric,
        goal=goal,
        group=visible(group),
        numerator=str(rate.numerator),
        denominator=str(rate.denominator),
        value=_number(rate.value),
        low=_number(rate.low),
        high=_number(rate.high),
        gate_low=_number(rate.gate_low),
        gate_high=_number(rate.gate_high),
        n_clusters=str(rate.n_clusters),
        errors=str(rate.errors),
        no_evidence=str(rate.no_evidence),
        unknown=str(rate.unknown),
    )


def _estimate(metric: str, goal: str, group: str, estimate: Estimate) -> Row:
    return Row(
        metric=metric,
        goal=goal,
        group=visible(group),
        numerator="",
        denominator="",
        value=_number(estimate.value),
        low=_number(estimate.low),
        high=_number(estimate.high),
        gate_low="",
        gate_high="",
        n_clusters=str(estimate.n_clusters),
        errors="",
        no_evidence="",
        unknown="",
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
