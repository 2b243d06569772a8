"""Whether a validation may correct a rate: its report, its gates and its ledger must say the same."""

from __future__ import annotations

from pathlib import Path

from confute.errors import LedgerError, ReportError
from confute.harness.judging.bench import LEDGER
from confute.harness.judging.figures import Figures, Judged, figures
from confute.harness.judging.judgements import JudgementLedger, last_answer, open_judgements
from confute.harness.judging.labelling import digest_of_labels
from confute.harness.judging.report import JudgeReport, read_report
from confute.harness.judging.validation import LabelStatus, Validation, label_status
from confute.harness.rates import Rate
from confute.judges.judge import Exhibit, JudgeCase

NEEDED = ("labels", "held_out", "coverage", "error")
"""The gates without which a validation says nothing of a judge's errors; how good the judge is, is the correction's."""

_AGAIN = "make the report again with `confute judge validate`, and give its folder"


def vouched_figures(path: Path) -> Figures:
    """Return the figures of the validation in a report's file or folder, made again from the ledger beside it.

    Raises ReportError where there is no validation, where one of the gates on labels, held-out cases, coverage and
    errors did not pass, and where the report is not of its ledger.
    """
    report = read_report(path)
    validation = report.result
    if not isinstance(validation, Validation):
        raise ReportError(f"{path}: is no validation", allowed="the report of `confute judge validate`")
    _refuse_failed_gates(path, report)
    judged = _judged(path, report, validation)
    if label_status(judged, {validation.version}, {validation.judge}) is LabelStatus.CIRCULAR:
        raise ReportError(f"{path}: {LabelStatus.CIRCULAR}: a judge cannot be corrected by its own labels")
    if any(one.case.split == "development" for one in judged):
        raise ReportError(f"{path}: some cases are not held out", hint="validate on held-out cases")
    made = figures(judged)
    if _counts(made) != _counts(validation.overall):
        raise ReportError(f"{path}: its figures are not those of the votes in its ledger", hint=_AGAIN)
    return made


def _refuse_failed_gates(path: Path, report: JudgeReport) -> None:
    says = {gate.name: gate for gate in report.gates}
    if missing := [name for name in NEEDED if name not in says]:
        raise ReportError(f"{path}: gates are missing from the report", got=", ".join(missing), hint=_AGAIN)
    if failed := [says[name] for name in NEEDED if not says[name].passed]:
        told = "; ".join(f"{gate.name}: {gate.says}" for gate in failed)
        raise ReportError(f"{path}: the validation cannot vouch for the judge's error rates", got=told)


def _judged(path: Path, report: JudgeReport, validation: Validation) -> list[Judged]:
    file = (path if path.is_dir() else path.parent) / LEDGER
    if not file.is_file():
        raise ReportError(f"{path}: the ledger of its votes is not beside it", allowed=str(file), hint=_AGAIN)
    try:
        with open_judgements(file) as ledger:
            _refuse_other_ledger(path, report, validation, ledger)
            answers = [(one, last_answer(ledger, one.case_id)) for one in validation.labels]
    except LedgerError as error:
        raise ReportError(f"{path}: its ledger vouches for nothing: {error}", hint=_AGAIN) from error
    return [
        Judged(
            JudgeCase(**label.model_dump(), family=validation.family, exhibit=Exhibit()),
            answer.verdict,
        )
        for label, answer in answers
        if answer is not None
    ]


def _refuse_other_ledger(path: Path, report: JudgeReport, validation: Validation, ledger: JudgementLedger) -> None:
    told = {
        "kind": "validate",
        "family": validation.family,
        "judge": validation.judge,
        "cases": validation.cases_digest,
        "labels": digest_of_labels(validation.labels),
    }
    known = ledger.identity
    changed = [name for name, value in told.items() if known.get(name) != value]
    if report.ledger != ledger.digest:
        changed.append("votes")
    if changed:
        raise ReportError(f"{path}: the report is not of the ledger beside it", got=", ".join(changed), hint=_AGAIN)


def _counts(made: Figures) -> list[tuple[int, int, int, int]]:
    rates = [getattr(made, name) for name in Figures.model_fields]
    return [(one.numerator, one.denominator, one.errors, one.unknown) for one in rates if isinstance(one, Rate)]
