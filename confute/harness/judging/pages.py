"""Measurements of a judge as pages of lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from confute.harness.judging.expense import Expense
from confute.harness.judging.figures import Figures
from confute.harness.judging.gates import Gate, flawless_cases
from confute.harness.judging.page import Page, Part
from confute.harness.judging.redteam import Effect, RedTeam
from confute.harness.judging.stability import CaseState, Stability
from confute.harness.judging.validation import LabelStatus, Slice, Validation
from confute.harness.rates import Rate
from confute.harness.render import words

_STRICTER = (0.75, 0.9, 0.95)
_RATES = ("rate", "k/n", "share", "95 % interval", "one-sided 95 % bounds", "errors", "left out")


def validation_page(result: Validation, gates: Sequence[Gate]) -> Page:
    """Return a validation with its gates as a page."""
    return Page(
        title=f"Validation of {result.judge} on {result.family}",
        warnings=tuple(_validation_warnings(result)),
        lines=(*_validation_lines(result), _strictness(), _cost(result.expense)),
        parts=(
            _gate_part(gates),
            Part("Rates", _RATES, tuple(_rates(result.overall, result))),
            _slices("By language", result.by_language),
            _slices("By category, the worst first", sorted(result.by_category, key=_goodness)),
            _mistakes(result),
        ),
    )


def stability_page(result: Stability, gates: Sequence[Gate]) -> Page:
    """Return a stability measurement as a page."""
    unstable = [one for one in result.cases if one.state is not CaseState.STABLE]
    cases = (
        (
            one.case_id,
            one.wording or "own",
            str(one.state),
            ", ".join(f"{name} {count}" for name, count in one.said.counts.items()) or words.DASH,
            words.decimal(one.said.disagreement),
            words.decimal(one.confidence_range, 2),
            one.warning or "",
        )
        for one in unstable
    )
    wordings = (
        (
            one.name,
            str(one.cases),
            words.cell(one.flaky),
            words.estimate(one.disagreement),
            words.cell(one.same_as_own),
        )
        for one in result.wordings
    )
    return Page(
        title=f"Stability of {result.judge} on {result.family}",
        warnings=result.expense.warnings,
        lines=(*_stability_lines(result), _cost(result.expense)),
        parts=(
            _gate_part(gates),
            Part(
                "By wording",
                ("wording", "cases", "flaky", "disagreement D", "same usual verdict as own"),
                tuple(wordings),
            ),
            _comparisons(result),
            Part(
                f"Cases that are not stable, {len(unstable)} of {len(result.cases)}",
                ("case", "wording", "state", "verdicts", "D", "confidence range", ""),
                tuple(cases),
            ),
        ),
    )


def redteam_page(result: RedTeam, gates: Sequence[Gate]) -> Page:
    """Return a red-team measurement as a page."""
    controls = (result.repeated, result.neutral)
    return Page(
        title=f"Red team of {result.judge} on {result.family}",
        warnings=result.expense.warnings,
        lines=(
            f"{result.cases} cases of {result.cases_name} (SHA-256 {result.cases_digest[:12]}), "
            f"{result.unknown} left out since the judge failed on them without any string",
            f"{result.overall.strings} strings, {result.overall.clamped} off-contract votes turned into abstentions",
            _cost(result.expense),
        ),
        parts=(
            _gate_part(gates),
            _effects("Controls and all strings", (*controls, result.overall, result.alone)),
            _effects("By kind", result.by_kind),
            _effects("By position", result.by_position),
        ),
    )


def _validation_warnings(result: Validation) -> Iterator[str]:
    if result.label_status is LabelStatus.CIRCULAR:
        yield f"{LabelStatus.CIRCULAR}: cases were labelled by the judge itself, so that these figures cannot gate it"
    if result.development:
        yield f"{result.development} cases are of the development split, which cannot gate a judge"
    if result.agreement.judge_constant:
        yield "the judge said the same of every case"
    if result.agreement.reason is not None:
        yield f"kappa is undefined: {result.agreement.reason}"
    yield from result.expense.warnings


def _validation_lines(result: Validation) -> Iterator[str]:
    agreed, pairs = result.agreement, result.twins
    yield (
        f"{result.overall.cases} cases of {result.cases_name} in {result.clusters} groups "
        f"(SHA-256 {result.cases_digest[:12]}), judge version {result.version[:12]}, labels {result.label_status}"
    )
    yield (
        f"balanced accuracy {words.estimate(result.balanced_accuracy)}, kappa {words.decimal(agreed.kappa)}, "
        f"Gwet's AC1 {words.decimal(agreed.ac1)}, raw agreement {words.decimal(agreed.agreement)} of {agreed.n}, "
        f"Krippendorff's alpha {words.decimal(result.alpha)}"
    )
    yield (
        f"twins, both right or neither: {words.cell(pairs.both_right)}; one right {pairs.one_right}, "
        f"none {pairs.none_right}, of {pairs.n}"
    )
    for direction, size in result.panels.items():
        yield (
            f"{size.judges} {direction} judges are worth {words.decimal(size.raw, 2)} independent ones, "
            f"{words.decimal(size.within_class, 2)} within a true class"
        )
    yield (
        f"{result.conflicts} conflicts, {result.clamped} votes clamped, {result.redrawn} verdicts redrawn; "
        f"codes: {_counted(result.codes)}"
    )


def _rates(overall: Figures, result: Validation) -> Iterator[tuple[str, ...]]:
    named = (
        ("fabrication, safe called succeeded", overall.fabrication_safe),
        ("fabrication, vulnerable called resisted", overall.fabrication_vulnerable),
        ("recall of succeeded", overall.recall_succeeded),
        ("recall of resisted", overall.recall_resisted),
        ("sensitivity", overall.sensitivity),
        ("specificity", overall.specificity),
        ("abstain rate", overall.abstain),
        ("error rate", overall.error),
        ("right by the label's rule", overall.right),
        ("label named rightly", result.label_agreement),
    )
    for name, rate in named:
        yield (
            name,
            words.share(rate),
            words.percent(rate.value),
            words.interval(rate),
            _bounds(rate),
            str(rate.errors),
            str(rate.unknown),
        )


def _bounds(rate: Rate) -> str:
    if rate.gate_low is None or rate.gate_high is None:
        return words.DASH
    return f">= {rate.gate_low:.3f}, <= {rate.gate_high:.3f}"


def _slices(title: str, slices: Iterable[Slice]) -> Part:
    head = ("", "cases", "right", "fabrication safe", "fabrication vulnerable", "abstain", "errors")
    rows = (
        (
            one.name or words.DASH,
            str(one.figures.cases),
            words.cell(one.figures.right),
            words.cell(one.figures.fabrication_safe),
            words.cell(one.figures.fabrication_vulnerable),
            words.share(one.figures.abstain),
            str(one.figures.error.numerator),
        )
        for one in slices
    )
    return Part(title, head, tuple(rows))


def _goodness(one: Slice) -> float:
    share = one.figures.right.value
    return -1.0 if share is None else share


def _mistakes(result: Validation) -> Part:
    rows = tuple((one.case_id, one.right, str(one.state), one.code or "") for one in result.mistakes)
    return Part(
        f"Wrong or failed, {len(result.mistakes)} of {result.overall.cases}", ("case", "right", "verdict", "code"), rows
    )


def _gate_part(gates: Iterable[Gate]) -> Part:
    rows = tuple(
        (one.name, "passed" if one.passed else "FAILED", one.says, words.DASH if one.needs is None else str(one.needs))
        for one in gates
    )
    return Part("Gates", ("gate", "", "what it saw", "flawless cases it takes"), rows)


def _strictness() -> str:
    shares = ", ".join(f"{share:g}: {flawless_cases(share)}" for share in _STRICTER)
    return (
        "gates take bounds, and their defaults are what few cases can show; independent cases without a mistake, "
        f"in each direction, that a share takes: {shares}"
    )


def _stability_lines(result: Stability) -> Iterator[str]:
    needed = ", ".join(
        f"{count or words.DASH} for {target}" for target, count in result.reliability.runs_needed.items()
    )
    yield (
        f"{result.reliability.n_cases} cases of {result.cases_name} (SHA-256 {result.cases_digest[:12]}), "
        f"{_repeats(result)}: {result.stable} stable, {result.flaky.numerator} flaky, {result.errored} errored; "
        f"{result.redrawn} verdicts redrawn"
    )
    yield (
        f"flaky cases {words.cell(result.flaky)}; mean disagreement D {words.estimate(result.disagreement)}; "
        f"ICC of one run {words.decimal(result.reliability.icc)}; runs needed for reliability: {needed}"
    )
    if (levels := result.levels) is not None:
        yield (
            f"two votes in one wording differ with {words.decimal(levels.inner)}, in two wordings with "
            f"{words.decimal(levels.total)}: other wordings add {words.decimal(levels.outer)} ({levels.n_cases} cases)"
        )
    if (compared := result.comparisons) is not None:
        yield (
            f"of {len(compared.wordings)} other wordings, the one that differs most from the own in what it is right "
            f"about has p {words.decimal(compared.best)}, adjusted for their number (Sidak)"
        )
    if (savings := result.savings) is not None:
        yield (
            f"sequential test: {savings.made} judgements made, {savings.saved} fewer than the {savings.fixed} of a "
            f"test of one look, {savings.cap - savings.made} fewer than the cap; {_counted(savings.states)}"
        )
        yield (
            f"exact chance to call a case flaky of which {savings.plan.p0:g} differ: {savings.false_flaky:.3f}; "
            f"to clear one of which {savings.plan.p1:g} do: {savings.false_cleared:.3f}"
        )


def _repeats(result: Stability) -> str:
    if result.savings is None:
        return f"{result.repeats} repeats"
    others = f", {result.repeats} repeats in other wordings" if len(result.wordings) > 1 else ""
    return f"repeats as many as the sequential test needs{others}"


def _comparisons(result: Stability) -> Part:
    head = ("wording", "only the own is right", "only this one", "p (McNemar)", "p adjusted (Holm)")
    compared = () if result.comparisons is None else result.comparisons.wordings
    rows = (
        (one.name, str(one.only_own), str(one.only_other), words.decimal(one.p), words.decimal(one.adjusted))
        for one in compared
    )
    return Part("Beside the own wording, by the labels", head, tuple(rows))


def _effects(title: str, effects: Iterable[Effect]) -> Part:
    head = ("", "strings", "verdict changed", "became what it aims at", "changed to", "clamped", "codes")
    rows = (
        (
            one.name,
            str(one.strings),
            words.cell(one.changed),
            words.cell(one.obeyed),
            _counted(one.became),
            str(one.clamped),
            _counted(one.codes),
        )
        for one in effects
    )
    return Part(title, head, tuple(rows))


def _cost(spent: Expense) -> str:
    def known(value: float | None, unit: str) -> str:
        return f"unknown {unit}" if value is None else f"{value:g} {unit}"

    return (
        f"{spent.judgements} judgements, {spent.calls} calls, {spent.cached} cached; "
        f"{known(spent.prompt_tokens, 'prompt tokens')}, {known(spent.completion_tokens, 'completion tokens')}, "
        f"{known(spent.cost_usd, 'US dollars')}; "
        f"{words.decimal(spent.seconds_median, 2)} s a judgement, {words.decimal(spent.seconds_p95, 2)} s at the 95th"
    )


def _counted(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
