"""Selective prediction: what accepting the less risky share of claims costs in wrong acceptances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from confute.harness.stats import cluster
from confute.harness.stats.cluster import Floats, numbered
from confute.harness.stats.proportion import Interval


class RiskCoveragePoint(NamedTuple):
    """A threshold, how many items lie at or below it, and how many of those are wrong."""

    threshold: float
    covered: int
    wrong: int


def risk_coverage(risks: Sequence[float], wrong: Sequence[bool]) -> tuple[RiskCoveragePoint, ...]:
    """Return the risk-coverage curve, one point for each value that occurs, from the lowest risk on.

    At a threshold, coverage is covered / n and the selective risk is wrong / covered (El-Yaniv and Wiener 2010;
    Geifman and El-Yaniv 2017, arXiv 1705.08500). Items of one risk enter together. Raises ValueError for NaN.
    """
    ranked = _Ranked(risks, wrong, ["" for _ in risks])
    covered, at_fault = np.cumsum(ranked.counts), np.cumsum(ranked.faults)
    points = zip(ranked.levels, covered, at_fault, strict=True)
    return tuple(RiskCoveragePoint(float(level), int(n), int(k)) for level, n, k in points)


def aurc(risks: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """Return the area under the risk-coverage curve, the mean over items of the selective risk at the item's risk.

    AURC = 1/n sum_i r(risk_i) (Geifman, Uziel and El-Yaniv 2019, arXiv 1805.08206, eq. 1). A constant risk has the
    share of wrong items. None without an item. Raises ValueError for NaN.
    """
    return float(_Ranked(risks, wrong, ["" for _ in risks]).aurc(np.ones((1, 1)))[0]) if risks else None


def best_aurc(n: int, wrong: int) -> float | None:
    """Return the AURC of a score that puts every wrong item last: 1/n sum_{j=1}^{wrong} j / (n - wrong + j).

    What is left of an AURC above it is the excess AURC of Geifman, Uziel and El-Yaniv 2019. None without an item.
    Raises ValueError unless 0 <= wrong <= n.
    """
    if not 0 <= wrong <= n:
        raise ValueError(f"wrong must lie in 0..n; got {wrong} of {n}")
    return sum(j / (n - wrong + j) for j in range(1, wrong + 1)) / n if n else None


def aurc_interval(
    risks: Sequence[float],
    wrong: Sequence[bool],
    clusters: Sequence[str],
    *,
    seed: str,
    replicates: int = cluster.REPLICATES,
) -> Interval | None:
    """Return a 95 % interval of the AURC by a bootstrap over clusters, or None below two clusters."""
    ranked = _Ranked(risks, wrong, clusters)
    return cluster.bootstrap(ranked.n_clusters, ranked.aurc, seed=seed, replicates=replicates)


class _Ranked:
    """Items sorted once into levels of equal risk, so that each replicate is a few sums."""

    def __init__(self, risks: Sequence[float], wrong: Sequence[bool], clusters: Sequence[str]) -> None:
        values = np.asarray(risks, dtype=np.float64)
        if np.isnan(values).any():
            raise ValueError("risks must be numbers, not NaN")
        order = np.argsort(values, kind="stable")
        self.n_clusters, codes = numbered(clusters)
        ordered = values[order]
        self._clusters = codes[order]
        self._wrong = np.asarray(wrong, dtype=np.float64)[order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(values) else order
        self.levels = ordered[self._starts]
        self.counts = self._summed(np.ones(len(values))[None, :])[0]
        self.faults = self._summed(self._wrong[None, :])[0]

    def aurc(self, weights: Floats) -> Floats:
        """Return one AURC per row of cluster weights."""
        per_item = weights[:, self._clusters]
        counts, faults = self._summed(per_item), self._summed(per_item * self._wrong)
        covered = np.cumsum(counts, axis=1)
        selective = np.zeros_like(covered)
        np.divide(np.cumsum(faults, axis=1), covered, out=selective, where=covered > 0)
        areas: Floats = (counts * selective).sum(axis=1) / covered[:, -1]
        return areas

    def _summed(self, per_item: Floats) -> Floats:
        summed: Floats = np.add.reduceat(per_item, self._starts, axis=1) if len(self._starts) else per_item
        return summed
