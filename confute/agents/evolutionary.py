"""The search that breeds sets of moves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confute.agents.agent import Search, View
from confute.agents.drafts import Drafts, Edits, blind_draws, by_loss, by_prior, one_of_each_kind, rng_of
from confute.records import Edit


@dataclass(frozen=True)
class Evolutionary:
    """A genetic algorithm whose genome is a set of moves that do not overlap.

    Parents are chosen by tournament, joined by union, and mutated by adding a move, dropping one or putting another of
    its slot in its place. The `population` best survive, old or new. Where breeding gives nothing new, blind draws do.
    """

    population: int = 12
    offspring: int = 6
    tournament: int = 3
    union_share: float = 0.3

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts = Drafts(view)
        rng = rng_of(view, "evolutionary")
        draws = blind_draws(view, rng_of(view, "evolutionary/immigrants"))
        living = yield from drafts.try_all(((edit,) for edit in one_of_each_kind(by_prior(view))), self.population)
        while True:
            living = by_loss(living)[: self.population]
            genomes = [trial.edits for trial in living]
            born = yield from drafts.try_all(self._bred(genomes, view, rng), at_most=self.offspring)
            born = born or (yield from drafts.try_all(draws, at_most=self.offspring))
            if not born:
                return
            living += born

    def _bred(self, genomes: Sequence[Edits], view: View, rng: random.Random) -> Iterator[Edits]:
        for _ in range(10 * self.offspring if genomes else 0):
            child = self._parent(genomes, rng)
            if rng.random() < self.union_share:
                child = _cut(child + self._parent(genomes, rng), view.max_edits, rng)
            yield _mutated(child, view, rng)

    def _parent(self, genomes: Sequence[Edits], rng: random.Random) -> Edits:
        """Return the fittest of a few genomes drawn with replacement; the genomes come fittest first."""
        return genomes[min(rng.randrange(len(genomes)) for _ in range(self.tournament))]


def _mutated(genome: Edits, view: View, rng: random.Random) -> Edits:
    at = rng.randrange(len(genome))
    rest = genome[:at] + genome[at + 1 :]
    kind = rng.choice(("replace", "replace", "add", "drop"))
    if kind == "drop" and rest:
        return rest
    if kind == "add" and len(genome) < view.max_edits:
        return (*genome, rng.choice(view.moves + view.companions))
    return (*rest, _other_of_slot(genome[at], view.moves + view.companions, rng))


def _other_of_slot(edit: Edit, moves: Sequence[Edit], rng: random.Random) -> Edit:
    return rng.choice([move for move in moves if move.slot == edit.slot])


def _cut(genome: Edits, size: int, rng: random.Random) -> Edits:
    distinct = list(dict.fromkeys(genome))
    return tuple(rng.sample(distinct, min(size, len(distinct))))
