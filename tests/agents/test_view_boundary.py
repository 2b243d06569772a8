"""What an agent can reach, walked object by object while a real harness runs it."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import pytest
from playing_field import SEARCHES, make_view, number_grid

from confute.agents.agent import Agent, Feedback, Search, View
from confute.agents.load import load
from confute.contract import Attacker, Budgets, StrategyName, Threshold, ValidityConstraints, Victim
from confute.harness.gate import Gate
from confute.harness.ledger import Ledger
from confute.harness.meter import Meter
from confute.harness.recorder import Recorder
from confute.harness.search import Item, Searches
from confute.records import Arm, Candidate, Case, Knowledge, Label, Pair, Ruling, Validity
from confute.victims.frozen import FrozenVictim, freeze

THRESHOLD = 0.0123456789
FOREIGN = ("confute.harness", "confute.victims", "confute.oracles", "confute.judges", "sqlite3")


class SecretDetector:
    """Gives each claim a risk of its own, always over the threshold, and remembers it."""

    def __init__(self) -> None:
        self.risks: dict[str, float] = {}

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        for pair in pairs:
            self.risks[pair.claim] = 0.1 + random.Random(pair.claim).random()
        return [self.risks[pair.claim] for pair in pairs]


class EverythingIsRefuted:
    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        return Ruling(validity=Validity.VALID, label=Label.REFUTED, reason="test", method="test", oracle_version="1")


class Watched:
    """An agent that shows, after each answer, all that it could reach, to whoever watches."""

    def __init__(self, agent: Agent, watch: Callable[[list[object]], None]) -> None:
        self._agent = agent
        self._watch = watch
        self.answers = 0

    def search(self, view: View) -> Search:
        inner = self._agent.search(view)
        proposals = next(inner)
        while True:
            self._watch([view, inner, proposals])
            feedback = yield proposals
            self.answers += len(feedback)
            try:
                proposals = inner.send(feedback)
            except StopIteration:
                return
            self._watch([view, inner, proposals, feedback])


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_an_agent_reaches_neither_the_harness_nor_a_score_above_its_level(
    name: StrategyName, knowledge: Knowledge, tmp_path: Path
) -> None:
    detector = SecretDetector()
    told: set[float] = set()

    def watch(roots: list[object]) -> None:
        found = list(reachable(*roots))
        assert foreign(found) == []
        told.update(one for one in found if isinstance(one, float))

    watched = Watched(load(Attacker(strategy=name)), watch)
    run_search(watched, knowledge, detector, tmp_path)
    assert watched.answers > 20
    assert THRESHOLD not in told
    seen = told & set(detector.risks.values())
    assert bool(seen) is knowledge.includes(Knowledge.SCORE)


@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_the_harness_tells_scores_from_the_level_score_upwards_only(knowledge: Knowledge, tmp_path: Path) -> None:
    answers: list[Feedback] = []

    class Listening:
        def search(self, view: View) -> Search:
            inner = load(Attacker()).search(view)
            proposals = next(inner)
            while True:
                feedback = yield proposals
                answers.extend(feedback)
                proposals = inner.send(feedback)

    run_search(Listening(), knowledge, SecretDetector(), tmp_path)
    measured = [one for one in answers if one.reason != "budget_exhausted"]
    assert len(measured) > 20
    assert all(one.decision is not None for one in measured)
    assert all((one.score is not None) is knowledge.includes(Knowledge.SCORE) for one in measured)


@pytest.mark.parametrize("hide", ["closure", "default", "local", "attribute", "frame"])
def test_the_walk_finds_a_meter_wherever_it_is_hidden(hide: str) -> None:
    assert len(foreign(list(reachable(hidden(hide, Meter(Budgets())))))) == 1


def test_the_walk_finds_a_number_in_a_view() -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves).model_copy(update={"seed": THRESHOLD})
    assert THRESHOLD in list(reachable(view))


def hidden(where: str, secret: object) -> object:
    def closure() -> object:
        return secret

    def default(value: object = secret) -> object:
        return value

    class Holder:
        def __init__(self) -> None:
            self.value = secret

    def local() -> Iterator[None]:
        kept = secret
        yield
        del kept

    def delegating() -> Iterator[None]:
        yield from local()

    if where in {"local", "frame"}:
        generator = local() if where == "local" else delegating()
        next(generator)
        return generator
    return {"closure": closure, "default": default, "attribute": [Holder()]}[where]


def run_search(agent: Agent, knowledge: Knowledge, detector: SecretDetector, folder: Path) -> None:
    claim, moves = number_grid()
    view = make_view(claim, moves, knowledge=knowledge, victim_queries=40)
    case = Case(
        case_id="case",
        claim=claim,
        evidence=view.start.evidence,
        label=Label.SUPPORTED,
        domain="numbers",
        source="made up",
        group="group",
    )
    with Ledger(folder / "ledger.sqlite") as ledger:
        gate = Gate(ValidityConstraints(), EverythingIsRefuted())
        recorder = Recorder("digest", frozen(detector), ledger)
        searches = Searches(gate, recorder, Budgets(victim_queries=40), advanced=lambda _: None)
        (result,) = searches.run(agent, [Item(case=case, view=view)], Arm.SEARCH)
    assert result.status == "budget_exhausted:victim_queries"


def frozen(detector: SecretDetector) -> FrozenVictim:
    victim = Victim(detector="word_overlap", threshold=Threshold(value=THRESHOLD))
    return freeze(victim, detector, None, [], [])


def foreign(objects: list[object]) -> list[object]:
    """Return the objects that belong to the harness, the victim, the oracle or the ledger."""
    return [one for one in objects if type(one).__module__.startswith(FOREIGN) or isinstance(one, SecretDetector)]


def reachable(*roots: object) -> Iterator[object]:
    """Yield everything that the roots hold, directly or not: fields, closures, defaults, locals of frames.

    Modules and classes are left out: they are the program, the same for everyone who can import it.
    """
    globals_of_modules = {id(vars(module)) for module in list(sys.modules.values()) if isinstance(module, ModuleType)}
    seen: dict[int, object] = {}
    waiting = list(roots)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | CodeType) or id(one) in globals_of_modules:
            continue
        seen[id(one)] = one
        yield one
        waiting += _held_by(one)


def _held_by(one: object) -> list[object]:
    if isinstance(one, FunctionType):
        return [one.__closure__, one.__defaults__, one.__kwdefaults__, vars(one)]
    if isinstance(one, FrameType):
        return [one.f_locals, one.f_back]
    return gc.get_referents(one)
