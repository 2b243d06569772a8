"""Rows on closed lists: all and some, only and except, members and their number."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Fact
from confute.oracles.relations.casts import Cast
from confute.oracles.relations.claims_rich import instances, pair
from confute.oracles.relations.phrases import MEMBERSHIP
from confute.oracles.relations.relation import Instance, Relation, Scene
from confute.oracles.relations.saying import claim
from confute.oracles.relations.statement import Count, Listed, Quantified, Quantifier
from confute.records import Label

_DEED = "endorsed"


def _all_and_some(scene: Scene, random: Random) -> Iterator[Instance]:
    """Weaken all to some where all did; strengthen some to all where one did not."""
    cast = Cast(scene, random)
    members = cast.joiners(random.choice((3, 4)))
    if not members:
        return
    league, charter = cast.closed_league(members), cast.charter()
    did = [Fact(relation=_DEED, subject=member, object=charter) for member in members]
    every, some = (_quantified(quantifier, league, charter) for quantifier in (Quantifier.EVERY, Quantifier.SOME))
    yield from instances(scene, (league, *did), pair(every, some, scene.lexicon, random))
    left_out = random.randrange(len(did))
    mixed = [fact.negated if index == left_out else fact for index, fact in enumerate(did)]
    yield from instances(scene, (league, *mixed), pair(some, every, scene.lexicon, random), Label.REFUTED)


def _only(scene: Scene, random: Random) -> Iterator[Instance]:
    """Add "only" to one of two who did it, and an exception to what all did."""
    cast = Cast(scene, random)
    members = cast.joiners(3)
    if not members:
        return
    league, charter = cast.closed_league(members), cast.charter()
    did = [Fact(relation=_DEED, subject=member, object=charter) for member in members]
    alone = Listed(relation=_DEED, object=charter, members=members[:1])
    claims = (claim(did[0], scene.lexicon, random), claim(alone, scene.lexicon, random))
    yield from instances(scene, (league, *did[: random.choice((2, 3))]), claims, Label.REFUTED)
    every = _quantified(Quantifier.EVERY, league, charter)
    excepting = every.model_copy(update={"exceptions": (random.choice(members),)})
    yield from instances(scene, (league, *did), pair(every, excepting, scene.lexicon, random), Label.REFUTED)


def _non_member(scene: Scene, random: Random) -> Iterator[Instance]:
    """Name a thing of the same kind that the closed list leaves out."""
    cast = Cast(scene, random)
    *members, stranger = cast.joiners(random.choice((4, 5))) or ("",)
    if not members:
        return
    league = cast.closed_league(tuple(members))
    inside, outside = (
        Fact(relation=MEMBERSHIP, subject=name, object=league.object) for name in (random.choice(members), stranger)
    )
    yield from instances(scene, (league,), pair(inside, outside, scene.lexicon, random), Label.REFUTED)


def _miscounted(scene: Scene, random: Random) -> Iterator[Instance]:
    """Count the members rightly, then one too many or too few."""
    cast = Cast(scene, random)
    members = cast.joiners(random.choice((3, 4, 5)))
    if not members:
        return
    league = cast.closed_league(members)
    right = Count(group=league.object, number=len(members))
    wrong = Count(group=league.object, number=len(members) + random.choice((-1, 1)))
    yield from instances(scene, (league,), pair(right, wrong, scene.lexicon, random), Label.REFUTED)


def _quantified(quantifier: Quantifier, league: Listed, charter: str) -> Quantified:
    return Quantified(quantifier=quantifier, group=league.object, relation=_DEED, object=charter)


_JOINERS = "a document with things that can be members of a league"
LISTS: tuple[Relation, ...] = (
    Relation("C16", "all to some / some to all", f"{_JOINERS}; its members are a closed list", _all_and_some),
    Relation("C17", "only, or an exception, added", f"{_JOINERS}; another member did it as well", _only),
    Relation("C36", "list non-member", f"{_JOINERS}; its members are a closed list", _non_member),
    Relation("C37", "item count off by one", f"{_JOINERS}; its members are a closed list", _miscounted),
)
