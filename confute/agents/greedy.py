"""The search that ranks the claim's slots by their importance and takes the moves slot by slot."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal

from confute.agents.agent import Feedback, Proposal, Search, View
from confute.agents.drafts import Drafts, Trial, by_loss, by_prior, combined, grown, loss, one_of_each_kind
from confute.agents.neighbours import Neighbours
from confute.records import Edit, Knowledge

Importance = Literal["replacement", "deletion"]
Ranking = Generator[Sequence[Proposal], Sequence[Feedback], list[str]]


@dataclass(frozen=True)
class Greedy:
    """Greedy search with word-importance order.

    A slot is important where changing it moves the score towards the goal. `deletion` measures that by deleting the
    slot, one probe a slot, as TextFooler does; with no more queries than slots, or without a score, the slots come as
    their moves look before any answer. `replacement` measures it by a real move of every mechanism in every slot,
    which costs no more and may already succeed. Then the moves are taken slot by slot, `batch` at a time, those most
    like the best so far first, then changes of evidence are added to the best one by one, and at last the best moves
    are taken together.
    """

    importance: Importance = "replacement"
    batch: int = 2

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        drafts = Drafts(view)
        prior = by_prior(view)
        slots = _slots(prior)
        neighbours = Neighbours(view)
        trials: list[Trial] = []
        order = list(slots)
        if self.importance == "replacement":
            firsts = yield from drafts.try_all((edit,) for edit in one_of_each_kind(prior))
            order = list(dict.fromkeys([trial.edits[0].slot for trial in by_loss(firsts)] + order))
            trials += firsts
            neighbours.learn(firsts)
        elif view.knowledge.includes(Knowledge.SCORE) and view.victim_queries > len(slots):
            order = yield from _by_deletion(drafts, slots, view)
        for slot in order:
            while taken := (yield from drafts.try_all(zip(neighbours.ranked(slots[slot])), at_most=self.batch)):
                trials += taken
                neighbours.learn(taken)
        yield from grown(drafts, trials, view.max_edits)
        together = combined(trials, view.max_edits)
        while (yield from drafts.try_all(together, at_most=self.batch)):
            pass


def _slots(moves: Sequence[Edit]) -> dict[str, list[Edit]]:
    slots: dict[str, list[Edit]] = {}
    for edit in moves:
        slots.setdefault(edit.slot, []).append(edit)
    return slots


def _by_deletion(drafts: Drafts, slots: dict[str, list[Edit]], view: View) -> Ranking:
    probes = {slot: probe for slot, moves in slots.items() if (probe := drafts.probe(moves[0])) is not None}
    if not probes:
        return list(slots)
    feedback = yield list(probes.values())
    losses = {slot: loss(one.score, view.goal) for slot, one in zip(probes, feedback, strict=True)}
    return sorted(slots, key=lambda slot: math.inf if (known := losses.get(slot)) is None else known)
