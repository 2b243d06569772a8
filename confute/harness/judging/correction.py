"""Rates that a judge measured, corrected for the errors that its validation measured."""

from __future__ import annotations

from pathlib import Path

from confute.errors import ReportError
from confute.harness.judging.report import read_validation
from confute.harness.judging.validation import LabelStatus
from confute.harness.stats.prevalence import Count, Prevalence, known_rates, lang_reiczigel


def by_validation(count: int, of: int, path: Path) -> Prevalence:
    """Return the share of true failures behind `count` of `of` verdicts, by the validation in a report.

    Raises ReportError where there is no validation, or its labels are the judge's own.
    """
    validation = read_validation(path)
    if validation.label_status is LabelStatus.CIRCULAR:
        raise ReportError(f"{path}: {LabelStatus.CIRCULAR}: a judge cannot be corrected by its own labels")
    found, cleared = validation.overall.sensitivity, validation.overall.specificity
    return lang_reiczigel(
        Count(k=count, n=of),
        Count(k=found.numerator, n=found.denominator),
        Count(k=cleared.numerator, n=cleared.denominator),
    )


def by_known_rates(count: int, of: int, sensitivity: float, specificity: float) -> Prevalence:
    """Return the share of true failures behind `count` of `of` verdicts, for error rates taken as exact."""
    return known_rates(Count(k=count, n=of), sensitivity, specificity)
