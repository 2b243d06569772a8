"""Rows on times: two events in either order of telling, and dates told more coarsely or more finely."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Date, Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Reading
from confute.oracles.relations.claim_edits import is_plain
from confute.oracles.relations.claims_rich import instances, label_in, supported, worded_alike
from confute.oracles.relations.forms import PRECEDES
from confute.oracles.relations.relation import Instance, Relation, Scene
from confute.oracles.relations.saying import ways
from confute.oracles.relations.statement import Precedes
from confute.records import Label

_LAST_DAY = 28


def _exchanged(scene: Scene, random: Random) -> Iterator[Instance]:
    """Tell which of two events came first, and then the same with "before" and "after" and the clauses exchanged."""
    reading = supported(scene)
    if reading is None or not _is_event(reading.fact, scene):
        return
    event = _bare(reading.fact)
    sequences = []
    for fact in scene.document.facts:
        other = _bare(fact)
        if is_plain(fact) and _is_event(fact, scene) and fact.relation != reading.fact.relation:
            pairs = (Precedes(earlier=event, later=other), Precedes(earlier=other, later=event))
            sequences += [one for one in pairs if label_in(scene, one) is Label.SUPPORTED]
    for sequence in random.sample(sequences, len(sequences)):
        found = ways(sequence, scene.lexicon, random)
        if len(found) == len(PRECEDES):
            before, after = random.choice(((found[0], found[1]), (found[1], found[0]), (found[2], found[3])))
            yield from instances(scene, (), (before, after))
            return


def _coarser_and_finer(scene: Scene, random: Random) -> Iterator[Instance]:
    """Tell a supported date by its month or year alone; tell a day of a month, or a month of a year, that is told."""
    reading = supported(scene)
    if reading is None or reading.fact.date is None:
        return
    date = reading.fact.date
    if date.month is not None:
        coarser = [Date(year=date.year), *([Date(year=date.year, month=date.month)] if date.day else [])]
        yield from instances(scene, (), (scene.claim, _dated(reading, random.choice(coarser), scene.lexicon)))
    month = date.month or random.randint(1, 12)
    day = random.randint(1, _LAST_DAY) if date.month is not None or random.random() < 0.5 else None
    finer = Date(year=date.year, month=month, day=day)
    if date.day is None and label_in(scene, _at(reading.fact, finer)) is Label.UNSUPPORTED:
        after = _dated(reading, finer, scene.lexicon)
        yield from instances(scene, (), (scene.claim, after), Label.UNSUPPORTED)


def _is_event(fact: Fact, scene: Scene) -> bool:
    """Tell whether a dated fact is something that happens, and no figure of a month or year."""
    relation = scene.lexicon.relations[fact.relation]
    return fact.date is not None and (relation.object is not None or "date" in relation.functional)


def _bare(fact: Fact) -> Fact:
    return fact.model_copy(update={"date": None, "value": None})


def _at(fact: Fact, date: Date) -> Fact:
    return fact.model_copy(update={"date": date})


def _dated(reading: Reading, date: Date, lexicon: Lexicon) -> str | None:
    """Return a claim with another date, its other words as they stand."""
    found = worded_alike(reading, _at(reading.fact, date), lexicon)
    return None if found is None else found.text


TIMES: tuple[Relation, ...] = (
    Relation(
        "C20",
        "before/after with clauses exchanged",
        "a supported plain claim of something that happened on a date, and an event of another relation surely earlier "
        "or later; both can be told by what happened, without a date or an amount",
        _exchanged,
    ),
    Relation(
        "C23",
        "coarsen / refine a date",
        "a supported plain claim with a date in words, and the rest of the words stay; no passage tells a date within "
        "the refined one",
        _coarser_and_finer,
    ),
)
