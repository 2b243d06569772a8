"""What the moves that were tried say of those that were not."""

from __future__ import annotations

import math
from collections.abc import Iterable

from confute import text
from confute.agents.agent import View
from confute.agents.drafts import Trial
from confute.edits import edited
from confute.records import Edit

_Distance = tuple[bool, int]


class Neighbours:
    """Expects each single move to do as the nearest tried one did.

    The nearest is one of the same slot and mechanism, where one was tried, whose claim and passages differ in the
    fewest characters; of several as near, the one that did best.
    """

    def __init__(self, view: View) -> None:
        self._texts = {move: _text(view, move) for move in view.moves}
        self._nearest: dict[Edit, tuple[_Distance, float]] = {}

    def learn(self, trials: Iterable[Trial]) -> None:
        """Take the losses of single moves into account; a trial without a score says nothing."""
        for trial in trials:
            if trial.is_valid and trial.loss is not None:
                (tried,) = trial.edits
                for move in self._texts:
                    known = (self._distance(tried, move), trial.loss)
                    self._nearest[move] = min(known, self._nearest.get(move, known))

    def ranked(self, moves: Iterable[Edit]) -> list[Edit]:
        """Return the moves with the lowest expected loss first; moves of equal promise keep their order."""
        return sorted(moves, key=lambda move: self._nearest[move][1] if move in self._nearest else math.inf)

    def _distance(self, tried: Edit, move: Edit) -> _Distance:
        is_other_kind = (tried.slot, tried.mechanism) != (move.slot, move.mechanism)
        return is_other_kind, text.char_distance(self._texts[tried], self._texts[move])


def _text(view: View, move: Edit) -> str:
    claim = edited(view.start.claim, (move,)) or ""
    return "\n".join((claim, *(change.text or view.start.evidence[change.index or 0] for change in move.passages)))
