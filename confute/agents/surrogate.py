"""The search that models the victim's risk and asks of what the model expects to go furthest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, Edits, Trial
from confute.agents.linear_model import LinearModel
from confute.agents.pool import SHARED, Pool
from confute.records import AttackGoal

Array = NDArray[np.float64]

# Before any score a risk is expected to grow with the distance from the evidence, in letters and in words.
_EXPECTED = (0.0, 0.4, 0.4, 0.2, 0.1, 0.0)
_SPREADS = (0.3, 0.15, 0.15, 0.15, 0.1, 0.1)
_KIND_SPREAD, _EDIT_SPREAD, _NOISE = 0.07, 0.05, 0.03


class Surrogate:
    """What one search expects of the candidates of its pool: the prior first, and then its own scores too."""

    def __init__(self, view: View) -> None:
        expected = np.array(_EXPECTED) * (1.0 if view.goal is AttackGoal.FALSE_ACCEPTANCE else -1.0)
        self._pool = Pool(view, expected)
        width = self._pool.width
        spreads = [*_SPREADS, *[_KIND_SPREAD] * self._pool.kinds, *[_EDIT_SPREAD] * (width - SHARED - self._pool.kinds)]
        prior = np.concatenate([expected, np.zeros(width - SHARED)])
        self._model = LinearModel(prior, np.square(spreads), _NOISE**2)
        self._tried: set[Edits] = set()
        self._best: float | None = None

    def ranked(self) -> Iterator[Edits]:
        """Yield the sets that were not tried, the lowest expected loss first, ties as they came into the pool."""
        order = np.argsort(self._model.expected(self._pool.matrix), kind="stable")
        sets = (self._pool.sets[index] for index in order.tolist())
        return (edits for edits in sets if edits not in self._tried)

    def learn(self, trial: Trial) -> None:
        """Take what a trial of the pool showed into account; about a new best, the pool is widened."""
        edits = self._pool.ordered(trial.edits)
        self._tried.add(edits)
        if trial.is_valid and trial.loss is not None:
            self._model.learn(self._pool.row(edits), trial.loss)
            if self._best is None or trial.loss < self._best:
                self._best = trial.loss
                self._pool.widen(edits)


@dataclass(frozen=True)
class SurrogateSearch:
    """Asks, `batch` queries at a time, of the sets of edits whose loss is expected to be lowest.

    A set is a move, or several with companions. The model is linear: in the distance of the claim from its evidence
    in letters and words, in the size of the change, and in an effect of every kind of edit and of every edit, so that
    what one set showed tells of all that share an edit with it. At the level `decision` it stays as it was at first.
    """

    batch: int = 1

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts, surrogate = Drafts(view), Surrogate(view)
        while taken := (yield from drafts.try_all(surrogate.ranked(), at_most=self.batch)):
            for trial in taken:
                surrogate.learn(trial)
