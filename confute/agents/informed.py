"""The search of an attacker that knows the victim's formula: it works out offline what is worth a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Protocol

from confute.agents.agent import Agent, Feedback, Proposal, Question, Search, View
from confute.agents.drafts import Edits
from confute.agents.expected import CaseExpected, Expected
from confute.edits import applied
from confute.records import Edit, Pair

_COMBINED = 8
_SHARE = 2


class Flipper(Protocol):
    """Makes edits of its own, from what a victim shows of its inside."""

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over what the edits depend on."""
        ...

    def flips(self, view: View) -> Sequence[Edit]:
        """Return edits that no move offers, the most promising first."""
        ...


class Informed:
    """Spends half of its queries on the candidates that the victim's formula ranks first, the others as `inner` does.

    The candidates are the moves, the `flips`, and the best moves combined with each other and with companions. What the
    formula cannot rank is left to `inner`, as is everything where the victim's formula is not known.
    """

    def __init__(self, inner: Agent, expected: Expected, flipper: Flipper | None = None) -> None:
        self.inner = inner
        self.expected = expected
        self.flipper = flipper

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        case = self.expected.of(view)
        known: dict[Pair, Feedback] = {}
        if case is not None:
            flips = () if self.flipper is None else tuple(self.flipper.flips(view))
            spent = 0
            for candidate in self._candidates(view, case, flips):
                if spent >= max(1, view.victim_queries // _SHARE):
                    break
                if candidate.candidate.pair not in known:
                    (feedback,) = yield [candidate]
                    known[candidate.candidate.pair] = feedback
                    spent += feedback.decision is not None
        yield from _continued(self.inner.search(view), known)

    def _candidates(self, view: View, case: CaseExpected, flips: Sequence[Edit]) -> Iterator[Proposal]:
        singles = case.sorted([(edit,) for edit in (*view.moves, *flips)])
        best = [edits[0] for edits in singles if edits[0] in view.moves][:_COMBINED]
        beside = [edits[0] for edits in case.sorted([(edit,) for edit in view.companions])][:_COMBINED]
        sets = [
            chosen
            for size in range(2, view.max_edits + 1)
            for chosen in combinations((*best, *beside), size)
            if chosen[0] in best
        ]
        for edits in case.sorted([*singles, *sets]):
            candidate = applied(view.start, _in_order(view, edits))
            if candidate is not None and candidate.pair != view.start.pair:
                yield Proposal(candidate=candidate)


def _in_order(view: View, edits: Edits) -> Edits:
    rank = {edit: place for place, edit in enumerate((*view.moves, *view.companions))}
    return tuple(sorted(edits, key=lambda edit: rank.get(edit, len(rank))))


def _continued(inner: Search, known: dict[Pair, Feedback]) -> Search:
    """Carry a search on; what was proposed before is answered from memory."""
    try:
        batch = next(inner)
        while True:
            open_ones = [one for one in batch if _answer(one, known) is None]
            told: Iterator[Feedback] = iter((yield open_ones) if open_ones else ())
            batch = inner.send([_answer(one, known) or next(told) for one in batch])
    except StopIteration:
        return


def _answer(one: Proposal | Question, known: dict[Pair, Feedback]) -> Feedback | None:
    return known.get(one.candidate.pair) if isinstance(one, Proposal) and not one.probe else None
