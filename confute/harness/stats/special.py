"""The two distribution functions that exact intervals need, without a scientific library at run time."""

from __future__ import annotations

import math
import sys
from functools import lru_cache

_BISECTIONS = 1200
_FRACTION_TERMS = 100_000
_PRECISION = 1e-15


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1.

    Lentz's evaluation of the continued fraction DLMF 8.17.22, on the side of the mean where it converges fast.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - beta_cdf(1.0 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _beta_fraction(x, a, b))


@lru_cache(maxsize=4096)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the x with I_x(a, b) = probability, by bisection to the last bit."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if beta_cdf(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def t_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of Student's t with the given degrees of freedom, for 0 < probability < 1.

    From P(|T| > t) = I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t^2) (DLMF 8.17, Abramowitz & Stegun 26.5.27).
    """
    if probability < 0.5:
        return -t_quantile(1.0 - probability, degrees)
    x = beta_quantile(2.0 * (1.0 - probability), degrees / 2.0, 0.5)
    return math.sqrt(degrees * (1.0 - x) / max(x, sys.float_info.min))


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + ...)), the denominator of the incomplete beta function."""
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, _FRACTION_TERMS):
        m = term // 2
        numerator = (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            if term % 2 == 0
            else -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        )
        d = 1.0 / _away_from_zero(1.0 + numerator * d)
        c = _away_from_zero(1.0 + numerator / c)
        value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > sys.float_info.min else sys.float_info.min
