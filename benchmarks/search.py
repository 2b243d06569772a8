"""Compare the search strategies on equal victim queries: which share of the items does each break, and how soon?

    python benchmarks/search.py [--items 120] [--cache DIR]

Three victims: Hallucination Energy at full rank and at rank 3 on the built-in facts; and a simulated detector whose
risk for a move is the sum of a random effect of its slot and mechanism and of one of its own, so that only feedback can
tell moves apart. Two thresholds: `calibrated` to 5 % false rejections on other documents, and `strict`, which of the
single moves of an item only the best twentieth passes, so that it shows how soon a strategy finds the best there is.
A strategy is run once with a budget of 256 queries and its curve read off at 1, 4, 16, 64 and 256. Greedy search is
also run with its importance measured by deletion, and at the level `decision`, where it keeps its order of moves but
learns no score. The last line of the output is JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from confute.agents.agent import Agent, Feedback, Proposal, Question, View
from confute.agents.beam import Beam
from confute.agents.evolutionary import Evolutionary
from confute.agents.feedback import cut
from confute.agents.greedy import Greedy
from confute.agents.random_search import RandomSearch
from confute.contract import Calibration, Suite, ValidityConstraints
from confute.edits import edited
from confute.harness.gate import Gate
from confute.models import load as models
from confute.oracles import constraints
from confute.oracles.facts.builtin import builtin
from confute.oracles.facts.oracle import FactsOracle
from confute.records import AttackGoal, Candidate, Case, Decision, Knowledge, Label, Pair, Score, ScoreState, Validity
from confute.victims import calibration
from confute.victims.energy import HallucinationEnergy, Rank

BUDGETS = (1, 4, 16, 64, 256)
LIMITS = ValidityConstraints()
Risk = Callable[[Sequence[tuple["Item", Candidate]]], list[float]]

STRATEGIES: dict[str, tuple[Agent, Knowledge]] = {
    "random": (RandomSearch(), Knowledge.SCORE),
    "greedy, no score": (Greedy(), Knowledge.DECISION),
    "greedy": (Greedy(), Knowledge.SCORE),
    "greedy, deletion": (Greedy(importance="deletion"), Knowledge.SCORE),
    "beam": (Beam(), Knowledge.SCORE),
    "evolutionary": (Evolutionary(), Knowledge.SCORE),
}


@dataclass(frozen=True)
class Item:
    """A case attacked towards one goal."""

    case: Case
    view: View


@dataclass(frozen=True)
class Victim:
    """A risk function with its threshold, which may differ from item to item."""

    name: str
    risk: Risk
    threshold: Callable[[Item], float]


def main() -> None:
    """Run every strategy against every victim and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=120, help="items for each goal")
    parser.add_argument("--cache", type=Path, default=None, help="a folder that keeps vectors between runs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    oracle = builtin(options.seed, Suite.DEVELOPMENT)
    calibrated, attacked = calibration.split(oracle.cases, 0.5, options.seed)
    items = items_of(oracle, attacked, options.items, options.seed)
    victims = [*energies(calibrated, options.cache), simulated(options.seed)]
    results = [row for victim in victims for row in compare(victim, items, Gate(LIMITS, oracle))]
    print(json.dumps({"items": len(items), "seed": options.seed, "results": results}))


def items_of(oracle: FactsOracle, cases: Sequence[Case], count: int, seed: int) -> list[Item]:
    """Return up to `count` items for each goal, drawn from the supported cases that have moves."""
    supported = [case for case in cases if case.label is Label.SUPPORTED]
    random.Random(f"{seed}/bench/items").shuffle(supported)
    items: list[Item] = []
    for goal in AttackGoal:
        views = ((case, view_of(oracle, case, goal, seed)) for case in supported)
        items += [Item(case, view) for case, view in views if view.moves][:count]
    return items


def view_of(oracle: FactsOracle, case: Case, goal: AttackGoal, seed: int) -> View:
    """Return what an agent sees of a case, with the moves that are within the limits."""
    start = Candidate(case_id=case.case_id, goal=goal, edits=(), claim=case.claim, evidence=case.evidence)
    made = [(edit, edited(case.claim, (edit,))) for edit in oracle.moves(case, goal)]
    moves = tuple(
        edit for edit, claim in made if claim and constraints.check(LIMITS, case.claim, claim, (edit,)) is None
    )
    return View(
        goal=goal,
        knowledge=Knowledge.SCORE,
        start=start,
        moves=moves,
        victim_queries=max(BUDGETS),
        max_edits=LIMITS.max_edits,
        seed=seed,
    )


def energies(cases: Sequence[Case], cache: Path | None) -> Iterator[Victim]:
    """Yield the energy detector at full rank and at rank 3, each with its calibrated threshold."""
    embedder = models.load(cache=cache)
    ranks: tuple[Rank, ...] = ("full", 3)
    for rank in ranks:
        detector = HallucinationEnergy(embedder, rank)
        scores = [Score(state=ScoreState.MEASURED, value=one) for one in detector.score([one.pair for one in cases])]
        tau = calibration.threshold(cases, scores, Calibration(error=AttackGoal.FALSE_REJECTION, target_rate=0.05))
        risk = _Memo(detector.score)
        yield Victim(f"energy, rank {rank}, calibrated", risk, _constant(tau.value))
        yield Victim(f"energy, rank {rank}, strict", risk, strict(risk))


def _constant(tau: float) -> Callable[[Item], float]:
    return lambda _item: tau


def strict(risk: Risk) -> Callable[[Item], float]:
    """Return the threshold of an item that the best twentieth of its single moves, or the best move, just passes."""

    def threshold(item: Item) -> float:
        view = item.view
        claims = [edited(view.start.claim, (edit,)) for edit in view.moves]
        made = [
            view.start.model_copy(update={"edits": (edit,), "claim": claim})
            for edit, claim in zip(view.moves, claims, strict=True)
        ]
        risks = sorted(risk([(item, one) for one in made]))
        passing = len(risks) // 20
        if view.goal is AttackGoal.FALSE_ACCEPTANCE:
            return risks[passing]
        return math.nextafter(risks[-1 - passing], -math.inf)

    return threshold


class _Memo:
    """Scores each pair once, whichever strategy asks."""

    def __init__(self, score: Callable[[Sequence[Pair]], Sequence[float]]) -> None:
        self._score = score
        self._known: dict[Pair, float] = {}

    def __call__(self, asked: Sequence[tuple[Item, Candidate]]) -> list[float]:
        new = [pair for pair in dict.fromkeys(one.pair for _, one in asked) if pair not in self._known]
        self._known.update(zip(new, self._score(new), strict=True) if new else ())
        return [self._known[one.pair] for _, one in asked]


def simulated(seed: int) -> Victim:
    """Return a detector whose risk is 0.5 for the source, to which each move adds two normal effects of size 0.1."""

    def effect(name: str) -> float:
        return random.Random(f"{seed}/simulated/{name}").gauss(0, 0.1)

    def risk(asked: Sequence[tuple[Item, Candidate]]) -> list[float]:
        return [
            0.5
            + math.fsum(
                effect(f"{item.case.case_id}/{edit.slot}/{edit.mechanism}") + effect(edit.model_dump_json())
                for edit in candidate.edits
            )
            for item, candidate in asked
        ]

    return Victim("simulated, strict", risk, strict(risk))


def compare(victim: Victim, items: Sequence[Item], gate: Gate) -> Iterator[dict[str, object]]:
    """Yield one row for each goal and strategy, printed as it comes."""
    for goal in AttackGoal:
        for name, (agent, knowledge) in STRATEGIES.items():
            chosen = [
                Item(item.case, item.view.model_copy(update={"knowledge": knowledge}))
                for item in items
                if item.view.goal is goal
            ]
            first = first_successes(agent, victim, chosen, gate)
            broken = {budget: sum(at is not None and at <= budget for at in first) for budget in BUDGETS}
            shares = "  ".join(f"{count:3d}/{len(first)}" for count in broken.values())
            print(f"{victim.name:30s} {goal:16s} {name:18s} {shares}", flush=True)
            yield {"victim": victim.name, "goal": goal, "strategy": name, "n": len(first), "broken": broken}


def first_successes(agent: Agent, victim: Victim, items: Sequence[Item], gate: Gate) -> list[int | None]:
    """Return for each item the query that first succeeded, or None; the searches run in lockstep."""
    searches = [_Search(agent, victim, item, gate) for item in items]
    while live := [search for search in searches if search.proposals]:
        asked = [pair for search in live for pair in search.asked()]
        risks = iter(victim.risk(asked))
        for search in live:
            search.learn(risks)
    return [search.first for search in searches]


def _proposals(batch: Sequence[Proposal | Question]) -> list[Proposal]:
    """Return a batch of a strategy that asks no model."""
    return [one for one in batch if isinstance(one, Proposal)]


class _Search:
    """One search, judged and paid for as the harness does it."""

    def __init__(self, agent: Agent, victim: Victim, item: Item, gate: Gate) -> None:
        self.first: int | None = None
        self._item = item
        self._gate = gate
        self._threshold = victim.threshold(item)
        self._queries = 0
        self._generator = agent.search(item.view)
        self.proposals = _proposals(next(self._generator, ()))

    def asked(self) -> list[tuple[Item, Candidate]]:
        """Return the proposals that reach the victim."""
        self._rulings = [
            None if one.probe else self._gate.rule(self._item.case, one.candidate) for one in self.proposals
        ]
        self._reaching = [ruling is None or ruling.validity is Validity.VALID for ruling in self._rulings]
        return [
            (self._item, one.candidate) for one, reaches in zip(self.proposals, self._reaching, strict=True) if reaches
        ]

    def learn(self, risks: Iterator[float]) -> None:
        """Take the risks of what was asked and let the agent go on, unless it has won or spent its queries."""
        feedback = []
        for proposal, ruling, reaches in zip(self.proposals, self._rulings, self._reaching, strict=True):
            score = next(risks) if reaches else None
            self._queries += reaches
            decision = self._decision(score)
            won = decision is not None and not proposal.probe and self._is_wrong(decision)
            if won and self.first is None:
                self.first = self._queries
            feedback.append(
                Feedback(
                    validity=ruling.validity if ruling else None,
                    reason=ruling.reason if ruling else "probe",
                    decision=decision,
                    score=score,
                )
            )
        self.proposals = []
        if self.first is None and self._queries < self._item.view.victim_queries:
            try:
                told = [cut(one, self._item.view.knowledge) for one in feedback]
                self.proposals = _proposals(self._generator.send(told))
            except StopIteration:
                return

    def _decision(self, score: float | None) -> Decision | None:
        if score is None:
            return None
        return Decision.ACCEPT if score <= self._threshold else Decision.REJECT

    def _is_wrong(self, decision: Decision) -> bool:
        wrong = Decision.ACCEPT if self._item.view.goal is AttackGoal.FALSE_ACCEPTANCE else Decision.REJECT
        return decision is wrong


if __name__ == "__main__":
    main()
