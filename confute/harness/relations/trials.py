"""Trials: instances of relations that the oracle vouches for, and counts of what was skipped, with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from confute.harness.relations.scenes import Named
from confute.oracles.relations.appended import APPENDED
from confute.oracles.relations.oracle import RelationOracle, Skip
from confute.oracles.relations.relation import Expected, Instance, Relation, Situation
from confute.records import Pair, Record

MOST_PER_CASE = 4
"""Instances of one relation that are kept of one case."""

FEWEST = 30
"""Trials of a row below which more cases of the same documents are tried."""

NOT_APPLICABLE = "does_not_apply"
NO_INSTANCE = "no_instance"
_MOST_TRIED = 40
_BY_CONSTRUCTION = frozenset(APPENDED)


class Trial(NamedTuple):
    """A pair before and after a change, what must follow, and the source document that it is clustered by."""

    row_id: str
    expected: Expected
    group: str
    before: Pair
    after: Pair


class Made(Record):
    """What a relation gave: the cases it was tried on, its trials, and how often it was skipped for which reason.

    Reasons are the oracle's, `does_not_apply` where a case gave nothing, `no_instance` for what is none, and
    `raised: X` where the transform or the check of what it gave raised X.
    """

    row_id: str
    title: str
    precondition: str
    cases: int
    trials: int
    skipped: dict[str, int]


def enough(
    relation: Relation, rounds: Sequence[Sequence[Named]], oracle: RelationOracle, seed: int
) -> tuple[tuple[Trial, ...], Made]:
    """Return a relation's trials of the first round of scenes, and of as many more as it takes to have 30."""
    first, *others = rounds
    trials, summary = made(relation, first, oracle, seed)
    for scenes in others:
        if len(trials) >= FEWEST:
            break
        found, added = made(relation, scenes, oracle, seed)
        trials += found
        skipped = Counter(summary.skipped) + Counter(added.skipped)
        summary = summary.model_copy(
            update={
                "cases": summary.cases + added.cases,
                "trials": len(trials),
                "skipped": dict(sorted(skipped.items())),
            }
        )
    return trials, summary


def made(
    relation: Relation, scenes: Sequence[Named], oracle: RelationOracle, seed: int
) -> tuple[tuple[Trial, ...], Made]:
    """Return a relation's trials, at most 4 of each scene, and what was skipped; a transform's failure is a skip."""
    skipped: Counter[str] = Counter()
    trials: list[Trial] = []
    for named in scenes:
        random = Random(f"{seed}/relation/{relation.relation_id}/{named.case.case_id}")  # noqa: S311  no secret
        found = [_checked(one, oracle, relation) for one in _instances(relation, named, random)]
        if not found:
            skipped[NOT_APPLICABLE] += 1
        skipped.update(one for one in found if isinstance(one, str))
        kept = [one for one in found if not isinstance(one, str)][:MOST_PER_CASE]
        trials += [_trial(one, relation.relation_id, named.case.group) for one in kept]
    return tuple(trials), Made(
        row_id=relation.relation_id,
        title=relation.title,
        precondition=relation.precondition,
        cases=len(scenes),
        trials=len(trials),
        skipped=dict(sorted(skipped.items())),
    )


def _instances(relation: Relation, named: Named, random: Random) -> Iterator[object]:
    """Yield what a transform gives, up to a limit, and in the end the name of what it raised."""
    try:
        yield from islice(relation.transform(named.scene, random), _MOST_TRIED)
    except (Exception, SystemExit) as error:  # a relation may be anybody's code: its failure is counted
        yield f"raised: {type(error).__name__}"


def _checked(found: object, oracle: RelationOracle, relation: Relation) -> Instance | str:
    if isinstance(found, str) and found.startswith("raised: "):
        return found
    if not isinstance(found, Instance):
        return NO_INSTANCE
    if relation in _BY_CONSTRUCTION:
        return found
    try:
        sound = Instance.model_validate(found.model_dump())
        ruled = oracle.checked(sound)
    except (Exception, SystemExit) as error:
        return f"raised: {type(error).__name__}"
    return ruled.reason if isinstance(ruled, Skip) else ruled


def _trial(instance: Instance, row_id: str, group: str) -> Trial:
    return Trial(row_id, instance.expected, group, _pair(instance.before), _pair(instance.after))


def _pair(situation: Situation) -> Pair:
    return Pair(claim=situation.claim, evidence=situation.evidence)
