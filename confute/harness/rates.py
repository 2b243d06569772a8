"""Rates that never stand alone: each with its counts, its intervals, and what could not be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from pydantic import Field

from confute.harness.stats import cluster
from confute.harness.stats.cluster import Floats
from confute.harness.stats.proportion import Interval, clopper_pearson, wilson
from confute.records import Outcome, Record


class Mark(NamedTuple):
    """One thing counted: the cluster that it belongs to, and whether it succeeded, resisted or was not measured."""

    group: str
    outcome: Outcome


class Rate(Record):
    """A share of measured things, with its intervals, and the number of things that were not measured.

    `low` and `high` are Wilson's 95 % interval, to show; `gate_low` and `gate_high` are one-sided 95 % Clopper-Pearson
    bounds, to gate on. Both count the `effective_n` that clustered draws are worth. `errors`, `no_evidence` and
    `unknown` are not in the denominator; `worst` is the share if each of them had succeeded. Without a denominator
    every share is None.
    """

    numerator: int = Field(ge=0)
    denominator: int = Field(ge=0)
    value: float | None
    low: float | None
    high: float | None
    gate_low: float | None
    gate_high: float | None
    effective_n: float | None
    cluster_se: float | None
    n_clusters: int = Field(ge=0)
    errors: int = Field(ge=0)
    no_evidence: int = Field(ge=0)
    unknown: int = Field(ge=0)
    coverage: float | None
    worst: float | None

    @property
    def unmeasured(self) -> int:
        """How many things could not be counted."""
        return self.errors + self.no_evidence + self.unknown


class Estimate(Record):
    """A number that is no plain share, with a 95 % cluster-bootstrap interval."""

    value: float | None
    low: float | None
    high: float | None
    n_clusters: int = Field(ge=0)


def rate(marks: Iterable[Mark]) -> Rate:
    """Return the share of SUCCEEDED among SUCCEEDED and RESISTED; every other outcome is counted beside it."""
    all_marks = list(marks)
    counts = Counter(mark.outcome for mark in all_marks)
    measured = [mark for mark in all_marks if mark.outcome in {Outcome.SUCCEEDED, Outcome.RESISTED}]
    hits, clusters = [mark.outcome is Outcome.SUCCEEDED for mark in measured], [mark.group for mark in measured]
    k, n, total = sum(hits), len(hits), len(all_marks)
    worth = cluster.effective_n(hits, clusters) if n else 0.0
    shown = wilson(k / n * worth if n else 0, worth)
    gate = clopper_pearson(k / n * worth if n else 0, worth, sides=1)
    return Rate(
        numerator=k,
        denominator=n,
        value=k / n if n else None,
        low=shown.low if shown else None,
        high=shown.high if shown else None,
        gate_low=gate.low if gate else None,
        gate_high=gate.high if gate else None,
        effective_n=worth if n else None,
        cluster_se=cluster.cluster_se([float(hit) for hit in hits], clusters) if n else None,
        n_clusters=len(set(clusters)),
        errors=counts[Outcome.ERROR],
        no_evidence=counts[Outcome.NO_EVIDENCE],
        unknown=counts[Outcome.UNKNOWN] + counts[Outcome.INVALID],
        coverage=n / total if total else None,
        worst=(k + total - n) / total if total else None,
    )


def product(first: Iterable[Mark], second: Iterable[Mark], *, seed: str) -> Estimate:
    """Return the product of two rates over the same clusters; None where either has no denominator.

    Where every replicate of the bootstrap agrees, the ends are the products of the ends of the rates' own intervals.
    """
    sides = [
        [mark for mark in side if mark.outcome in {Outcome.SUCCEEDED, Outcome.RESISTED}] for side in (first, second)
    ]
    names = sorted({mark.group for side in sides for mark in side})
    counts = np.zeros((len(names), 4))
    row = {name: index for index, name in enumerate(names)}
    for column, side in enumerate(sides):
        for mark in side:
            counts[row[mark.group], 2 * column] += mark.outcome is Outcome.SUCCEEDED
            counts[row[mark.group], 2 * column + 1] += 1
    value = float(_product(counts.sum(axis=0)[None, :])[0])
    interval = cluster.bootstrap(len(names), lambda weights: _product(weights @ counts), seed=seed)
    if interval is not None and interval.low == interval.high:
        interval = _product_of_ends(*map(rate, sides))
    return estimate(None if np.isnan(value) else value, interval, len(names))


def estimate(value: float | None, interval: Interval | None, n_clusters: int) -> Estimate:
    """Return a number with its interval; both are None together."""
    known = interval if value is not None else None
    return Estimate(
        value=value,
        low=known.low if known else None,
        high=known.high if known else None,
        n_clusters=n_clusters,
    )


def _product_of_ends(first: Rate, second: Rate) -> Interval | None:
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return Interval(first.low * second.low, first.high * second.high)


def _product(sums: Floats) -> Floats:
    hits, totals = sums[:, [0, 2]].prod(axis=1), sums[:, [1, 3]].prod(axis=1)
    shares: Floats = np.full(len(sums), np.nan)
    np.divide(hits, totals, out=shares, where=totals > 0)
    return shares
