"""Rates that a judge measured, corrected for the errors that its validation measured."""

from __future__ import annotations

from pathlib import Path

from confute.harness.judging.vouching import vouched_figures
from confute.harness.rates import Rate
from confute.harness.stats.prevalence import Count, Prevalence, known_rates, lang_reiczigel


def by_validation(count: int, of: int, path: Path) -> Prevalence:
    """Return the share of true failures behind `count` of `of` verdicts, by the validation in a report.

    Sensitivity and specificity count as many cases as their clustered ones are worth. Raises ReportError where there is
    no validation that vouches for them.
    """
    made = vouched_figures(path)
    return lang_reiczigel(Count(k=count, n=of), _worth(made.sensitivity), _worth(made.specificity))


def by_known_rates(count: int, of: int, sensitivity: float, specificity: float) -> Prevalence:
    """Return the share of true failures behind `count` of `of` verdicts, for error rates taken as exact."""
    return known_rates(Count(k=count, n=of), sensitivity, specificity)


def _worth(rate: Rate) -> Count:
    if rate.value is None or rate.effective_n is None:
        return Count(k=0, n=0)
    return Count(k=rate.value * rate.effective_n, n=rate.effective_n)
