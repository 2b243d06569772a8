"""Relations of how and when: denial, possibility, order in time, dates."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Fact, Modality
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.mutate import variants
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.render import sentence
from confute.oracles.relations.claim_edits import (
    claimed,
    differs_only_in,
    is_plain,
    keeping,
    plain_facts,
    raising,
    read,
    replaced,
)
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene
from confute.records import Label
from confute.text import tokens

_OPPOSITE_TIMES = tuple(
    frozenset(pair)
    for pair in (("before", "after"), ("earlier", "later"), ("sooner", "later"), ("predates", "postdates"))
)


def _negated(scene: Scene, random: Random) -> Iterator[Instance]:
    """Put "not" into a supported claim, or take it out."""
    told = read(scene)
    if told is None or scene.label is not Label.SUPPORTED or told.fact.attribution is not None:
        return
    if told.fact.modality is not Modality.ACTUAL or "that" in tokens(scene.claim):
        return
    verb = told.sentence.verb
    others = [one for one in told.sentence.template.verbs if one[1:] == (verb.polarity.flipped, verb.modality)]
    texts = [told.sentence._replace(verb=one).text for one in others if _has_not(one.text) != _has_not(verb.text)]
    if texts:
        yield claimed(scene, scene.claim, random.choice(texts), Expected.RISES, Label.REFUTED)


def _asserted(scene: Scene, _: Random) -> Iterator[Instance]:
    """Say of what the evidence holds only possible first that it may be so, then that it is so."""
    told = read(scene)
    if told is None or not is_plain(told.fact):
        return
    possible = told.fact.model_copy(update={"modality": Modality.POSSIBLE})
    if possible in scene.document.facts:
        verb = told.sentence.template.verb(possible.polarity, possible.modality)
        before = told.sentence._replace(verb=verb).text
        yield claimed(scene, before, scene.claim, Expected.RISES, Label.UNSUPPORTED)


def _reordered(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say of two dated events in which order they came, and then with "before" and "after" exchanged."""
    told = read(scene)
    if told is None or scene.label is not Label.SUPPORTED or not is_plain(told.fact):
        return
    pairs = []
    for before in _orders(told, scene):
        for variant in variants(before, scene.document, scene.lexicon):
            if frozenset(tokens(before.sentence.text)) ^ frozenset(tokens(variant.text)) in _OPPOSITE_TIMES:
                pairs.append((before.sentence.text, variant.text))
    if pairs:
        yield claimed(scene, *random.choice(pairs), Expected.RISES, Label.REFUTED)


def _orders(told: Reading, scene: Scene) -> Iterator[Reading]:
    """Yield the claim itself where it tells an order in time, or the orders of its dated event and later ones."""
    for name, order in scene.lexicon.orders.items():
        if order.argument != "date":
            continue
        if told.fact.relation == name:
            yield told
        for later in plain_facts(scene):
            if told.fact.relation == later.relation in order.by and _is_before(told.fact, later):
                fact = Fact(relation=name, subject=told.fact.subject, object=later.subject)
                yield from _said(fact, scene.lexicon)


def _said(fact: Fact, lexicon: Lexicon) -> Iterator[Reading]:
    for template in lexicon.templates[fact.relation].values():
        if (said := sentence(fact, template, lexicon)) is not None:
            yield Reading(fact, said)


def _is_before(one: Fact, other: Fact) -> bool:
    return one.date is not None and other.date is not None and one.date.last < other.date.first


def _other_date(scene: Scene, before: Reading, after: Reading) -> Label | None:
    one, other = before.fact.date, after.fact.date
    if one is None or other is None or not differs_only_in(("date",), before.fact, after.fact) or one.overlaps(other):
        return None
    return Label.REFUTED if replaced("date", before.fact, scene.lexicon) is Label.REFUTED else None


def _date_format(_: Scene, before: Reading, after: Reading) -> bool:
    return before.fact == after.fact and before.fact.date is not None


def _has_not(verb: str) -> bool:
    return "not" in tokens(verb)


MANNER_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "C5",
        "insert or delete 'not'",
        "a supported claim that is actual and unattributed, with one verb, whose other polarity is said with 'not'",
        _negated,
    ),
    Relation(
        "C18",
        "may to does",
        "a plain claim that the evidence says only as possible",
        _asserted,
    ),
    Relation(
        "C19",
        "before and after",
        "a supported plain claim of an order in time, or of a dated event that is surely before another of its kind",
        _reordered,
    ),
    Relation(
        "C21",
        "date shift",
        "a supported plain claim with a date that the rest determines; the other date shares no day with it",
        raising(("date",), _other_date),
    ),
    Relation(
        "C22",
        "date format",
        "a claim with a date that can be written in another way",
        keeping("date", _date_format),
    ),
)
