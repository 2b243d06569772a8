"""A report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from confute.counterexample import Counterexample
from confute.harness.curve import Curve
from confute.harness.discrimination import Discrimination
from confute.harness.render import words
from confute.harness.render.diff import Kind, passage_diff, word_diff
from confute.harness.report import Report
from confute.harness.summary import AttackSummary, DirectionSummary

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&])")
_SHOWN = 10
_PASSAGES = 5
_PASSAGE_CHARS = 600
_MARKS = {Kind.KEPT: "", Kind.REMOVED: "~~", Kind.ADDED: "**"}
_RATE_HEAD = ("n/N", "share", "95 % interval", "errors", "no evidence", "unknown")


def markdown(report: Report) -> str:
    """Return the whole report as Markdown text; hostile text is escaped and made visible."""
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", words.visible(text))


def _lines(report: Report) -> Iterator[str]:
    victim, attacker = report.victim, report.attacker
    yield f"# Red-team report {escaped(report.run_id)}\n"
    yield f"- Victim: {escaped(victim.detector)} {escaped(victim.version)}, fingerprint `{victim.digest[:12]}`"
    yield f"- Threshold: {victim.threshold:.6g} ({victim.threshold_source}), frozen before the attack"
    yield (
        f"- Attacker: {escaped(attacker.name)} {escaped(attacker.version)}, knowledge {attacker.knowledge}, "
        f"{report.budgets.victim_queries} victim queries an item"
    )
    yield f"- Oracle: {escaped(report.oracle.name)} `{escaped(report.oracle.version)}`"
    yield (
        f"- Cases: {escaped(report.dataset.name)}, {words.counted(report.cases, 'case')} of "
        f"{words.counted(report.groups, 'source')}, "
        f"{report.cases_attacked} attacked; suite {report.suite}, purpose {report.purpose}, seed {report.seed}\n"
    )
    if report.warnings:
        yield "## Read this first\n"
        yield from (f"- `{one.code}`: {escaped(one.message)}" for one in report.warnings)
        yield ""
    yield "## Outcome\n"
    for direction in report.directions:
        yield from _direction(direction)
    yield "## Success within q victim queries\n"
    for curve in report.curves:
        yield from _curve(curve)
    yield "## Discrimination beside decisions\n"
    yield from _discrimination(report.discrimination)
    yield "## Difficulty ladder\n"
    yield from _discrimination(report.ladder)
    yield "## By mechanism\n"
    yield from _attacks((f"{words.goal_words(one.goal)}, {one.mechanism}", one.attack) for one in report.by_mechanism)
    yield "## By domain\n"
    yield from _attacks(
        (f"{words.goal_words(one.goal)}, {escaped(one.domain)}", one.attack) for one in report.by_domain
    )
    yield "## Stages of the search\n"
    yield from table(("stage", "count"), [(name.replace("_", " "), str(n)) for name, n in report.stages])
    if words.asks_models(report.expense):
        yield "## What it cost\n"
        yield from table(words.EXPENSE_HEAD, map(words.expense, report.expense))
    yield f"## Smallest counterexamples ({min(_SHOWN, len(report.counterexamples))} of {len(report.counterexamples)})\n"
    for counterexample in report.counterexamples[:_SHOWN]:
        yield from _counterexample(counterexample)


def _direction(direction: DirectionSummary) -> Iterator[str]:
    attack = direction.attack
    rows = (
        ("baseline, no attack", attack.baseline),
        ("control, blind draw", attack.control),
        ("ASR all", attack.asr_all),
        ("ASR induced", attack.asr_induced),
        ("worst case", attack.worst_case),
        ("validity of proposals", attack.validity.rate),
    )
    yield f"### {words.goal_words(direction.goal).capitalize()}, {attack.items} items\n"
    yield from table(("quantity", *_RATE_HEAD), [(name, *words.figures(rate)) for name, rate in rows])
    yield f"Potency (validity x ASR all): {words.estimate(direction.potency)}\n"
    if attack.validity.reasons:
        listed = ", ".join(f"{escaped(reason)} {count}" for reason, count in attack.validity.reasons.items())
        yield f"Proposals not vouched for: {listed}\n"


def _curve(curve: Curve) -> Iterator[str]:
    yield f"### {words.goal_words(curve.goal).capitalize()}, {curve.items} items\n"
    yield from table(
        ("q", "search", "no feedback", "search, induced", "no feedback, induced", "only search : only blind", "p"),
        [
            (
                str(point.queries),
                words.cell(point.search),
                words.cell(point.no_feedback),
                words.cell(point.search_induced),
                words.cell(point.no_feedback_induced),
                words.DASH if point.only_search is None else f"{point.only_search} : {point.only_no_feedback}",
                words.p_value(point.p_value),
            )
            for point in curve.points
        ],
    )
    yield (
        f"Median queries to success: search {words.decimal(curve.median_search, 0)}, "
        f"no feedback {words.decimal(curve.median_no_feedback, 0)}\n"
    )


def _discrimination(rows: Sequence[Discrimination]) -> Iterator[str]:
    yield from table(
        ("negatives", "false acceptance", "false rejection", "AUC"),
        [
            (
                one.name if one.level is None else f"{one.level} {one.name}",
                words.cell(one.false_acceptance),
                words.cell(one.false_rejection),
                words.estimate(one.auc),
            )
            for one in rows
        ],
    )


def _attacks(rows: Iterable[tuple[str, AttackSummary]]) -> Iterator[str]:
    yield from table(
        ("group", "baseline", "control", "ASR all", "ASR induced", "worst case", "validity"),
        [
            (
                name,
                *map(
                    words.cell,
                    (
                        one.baseline,
                        one.control,
                        one.asr_all,
                        one.asr_induced,
                        one.worst_case,
                        one.validity.rate,
                    ),
                ),
            )
            for name, one in rows
        ],
    )


def _counterexample(one: Counterexample) -> Iterator[str]:
    yield (
        f"### {escaped(one.attack_id)}\n\n{words.goal_words(one.attack_objective)} by {one.failure_mechanism}; "
        f"{words.edit_words(one)}; now {one.oracle_label}; "
        f"risk {words.decimal(one.pre_score)} to {words.decimal(one.post_score)}, threshold {one.threshold:.3f}; "
        f"{one.queries_used} queries; wrong on {one.confirmed_wrong} of {one.confirmed_runs} fresh runs\n"
    )
    marked = (
        f"{_MARKS[kind]}{escaped(text)}{_MARKS[kind]}"
        for kind, text in word_diff(one.original_claim, one.adversarial_claim)
    )
    yield f"> {''.join(marked)}\n"
    for kind, passage in passage_diff(one.source_evidence, one.adversarial_evidence, _PASSAGE_CHARS):
        yield f"- {kind}: {_MARKS[kind]}{escaped(passage)}{_MARKS[kind]}"
    for passage in one.source_evidence[:_PASSAGES]:
        yield f"- {escaped(passage[:_PASSAGE_CHARS])}{'…' if len(passage) > _PASSAGE_CHARS else ''}"
    if len(one.source_evidence) > _PASSAGES:
        yield f"- and {len(one.source_evidence) - _PASSAGES} more passages"
    yield ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; cells stand as they are given."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""
