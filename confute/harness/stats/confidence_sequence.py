"""An interval of a proportion that may be looked at after every run."""

from __future__ import annotations

import math
from collections.abc import Callable

from confute.harness.stats.proportion import Interval

_BISECTIONS = 200


def confidence_sequence(successes: int, n: int, level: float = 0.95) -> Interval:
    """Return the interval of successes in n that holds the truth at all n at once, whenever one stops; 0..1 for n = 0.

    The p at which the beta-binomial mixture martingale B(k + 1, n - k + 1) / (p^k (1 - p)^(n - k)), a uniform prior
    over the Bernoulli likelihood, stays below 1 / (1 - level): Ville's inequality, Robbins 1970, Annals of Mathematical
    Statistics 41:1397; Howard et al. 2021 (arXiv 1810.08240). Raises ValueError unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie in 0..n; got {successes} of {n}")
    log_mixture = math.lgamma(successes + 1) + math.lgamma(n - successes + 1) - math.lgamma(n + 2)
    limit = log_mixture + math.log1p(-level)

    def is_inside(p: float) -> bool:
        return _log_likelihood(p, successes, n) > limit

    share = successes / n if n else 0.5
    return Interval(
        low=0.0 if successes == 0 else _edge(inside=share, outside=0.0, is_inside=is_inside),
        high=1.0 if successes == n else _edge(inside=share, outside=1.0, is_inside=is_inside),
    )


def _log_likelihood(p: float, successes: int, n: int) -> float:
    parts = ((successes, p), (n - successes, 1.0 - p))
    return math.fsum(count * (math.log(share) if share > 0.0 else -math.inf) for count, share in parts if count)


def _edge(inside: float, outside: float, is_inside: Callable[[float], bool]) -> float:
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2.0
        if middle in {inside, outside}:
            break
        inside, outside = (middle, outside) if is_inside(middle) else (inside, middle)
    return outside
