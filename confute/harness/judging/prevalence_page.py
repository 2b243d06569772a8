"""A corrected rate as a page."""

from __future__ import annotations

from confute.harness.judging.page import Page
from confute.harness.render import words
from confute.harness.stats.prevalence import (
    ABOVE_SENSITIVITY,
    BELOW_FALSE_ALARMS,
    LEAST_INFORMATION,
    UNINFORMATIVE,
    Prevalence,
)


def prevalence_page(count: int, of: int, found: Prevalence) -> Page:
    """Return a corrected rate as a page."""
    told = f"measured {count}/{of}: {_ends(found.observed, found.observed_low, found.observed_high)}"
    corrected = _corrected(found)
    information = f"lower bound of sensitivity + specificity - 1: {words.decimal(found.information_low)}"
    return Page("Prevalence behind a judge", (), (told, corrected, information), ())


def _corrected(found: Prevalence) -> str:
    if found.reason == UNINFORMATIVE:
        return f"not corrected: {found.reason}: the bound below is at or below {LEAST_INFORMATION:g}"
    if found.reason is not None:
        return f"not corrected: {found.reason}"
    if found.outside == BELOW_FALSE_ALARMS:
        bound = f"at most {words.decimal(found.high)} (one-sided 95 %)"
        return f"true failures: none shown, the measured rate is below the judge's false-alarm rate; {bound}"
    if found.outside == ABOVE_SENSITIVITY:
        bound = f"at least {words.decimal(found.low)} (one-sided 95 %)"
        return f"true failures: all, the measured rate is above the judge's sensitivity; {bound}"
    return f"true failures: {_ends(found.corrected, found.low, found.high)}"


def _ends(value: float | None, low: float | None, high: float | None) -> str:
    return f"{words.decimal(value)} [{words.decimal(low)}–{words.decimal(high)}]"
