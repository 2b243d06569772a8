"""Clustered samples: the error of a mean, the sample size that it is worth, and a bootstrap over whole clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from confute.harness.stats.proportion import Interval, normal_quantile
from confute.harness.stats.special import t_quantile

FEW_CLUSTERS = 30
"""Below this many clusters the normal quantile gives way to Student's t."""

REPLICATES = 10_000
_CELLS_AT_ONCE = 2_000_000

Floats = NDArray[np.float64]


def cluster_se(values: Sequence[float], clusters: Sequence[str]) -> float | None:
    """Return sqrt(C/(C-1) * sum_c (sum_{i in c} (x_i - mean))^2) / n, or None for fewer than two clusters.

    Miller 2024 (arXiv 2411.00640) with the finite-cluster factor.
    """
    x = np.asarray(values, dtype=np.float64)
    n_clusters, codes = numbered(clusters)
    if n_clusters < 2:
        return None
    totals = np.bincount(codes, weights=x - x.mean())
    return float(math.sqrt(n_clusters / (n_clusters - 1) * float(totals @ totals)) / len(x))


def numbered(clusters: Sequence[str]) -> tuple[int, NDArray[np.intp]]:
    """Return how many clusters there are, and the number of each item's own, in the order of their names.

    By Python's strings: those of NumPy end before a trailing NUL, and would join two clusters.
    """
    numbers = {name: at for at, name in enumerate(sorted(set(clusters)))}
    return len(numbers), np.asarray([numbers[name] for name in clusters], dtype=np.intp)


def effective_n(hits: Sequence[bool], clusters: Sequence[str], level: float = 0.95) -> float:
    """Return how many independent draws a clustered proportion is worth, between 1 and n.

    p(1-p)/SE_cluster^2, times (z/t)^2 with C-1 degrees of freedom below 30 clusters (Korn and Graubard 1998). Where
    every cluster holds one draw it is n; where all draws agree, so that the SE says nothing, it is C.
    """
    n, n_clusters = len(hits), len(set(clusters))
    if n_clusters == n:
        return float(n)
    share = sum(hits) / n
    se = cluster_se([float(hit) for hit in hits], clusters)
    if se is None or share in {0.0, 1.0}:
        return float(n_clusters)
    worth = float(n) if se == 0.0 else min(float(n), share * (1.0 - share) / (se * se))
    if n_clusters < FEW_CLUSTERS:
        probability = (1.0 + level) / 2.0
        worth *= (normal_quantile(probability) / t_quantile(probability, n_clusters - 1)) ** 2
    return max(1.0, worth)


def bootstrap(
    n_clusters: int,
    statistic: Callable[[Floats], Floats],
    *,
    seed: str,
    replicates: int = REPLICATES,
    level: float = 0.95,
) -> Interval | None:
    """Return the percentile interval of a statistic under resampling of whole clusters, or None below two clusters.

    `statistic` maps cluster weights of shape (rows, n_clusters), each row the times that each cluster was drawn, to
    shape (rows,); rows that it cannot be computed on are NaN and left out.
    """
    if n_clusters < 2:
        return None
    return percentiles(replicated(n_clusters, statistic, seed=seed, replicates=replicates), level)


def replicated(
    n_clusters: int, statistic: Callable[[Floats], Floats], *, seed: str, replicates: int = REPLICATES
) -> Floats:
    """Return the statistic of each resample of whole clusters, so that several numbers share their resamples.

    `statistic` maps cluster weights of shape (rows, n_clusters) to shape (rows, ...).
    """
    return np.concatenate([statistic(weights) for weights in _resampled(n_clusters, replicates, seed)])


def percentiles(values: Floats, level: float = 0.95) -> Interval | None:
    """Return the percentile interval of replicates of one number, NaN left out; None where none is left."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    low, high = np.quantile(finite, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(low), float(high))


def _resampled(n_clusters: int, replicates: int, seed: str) -> Iterator[Floats]:
    generator = np.random.default_rng(list(seed.encode()))
    rows_at_once = max(1, _CELLS_AT_ONCE // n_clusters)
    for start in range(0, replicates, rows_at_once):
        rows = min(rows_at_once, replicates - start)
        drawn = generator.integers(0, n_clusters, size=(rows, n_clusters))
        drawn += np.arange(rows)[:, None] * n_clusters
        yield np.bincount(drawn.ravel(), minlength=rows * n_clusters).reshape(rows, n_clusters).astype(np.float64)
