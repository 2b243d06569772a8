"""The search that keeps the best few sets of moves and widens each of them."""

from __future__ import annotations

from dataclasses import dataclass

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, Trial, by_loss, by_prior, combined, one_of_each_kind
from confute.agents.neighbours import Neighbours


@dataclass(frozen=True)
class Beam:
    """Beam search over sets of moves, single moves first.

    A move of every mechanism in every slot comes first, then the other moves, `batch` at a time, those most like the
    best so far first. The `width` best sets are each joined with the moves that were best alone, `branching` of them,
    and with the companions, until sets are as large as the view allows. The queries that are left go to the other
    sets, the best moves first.
    """

    width: int = 6
    branching: int = 12
    batch: int = 2

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts = Drafts(view)
        prior = by_prior(view)
        singles = yield from drafts.try_all((edit,) for edit in one_of_each_kind(prior))
        neighbours = Neighbours(view)
        neighbours.learn(singles)
        while taken := (yield from drafts.try_all(zip(neighbours.ranked(prior)), at_most=self.batch)):
            singles += taken
            neighbours.learn(taken)
        beam = by_loss(singles)[: self.width]
        best = [trial.edits[0] for trial in by_loss(singles)[: self.branching]]
        for _ in range(1, view.max_edits):
            children: list[Trial] = []
            for parent in beam:
                children += yield from drafts.try_all((*parent.edits, edit) for edit in (*best, *view.companions))
            beam = by_loss(children)[: self.width]
        others = combined(singles, view.max_edits)
        while (yield from drafts.try_all(others, at_most=self.batch)):
            pass
