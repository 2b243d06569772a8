"""The search that is told decisions alone: it looks for the boundary with probes, and takes what lies nearest to it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import combinations
from typing import NamedTuple

from confute.agents.agent import Agent, Feedback, Proposal, Question, Search, View
from confute.agents.drafts import Edits, by_prior, one_of_each_kind
from confute.edits import applied
from confute.records import AttackGoal, Candidate, Decision, Edit, Pair

_SHARE = 4
_KINDS = 6
_HELPS = (4, 2, 1)


class _Help(NamedTuple):
    """A probe of a candidate, helped towards the goal so far that only some pass the boundary."""

    edits: Edits
    proposal: Proposal


class Boundary:
    """Gives `inner` what decisions can tell of the distance to the boundary, as searches on hard labels do.

    A decision tells two candidates apart only where one lies beyond the boundary. So one move of each kind is probed
    with help: for a false acceptance the claim is followed by passages of its own evidence, for a false rejection the
    passages are taken away from the end. The help is halved as long as every probe passes, and the kinds that pass with
    the least help come first, and are combined. Probes take at most a quarter of the queries, and none where the
    queries suffice for every single move.
    """

    def __init__(self, inner: Agent) -> None:
        self.inner = inner

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        kinds = one_of_each_kind(by_prior(view))[:_KINDS]
        budget = view.victim_queries // _SHARE
        if view.victim_queries >= len(view.moves) + len(kinds) and len(kinds) > 1 and budget >= len(kinds):
            yield from _singles_first(self.inner.search(view), view, kinds, budget)
        else:
            yield from self.inner.search(view)


def _singles_first(inner: Search, view: View, kinds: Sequence[Edit], budget: int) -> Search:
    """Let `inner` try the single moves; before it combines any, probe the kinds and combine the nearest ones."""
    batch = next(inner, None)
    while batch is not None and not any(_is_combined(one) for one in batch):
        feedback = yield batch
        batch = _sent(inner, feedback)
    nearest = yield from _by_help(view, kinds, budget)
    known: dict[Pair, Feedback] = {}
    for proposal in _combined(view, nearest):
        (known[proposal.candidate.pair],) = yield [proposal]
    while batch is not None:
        open_ones = [one for one in batch if _known(one, known) is None]
        told = iter((yield open_ones) if open_ones else ())
        batch = _sent(inner, [_known(one, known) or next(told) for one in batch])


def _sent(inner: Search, feedback: Sequence[Feedback]) -> Sequence[Proposal | Question] | None:
    try:
        return inner.send(feedback)
    except StopIteration:
        return None


def _by_help(
    view: View, kinds: Sequence[Edit], budget: int
) -> Generator[Sequence[Proposal | Question], Sequence[Feedback], list[Edit]]:
    """Return the kinds, those that pass the boundary with the least help first."""
    order: list[Edit] = []
    left = list(kinds)
    for amount in _HELPS:
        helped = [one for edit in left if (one := _helped(view, edit, amount)) is not None]
        if not helped or len(helped) > budget:
            break
        budget -= len(helped)
        feedback = yield [one.proposal for one in helped]
        wanted = Decision.ACCEPT if view.goal is AttackGoal.FALSE_ACCEPTANCE else Decision.REJECT
        passed = [one.edits[0] for one, told in zip(helped, feedback, strict=True) if told.decision is wanted]
        order = [*(edit for edit in left if edit not in passed), *order]
        left = passed
    return [*left, *order]


def _helped(view: View, edit: Edit, amount: int) -> _Help | None:
    candidate = applied(view.start, (edit,))
    if candidate is None or not candidate.evidence:
        return None
    if view.goal is AttackGoal.FALSE_ACCEPTANCE:
        more = (candidate.evidence * amount)[:amount]
        helped = candidate.model_copy(update={"claim": " ".join((candidate.claim, *more))})
    else:
        kept = max(1, len(candidate.evidence) - amount)
        helped = candidate.model_copy(update={"evidence": candidate.evidence[:kept]})
    return None if helped.pair == candidate.pair else _Help((edit,), Proposal(candidate=helped, probe=True))


def _combined(view: View, nearest: Sequence[Edit]) -> list[Proposal]:
    sets = [(*pair,) for pair in combinations(nearest[:3], 2)] if view.max_edits > 1 else []
    made: list[Candidate] = [one for edits in sets if (one := applied(view.start, edits)) is not None]
    return [Proposal(candidate=one) for one in made if one.pair != view.start.pair]


def _is_combined(one: Proposal | Question) -> bool:
    return isinstance(one, Proposal) and len(one.candidate.edits) > 1


def _known(one: Proposal | Question, known: dict[Pair, Feedback]) -> Feedback | None:
    return known.get(one.candidate.pair) if isinstance(one, Proposal) else None
