"""A report on a terminal: what was attacked, what came of it, and the smallest counterexamples."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from confute.harness.render import words
from confute.harness.render.diff import Kind, passage_diff, word_diff
from confute.harness.report import Report
from confute.harness.summary import DirectionSummary
from confute.records import AttackGoal

_SHOWN = 5
_PASSAGE_CHARS = 300
_WIDTH_OF_A_FILE = 120
_STYLES = {Kind.KEPT: "", Kind.REMOVED: "red strike", Kind.ADDED: "bold green"}
_FRAMES = {Kind.KEPT: ("", ""), Kind.REMOVED: ("[-", "-]"), Kind.ADDED: ("{+", "+}")}


def print_report(report: Report, console: Console | None = None) -> None:
    """Print the report to a console, by default standard output."""
    out = console or plain_console()
    for part in _parts(report):
        out.print(part, soft_wrap=isinstance(part, Text))


def plain_console() -> Console:
    """Return standard output as a console, wide where it is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH_OF_A_FILE)


def _parts(report: Report) -> Iterable[Text | Table]:
    yield _who(report)
    yield from (Text(f"! {words.visible(one.message)}", style="yellow") for one in report.warnings)
    yield from (_outcome(one) for one in report.directions if one.attack.items or one.attack.baseline.denominator)
    yield from (_curve(report, index) for index, curve in enumerate(report.curves) if curve.items)
    yield from (_by_mechanism(report, goal) for goal in sorted({one.goal for one in report.by_mechanism}))
    yield _ladder(report)
    if words.asks_models(report.expense):
        yield _expense(report)
    yield from _counterexamples(report)


def _who(report: Report) -> Text:
    victim, attacker = report.victim, report.attacker
    lines = Text(words.visible(f"{victim.detector} {victim.version}"), style="bold")
    lines.append(
        f"  accepts at risk <= {victim.threshold:.4g} ({victim.threshold_source}), fingerprint {victim.digest[:12]}\n"
        f"{words.visible(f'{attacker.name} {attacker.version}')}  knows the {attacker.knowledge}, "
        f"at most {report.budgets.victim_queries} queries an item; oracle {words.visible(report.oracle.name)}\n"
        f"{words.visible(report.dataset.name)}  {words.counted(report.cases, 'case')} of "
        f"{words.counted(report.groups, 'source')}, "
        f"{report.cases_attacked} attacked; {report.valid} of {report.attempted} proposals valid "
        f"({words.percent(report.validity_rate)})\n",
        style="not bold",
    )
    return lines


def _outcome(direction: DirectionSummary) -> Table:
    attack = direction.attack
    table = plain_table(
        f"{words.goal_words(direction.goal)}, {attack.items} items attacked",
        ("", "n/N", "share", "95 %", "errors", "no evidence", "unknown"),
    )
    for name, rate in (
        ("baseline (no attack)", attack.baseline),
        ("control (blind draw)", attack.control),
        ("search, all (ASR_all)", attack.asr_all),
        ("induced (ASR_induced)", attack.asr_induced),
        ("worst case", attack.worst_case),
    ):
        style = "bold" if rate is attack.asr_induced else ""
        table.add_row(name, *words.figures(rate), style=style)
    return table


def _curve(report: Report, index: int) -> Table:
    curve = report.curves[index]
    table = plain_table(
        f"{words.goal_words(curve.goal)} within q queries; median to success: "
        f"search {words.decimal(curve.median_search, 0)}, no feedback {words.decimal(curve.median_no_feedback, 0)}",
        ("q", "search", "no feedback", "only search : only blind", "p (McNemar)"),
    )
    for point in curve.points:
        only = words.DASH if point.only_search is None else f"{point.only_search} : {point.only_no_feedback}"
        table.add_row(
            str(point.queries),
            words.cell(point.search),
            words.cell(point.no_feedback),
            only,
            words.p_value(point.p_value),
        )
    return table


def _by_mechanism(report: Report, goal: AttackGoal) -> Table:
    table = plain_table(
        f"{words.goal_words(goal)} by mechanism", ("mechanism", "proposals valid", "control", "ASR_all", "ASR_induced")
    )
    for one in report.by_mechanism:
        if one.goal is goal:
            attack = one.attack
            rates = (attack.validity.rate, attack.control, attack.asr_all, attack.asr_induced)
            table.add_row(one.mechanism.value, *map(words.cell, rates))
    return table


def _ladder(report: Report) -> Table:
    table = plain_table(
        "negatives, from easy to hard", ("level", "negatives", "false acceptance", "false rejection", "AUC")
    )
    for one in (*report.ladder, report.discrimination[1]):
        table.add_row(
            words.DASH if one.level is None else str(one.level),
            one.name,
            words.cell(one.false_acceptance),
            words.cell(one.false_rejection),
            words.estimate(one.auc, 2),
        )
    return table


def _expense(report: Report) -> Table:
    table = plain_table("what it cost", words.EXPENSE_HEAD)
    for one in report.expense:
        table.add_row(*words.expense(one))
    return table


def _counterexamples(report: Report) -> Iterable[Text]:
    total = len(report.counterexamples)
    yield Text(f"\n{total} confirmed counterexamples" + (f", the {_SHOWN} smallest:" if total > _SHOWN else ""), "bold")
    for one in report.counterexamples[:_SHOWN]:
        line = Text("  ")
        for kind, run in word_diff(one.original_claim, one.adversarial_claim):
            opening, closing = _FRAMES[kind]
            line.append(f"{opening}{run}{closing}", style=_STYLES[kind])
        for kind, passage in passage_diff(one.source_evidence, one.adversarial_evidence, _PASSAGE_CHARS):
            opening, closing = _FRAMES[kind]
            line.append("\n    evidence ").append(f"{opening}{passage}{closing}", style=_STYLES[kind])
        line.append(
            f"\n    {words.goal_words(one.attack_objective)} by {one.failure_mechanism}: now {one.oracle_label}, "
            f"risk {words.decimal(one.pre_score)} -> {words.decimal(one.post_score)} at threshold {one.threshold:.3f}, "
            f"{words.edit_words(one)}, wrong on {one.confirmed_wrong}/{one.confirmed_runs}",
            style="dim",
        )
        yield line


def plain_table(title: str, head: Iterable[str]) -> Table:
    """Return a table without lines, to be filled with rows."""
    table = Table(
        title=f"\n{title}", title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for name in head:
        table.add_column(name, header_style="dim", overflow="fold")
    return table
