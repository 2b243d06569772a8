"""How much of what a measurement says is the case, how much is the run, and how many judges a panel is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from confute.harness.stats.flake import disagreement
from confute.records import Record

TARGETS = (0.8, 0.9)
_CLOSE = 1e-12
_ROUNDING = 32 * float(np.finfo(np.float64).eps)


class Reliability(Record):
    """Variance between cases and within them, and the intra-class correlation of a single run.

    `icc` is None where nothing varies, or where no case has two runs. `runs_needed` goes by target reliability of the
    mean of so many runs, None where no number of runs reaches it.
    """

    n_cases: int = Field(ge=0)
    icc: float | None
    between: float | None
    within: float | None
    runs_needed: dict[str, int | None]


def one_way(values: Sequence[Sequence[float]]) -> Reliability:
    """Return the one-way ICC of runs within cases, ICC(1) = s_b^2 / (s_b^2 + s_w^2).

    s_b^2 = (MSB - MSW) / m0, floored at 0, with m0 the mean size corrected for unequal sizes (Shrout and Fleiss 1979;
    Donner 1986). Cases without a run are left out. A component below the rounding error of the values is 0.
    """
    groups = [np.asarray(runs, dtype=np.float64) for runs in values if len(runs)]
    sizes = np.asarray([len(runs) for runs in groups], dtype=np.float64)
    total = float(sizes.sum())
    if len(groups) < 2 or total <= len(groups):
        return _reliability(len(groups), None, None)
    grand = sum(float(runs.sum()) for runs in groups) / total
    within = sum(float(((runs - runs.mean()) ** 2).sum()) for runs in groups) / (total - len(groups))
    between_ms = sum(len(runs) * (float(runs.mean()) - grand) ** 2 for runs in groups) / (len(groups) - 1)
    typical = (total - float((sizes**2).sum()) / total) / (len(groups) - 1)
    between = max(0.0, (between_ms - within) / typical)
    least = (_ROUNDING * max(float(np.abs(runs).max()) for runs in groups)) ** 2
    return _reliability(len(groups), between if between > least else 0.0, within if within > least else 0.0)


def runs_needed(icc: float | None, target: float) -> int | None:
    """Return the least m at which the mean of m runs has the target reliability; None where no m has.

    m = R / (1 - R) * (1 - icc) / icc (Spearman 1910, Brown 1910); one beyond every float counts as none. Raises
    ValueError unless 0 < target < 1.
    """
    if not 0.0 < target < 1.0:
        raise ValueError(f"a target reliability lies between 0 and 1; got {target}")
    if icc is None or icc <= 0.0:
        return None
    runs = target / (1.0 - target) * (1.0 - icc) / icc
    return max(1, math.ceil(runs - _CLOSE)) if math.isfinite(runs) else None


class TwoLevel(Record):
    """A judge's own flake, told apart from the flake of what it judges.

    Two votes on one artifact differ with chance `inner`, two votes on two artifacts of a case with chance `total`;
    `outer` = total - inner is what the artifacts add, 2 Var(p), unbiased and so at times a little below 0. Each is a
    mean over cases, and None where no case allows it.
    """

    n_cases: int = Field(ge=0)
    inner: float | None
    total: float | None
    outer: float | None


def two_level(cases: Sequence[Sequence[Sequence[bool]]]) -> TwoLevel:
    """Return the two-level flake of votes[case][artifact][repeat].

    For artifacts with pass rates p_a: inner is unbiased for E[2 p_a (1 - p_a)], total for E[p_a (1 - p_b) + p_b (1 -
    p_a)] over a != b. A case counts if it has two artifacts with two votes each or more.
    """
    usable = [kept for case in cases if len(kept := [votes for votes in case if len(votes) > 1]) > 1]
    inner = [_mean([_disagreement(votes) for votes in case]) for case in usable]
    total = [_mean(_between(case)) for case in usable]
    if not usable:
        return TwoLevel(n_cases=0, inner=None, total=None, outer=None)
    return TwoLevel(n_cases=len(usable), inner=_mean(inner), total=_mean(total), outer=_mean(total) - _mean(inner))


class PanelSize(Record):
    """How many independent judges a panel is worth, n_eff = k / (1 + (k - 1) rho), with rho the mean correlation.

    `raw` correlates the votes as they are, `within_class` within each true class, where agreeing is no merit. None
    where fewer than two judges vary.
    """

    judges: int = Field(ge=0)
    raw: float | None
    within_class: float | None


def panel_size(votes: Sequence[Sequence[bool]], truth: Sequence[bool]) -> PanelSize:
    """Return what a panel is worth, from votes[case][judge] and the true class of each case.

    Kish's design effect over judges. A judge without variance correlates with nobody and is left out of that mean.
    A mean correlation below 0 counts as 0. Raises ValueError where lengths differ.
    """
    if len(votes) != len(truth):
        raise ValueError(f"each case needs its true class; got {len(votes)} cases and {len(truth)} classes")
    table = np.asarray(votes, dtype=np.float64).reshape(len(votes), len(votes[0]) if votes else 0)
    k = table.shape[1]
    classes = np.asarray(truth, dtype=bool)
    inside = [rho for rows in (table[classes], table[~classes]) for rho in _correlations(rows)]
    return PanelSize(judges=k, raw=_worth(k, _correlations(table)), within_class=_worth(k, inside))


def _reliability(n_cases: int, between: float | None, within: float | None) -> Reliability:
    known = between is not None and within is not None and between + within > 0.0
    icc = between / (between + within) if known and between is not None and within is not None else None
    return Reliability(
        n_cases=n_cases,
        icc=icc,
        between=between,
        within=within,
        runs_needed={str(target): runs_needed(icc, target) for target in TARGETS},
    )


def _between(artifacts: Sequence[Sequence[bool]]) -> list[float]:
    shares = [sum(votes) / len(votes) for votes in artifacts]
    return [
        left * (1.0 - right) + right * (1.0 - left) for index, left in enumerate(shares) for right in shares[:index]
    ]


def _disagreement(votes: Sequence[bool]) -> float:
    return disagreement(sum(votes), len(votes)) or 0.0


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _correlations(table: NDArray[np.float64]) -> list[float]:
    varying = table[:, table.std(axis=0) > 0.0] if len(table) > 1 else table[:, :0]
    if varying.shape[1] < 2:
        return []
    matrix = np.atleast_2d(np.corrcoef(varying, rowvar=False))
    return [float(value) for value in matrix[np.triu_indices(len(matrix), 1)]]


def _worth(judges: int, correlations: Sequence[float]) -> float | None:
    return judges / (1.0 + (judges - 1) * max(0.0, _mean(correlations))) if correlations else None
