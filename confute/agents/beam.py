"""The search that keeps the best few sets of moves and widens each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, Edits, Trial, by_loss, by_prior, combined, one_of_each_kind
from confute.records import Edit


@dataclass(frozen=True)
class Beam:
    """Beam search over sets of moves, single moves first.

    A move of every mechanism in every slot comes first, then the other moves, those of the best kinds first. The
    `width` best sets are each joined with the moves that were best alone, `branching` of them, until sets are as large
    as the view allows. The queries that are left go to the other sets, the best moves first.
    """

    width: int = 6
    branching: int = 12

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts = Drafts(view)
        prior = by_prior(view)
        singles = yield from drafts.try_all((edit,) for edit in one_of_each_kind(prior))
        while taken := (yield from drafts.try_all(_of_best_kinds(prior, singles), at_most=self.width)):
            singles += taken
        beam = by_loss(singles)[: self.width]
        best = [trial.edits[0] for trial in by_loss(singles)[: self.branching]]
        for _ in range(1, view.max_edits):
            children: list[Trial] = []
            for parent in beam:
                children += yield from drafts.try_all((*parent.edits, edit) for edit in best)
            beam = by_loss(children)[: self.width]
        others = combined(singles, view.max_edits)
        while (yield from drafts.try_all(others, at_most=self.width)):
            pass


def _of_best_kinds(prior: Sequence[Edit], tried: Sequence[Trial]) -> list[Edits]:
    """Return the moves, those first whose mechanism in their slot gave the lowest loss so far."""
    rank: dict[tuple[str, str], int] = {}
    for trial in by_loss(tried):
        rank.setdefault((trial.edits[0].slot, trial.edits[0].mechanism), len(rank))
    return [(edit,) for edit in sorted(prior, key=lambda edit: rank.get((edit.slot, edit.mechanism), len(rank)))]
