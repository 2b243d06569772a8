"""Rows on times: two events in either order of telling, and dates told more coarsely or more finely."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Date, Fact
from confute.oracles.relations.claim_edits import is_plain
from confute.oracles.relations.claims_rich import instances, label_in, supported
from confute.oracles.relations.forms import PRECEDES
from confute.oracles.relations.relation import Instance, Relation, Scene
from confute.oracles.relations.saying import claim, ways
from confute.oracles.relations.statement import Precedes
from confute.records import Label

_LAST_DAY = 28


def _exchanged(scene: Scene, random: Random) -> Iterator[Instance]:
    """Tell which of two events came first, and then the same with "before" and "after" and the clauses exchanged."""
    reading = supported(scene)
    if reading is None or reading.fact.date is None:
        return
    event = _undated(reading.fact)
    sequences = []
    for fact in scene.document.facts:
        other = _undated(fact)
        if is_plain(fact) and fact.date is not None and fact.relation != reading.fact.relation:
            pairs = (Precedes(earlier=event, later=other), Precedes(earlier=other, later=event))
            sequences += [one for one in pairs if label_in(scene, one) is Label.SUPPORTED]
    if not sequences:
        return
    found = ways(random.choice(sequences), scene.lexicon, random)
    if len(found) == len(PRECEDES):
        before, after = random.choice(((found[0], found[1]), (found[1], found[0]), (found[2], found[3])))
        yield from instances(scene, (), (before, after))


def _coarser_and_finer(scene: Scene, random: Random) -> Iterator[Instance]:
    """Tell a supported date by its month or year alone; tell a day of a month, or a month of a year, that is told."""
    reading = supported(scene)
    if reading is None or reading.fact.date is None:
        return
    date = reading.fact.date
    if date.month is not None:
        coarser = [Date(year=date.year), *([Date(year=date.year, month=date.month)] if date.day else [])]
        after = claim(_dated(reading.fact, random.choice(coarser)), scene.lexicon, random)
        yield from instances(scene, (), (scene.claim, after))
    month = date.month or random.randint(1, 12)
    day = random.randint(1, _LAST_DAY) if date.month is not None or random.random() < 0.5 else None
    finer = _dated(reading.fact, Date(year=date.year, month=month, day=day))
    if date.day is None and label_in(scene, finer) is Label.UNSUPPORTED:
        yield from instances(scene, (), (scene.claim, claim(finer, scene.lexicon, random)), Label.UNSUPPORTED)


def _undated(fact: Fact) -> Fact:
    return fact.model_copy(update={"date": None})


def _dated(fact: Fact, date: Date) -> Fact:
    return fact.model_copy(update={"date": date})


TIMES: tuple[Relation, ...] = (
    Relation(
        "C20",
        "before/after with clauses exchanged",
        "a supported plain claim of a dated event, and an event of another relation surely earlier or later",
        _exchanged,
    ),
    Relation(
        "C23",
        "coarsen / refine a date",
        "a supported plain claim with a date; no passage tells a date within the refined one",
        _coarser_and_finer,
    ),
)
