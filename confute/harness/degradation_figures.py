"""The figures of a degradation curve: every interval of one rank comes from the same resamples of whole sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from confute.harness.degradation import BINS, Depth, Drop, Share
from confute.harness.rates import Estimate, Mark, estimate, rate
from confute.harness.stats import cluster
from confute.harness.stats.cluster import Floats
from confute.harness.stats.proportion import Interval
from confute.harness.stats.ranking import RankedScores, auc, with_width
from confute.records import Decision, Outcome

Replicate = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Scored:
    """One claim with some evidence: its source, its energy and decision; None for both where it was not measured.

    `outcome` says why it was not measured, or whether the decision was wrong for the label of the pair.
    """

    group: str
    value: float | None
    decision: Decision | None
    outcome: Outcome


@dataclass(frozen=True)
class Figures:
    """The estimates of one kind of negatives."""

    mean: float | None
    gap: Estimate
    auc: Estimate
    false_acceptance: Share
    induced: Share


class Resampled:
    """Positives and several kinds of negatives of the same claims, resampled together.

    Item i of every list is claim i. A statistic of a kind is named by (statistic, kind).
    """

    def __init__(
        self,
        positives: Sequence[Scored],
        negatives: Mapping[str, Sequence[Scored]],
        baseline: str,
        *,
        seed: str,
        replicates: int,
    ) -> None:
        self._positives = positives
        self._negatives = negatives
        self._kept = [one.outcome is Outcome.RESISTED for one in negatives[baseline]]
        self._groups = sorted({one.group for one in positives})
        self._code = {group: code for code, group in enumerate(self._groups)}
        statistics = self._statistics()
        self._columns = {name: column for column, name in enumerate(statistics)}
        self._replicates: Floats | None = (
            cluster.replicated(
                len(self._groups),
                lambda weights: np.column_stack([statistic(weights) for statistic in statistics.values()]),
                seed=seed,
                replicates=replicates,
            )
            if len(self._groups) > 1
            else None
        )

    def figures(self, kind: str) -> Figures:
        """Return the estimates of one kind of negatives."""
        negatives = self._negatives[kind]
        values, own = _values(negatives), _values(self._positives)
        mean = float(np.mean(values)) if values else None
        gap = None if mean is None or not own else mean - float(np.mean(own))
        area = auc(own, values)
        n = min(len({one.group for one in side if one.value is not None}) for side in (negatives, self._positives))
        found = self._interval("auc", kind)
        induced = [one for one, kept in zip(negatives, self._kept, strict=True) if kept]
        return Figures(
            mean=mean,
            gap=self._estimate(gap, self._interval("gap", kind)),
            auc=self._estimate(area, None if area is None else with_width(found, area, n)),
            false_acceptance=self._share(negatives, "false_acceptance", kind),
            induced=self._share(induced, "induced", kind),
        )

    def supported_acceptance(self) -> Share:
        """Return the share of the positives that is accepted."""
        turned = {Outcome.SUCCEEDED: Outcome.RESISTED, Outcome.RESISTED: Outcome.SUCCEEDED}
        accepted = [
            Scored(one.group, one.value, one.decision, turned.get(one.outcome, one.outcome)) for one in self._positives
        ]
        return self._share(accepted, "acceptance", "positives")

    def slope(self, kinds: dict[int, str]) -> Estimate:
        """Return minus the least-squares slope of the AUC on log2 K over the budgets at which it is known."""
        areas = self._areas(kinds)
        if len(areas) < 2:
            return self._estimate(None, None)
        x = np.log2(list(areas))
        weights = -(x - x.mean()) / np.square(x - x.mean()).sum()
        values = np.array(list(areas.values()))
        return self._estimate(float(weights @ (values - values[0])), self._combined(weights, areas, kinds))

    def largest_drop(self, kinds: dict[int, str]) -> Drop | None:
        """Return the largest fall of the AUC between neighbouring budgets."""
        areas = self._areas(kinds)
        budgets = list(areas)
        falls = [(areas[first] - areas[second], first, second) for first, second in pairwise(budgets)]
        if not falls:
            return None
        fall, start, stop = max(falls, key=lambda one: one[0])
        pair = {start: areas[start], stop: areas[stop]}
        interval = self._combined(np.array([1.0, -1.0]), pair, kinds)
        return Drop(start=start, stop=stop, fall=self._estimate(fall, interval))

    def _areas(self, kinds: dict[int, str]) -> dict[int, float]:
        found = {
            budget: auc(_values(self._positives), _values(self._negatives[kind])) for budget, kind in kinds.items()
        }
        return {budget: value for budget, value in sorted(found.items()) if value is not None}

    def _combined(self, weights: Floats, areas: dict[int, float], kinds: dict[int, str]) -> Interval | None:
        if self._replicates is None:
            return None
        columns = [self._columns["auc", kinds[budget]] for budget in areas]
        values = self._replicates[:, columns]
        return cluster.percentiles((values - values[:, :1]) @ weights)  # the weights add up to nought

    def _statistics(self) -> dict[tuple[str, str], Replicate]:
        positives = [one for one in self._positives if one.value is not None]
        own_mean = self._mean(positives, [one.value or 0.0 for one in positives])
        found = {("acceptance", "positives"): self._hits(self._positives, Outcome.RESISTED)}
        for kind, all_negatives in self._negatives.items():
            negatives = [one for one in all_negatives if one.value is not None]
            ranked = RankedScores(
                _values(positives),
                _values(negatives),
                [one.group for one in positives],
                [one.group for one in negatives],
            )
            mean = self._mean(negatives, [one.value or 0.0 for one in negatives])
            induced = [one for one, kept in zip(all_negatives, self._kept, strict=True) if kept]
            found["auc", kind] = ranked.auc
            found["gap", kind] = partial(_difference, mean, own_mean)
            found["false_acceptance", kind] = self._hits(all_negatives, Outcome.SUCCEEDED)
            found["induced", kind] = self._hits(induced, Outcome.SUCCEEDED)
        return found

    def _hits(self, scored: Sequence[Scored], counted: Outcome) -> Replicate:
        decided = [one for one in scored if one.decision is not None]
        return self._mean(decided, [float(one.outcome is counted) for one in decided])

    def _mean(self, scored: Sequence[Scored], values: Sequence[float]) -> Replicate:
        codes = np.array([self._code[one.group] for one in scored], dtype=np.intp)
        sums = np.bincount(codes, weights=np.asarray(values), minlength=len(self._groups))
        counts = np.bincount(codes, minlength=len(self._groups)).astype(np.float64)

        def mean(weights: Floats) -> Floats:
            totals = weights @ counts
            means: Floats = np.full(len(weights), np.nan)
            np.divide(weights @ sums, totals, out=means, where=totals > 0)
            return means

        return mean

    def _share(self, scored: Sequence[Scored], statistic: str, kind: str) -> Share:
        counted = rate(Mark(one.group, one.outcome) for one in scored)
        found = self._interval(statistic, kind)
        if found is not None and found.low == found.high and counted.low is not None and counted.high is not None:
            found = Interval(counted.low, counted.high)
        return Share(rate=counted, bootstrap=estimate(counted.value, found, counted.n_clusters))

    def _interval(self, statistic: str, kind: str) -> Interval | None:
        if self._replicates is None:
            return None
        return cluster.percentiles(self._replicates[:, self._columns[statistic, kind]])

    def _estimate(self, value: float | None, interval: Interval | None) -> Estimate:
        return estimate(value, interval, len(self._groups))


def histogram(scored: Sequence[Scored]) -> tuple[int, ...]:
    """Return how many measured energies lie in each of BINS equal bins over [0, 1]."""
    return tuple(np.histogram(_values(scored), bins=BINS, range=(0.0, 1.0))[0].tolist())


def overlap(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Return the mass that two histograms share, from 0 to 1; None where one is empty."""
    if not sum(first) or not sum(second):
        return None
    return float(np.minimum(np.divide(first, sum(first)), np.divide(second, sum(second))).sum())


def depth_of(depths: Sequence[int]) -> Depth | None:
    """Return how deep the chosen sets stand; places that are 0 stand for no set."""
    found = [depth for depth in depths if depth > 0]
    if not found:
        return None
    return Depth(
        median=float(np.median(found)),
        p90=float(np.quantile(found, 0.9)),
        deepest=max(found),
        first=sum(depth == 1 for depth in found),
    )


def _difference(first: Replicate, second: Replicate, weights: Floats) -> Floats:
    return first(weights) - second(weights)


def _values(scored: Sequence[Scored]) -> list[float]:
    return [one.value for one in scored if one.value is not None]
