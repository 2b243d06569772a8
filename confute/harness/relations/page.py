"""A report of relations as a page of tables: the matrix relation by victim first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from confute.harness.judging.page import Page, Part
from confute.harness.rates import Estimate, Rate
from confute.harness.relations.figures import EXPECTED_BY_TOLERANCE, RowFigures
from confute.harness.relations.run import Report, needs_of
from confute.harness.render import words
from confute.oracles.relations.catalogue import ROWS, Needs
from confute.oracles.relations.relation import Expected

_TITLES = {row.row_id: row.title for row in ROWS}
_DETAIL = ("row", "must", "violations", "by part", "mean ds", "rises", "not measured", "adjusted p")


def page(report: Report) -> Page:
    """Return a report as a page: what it rests on, the matrix, each victim in detail, and what was skipped."""
    details = (Part(f"{name} in detail", _DETAIL, _details(report, name)) for name in _victims(report))
    return Page(
        "Metamorphic relations",
        tuple(_warnings(report)),
        tuple(_lines(report)),
        (
            Part("relation by victim: violations", ("row", "change", "must", *_victims(report)), _matrix(report)),
            *details,
            Part("instances", ("row", "precondition", "cases", "trials", "skipped"), _made(report)),
            Part("not applicable", ("row", "victim", "why"), _not_applicable(report)),
        ),
    )


def headline(figures: RowFigures) -> str:
    """Return the cell of the matrix: counts, share and interval; a probe's parts; or why there is no number.

    Of a rise both parts stand beside the whole: a risk that does not rise, and a claim that is not rejected.
    """
    if figures.why_not is not None:
        return "n/a"
    if figures.is_probe:
        return _shares(figures)
    parts = f"; {_shares(figures)}" if figures.expected == Expected.RISES and figures.violations.denominator else ""
    return _rate(figures.violations) + parts


def _shares(figures: RowFigures) -> str:
    return "; ".join(f"{name} {words.share(part)}" for name, part in figures.parts.items())


def _warnings(report: Report) -> Iterator[str]:
    """Yield what makes a detector's column say little: a threshold that decides nothing, or none at all."""
    for one in report.victims:
        if one.why_not is not None:
            yield f"{one.name}: not calibrated and not asked: {one.why_not}"
        if one.cut is not None and one.cut.is_blind:
            does = "accepts" if one.cut.accepted else "rejects"
            yield (
                f"{one.name}: its threshold {words.decimal(one.threshold, 4)} ({one.cut.source}) {does} every one of "
                f"{one.cut.decided} calibration cases, so that its decisions say nothing: read 'did not rise' alone"
            )


def _lines(report: Report) -> Iterator[str]:
    yield (
        f"{report.scenes} cases of {report.documents} documents of the built-in facts ({report.suite}, seed "
        f"{report.seed}), by document; threshold and tolerance from {report.calibration_cases} cases of others"
    )
    for one in report.victims:
        if one.tolerance is not None and one.cut is not None:
            siblings, reruns = words.decimal(one.tolerance.siblings, 4), words.decimal(one.tolerance.reruns, 4)
            yield (
                f"{one.name}: threshold {words.decimal(one.threshold, 4)} ({one.cut.source}; it accepts "
                f"{one.cut.accepted} of {one.cut.decided} calibration cases), tolerance {one.tolerance.value:.4f} "
                f"(95th percentile of |ds|: siblings {siblings} of {one.tolerance.n_siblings}, "
                f"reruns {reruns} of {one.tolerance.n_reruns})"
            )
    yield (
        "violated: INV, the risk moves by more than the tolerance or the decision turns; UP, it does not rise or the "
        "claim is accepted; NOT_BELOW and NOT_ABOVE, it falls or rises by more than rounding; HIGHEST, accepted or "
        "below the risk with its own evidence; LOW, rejected. Intervals are Wilson's, 95 %, of the effective sample"
    )
    yield (
        f"adjusted p: chance that so many trials of an INV row move if it were the {EXPECTED_BY_TOLERANCE:.0%} that "
        "the tolerance leaves, Holm over the victim's INV rows; the intervals are not adjusted, one in twenty misses"
    )
    if missing := [name for name in report.asked if name not in {one.row_id for one in report.figures}]:
        needs = {needs_of(name) for name in missing}
        how = "; ".join(f"{one}: --{one}" for one in sorted(needs) if one in {Needs.JUDGE, Needs.PERSONA})
        yield f"not measured: {', '.join(missing)}" + (f" ({how})" if how else "")


def _victims(report: Report) -> tuple[str, ...]:
    return tuple(one.name for one in report.victims if one.why_not is None)


def _matrix(report: Report) -> tuple[tuple[str, ...], ...]:
    cells = {(one.row_id, one.expected, one.victim): headline(one) for one in report.figures if one.why_not is None}
    refused = {(one.row_id, one.victim) for one in report.figures if one.why_not is not None}
    titles = {one.row_id: one.title for one in report.made} | _TITLES
    rows = []
    for row_id, expected in _arms(report.figures):
        found = (
            cells.get((row_id, expected, name), "n/a" if (row_id, name) in refused else words.DASH)
            for name in _victims(report)
        )
        rows.append((row_id, titles.get(row_id, row_id), expected or words.DASH, *found))
    return tuple(rows)


def _arms(figures: Sequence[RowFigures]) -> list[tuple[str, str]]:
    """Return each row with what must follow; a row that applies nowhere stands with nothing."""
    arms = list(dict.fromkeys((one.row_id, one.expected) for one in figures if one.why_not is None))
    applied = {row_id for row_id, _ in arms}
    order = list(dict.fromkeys(one.row_id for one in figures))
    arms += [(row_id, "") for row_id in order if row_id not in applied]
    return sorted(arms, key=lambda arm: (order.index(arm[0]), arm[1]))


def _details(report: Report, victim: str) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            one.row_id,
            one.expected,
            words.DASH if one.is_probe else _rate(one.violations),
            "; ".join(_parts(one)) or words.DASH,
            _estimate(one.mean_change, "+.3f"),
            _estimate(one.superiority, ".3f"),
            words.unmeasured(one.violations) or "none",
            words.decimal(one.adjusted),
        )
        for one in report.figures
        if one.victim == victim and one.why_not is None
    )


def _parts(one: RowFigures) -> Iterator[str]:
    yield from (f"{name} {words.share(part)}" for name, part in one.parts.items())
    yield from (f"{name}: {value:.3f}" for name, value in one.series.items())


def _made(report: Report) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            one.row_id,
            one.precondition,
            str(one.cases),
            str(one.trials),
            ", ".join(f"{reason} {count}" for reason, count in one.skipped.items()) or "none",
        )
        for one in report.made
    )


def _not_applicable(report: Report) -> tuple[tuple[str, ...], ...]:
    return tuple((one.row_id, one.victim, one.why_not) for one in report.figures if one.why_not is not None)


def _rate(one: Rate) -> str:
    if not one.denominator:
        return words.unmeasured(one) or words.DASH
    left_out = words.unmeasured(one)
    return f"{words.share(one)}, {words.interval(one)}" + (f" ({left_out})" if left_out else "")


def _estimate(one: Estimate | None, form: str) -> str:
    if one is None or one.value is None:
        return words.DASH
    if one.low is None or one.high is None:
        return f"{one.value:{form}}"
    return f"{one.value:{form}} [{one.low:{form}}, {one.high:{form}}]"
