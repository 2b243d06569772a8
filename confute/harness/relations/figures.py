"""What the scores before and after say of a relation: violations with their interval, and the size of the effect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pydantic import Field

from confute.harness.rates import Estimate, Mark, Rate, estimate, rate
from confute.harness.relations.trials import Trial
from confute.harness.stats.cluster import FEW_CLUSTERS, cluster_se
from confute.harness.stats.proportion import Interval, normal_quantile, wilson
from confute.harness.stats.special import beta_cdf, t_quantile
from confute.oracles.relations.relation import Expected
from confute.records import Decision, Outcome, Record, Score, ScoreState

ROUNDING = 1e-6
"""What an exact inequality may be missed by: the cut-off of the energy's singular values, and float32 vectors."""

EXPECTED_BY_TOLERANCE = 0.05
_OUTCOMES = {ScoreState.ERROR: Outcome.ERROR, ScoreState.NO_EVIDENCE: Outcome.NO_EVIDENCE}


class RowFigures(Record):
    """One row on one victim, by what must follow.

    `why_not` says why the row does not apply to the victim; then nothing was measured. `violations` is the share that
    breaks the row by any of its `parts`; a probe has parts alone. `mean_change` is the mean of ds, `superiority` the
    share of trials whose risk rose, half of the ties added. `p_value` is the chance that so many trials of an
    invariance move if it were the 5 % that the tolerance leaves, `adjusted` Holm's over the victim's invariances.
    """

    row_id: str
    victim: str
    expected: str
    why_not: str | None = None
    trials: int = 0
    is_probe: bool = False
    violations: Rate
    parts: dict[str, Rate] = Field(default_factory=dict)
    mean_change: Estimate | None = None
    superiority: Estimate | None = None
    p_value: float | None = None
    adjusted: float | None = None
    series: dict[str, float] = Field(default_factory=dict)


class Step(NamedTuple):
    """A trial's scores and the decisions on them."""

    trial: Trial
    before: Score
    after: Score
    decisions: tuple[Decision | None, Decision | None]

    @property
    def change(self) -> float | None:
        """How far the risk rose, None where either side was not measured."""
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value


Breach = Callable[[Step, float, float], bool]
"""Tells whether a measured step breaks a part of a row, by its change and the tolerance."""


def _accepted(step: Step, _change: float, _tolerance: float) -> bool:
    return step.decisions[1] is Decision.ACCEPT


def _fell(_step: Step, change: float, _tolerance: float) -> bool:
    return change < -ROUNDING


BREACHES: dict[Expected, dict[str, Breach]] = {
    Expected.INVARIANT: {
        "moved": lambda _step, change, tolerance: abs(change) > tolerance,
        "turned": lambda step, _change, _tolerance: step.decisions[0] is not step.decisions[1],
    },
    Expected.RISES: {"did not rise": lambda _step, change, _tolerance: change <= 0.0, "not rejected": _accepted},
    Expected.NOT_BELOW: {"fell": _fell},
    Expected.NOT_ABOVE: {"rose": lambda _step, change, _tolerance: change > ROUNDING},
    Expected.HIGHEST: {"accepted": _accepted, "below its own evidence": _fell},
    Expected.LOW: {"rejected": lambda step, _change, _tolerance: step.decisions[1] is Decision.REJECT},
    Expected.FLAGGED: {"fell": _fell, "accepted": _accepted},
}
"""The parts of a violation, by what must follow; any one of them breaks the row."""


def figures(row_id: str, victim: str, expected: Expected, steps: Sequence[Step], tolerance: float) -> RowFigures:
    """Return what steps of one row and expectation say; errors and missing evidence are counted and never pass."""
    breaches = BREACHES[expected]
    parts = {name: rate(_marks(steps, [breach], tolerance)) for name, breach in breaches.items()}
    changes = [(change, step.trial.group) for step in steps if (change := step.change) is not None]
    is_probe = expected is Expected.FLAGGED
    violations = rate(_marks(steps, [] if is_probe else list(breaches.values()), tolerance))
    return RowFigures(
        row_id=row_id,
        victim=victim,
        expected=expected,
        trials=len(steps),
        is_probe=is_probe,
        violations=violations,
        parts=parts,
        mean_change=mean_of(changes),
        superiority=mean_of(((_rank(change), group) for change, group in changes), is_share=True),
        p_value=_p_value(parts["moved"]) if expected is Expected.INVARIANT else None,
    )


def not_applicable(row_id: str, victim: str, why: str, expected: str = "") -> RowFigures:
    """Return the figures of a row that does not apply: a reason, and no number."""
    return RowFigures(row_id=row_id, victim=victim, expected=expected, why_not=why, violations=rate([]))


def mean_of(values: Iterable[tuple[float, str]], *, is_share: bool = False) -> Estimate:
    """Return a mean with its 95 % interval, mean -+ t SE clustered by source; None below two clusters.

    A share of which every value is 0, or 1, has Wilson's interval of the number of clusters; one of ties alone, none.
    """
    listed = list(values)
    xs, groups = [x for x, _ in listed], [group for _, group in listed]
    clusters = len(set(groups))
    if not xs:
        return estimate(None, None, 0)
    mean, se = math.fsum(xs) / len(xs), cluster_se(xs, groups)
    if se is None:
        return estimate(mean, None, clusters)
    if is_share and len(set(xs)) == 1:
        return estimate(mean, wilson(mean * clusters, clusters) if mean in {0.0, 1.0} else None, clusters)
    factor = t_quantile(0.975, clusters - 1) if clusters < FEW_CLUSTERS else normal_quantile(0.975)
    low, high = mean - factor * se, mean + factor * se
    return estimate(mean, Interval(max(0.0, low), min(1.0, high)) if is_share else Interval(low, high), clusters)


def _marks(steps: Sequence[Step], breaches: Sequence[Breach], tolerance: float) -> list[Mark]:
    return [Mark(step.trial.group, _outcome(step, breaches, tolerance)) for step in steps]


def _outcome(step: Step, breaches: Sequence[Breach], tolerance: float) -> Outcome:
    change = step.change
    if change is None:
        unmeasured = step.after if step.after.value is None else step.before
        return _OUTCOMES.get(unmeasured.state, Outcome.ERROR)
    broken = any(breach(step, change, tolerance) for breach in breaches)
    return Outcome.SUCCEEDED if broken else Outcome.RESISTED


def _rank(change: float) -> float:
    return 1.0 if change > 0.0 else 0.5 if change == 0.0 else 0.0


def _p_value(moved: Rate) -> float | None:
    """Return P(X >= k) of a binomial with n the effective number of trials and the share that the tolerance leaves."""
    if moved.value is None or moved.effective_n is None:
        return None
    k, n = moved.value * moved.effective_n, moved.effective_n
    return beta_cdf(EXPECTED_BY_TOLERANCE, k, n - k + 1.0) if k > 0 else 1.0
