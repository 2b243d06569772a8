"""How well a score tells two classes apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from confute.harness.stats import cluster
from confute.harness.stats.cluster import Floats
from confute.harness.stats.proportion import Interval, wilson


def auc(lower: Sequence[float], higher: Sequence[float]) -> float | None:
    """Return the share of (lower, higher) pairs that the score orders rightly, a tie counting half.

    The Mann-Whitney statistic over the number of pairs; None where either side is empty. Raises ValueError for NaN.
    """
    ranked = RankedScores(lower, higher, ["" for _ in lower], ["" for _ in higher])
    return float(ranked.auc(np.ones((1, 1)))[0]) if lower and higher else None


def auc_interval(  # noqa: PLR0913  two sides, their clusters, and how to resample them
    lower: Sequence[float],
    higher: Sequence[float],
    lower_clusters: Sequence[str],
    higher_clusters: Sequence[str],
    *,
    seed: str,
    replicates: int = cluster.REPLICATES,
) -> Interval | None:
    """Return a 95 % interval of the AUC by a bootstrap over clusters, which both sides share.

    Where every replicate agrees (perfect separation) the bootstrap says nothing, and the interval is Wilson's with the
    number of clusters of the smaller side, since the AUC is a mean of values in 0..1 over either side. None where a
    side is empty or there are fewer than two clusters.
    """
    value = auc(lower, higher)
    ranked = RankedScores(lower, higher, lower_clusters, higher_clusters)
    if value is None:
        return None
    n = min(len(set(lower_clusters)), len(set(higher_clusters)))
    return with_width(cluster.bootstrap(ranked.n_clusters, ranked.auc, seed=seed, replicates=replicates), value, n)


def with_width(found: Interval | None, value: float, n: int) -> Interval | None:
    """Return a bootstrap interval, or Wilson's of the value in n where every replicate agreed."""
    return found if found is None or found.low < found.high else wilson(value * n, n)


class RankedScores:
    """Scores sorted once into levels of equal value, so that each replicate is a few sums."""

    def __init__(
        self,
        lower: Sequence[float],
        higher: Sequence[float],
        lower_clusters: Sequence[str],
        higher_clusters: Sequence[str],
    ) -> None:
        scores = np.asarray([*lower, *higher], dtype=np.float64)
        if np.isnan(scores).any():
            raise ValueError("scores must be numbers, not NaN")
        names = sorted({*lower_clusters, *higher_clusters})
        codes = {name: code for code, name in enumerate(names)}
        order = np.argsort(scores, kind="stable")
        self.n_clusters = len(names)
        self._clusters = np.asarray([codes[name] for name in [*lower_clusters, *higher_clusters]], dtype=np.intp)[order]
        self._is_higher = (np.arange(len(scores)) >= len(lower))[order].astype(np.float64)
        ordered = scores[order]
        self._level_starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(scores) else order

    def auc(self, weights: Floats) -> Floats:
        """Return one AUC per row of cluster weights, NaN where a side has no weight."""
        per_item = weights[:, self._clusters]
        higher = np.add.reduceat(per_item * self._is_higher, self._level_starts, axis=1)
        lower = np.add.reduceat(per_item * (1.0 - self._is_higher), self._level_starts, axis=1)
        below = np.cumsum(lower, axis=1) - lower / 2.0
        pairs = higher.sum(axis=1) * lower.sum(axis=1)
        ordered: Floats = np.full(len(pairs), np.nan)
        np.divide((higher * below).sum(axis=1), pairs, out=ordered, where=pairs > 0)
        return ordered
