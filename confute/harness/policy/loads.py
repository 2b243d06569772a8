"""How much work a policy makes at a base rate of claims without support."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from confute.harness.policy.policy import Route
from confute.harness.rates import Estimate, Rate, estimate
from confute.harness.stats.combined import Weighted, weighted_sum
from confute.harness.stats.proportion import Interval
from confute.records import Record


class Load(Record):
    """The shares of all claims at one base rate: reviewed, rejected, and passed on though they lack support.

    `precision` is the share of reviewed and rejected claims that do lack support.
    """

    base_rate: float = Field(ge=0, le=1)
    review: Estimate
    reject: Estimate
    missed: Estimate
    precision: Estimate


def load_at(base_rate: float, unsupported: Mapping[Route, Rate], supported: Mapping[Route, Rate]) -> Load:
    """Return the load where a share `base_rate` of the claims lacks support; the two kinds are taken as independent.

    A share of all claims is base_rate * p1 + (1 - base_rate) * p0 with the interval of `weighted_sum`. The precision is
    base_rate * a1 over the alert load, with a the shares that are not accepted; its ends take those of a1 and a0
    against each other, and so are wider than 95 %.
    """
    return Load(
        base_rate=base_rate,
        review=_mixed(base_rate, unsupported[Route.REVIEW], supported[Route.REVIEW]),
        reject=_mixed(base_rate, unsupported[Route.REJECT], supported[Route.REJECT]),
        missed=_mixed(base_rate, unsupported[Route.ACCEPT], None),
        precision=_precision(base_rate, unsupported[Route.ACCEPT], supported[Route.ACCEPT]),
    )


def _mixed(base_rate: float, unsupported: Rate, supported: Rate | None) -> Estimate:
    parts = [_weighted(base_rate, unsupported)]
    if supported is not None:
        parts.append(_weighted(1.0 - base_rate, supported))
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return estimate(None, None, 0)
    clusters = unsupported.n_clusters + (0 if supported is None else supported.n_clusters)
    return estimate(sum(part.weight * part.value for part in known), weighted_sum(known), clusters)


def _weighted(weight: float, rate: Rate) -> Weighted | None:
    if rate.value is None or rate.low is None or rate.high is None:
        return None
    return Weighted(weight, rate.value, Interval(rate.low, rate.high))


def _precision(base_rate: float, unsupported: Rate, supported: Rate) -> Estimate:
    accepted, right = _weighted(base_rate, unsupported), _weighted(1.0 - base_rate, supported)
    if accepted is None or right is None:
        return estimate(None, None, 0)
    value = _among(base_rate, 1.0 - accepted.value, 1.0 - right.value)
    low = _among(base_rate, 1.0 - accepted.interval.high, 1.0 - right.interval.low)
    high = _among(base_rate, 1.0 - accepted.interval.low, 1.0 - right.interval.high)
    interval = None if low is None or high is None else Interval(low, high)
    return estimate(value, interval, unsupported.n_clusters + supported.n_clusters)


def _among(base_rate: float, caught: float, disturbed: float) -> float | None:
    alerts = base_rate * caught + (1.0 - base_rate) * disturbed
    return base_rate * caught / alerts if alerts > 0.0 else None
