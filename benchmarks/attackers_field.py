"""The field on which attackers are compared: the same cases, victims, oracle and queries for all of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from pathlib import Path

from confute.agents.agent import Agent, Feedback, Proposal, View
from confute.agents.feedback import cut
from confute.contract import Budgets, Calibration, Segmentation, Suite, ValidityConstraints
from confute.edits import applied, edit_size, unedited
from confute.harness.controls import paired
from confute.harness.gate import Gate
from confute.harness.search import Item
from confute.models import load as models
from confute.models.embedder import Embedder
from confute.oracles.facts.builtin import documents
from confute.oracles.facts.lexicon import builtin_lexicon
from confute.oracles.facts.oracle import FactsOracle
from confute.records import (
    AttackGoal,
    Candidate,
    Case,
    Decision,
    Edit,
    Knowledge,
    Label,
    Mechanism,
    Pair,
    Replacement,
    Score,
    ScoreState,
    Validity,
)
from confute.victims import calibration
from confute.victims.cosine import NearestPassage
from confute.victims.energy import HallucinationEnergy
from confute.victims.segmentation import passages

GOAL = AttackGoal.FALSE_ACCEPTANCE
LIMITS = ValidityConstraints()
SHARE = 0.3
"""The part of the source groups that the thresholds are calibrated on."""

VICTIMS: dict[str, Callable[[Embedder], HallucinationEnergy | NearestPassage]] = {
    "energy, full rank": lambda embedder: HallucinationEnergy(embedder, "full"),
    "energy, rank 3": lambda embedder: HallucinationEnergy(embedder, 3),
    "nearest passage": NearestPassage,
}

Measure = Callable[[Sequence[Pair]], list[float]]


@dataclass(frozen=True)
class Victim:
    """A detector with its threshold; ACCEPT iff risk <= tau."""

    name: str
    measure: Measure
    tau: float
    rejects_supported: float

    def decide(self, risk: float | None) -> Decision | None:
        """Return the decision on a risk, None without one."""
        if risk is None:
            return None
        return Decision.ACCEPT if risk <= self.tau else Decision.REJECT


@dataclass(frozen=True)
class Call:
    """One victim call: whether the text was a candidate that the oracle vouches for, and whether it was accepted."""

    is_valid: bool
    is_accepted: bool
    tokens: int
    chars: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Asked:
    """What an attacker's own model was asked for one case; nothing where it has none."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def and_one(self, prompt_tokens: int, completion_tokens: int, seconds: float) -> Asked:
        """Return it with one call more."""
        return Asked(
            self.calls + 1,
            self.prompt_tokens + prompt_tokens,
            self.completion_tokens + completion_tokens,
            self.seconds + seconds,
        )


@dataclass
class Trace:
    """The victim calls of one search on one case, in order, and how many proposals were made up to each."""

    calls: list[Call] = field(default_factory=list)
    proposals: list[int] = field(default_factory=list)
    asked: Asked = Asked()

    def won_at(self, budget: int) -> int | None:
        """Return the call, from 1, of the first valid candidate accepted within the budget, or None."""
        hits = (at for at, one in enumerate(self.calls[:budget], start=1) if one.is_valid and one.is_accepted)
        return next(hits, None)

    def validity(self, budget: int) -> tuple[int, int]:
        """Return how many valid candidates were measured within the budget, and how many proposals were made for it."""
        last = min(budget, self.won_at(budget) or budget, len(self.calls))
        return sum(one.is_valid for one in self.calls[:last]), self.proposals[last - 1] if last else 0


class Field:
    """The cases of some seeds with the moves on each, the gate, and the victims."""

    def __init__(self, seeds: Sequence[int], suite: Suite, rate: float, cache: Path | None) -> None:
        lexicon = builtin_lexicon()
        self.oracle = FactsOracle([one for seed in seeds for one in documents(seed, suite, lexicon)], lexicon)
        self.gate = Gate(LIMITS, self.oracle, Budgets())
        self.seed = seeds[0]
        self._calibrated, self._attacked = calibration.split(self.oracle.cases, SHARE, self.seed)
        embedder = models.load(cache=cache)
        self.victims = {name: self._victim(name, _Memo(make(embedder).score), rate) for name, make in VICTIMS.items()}

    def items(self, count: int, queries: int, room: int) -> list[Item]:
        """Return up to `count` items that no victim fails on by a blind draw of any mechanism.

        Each offers at least `room` sets of one move, or of one move and one companion, that the oracle vouches for.
        """
        cases = [case for case in self._attacked if case.label is Label.SUPPORTED]
        random.Random(f"{self.seed}/attackers/cases").shuffle(cases)
        items = (Item(case, self._view(case, queries)) for case in cases)
        return list(islice((item for item in items if self._has_room(item, room) and self._resists(item)), count))

    def _has_room(self, item: Item, room: int) -> bool:
        view = item.view
        sets = chain(((move,) for move in view.moves), product(view.moves, view.companions))
        made = {one.pair: one for one in (applied(view.start, edits) for edits in sets) if one is not None}
        valid = (one for one in made.values() if self.gate.rule(item.case, one).validity is Validity.VALID)
        return sum(1 for _ in islice(valid, room)) == room

    def _view(self, case: Case, queries: int) -> View:
        start = unedited(case, GOAL)
        made = [(move, applied(start, (move,))) for move in self.oracle.moves(case, GOAL)]
        moves = tuple(move for move, one in made if one is not None and self.gate.refusal(case, one) is None)
        kept = self.oracle.moves(case, AttackGoal.FALSE_REJECTION)
        return View(
            goal=GOAL,
            knowledge=Knowledge.SCORE,
            start=start,
            moves=moves,
            companions=tuple(move for move in kept if move.mechanism is Mechanism.PARAPHRASE),
            victim_queries=queries,
            max_edits=LIMITS.max_edits,
            seed=self.seed,
        )

    def _resists(self, item: Item) -> bool:
        drawn = [step.pair for step in paired(item, self.gate, self.seed)]
        return all(min(victim.measure(drawn), default=1.0) > victim.tau for victim in self.victims.values())

    def _victim(self, name: str, measure: Measure, rate: float) -> Victim:
        scores = [
            Score(state=ScoreState.MEASURED, value=one) for one in measure([one.pair for one in self._calibrated])
        ]
        wanted = Calibration(error=GOAL, target_rate=rate)
        tau = calibration.threshold(self._calibrated, scores, wanted).value
        supported = [one.pair for one in self._attacked if one.label is Label.SUPPORTED]
        rejected = sum(risk > tau for risk in measure(supported))
        return Victim(name, measure, tau, rejected / len(supported))


class _Memo:
    """Scores each pair once, whoever asks; the evidence is cut into sentences as it is by default."""

    def __init__(self, score: Callable[[Sequence[Pair]], Sequence[float]]) -> None:
        self._score = score
        self._known: dict[Pair, float] = {}

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        cut_up = [Pair(claim=one.claim, evidence=tuple(passages(one.evidence, Segmentation()))) for one in new]
        self._known.update(zip(new, self._score(cut_up), strict=True) if new else ())
        return [self._known[pair] for pair in pairs]


def call_of(source: str, candidate: Candidate, risk: float, tau: float, *, is_valid: bool) -> Call:
    """Return a victim call with the size of the edit that it was about."""
    tokens, chars = edit_size(source, candidate.claim)
    return Call(is_valid, risk <= tau, tokens, chars, candidate.edits)


def run(agent: Agent, field_: Field, victim: Victim, items: Sequence[Item]) -> list[Trace]:
    """Return one trace an item; the searches run side by side, judged and paid for as the harness does it."""
    searches = [_Search(agent, field_.gate, victim, item) for item in items]
    while live := [one for one in searches if one.proposals]:
        risks = iter(victim.measure([pair for one in live for pair in one.asked()]))
        for one in live:
            one.learn([next(risks) for _ in one.asking])
    return [one.trace for one in searches]


class _Search:
    def __init__(self, agent: Agent, gate: Gate, victim: Victim, item: Item) -> None:
        self.trace = Trace()
        self.asking: list[int] = []
        self._gate, self._victim, self._item = gate, victim, item
        self._generator = agent.search(item.view)
        self._proposed = 0
        self.proposals: list[Proposal] = _proposals(next(self._generator, ()))

    def asked(self) -> list[Pair]:
        """Return the pairs of the proposals that reach the victim, no more than the budget allows."""
        left = self._item.view.victim_queries - len(self.trace.calls)
        self._rulings = [
            None if one.probe else self._gate.rule(self._item.case, one.candidate) for one in self.proposals
        ]
        reach = [at for at, one in enumerate(self._rulings) if one is None or one.validity is Validity.VALID]
        self.asking = reach[:left]
        return [self.proposals[at].candidate.pair for at in self.asking]

    def learn(self, risks: Sequence[float]) -> None:
        """Take the risks of what was asked and let the agent go on, unless it has won or spent its queries."""
        known = dict(zip(self.asking, risks, strict=True))
        feedback = []
        for at, (proposal, ruling) in enumerate(zip(self.proposals, self._rulings, strict=True)):
            self._proposed += 1
            if at in known:
                source, tau = self._item.case.claim, self._victim.tau
                call = call_of(source, proposal.candidate, known[at], tau, is_valid=not proposal.probe)
                self.trace.calls.append(call)
                self.trace.proposals.append(self._proposed)
            told = Feedback(
                validity=ruling.validity if ruling else None,
                reason=ruling.reason if ruling else "probe",
                decision=self._victim.decide(known.get(at)),
                score=known.get(at),
            )
            feedback.append(cut(told, self._item.view.knowledge))
        budget = self._item.view.victim_queries
        self.proposals = []
        if self.trace.won_at(budget) is None and len(self.trace.calls) < budget:
            try:
                self.proposals = _proposals(self._generator.send(feedback))
            except StopIteration:
                return


def _proposals(batch: Sequence[object]) -> list[Proposal]:
    return [one for one in batch if isinstance(one, Proposal)]


def whole(source: str, claim: str) -> Edit:
    """Return the replacement of a whole claim as one edit of content, for a rival that tells no edits."""
    changed = (Replacement(start=0, end=len(source), text=claim),)
    return Edit(mechanism=Mechanism.BINDING, slot="claim", replacements=changed, expected_label=Label.REFUTED)
