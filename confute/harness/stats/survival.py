"""Times to success where some were never seen."""

from __future__ import annotations

from collections.abc import Sequence


def kaplan_meier_median(times: Sequence[float], succeeded: Sequence[bool]) -> float | None:
    """Return the first time at which the Kaplan-Meier estimate of "not yet succeeded" is at or below one half.

    `times` are times of success, or of the last look where `succeeded` is false; a success at the time of a censoring
    counts first. None where the estimate stays above one half. Kaplan and Meier 1958.
    """
    remaining = 1.0
    for time in sorted({time for time, success in zip(times, succeeded, strict=True) if success}):
        at_risk = sum(other >= time for other in times)
        events = sum(other == time and success for other, success in zip(times, succeeded, strict=True))
        remaining *= 1.0 - events / at_risk
        if remaining <= 0.5 + 1e-12:
            return time
    return None
