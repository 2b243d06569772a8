"""The search that learns nothing of the victim: every strategy is compared with it on equal queries."""

from __future__ import annotations

from dataclasses import dataclass

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, blind_draws, rng_of


@dataclass(frozen=True)
class RandomSearch:
    """Draws uniformly without replacement from the single moves, then from the pairs of moves, and so on.

    No decision and no score changes what it proposes; `batch` candidates are proposed at a time.
    """

    batch: int = 8

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts = Drafts(view)
        draws = blind_draws(view, rng_of(view, "random"))
        while (yield from drafts.try_all(draws, at_most=self.batch)):
            pass
