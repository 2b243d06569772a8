"""The share of true failures behind a rate that an imperfect judge measured."""

from __future__ import annotations

import math

from pydantic import Field

from confute.harness.stats.proportion import Interval, clopper_pearson, normal_quantile, wilson
from confute.records import Record

LEAST_INFORMATION = 0.2
"""At or below this lower bound of sensitivity + specificity - 1 a judge says too little to be corrected for."""

UNINFORMATIVE = "judge_uninformative"
NOTHING_JUDGED = "nothing_judged"
NOT_CALIBRATED = "not_calibrated"

BELOW_FALSE_ALARMS = "below_false_alarms"
ABOVE_SENSITIVITY = "above_sensitivity"


class Count(Record):
    """So many of so many; where draws are clustered, as many as they are worth."""

    k: float = Field(ge=0, allow_inf_nan=False)
    n: float = Field(ge=0, allow_inf_nan=False)


class Prevalence(Record):
    """A rate that a judge measured, and the share of true failures behind it, both with 95 % intervals.

    Where the correction is refused, `corrected` and its ends are None and `reason` says why: `nothing_judged`,
    `not_calibrated` (a class without a case), or `judge_uninformative`. `information_low` is the lower 95 % bound of
    sensitivity + specificity - 1. Where the whole interval would lie outside 0..1, `outside` says on which side, and
    the end towards the middle is a one-sided 95 % bound that asks nothing of the false alarms (of the misses).
    """

    observed: float | None
    observed_low: float | None
    observed_high: float | None
    corrected: float | None = None
    low: float | None = None
    high: float | None = None
    information_low: float | None = None
    reason: str | None = None
    outside: str | None = None


def rogan_gladen(share: float, sensitivity: float, specificity: float) -> float:
    """Return (share + specificity - 1) / (sensitivity + specificity - 1), clipped to 0..1.

    Rogan and Gladen 1978. Raises ValueError where sensitivity + specificity is not above 1.
    """
    information = sensitivity + specificity - 1.0
    if information <= 0.0:
        raise ValueError(f"sensitivity + specificity must exceed 1; got {sensitivity} + {specificity}")
    return min(1.0, max(0.0, (share + specificity - 1.0) / information))


def known_rates(observed: Count, sensitivity: float, specificity: float) -> Prevalence:
    """Return the corrected share for error rates that are known exactly: one transform for the rate and both ends.

    The interval is Wilson's of the observed rate, taken through `rogan_gladen`. Refused where sensitivity +
    specificity - 1 is at or below 0.2.
    """
    information = sensitivity + specificity - 1.0
    raw, refusal = _observed(observed), _refusal(observed, information)
    if refusal is not None or raw.observed_low is None or raw.observed_high is None:
        return raw.model_copy(update={"information_low": information, "reason": refusal})
    value, low, high = (
        rogan_gladen(share, sensitivity, specificity)
        for share in (observed.k / observed.n, raw.observed_low, raw.observed_high)
    )
    found = raw.model_copy(update={"corrected": value, "low": low, "high": high, "information_low": information})
    return _bounded(found, observed, sensitivity, specificity, 0.95)


def lang_reiczigel(observed: Count, found: Count, cleared: Count, level: float = 0.95) -> Prevalence:
    """Return the corrected share for a sensitivity and a specificity that were themselves measured.

    `found` counts the failures that the judge called failures, `cleared` the safe cases that it did not. The interval
    is Lang and Reiczigel 2014, as in Lee et al. (arXiv 2511.21140). Refused where the lower bound of sensitivity +
    specificity - 1 is at or below 0.2.
    """
    raw = _observed(observed)
    if not found.n or not cleared.n:
        return raw.model_copy(update={"reason": NOT_CALIBRATED if observed.n else NOTHING_JUDGED})
    information = information_low(found, cleared, level)
    if (refusal := _refusal(observed, information)) is not None:
        return raw.model_copy(update={"information_low": information, "reason": refusal})
    interval = _interval(observed, found, cleared, normal_quantile((1.0 + level) / 2.0))
    made = raw.model_copy(
        update={
            "corrected": rogan_gladen(observed.k / observed.n, found.k / found.n, cleared.k / cleared.n),
            "low": interval.low,
            "high": interval.high,
            "information_low": information,
        }
    )
    each = (1.0 + level) / 2.0
    return _bounded(made, observed, _least(found, each), _least(cleared, each), each)


def information_low(found: Count, cleared: Count, level: float = 0.95) -> float:
    """Return the lower end of the two-sided interval of sensitivity + specificity - 1.

    Newcombe 1998, method 10, for a difference of two proportions: sensitivity against the share of false alarms, each
    with Wilson's interval. Raises ValueError where a class has no case.
    """
    hits, alarms = wilson(found.k, found.n, level), wilson(cleared.n - cleared.k, cleared.n, level)
    if hits is None or alarms is None:
        raise ValueError("both classes need a case")
    hit, alarm = found.k / found.n, 1.0 - cleared.k / cleared.n
    return hit - alarm - math.hypot(hit - hits.low, alarms.high - alarm)


def _bounded(found: Prevalence, observed: Count, sensitivity: float, specificity: float, level: float) -> Prevalence:
    """An interval that was clipped to one point, widened to the bound that every share of false alarms leaves.

    The observed share is at least theta * sensitivity, so theta is at most the upper bound of the one over the lower
    bound of the other, each at its level (Bonferroni where both were measured); and so of 1 - theta.
    """
    if found.low is None or found.low != found.high:
        return found
    if found.low == 0.0:
        high = (1.0 - _least(Count(k=observed.n - observed.k, n=observed.n), level)) / sensitivity
        return found.model_copy(update={"high": min(1.0, high), "outside": BELOW_FALSE_ALARMS})
    low = 1.0 - (1.0 - _least(observed, level)) / specificity
    return found.model_copy(update={"low": max(0.0, low), "outside": ABOVE_SENSITIVITY})


def _least(count: Count, level: float) -> float:
    bound = clopper_pearson(count.k, count.n, level, sides=1)
    return 0.0 if bound is None else bound.low


def _observed(observed: Count) -> Prevalence:
    interval = wilson(observed.k, observed.n)
    if interval is None:
        return Prevalence(observed=None, observed_low=None, observed_high=None)
    return Prevalence(observed=observed.k / observed.n, observed_low=interval.low, observed_high=interval.high)


def _refusal(observed: Count, information: float) -> str | None:
    if not observed.n:
        return NOTHING_JUDGED
    return UNINFORMATIVE if information <= LEAST_INFORMATION else None


def _interval(observed: Count, found: Count, cleared: Count, z: float) -> Interval:
    n, m0, m1 = observed.n + z * z, cleared.n + 2.0, found.n + 2.0
    p = (observed.k + z * z / 2.0) / n
    q0, q1 = (cleared.k + 1.0) / m0, (found.k + 1.0) / m1
    information = q0 + q1 - 1.0
    theta = (p + q0 - 1.0) / information
    spread0, spread1 = q0 * (1.0 - q0) / m0, q1 * (1.0 - q1) / m1
    shift = 2.0 * z * z * (theta * spread1 - (1.0 - theta) * spread0)
    half = z * math.sqrt(p * (1.0 - p) / n + (1.0 - theta) ** 2 * spread0 + theta**2 * spread1) / information
    low, high = (min(1.0, max(0.0, theta + shift + side)) for side in (-half, half))
    return Interval(low, high)
