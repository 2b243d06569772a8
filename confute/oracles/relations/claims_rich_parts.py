"""Rows on parts of a claim: conjuncts, conditions, attributions, denials of denials, and a claim's complement."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Fact, Modality
from confute.oracles.relations.casts import Cast
from confute.oracles.relations.claim_edits import is_plain, read
from confute.oracles.relations.claims_rich import instances, label_in, pair, supported
from confute.oracles.relations.forms import DENIALS, DOUBLE_DENIALS
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene
from confute.oracles.relations.saying import claim, clause_of, conjoined, embedded, reworded
from confute.oracles.relations.statement import Conditional, Conjunction, complement
from confute.oracles.relations.truth import has_near, label
from confute.records import Label

_FALSE = (Label.UNSUPPORTED, Label.REFUTED)
_OF_CHARTERS = ("ratifies", "funds")
_OF_LEAGUES = ("leaves", "chairs")


def _doubly_denied(scene: Scene, random: Random) -> Iterator[Instance]:
    """Put a claim behind a denial of its denial."""
    reading = read(scene)
    if reading is None or not is_plain(reading.fact):
        return
    after = random.choice(DOUBLE_DENIALS) + embedded(scene.claim, reading.fact)
    situation = scene.situation
    changed = situation.model_copy(update={"claim": after})
    yield Instance(before=situation, after=changed, expected=Expected.INVARIANT, label=scene.label)


def _conjunct_dropped(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say a supported claim together with another fact of the document, then alone, word for word."""
    reading = supported(scene)
    stated = [fact for fact in scene.document.facts if fact.attribution is None and fact.modality is Modality.ACTUAL]
    others = [fact for fact in stated if reading is not None and fact.relation != reading.fact.relation]
    if reading is not None and others:
        other = reworded(random.choice(others), scene.lexicon, random)
        if other is not None:
            joined = conjoined((clause_of(reading.sentence), other), random)
            yield from instances(scene, (), (joined, scene.claim))


def _conjunct_added(scene: Scene, random: Random) -> Iterator[Instance]:
    """Add to a supported claim, which stays word for word, another one that does not follow."""
    reading = supported(scene)
    if reading is None:
        return
    others = [read(scene._replace(claim=text)) for text in scene.document.claims]
    found = [other for other in others if other is not None and _is_surely_false(other.fact, scene)]
    if found:
        both = (reading, random.choice(found))
        rises = label_in(scene, Conjunction(parts=tuple(one.fact for one in both)))
        joined = conjoined([clause_of(one.sentence) for one in both], random)
        yield from instances(scene, (), (scene.claim, joined), rises)


def _is_surely_false(fact: Fact, scene: Scene) -> bool:
    told = scene.document.facts
    return is_plain(fact) and label_in(scene, fact) in _FALSE and not has_near(fact, told, scene.lexicon)


def _condition_dropped(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say what holds on a condition, then without it; nothing tells whether the condition holds."""
    cast = Cast(scene, random)
    joiners = cast.joiners(2)
    if not joiners:
        return
    condition, consequence = (
        Fact(relation=relation, subject=subject, object=cast.charter() if relation in _OF_CHARTERS else cast.league())
        for relation, subject in zip(random.sample((*_OF_CHARTERS, *_OF_LEAGUES), 2), joiners, strict=True)
    )
    conditional = Conditional(condition=condition, consequence=consequence)
    claims = (claim(conditional, scene.lexicon, random), claim(consequence, scene.lexicon, random))
    yield from instances(scene, (conditional,), claims, Label.UNSUPPORTED)


def _attribution_dropped(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say what the document lays to a speaker, then without the speaker."""
    reports = [fact for fact in scene.document.facts if fact.attribution is not None]
    if not reports or supported(scene) is None:
        return
    report = random.choice(reports)
    plain = report.model_copy(update={"attribution": None})
    if label_in(scene, plain) is Label.UNSUPPORTED:
        yield from instances(scene, (), pair(report, plain, scene.lexicon, random), Label.UNSUPPORTED)


def _complement(scene: Scene, random: Random) -> Iterator[Instance]:
    """Deny a supported claim: of the two exactly one holds."""
    reading = read(scene)
    denied = None if reading is None or scene.label is not Label.SUPPORTED else complement(reading.fact)
    if reading is not None and denied is not None and is_plain(reading.fact):
        rises = label(denied, scene.document.facts, scene.lexicon)
        after = random.choice(DENIALS) + embedded(scene.claim, reading.fact)
        yield from instances(scene, (), (scene.claim, after), rises)


PARTS: tuple[Relation, ...] = (
    Relation("C6", "double negation", "a plain claim", _doubly_denied),
    Relation("C30", "drop a conjunct", "a supported plain claim, and a fact of another relation", _conjunct_dropped),
    Relation("C31", "add an unsupported conjunct", "a supported plain claim, and a false claim", _conjunct_added),
    Relation(
        "C32",
        "drop the condition",
        "a document with things that can join a league; nothing tells whether the condition holds",
        _condition_dropped,
    ),
    Relation(
        "C33",
        "drop the attribution",
        "a document that reports what it neither states nor refutes; one instance for each supported plain claim",
        _attribution_dropped,
    ),
)

COMPLEMENTS: tuple[Relation, ...] = (
    Relation("P8", "the claim and its complement", "a supported plain claim", _complement),
)
