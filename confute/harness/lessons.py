"""What the searches that are over taught, read off the ledger, for the cases that come after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from confute import text
from confute.agents.experience import Arm as EditArm
from confute.agents.experience import Lesson, arm_of
from confute.harness.manifest import CaseSummary
from confute.harness.outcome import ItemOutcome, Trace, is_unjudged, items
from confute.harness.search import Item
from confute.records import Arm, Attempt, Case, Outcome, Validity

_FIRST_BLOCK = 8


def blocks(waiting: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    """Cut items into blocks, in their order: 8 items, then 16, 32 and so on; a block learns from those before it."""
    start, size = 0, _FIRST_BLOCK
    while start < len(waiting):
        yield tuple(waiting[start : start + size])
        start, size = start + size, 2 * size


def lessons(done: Sequence[Item], attempts: Iterable[Attempt]) -> tuple[Lesson, ...]:
    """Return one lesson for each arm that was tried in the searches of the items that are done, in the order of arms.

    A candidate counts where an oracle vouched for it, the victim measured it and its paired control was decided
    rightly; one that the victim decided rightly counts as lost also where only judges could have vouched for it.
    Attempts on other items are left out: a run that is resumed holds them already.
    """
    known = {(item.case.case_id, item.view.goal): item for item in done}
    own = [one for one in attempts if one.goal is not None and (one.case_id, one.goal) in known]
    cases = {item.case.case_id: _summary(item.case) for item in done}
    outcomes = {(one.case.case_id, one.goal): one for one in items(tuple(cases.values()), own)}
    counts: dict[EditArm, list[tuple[Attempt, Item]]] = {}
    for one in own:
        outcome = outcomes.get((one.case_id, one.goal)) if one.goal is not None else None
        if outcome is not None and one.goal is not None and _counts(one, outcome):
            counts.setdefault(arm_of(one.edits), []).append((one, known[one.case_id, one.goal]))
    return tuple(_lesson(arm, counts[arm]) for arm in sorted(counts))


def _counts(attempt: Attempt, outcome: ItemOutcome) -> bool:
    if attempt.arm is not Arm.SEARCH or attempt.probe or not attempt.edits or attempt.ruling is None:
        return False
    vouched = attempt.ruling.validity is Validity.VALID and attempt.outcome in {Outcome.SUCCEEDED, Outcome.RESISTED}
    if not vouched and not is_unjudged(attempt):
        return False
    return outcome.control(Trace(Outcome.RESISTED, attempt, attempt.queries)) is Outcome.RESISTED


def _lesson(arm: EditArm, pulls: Sequence[tuple[Attempt, Item]]) -> Lesson:
    won = [
        (len(one.edits), text.token_distance(item.case.claim, one.claim), item.case.claim, one.claim)
        for one, item in pulls
        if one.outcome is Outcome.SUCCEEDED
    ]
    before, after = min(won)[2:] if won else (None, None)
    return Lesson(mechanism=arm[0], surface=arm[1], pulls=len(pulls), wins=len(won), before=before, after=after)


def _summary(case: Case) -> CaseSummary:
    return CaseSummary(case_id=case.case_id, domain=case.domain, source=case.source, group=case.group, label=case.label)
