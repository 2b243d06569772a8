"""A linear model of a victim's risk, learned from the scores of one search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class LinearModel:
    """Bayesian linear regression: weights ~ N(prior, diag(variances)), a loss is row @ weights + N(0, noise).

    With X the rows and y the losses seen, the weights' posterior mean is P^-1 (prior / variances + X'y / noise), where
    P = diag(1 / variances) + X'X / noise.
    """

    def __init__(self, prior: Array, variances: Array, noise: float) -> None:
        self._noise = noise
        self._precision = np.diag(1.0 / variances)
        self._weighted = prior / variances

    def learn(self, row: Array, loss: float) -> None:
        """Take one measured loss into account."""
        self._precision += np.outer(row, row) / self._noise
        self._weighted += row * loss / self._noise

    def expected(self, rows: Array) -> Array:
        """Return the loss expected of each row of a (rows, columns) matrix."""
        expected: Array = rows @ np.linalg.solve(self._precision, self._weighted)
        return expected
