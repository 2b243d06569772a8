"""Views over a short claim, and a harness of a few lines to play searches against a landscape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from confute.agents.agent import Agent, Feedback, Proposal, View
from confute.contract import StrategyName
from confute.edits import edited
from confute.records import AttackGoal, Candidate, Decision, Edit, Knowledge, Label, Mechanism, Replacement, Validity

SEARCHES = [name for name in StrategyName if name is not StrategyName.LLM]
"""The strategies that ask no model."""

Landscape = Callable[[Candidate], float]
Judge = Callable[[Proposal], Feedback]


def make_edit(slot: str, *changes: tuple[int, int, str], mechanism: Mechanism = Mechanism.QUANTITY) -> Edit:
    replacements = tuple(Replacement(start=start, end=end, text=text) for start, end, text in changes)
    return Edit(mechanism=mechanism, slot=slot, replacements=replacements, expected_label=Label.REFUTED)


def make_view(
    claim: str,
    moves: Sequence[Edit],
    *,
    goal: AttackGoal = AttackGoal.FALSE_ACCEPTANCE,
    knowledge: Knowledge = Knowledge.SCORE,
    victim_queries: int = 64,
    max_edits: int = 3,
    seed: int = 0,
) -> View:
    start = Candidate(case_id="case", goal=goal, edits=(), claim=claim, evidence=("Some evidence.",))
    return View(
        goal=goal,
        knowledge=knowledge,
        start=start,
        moves=tuple(moves),
        victim_queries=victim_queries,
        max_edits=max_edits,
        seed=seed,
    )


def scored(landscape: Landscape) -> Judge:
    """Judge everything VALID and score it by the landscape; probes carry no validity."""

    def judge(proposal: Proposal) -> Feedback:
        return Feedback(
            validity=None if proposal.probe else Validity.VALID,
            reason="probe" if proposal.probe else "closure",
            decision=Decision.REJECT,
            score=landscape(proposal.candidate),
        )

    return judge


def play(agent: Agent, view: View, judge: Judge, at_most: int = 10_000) -> list[list[Proposal]]:
    """Return the batches that a search proposes until it ends or has proposed `at_most`."""
    generator = agent.search(view)
    batches: list[list[Proposal]] = []
    try:
        batch = next(generator)
        while True:
            batches.append(list(batch))
            if sum(map(len, batches)) >= at_most:
                generator.close()
                return batches
            batch = generator.send([judge(one) for one in batch])
    except StopIteration:
        return batches


def number_grid() -> tuple[str, tuple[Edit, ...]]:
    """A claim of four numbers, each a slot with five moves: `10 10 10 10`, any number to 11 to 15."""
    claim = "10 10 10 10"
    moves = tuple(
        make_edit(f"slot-{slot}", (3 * slot, 3 * slot + 2, str(10 + step))) for slot in range(4) for step in range(1, 6)
    )
    assert all(edited(claim, (move,)) for move in moves)
    return claim, moves
