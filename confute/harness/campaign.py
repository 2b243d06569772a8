"""A run from its first canary to its last: every phase in a fixed order, every step through the recorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from confute.agents.agent import Agent, View
from confute.agents.experience import Lesson
from confute.agents.feedback import blinded
from confute.contract import AttackContract, Budgets, StrategyName, Writes
from confute.counterexample import Counterexample
from confute.edits import applied, unedited
from confute.harness import controls
from confute.harness.attacker_model import AttackerModel
from confute.harness.counterexamples import CounterexampleWriter
from confute.harness.disclosing import Discloser
from confute.harness.gate import Gate
from confute.harness.ladder import Ladder
from confute.harness.ledger import Ledger
from confute.harness.lessons import blocks, lessons
from confute.harness.recorder import Recorder, Step, own_goal
from confute.harness.referees import Referees
from confute.harness.search import Item, Searches
from confute.harness.shrink import Found, Shrinker, Shrunk
from confute.models.chat import ChatModel
from confute.models.embedder import Embedder
from confute.oracles.constraints import token_limit
from confute.oracles.oracle import MoveSource, Oracle
from confute.records import Arm, AttackGoal, Attempt, Candidate, Case, Edit, Label, Mechanism
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
    """Everything that a campaign needs, built and frozen: the victim with its threshold before the attacker.

    `experience` is what a frozen attacker learned on other cases, and keeps as it is. `attacker_model` is what an
    attacker that is a language model asks, and `referees` judge what the guards leave open; None without one.
    """

    contract: AttackContract
    cases: tuple[Case, ...]
    victim: FrozenVictim
    oracle: Oracle
    moves: MoveSource
    agent: Agent
    blind_agent: Agent
    embedder: Embedder | None
    discloser: Discloser
    attacker_model: ChatModel | None = None
    referees: Referees | None = None
    experience: tuple[Lesson, ...] = ()


class Campaign:
    """Runs every phase of a contract over an arena; what the ledger already holds is not measured again."""

    def __init__(
        self, arena: Arena, ledger: Ledger, progress: Progress, attacker_model: AttackerModel | None = None
    ) -> None:
        self._arena = arena
        self._attacker_model = attacker_model
        self._progress = progress
        self._gate = Gate(arena.contract.validity_constraints, arena.oracle, arena.contract.attacker.budgets)
        self._recorder = Recorder(arena.contract.digest, arena.victim, ledger)
        self._ledger = ledger
        self.lessons = arena.experience
        """What the attacker knows of other cases, and, once the run has ended, of these."""

    def run(self) -> tuple[Counterexample, ...]:
        """Take every step of the run and return the confirmed counterexamples, smallest first."""
        self._record("canaries", _canaries(repeat=0))
        baselines = self._record("baseline", controls.baselines(self._arena.cases))
        items = self._items()
        self._record("control", self._paired(items))
        found = self._attack(items)
        self._search([Item(one.case, blinded(one.view)) for one in items], self._arena.blind_agent, Arm.NO_FEEDBACK)
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
        chosen = [(case, goal) for case in self._arena.cases for goal in goals if attackable(case, goal)]
        self._progress.begin("moves", len(chosen))
        items = [self._item(case, goal) for case, goal in chosen]
        return [item for item in items if item.view.moves or writes_text(self._arena.contract)]

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
            companions=self._companions(case, goal),
            experience=self._arena.experience,
            victim_queries=attacker.budgets.victim_queries,
            max_edits=self._arena.contract.validity_constraints.max_edits,
            max_additions=attacker.budgets.evidence_additions,
            max_removals=attacker.budgets.evidence_removals,
            max_edited_tokens=token_limit(self._arena.contract.validity_constraints, case.claim),
            disclosure=self._arena.discloser.of(case),
            seed=self._seed,
        )
        return Item(case=case, view=view)

    def _companions(self, case: Case, goal: AttackGoal) -> tuple[Edit, ...]:
        """Return the paraphrases of a claim whose label the moves must change, for a strategy that joins them."""
        attacker = self._arena.contract.attacker
        joins = attacker.strategy.joins_companions and Mechanism.PARAPHRASE in attacker.capabilities
        if not joins or own_goal(case.label) is goal:
            return ()
        offered = self._arena.moves.moves(case, own_goal(case.label))
        return tuple(edit for edit in offered if edit.mechanism is Mechanism.PARAPHRASE)

    def _is_affordable(self, case: Case, start: Candidate, edit: Edit) -> bool:
        candidate = applied(start, (edit,))
        return candidate is not None and self._gate.refusal(case, candidate) is None

    def _paired(self, items: Sequence[Item]) -> list[Step]:
        return [step for item in items for step in controls.paired(item, self._gate, self._seed)]

    def _attack(self, items: Sequence[Item]) -> list[Found]:
        """Search block by block, where the strategy learns across cases, else all items at once."""
        attacker = self._arena.contract.attacker
        if not attacker.learns_across_cases or attacker.frozen is not None:
            return self._search(items, self._arena.agent, Arm.SEARCH)
        found: list[Found] = []
        done: list[Item] = []
        for block in blocks(items):
            learned = lessons(done, self._ledger.attempts)
            taught = [Item(one.case, one.view.model_copy(update={"experience": learned})) for one in block]
            found += self._search(taught, self._arena.agent, Arm.SEARCH)
            done += taught
        self.lessons = lessons(done, self._ledger.attempts)
        return found

    def _begin(self, arm: Arm, total: int) -> None:
        self._progress.begin(arm.value, total)
        if self._arena.referees is not None:
            self._arena.referees.turn_to(arm)

    def _search(self, items: Sequence[Item], agent: Agent, arm: Arm) -> list[Found]:
        self._begin(arm, len(items))
        attacker = self._arena.contract.attacker
        model = self._attacker_model if arm is Arm.SEARCH or attacker.model_controls else None
        budgets = attacker.budgets
        if model is None and self._attacker_model is not None:
            budgets = _of_the_victim(budgets)
        searches = Searches(self._gate, self._recorder, budgets, self._progress.advance, model)
        results = searches.run(agent, items, arm)
        return [
            Found(item=item, attempt=result.success)
            for item, result in zip(items, results, strict=True)
            if result.success is not None
        ]

    def _shrink(self, found: Sequence[Found]) -> tuple[Shrunk, ...]:
        self._begin(Arm.MINIMISE, len(found))
        deterministic = self._arena.contract.victim.deterministic
        return Shrinker(self._gate, self._recorder, deterministic=deterministic, advanced=self._progress.advance).run(
            found
        )


def writes_text(contract: AttackContract) -> bool:
    """Tell whether an attacker may propose a claim that no move gives."""
    attacker = contract.attacker
    writes = Writes.BOTH if attacker.tree is None else attacker.tree.writes
    return attacker.strategy is StrategyName.LLM and writes is not Writes.MOVES


def _of_the_victim(budgets: Budgets) -> Budgets:
    """Return the budgets without those of a model, for the arm that asks none."""
    return budgets.model_copy(update={"attacker_calls": None, "attacker_tokens": None, "money_usd": None})


def attackable(case: Case, goal: AttackGoal) -> bool:
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
