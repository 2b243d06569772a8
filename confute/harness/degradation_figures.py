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
class Trend:
    """How the AUC falls with K, on the claims (by their place) that every budget measures, so that points compare."""

    claims: tuple[int, ...]
    slope: Estimate
    largest_drop: Drop | None


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
        self._seed, self._count = seed, replicates
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

    def trend(self, kinds: Mapping[int, str]) -> Trend:
        """Return minus the least-squares slope of the AUC on log2 K, and its largest fall between neighbouring budgets.

        Budgets at which no claim is measured are left out.
        """
        live = {
            budget: [one.value is not None for one in self._negatives[kind]] for budget, kind in sorted(kinds.items())
        }
        live = {budget: measured for budget, measured in live.items() if any(measured)}
        claims = tuple(np.flatnonzero(np.all(list(live.values()), axis=0)).tolist()) if live else ()
        areas, replicates = self._areas({budget: kinds[budget] for budget in live}, claims)
        return Trend(claims, self._slope(areas, replicates), self._largest_drop(areas, replicates))

    def _slope(self, areas: Mapping[int, float], replicates: Floats | None) -> Estimate:
        if len(areas) < 2:
            return self._estimate(None, None)
        x = np.log2(list(areas))
        weights = -(x - x.mean()) / np.square(x - x.mean()).sum()
        values = np.array(list(areas.values()))
        return self._estimate(float(weights @ (values - values[0])), _combined(weights, replicates))

    def _largest_drop(self, areas: Mapping[int, float], replicates: Floats | None) -> Drop | None:
        falls = [areas[first] - areas[second] for first, second in pairwise(areas)]
        if not falls:
            return None
        at, budgets = int(np.argmax(falls)), list(areas)
        pair = None if replicates is None else replicates[:, at : at + 2]
        fall = self._estimate(falls[at], _combined(np.array([1.0, -1.0]), pair))
        return Drop(start=budgets[at], stop=budgets[at + 1], fall=fall)

    def _areas(self, kinds: Mapping[int, str], claims: Sequence[int]) -> tuple[dict[int, float], Floats | None]:
        """Return the AUC of some claims at each budget, and of each resample of their sources, a column a budget."""
        lower = [self._positives[claim] for claim in claims]
        higher = {budget: [self._negatives[kind][claim] for claim in claims] for budget, kind in kinds.items()}
        areas = {budget: auc(_values(lower), _values(some)) for budget, some in higher.items()}
        known = {budget: value for budget, value in areas.items() if value is not None}
        if len(claims) == len(self._positives) and self._replicates is not None:
            return known, self._replicates[:, [self._columns["auc", kinds[budget]] for budget in known]]
        groups = [one.group for one in lower]
        if not known or len(set(groups)) < 2:
            return known, None
        ranked = [RankedScores(_values(lower), _values(higher[budget]), groups, groups) for budget in known]
        replicates = cluster.replicated(
            len(set(groups)),
            lambda weights: np.column_stack([one.auc(weights) for one in ranked]),
            seed=self._seed,
            replicates=self._count,
        )
        return known, replicates

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


def _combined(weights: Floats, replicates: Floats | None) -> Interval | None:
    """Return the interval of a weighted sum of columns, of weights that add up to nought."""
    return None if replicates is None else cluster.percentiles((replicates - replicates[:, :1]) @ weights)
