"""The sets of edits that a search may choose from, each with the features by which a model compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from confute import text
from confute.agents.agent import View
from confute.agents.drafts import Edits
from confute.agents.lexical import Lexical
from confute.edits import applied
from confute.records import Edit

Array = NDArray[np.float64]

SHARED = 6
"""How many first columns of a row mean the same in every view: one, three of Lexical, and two of the change's size."""

_LIMIT = 768
_WIDENED = 12


class Pool:
    """Sets of edits of one view, at most 768, each a row of a design matrix in the order in which they came.

    A row: 1, the lexical features of the claim with the evidence that the set gives, the share of characters changed,
    a quarter of the number of edits; then one column for each kind (mechanism and slot), and one for each edit. At
    first there are the single moves, and the 12 sets of each size for which `expected` (weights of the shared columns)
    is lowest, widened.
    """

    def __init__(self, view: View, expected: Array) -> None:
        self._view = view
        self._edits = view.moves + view.companions
        self._place = {edit: index for index, edit in reversed(list(enumerate(self._edits)))}
        self._kind = {kind: index for index, kind in enumerate(dict.fromkeys(map(_kind, self._edits)))}
        self._pictures: dict[tuple[str, ...], Lexical] = {}
        self._seen: set[Edits] = set()
        self._row: dict[Edits, int] = {}
        self._rows: list[Array] = []
        self._stacked = np.zeros((0, self.width))
        self._add((edit,) for edit in view.moves)
        start = 0
        for _ in range(1, view.max_edits):
            losses, sets = self.matrix[start:, :SHARED] @ expected, self.sets[start:]
            start = len(self.sets)
            for index in np.argsort(losses, kind="stable")[:_WIDENED].tolist():
                self._add((*sets[index], edit) for edit in self._edits)

    @property
    def width(self) -> int:
        """The number of columns."""
        return SHARED + self.kinds + len(self._edits)

    @property
    def kinds(self) -> int:
        """The number of kinds, whose columns come after the shared ones."""
        return len(self._kind)

    @property
    def sets(self) -> list[Edits]:
        """The sets, each in the order of the moves and then the companions."""
        return list(self._row)

    @property
    def matrix(self) -> Array:
        """The design matrix, shape (sets, width)."""
        if len(self._stacked) < len(self._rows):
            self._stacked = np.vstack([self._stacked, *self._rows[len(self._stacked) :]])
        return self._stacked

    def row(self, edits: Edits) -> Array:
        """Return the row of a set of the pool, shape (width,)."""
        return self._rows[self._row[edits]]

    def ordered(self, edits: Iterable[Edit]) -> Edits:
        """Return edits as the pool holds them: each once, the moves first."""
        return tuple(sorted(set(edits), key=self._place.__getitem__))

    def widen(self, edits: Edits) -> None:
        """Add the sets that differ from one by an edit more, by one less, or by another in place of one."""
        fewer = [edits[:at] + edits[at + 1 :] for at in range(len(edits))]
        self._add((*kept, edit) for kept in (edits, *fewer) for edit in self._edits)
        self._add(fewer)

    def _add(self, sets: Iterable[Sequence[Edit]]) -> None:
        for edits in map(self.ordered, sets):
            if edits not in self._seen and len(self._rows) < _LIMIT:
                self._seen.add(edits)
                row = self._row_of(edits) if self._may_stand(edits) else None
                if row is not None:
                    self._row[edits] = len(self._rows)
                    self._rows.append(row)

    def _may_stand(self, edits: Edits) -> bool:
        fits = 0 < len(edits) <= self._view.max_edits and self._place[edits[0]] < len(self._view.moves)
        return fits and len({edit.mechanism.changes_evidence for edit in edits}) == 1

    def _row_of(self, edits: Edits) -> Array | None:
        candidate = applied(self._view.start, edits)
        if candidate is None or candidate.pair == self._view.start.pair:
            return None
        if candidate.evidence not in self._pictures:
            self._pictures[candidate.evidence] = Lexical(candidate.evidence)
        source, row = self._view.start.claim, np.zeros(self.width)
        changed = text.char_distance(source, candidate.claim) / max(1, len(source), len(candidate.claim))
        near = self._pictures[candidate.evidence].features(candidate.claim)
        row[:SHARED] = (1.0, *near, changed, len(edits) / 4)
        for edit in edits:
            row[SHARED + self._kind[_kind(edit)]] = 1.0
            row[SHARED + self.kinds + self._place[edit]] = 1.0
        return row


def _kind(edit: Edit) -> tuple[str, str]:
    return edit.mechanism, edit.slot
