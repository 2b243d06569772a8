"""A run from its first canary to its last: every phase in a fixed order, every step through the recorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from confute.agents.agent import Agent, View
from confute.contract import AttackContract
from confute.counterexample import Counterexample
from confute.edits import applied, unedited
from confute.harness import controls
from confute.harness.counterexamples import CounterexampleWriter
from confute.harness.gate import Gate
from confute.harness.ladder import Ladder
from confute.harness.ledger import Ledger
from confute.harness.recorder import Recorder, Step
from confute.harness.search import Item, Searches
from confute.harness.shrink import Found, Shrinker, Shrunk
from confute.models.embedder import Embedder
from confute.oracles.oracle import MoveSource, Oracle
from confute.records import Arm, AttackGoal, Attempt, Candidate, Case, Edit, Label
from confute.victims.canaries import CANARIES
from confute.victims.frozen import FrozenVictim

_CHUNK = 256


class Progress(Protocol):
    """Is told how far a run has come."""

    def begin(self, phase: str, total: int) -> None:
        """A phase of `total` units begins."""
        ...

    def advance(self, units: int) -> None:
        """Some units of the present phase are done."""
        ...


@dataclass(frozen=True)
class Arena:
    """Everything that a campaign needs, built and frozen: the victim with its threshold before the attacker."""

    contract: AttackContract
    cases: tuple[Case, ...]
    victim: FrozenVictim
    oracle: Oracle
    moves: MoveSource
    agent: Agent
    blind_agent: Agent
    embedder: Embedder | None


class Campaign:
    """Runs every phase of a contract over an arena; what the ledger already holds is not measured again."""

    def __init__(self, arena: Arena, ledger: Ledger, progress: Progress) -> None:
        self._arena = arena
        self._progress = progress
        self._gate = Gate(arena.contract.validity_constraints, arena.oracle, arena.contract.attacker.budgets)
        self._recorder = Recorder(arena.contract.digest, arena.victim, ledger)

    def run(self) -> tuple[Counterexample, ...]:
        """Take every step of the run and return the confirmed counterexamples, smallest first."""
        self._record("canaries", _canaries(repeat=0))
        baselines = self._record("baseline", controls.baselines(self._arena.cases))
        items = self._items()
        self._record("control", self._paired(items))
        found = self._search(items, self._arena.agent, Arm.SEARCH)
        self._search(items, self._arena.blind_agent, Arm.NO_FEEDBACK)
        by_case = {attempt.case_id: attempt for attempt in baselines}
        shrunk = self._shrink([one for one in found if not one.is_baseline_failure(by_case[one.item.case.case_id])])
        self._record("ladder", self._ladder().steps())
        self._record("canaries", _canaries(repeat=1))
        writer = CounterexampleWriter(self._arena.contract, self._arena.victim.threshold, self._arena.embedder)
        return writer.write(shrunk, by_case)

    @property
    def _seed(self) -> int:
        return self._arena.contract.evaluation.seed

    def _ladder(self) -> Ladder:
        arena = self._arena
        return Ladder(arena.cases, self._seed, arena.embedder, arena.contract.victim.segmentation)

    def _record(self, phase: str, steps: Sequence[Step]) -> tuple[Attempt, ...]:
        self._progress.begin(phase, len(steps))
        attempts: list[Attempt] = []
        for start in range(0, len(steps), _CHUNK):
            chunk = steps[start : start + _CHUNK]
            attempts += self._recorder.record(chunk)
            self._progress.advance(len(chunk))
        return tuple(attempts)

    def _items(self) -> list[Item]:
        goals = self._arena.contract.objective.attack_goal.goals
        chosen = [(case, goal) for case in self._arena.cases for goal in goals if _can_fail(case, goal)]
        self._progress.begin("moves", len(chosen))
        items = [self._item(case, goal) for case, goal in chosen]
        return [item for item in items if item.view.moves]

    def _item(self, case: Case, goal: AttackGoal) -> Item:
        attacker = self._arena.contract.attacker
        start = unedited(case, goal)
        moves = tuple(
            edit
            for edit in self._arena.moves.moves(case, goal)
            if edit.mechanism in attacker.capabilities and self._is_affordable(case, start, edit)
        )
        self._progress.advance(1)
        view = View(
            goal=goal,
            knowledge=attacker.knowledge,
            start=start,
            moves=moves,
            victim_queries=attacker.budgets.victim_queries,
            max_edits=self._arena.contract.validity_constraints.max_edits,
            max_additions=attacker.budgets.evidence_additions,
            max_removals=attacker.budgets.evidence_removals,
            seed=self._seed,
        )
        return Item(case=case, view=view)

    def _is_affordable(self, case: Case, start: Candidate, edit: Edit) -> bool:
        candidate = applied(start, (edit,))
        return candidate is not None and self._gate.refusal(case, candidate) is None

    def _paired(self, items: Sequence[Item]) -> list[Step]:
        return [step for item in items for step in controls.paired(item, self._gate, self._seed)]

    def _search(self, items: Sequence[Item], agent: Agent, arm: Arm) -> list[Found]:
        self._progress.begin(arm.value, len(items))
        budgets = self._arena.contract.attacker.budgets
        results = Searches(self._gate, self._recorder, budgets, self._progress.advance).run(agent, items, arm)
        return [
            Found(item=item, attempt=result.success)
            for item, result in zip(items, results, strict=True)
            if result.success is not None
        ]

    def _shrink(self, found: Sequence[Found]) -> tuple[Shrunk, ...]:
        self._progress.begin("minimise", len(found))
        deterministic = self._arena.contract.victim.deterministic
        return Shrinker(self._gate, self._recorder, deterministic=deterministic, advanced=self._progress.advance).run(
            found
        )


def _can_fail(case: Case, goal: AttackGoal) -> bool:
    """Only a SUPPORTED claim can be rejected falsely; any claim can be turned into one that is accepted falsely."""
    return goal is AttackGoal.FALSE_ACCEPTANCE or case.label is Label.SUPPORTED


def _canaries(repeat: int) -> list[Step]:
    return [
        Step(
            case_id=f"canary-{index}",
            goal=None,
            arm=Arm.CANARY,
            index=index,
            pair=pair,
            label=None,
            repeat=repeat,
            queries=1,
        )
        for index, pair in enumerate(CANARIES)
    ]
