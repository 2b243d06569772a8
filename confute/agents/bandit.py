"""The search that draws where to try next by what each mechanism and surface won so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, Edits, rng_of
from confute.agents.experience import Arm, arm_of
from confute.agents.surrogate import Surrogate


@dataclass(frozen=True)
class Bandit:
    """Thompson sampling over arms, mechanism x surface, one query at a time.

    Each arm has a posterior Beta(1 + wins, 1 + pulls - wins) of its share of wins, from the view's experience and
    the pulls of this search; an arm with fewer than `forced_pulls` comes first. The arms are taken in the order of one
    draw from each posterior (Thompson 1933), and within an arm comes what the linear model of the scores expects most.
    """

    forced_pulls: int = 1

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts, surrogate = Drafts(view), Surrogate(view)
        posterior = _Posterior(view, self.forced_pulls)
        while taken := (yield from drafts.try_all(posterior.ordered(surrogate.ranked()), at_most=1)):
            for trial in taken:
                surrogate.learn(trial)
                if trial.is_valid:
                    posterior.lose(arm_of(trial.edits))


class _Posterior:
    def __init__(self, view: View, forced_pulls: int) -> None:
        self._counts = {lesson.arm: (lesson.pulls, lesson.wins) for lesson in view.experience}
        self._forced_pulls = forced_pulls
        self._rng = rng_of(view, "bandit")

    def lose(self, arm: Arm) -> None:
        """Count a pull that won nothing; a search that wins is over."""
        pulls, wins = self._counts.get(arm, (0, 0))
        self._counts[arm] = (pulls + 1, wins)

    def ordered(self, ranked: Iterator[Edits]) -> Iterator[Edits]:
        """Yield the sets arm by arm, those of an arm in the order in which they come."""
        arms: dict[Arm, list[Edits]] = {}
        for edits in ranked:
            arms.setdefault(arm_of(edits), []).append(edits)
        drawn = {arm: self._draw(arm) for arm in sorted(arms)}
        for arm in sorted(arms, key=drawn.__getitem__, reverse=True):
            yield from arms[arm]

    def _draw(self, arm: Arm) -> tuple[bool, float]:
        pulls, wins = self._counts.get(arm, (0, 0))
        return pulls < self._forced_pulls, self._rng.betavariate(1 + wins, 1 + pulls - wins)
