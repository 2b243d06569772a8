"""Candidates made of a view's moves, each claim with its evidence at most once, and what became of them."""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from confute import text
from confute.agents.agent import Feedback, Proposal, View
from confute.edits import applied, edited, evidence_size
from confute.records import AttackGoal, Candidate, Edit, Mechanism, Pair, Validity

_OVER_BUDGET = "over_budget"
_PATIENCE = 64
_LOOKED_AT = 2000

Edits = tuple[Edit, ...]


@dataclass(frozen=True)
class Trial:
    """What became of one candidate; `loss` falls towards the goal and is None where no score was learned."""

    edits: Edits
    is_valid: bool
    loss: float | None


Round = Generator[Sequence[Proposal], Sequence[Feedback], list[Trial]]


class Drafts:
    """Makes the candidates of one search and remembers which were made.

    It gives no more candidates once 64 proposals in a row were refused, and none that change as many tokens as one
    that was refused for its size: neither costs the victim anything, but neither leads anywhere.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._rank = {edit: index for index, edit in reversed(list(enumerate(view.moves + view.companions)))}
        self._made: set[Pair] = {view.start.pair}
        self._source = text.fold(view.start.claim)
        self._refused_size: int | None = None
        self._refused_in_a_row = 0

    def draft(self, edits: Iterable[Edit]) -> Candidate | None:
        """Return the candidate of these edits; None where they overlap, are too many, or give nothing new."""
        chosen = tuple(sorted(set(edits), key=self._rank.__getitem__))
        if not 0 < len(chosen) <= self._view.max_edits or self._refused_in_a_row >= _PATIENCE:
            return None
        if len({edit.mechanism.changes_evidence for edit in chosen}) > 1 or self._passes_a_limit(chosen):
            return None
        candidate = applied(self._view.start, chosen)
        if candidate is None or candidate.pair in self._made or self._is_source(candidate):
            return None
        if self._is_too_long(chosen, candidate.claim):
            return None
        self._made.add(candidate.pair)
        return candidate

    def try_all(self, choices: Iterable[Iterable[Edit]], at_most: int | None = None) -> Round:
        """Propose the new candidates among the choices, in one batch of at most `at_most`, and return their trials.

        No trials come back where the first 2000 choices hold no new candidate.
        """
        drafted = (self.draft(edits) for edits in islice(choices, _LOOKED_AT))
        batch = list(islice((candidate for candidate in drafted if candidate is not None), at_most))
        if not batch:
            return []
        feedback = yield [Proposal(candidate=candidate) for candidate in batch]
        return [self._trial(candidate, one) for candidate, one in zip(batch, feedback, strict=True)]

    def probe(self, edit: Edit) -> Proposal | None:
        """Return a probe of the claim without what the edit replaces; None where that gives no new claim."""
        cuts = tuple(one.model_copy(update={"text": ""}) for one in edit.replacements)
        deletion = edit.model_copy(update={"replacements": cuts})
        claim = edited(self._view.start.claim, (deletion,))
        if claim is None or not claim.strip() or text.fold(claim) == self._source:
            return None
        candidate = self._view.start.model_copy(update={"edits": (deletion,), "claim": claim})
        if candidate.pair in self._made:
            return None
        if any(claim == edited(self._view.start.claim, (move,)) for move in self._view.moves):
            return None
        self._made.add(candidate.pair)
        return Proposal(candidate=candidate, probe=True)

    def _trial(self, candidate: Candidate, feedback: Feedback) -> Trial:
        is_valid = feedback.validity is Validity.VALID
        self._refused_in_a_row = 0 if is_valid else self._refused_in_a_row + 1
        if feedback.reason == _OVER_BUDGET and not _paraphrases(candidate.edits):
            size = text.token_distance(self._view.start.claim, candidate.claim)
            self._refused_size = size if self._refused_size is None else min(size, self._refused_size)
        return Trial(candidate.edits, is_valid, loss(feedback.score, self._view.goal))

    def _passes_a_limit(self, edits: Edits) -> bool:
        limits = (self._view.max_additions, self._view.max_removals)
        return any(limit is not None and size > limit for size, limit in zip(evidence_size(edits), limits, strict=True))

    def _is_source(self, candidate: Candidate) -> bool:
        return candidate.evidence == self._view.start.evidence and text.fold(candidate.claim) == self._source

    def _is_too_long(self, edits: Edits, claim: str) -> bool:
        if self._refused_size is None or _paraphrases(edits):
            return False
        return text.token_distance(self._view.start.claim, claim) >= self._refused_size


def loss(score: float | None, goal: AttackGoal) -> float | None:
    """Return a score turned so that lower is nearer to the goal; None stays None."""
    if score is None:
        return None
    return score if goal is AttackGoal.FALSE_ACCEPTANCE else -score


def by_loss(trials: Iterable[Trial]) -> list[Trial]:
    """Return the trials that were valid, the nearest to the goal first, those without a score last, ties as given."""
    return sorted(
        (trial for trial in trials if trial.is_valid), key=lambda one: math.inf if one.loss is None else one.loss
    )


def by_prior(view: View) -> tuple[Edit, ...]:
    """Return the moves in the order in which they look promising before any answer.

    A false acceptance is likeliest where few tokens are new to the evidence and few characters change; a false
    rejection where many are and do. Moves of equal promise keep their order.
    """
    known = set(text.tokens(text.fold(" ".join((*view.start.evidence, view.start.claim)))))
    sign = 1 if view.goal is AttackGoal.FALSE_ACCEPTANCE else -1

    def strangeness(edit: Edit) -> tuple[int, int]:
        claim = edited(view.start.claim, (edit,)) or view.start.claim
        new = sum(token not in known for token in text.tokens(text.fold(claim)))
        return sign * new, sign * text.char_distance(view.start.claim, claim)

    return tuple(sorted(view.moves, key=strangeness))


def combined(trials: Sequence[Trial], max_edits: int) -> Iterator[Edits]:
    """Yield sets of moves that were valid alone, two at a time, then three and so on, the best moves first."""
    best = [trial.edits[0] for trial in by_loss(trials)]
    for size in range(2, max_edits + 1):
        for last in range(size - 1, len(best)):
            for others in combinations(best[:last], size - 1):
                yield (*others, best[last])


def grown(drafts: Drafts, trials: Sequence[Trial], max_edits: int) -> Generator[Sequence[Proposal], Sequence[Feedback]]:
    """Widen the best single change of evidence by the others one by one, the best first, at one query each.

    What brings the set no nearer to the goal is left out again. Without scores every valid move is kept.
    """
    singles = [one for one in by_loss(trials) if one.edits[0].mechanism.changes_evidence]
    best = singles[:1]
    for other in singles[1:]:
        if len(best[0].edits) < max_edits:
            wider = yield from drafts.try_all([(*best[0].edits, *other.edits)])
            best = by_loss([*wider, *best])


def one_of_each_kind(moves: Sequence[Edit]) -> list[Edit]:
    """Return the first move of every mechanism in every slot, in the order of the moves."""
    first: dict[tuple[str, Mechanism], Edit] = {}
    for edit in moves:
        first.setdefault((edit.slot, edit.mechanism), edit)
    return list(first.values())


def blind_draws(view: View, rng: random.Random) -> Iterator[Edits]:
    """Yield single moves uniformly without replacement, then sets of two edits, and so on up to the most allowed.

    A set holds at least one move; the others may be companions.
    """
    edits = view.moves + view.companions
    for size in range(1, view.max_edits + 1):
        total = math.comb(len(edits if size > 1 else view.moves), size)
        for rank in shuffled(total, rng):
            chosen = _combination(rank, size)
            if min(chosen) < len(view.moves):
                yield tuple(edits[index] for index in chosen)


def shuffled(total: int, rng: random.Random) -> Iterator[int]:
    """Yield the numbers below `total` in a uniformly random order, drawn one at a time (Fisher and Yates)."""
    moved: dict[int, int] = {}
    for last in range(total - 1, -1, -1):
        drawn = rng.randint(0, last)
        yield moved.get(drawn, drawn)
        moved[drawn] = moved.pop(last, last)


def rng_of(view: View, purpose: str) -> random.Random:
    """Return the random numbers of one purpose in one search."""
    seed = f"{view.seed}/{purpose}/{view.start.case_id}/{view.goal}"
    return random.Random(seed)  # noqa: S311  a reproducible draw, not a secret


def _combination(rank: int, size: int) -> tuple[int, ...]:
    """Return the `size` distinct indices at a rank of the combinatorial number system, the highest first."""
    chosen = []
    for k in range(size, 0, -1):
        index = k - 1
        while math.comb(index + 1, k) <= rank:
            index += 1
        chosen.append(index)
        rank -= math.comb(index, k)
    return tuple(chosen)


def _paraphrases(edits: Edits) -> bool:
    return any(edit.mechanism is Mechanism.PARAPHRASE for edit in edits)
