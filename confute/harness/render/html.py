"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined

from confute.counterexample import Counterexample
from confute.harness.rates import Rate
from confute.harness.render import words
from confute.harness.render.chart import chart
from confute.harness.render.diff import passage_diff, word_diff
from confute.harness.report import Report
from confute.harness.summary import AttackSummary, DirectionSummary
from confute.records import AttackGoal

_SHOWN = 10
_PASSAGES = 6
_PASSAGE_CHARS = 700


def html(report: Report) -> str:
    """Return the report as an HTML page: no outside resource, no script, every text escaped and made visible."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "visible": words.visible,
        "percent": lambda value: _unbroken(words.percent(value)),
        "share": words.share,
        "interval": lambda rate: _unbroken(words.interval(rate)),
        "unmeasured": words.unmeasured,
        "cell": words.cell,
        "estimate": words.estimate,
        "decimal": words.decimal,
        "p_value": words.p_value,
        "goal": words.goal_words,
        "edit_words": words.edit_words,
        "expense": words.expense,
    }
    source = resources.files("confute.harness.render").joinpath("report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source).render(_context(report))


def _unbroken(figure: str) -> str:
    return figure.replace(" ", "\N{NO-BREAK SPACE}")


def _context(report: Report) -> dict[str, Any]:
    return {
        "report": report,
        "dash": words.DASH,
        "verdicts": [_verdict(one) for one in report.directions if one.attack.items],
        "directions": [
            (one, _rows(one.attack)) for one in report.directions if one.attack.items or one.attack.baseline.denominator
        ],
        "curves": [(curve, chart(curve, words.cell)) for curve in report.curves if curve.items],
        "discrimination": (*report.ladder, report.discrimination[1]),
        "expenses": report.expense if words.asks_models(report.expense) else (),
        "expense_head": words.EXPENSE_HEAD,
        "stages": list(report.stages),
        "most_at_a_stage": max((count for _, count in report.stages), default=0),
        "counterexamples": [_shown(one) for one in report.counterexamples[:_SHOWN]],
    }


def _rows(attack: AttackSummary) -> list[tuple[str, str, Rate]]:
    return [
        ("Baseline", "the items as they stand, no attack", attack.baseline),
        ("Control", "one blind draw of each mechanism, no feedback", attack.control),
        ("Search, all", "ASR_all: valid adversarial items decided wrongly", attack.asr_all),
        ("Induced", "ASR_induced: of the items whose paired control was decided rightly", attack.asr_induced),
        ("Worst case", "broken by the baseline, a control or any step", attack.worst_case),
    ]


def _verdict(direction: DirectionSummary) -> dict[str, Any]:
    accepts, attack = direction.goal is AttackGoal.FALSE_ACCEPTANCE, direction.attack
    blind = attack.control if attack.control.denominator else attack.baseline
    return {
        "blind": blind,
        "blind_name": "blindly edited claims" if attack.control.denominator else "claims as they stand",
        "induced": attack.asr_induced,
        "claims": "unsupported" if accepts else "supported",
        "done": "accepted" if accepts else "rejected",
        "right": "rejected" if accepts else "accepted",
    }


def _shown(one: Counterexample) -> dict[str, Any]:
    values = [value for value in (one.pre_score, one.post_score, one.threshold) if value is not None]
    low, high = min(values), max(values)
    room = (high - low) * 0.15 or max(abs(high), 1.0) * 0.1

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * (value - low + room) / (high - low + 2 * room), 2)

    return {
        "record": one,
        "diff": word_diff(one.original_claim, one.adversarial_claim),
        "changed_passages": passage_diff(one.source_evidence, one.adversarial_evidence, _PASSAGE_CHARS),
        "passages": [words.visible(passage, _PASSAGE_CHARS) for passage in one.source_evidence[:_PASSAGES]],
        "more_passages": max(0, len(one.source_evidence) - _PASSAGES),
        "pre_at": place(one.pre_score),
        "post_at": place(one.post_score),
        "threshold_at": place(one.threshold),
    }
