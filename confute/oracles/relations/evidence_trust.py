"""Rows on what a passage is worth: a contradiction of the same trust, an echo of the claim, a pronoun resolved."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.builtin import evidence_sentence
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.mutate import variants
from confute.oracles.facts.parse import Reading
from confute.oracles.relations.evidence_text import changed, claimed, facts_of, label_of, parser_of, said
from confute.oracles.relations.recurrence import recurring
from confute.oracles.relations.relation import Expected, Instance, Relation, Said, Scene, Situation
from confute.records import Label, Mechanism

_PEOPLE = frozenset({"person", "analyst", "explorer", "ruler", "chronicler", "jurist", "doctor", "scientist", "player"})


def _contradicted(scene: Scene, random: Random) -> Iterator[Instance]:
    """Add a passage that gives a stated fact another value or date, and by itself makes the claim false."""
    claim, passages = claimed(scene), scene.situation.passages
    if claim is None or scene.label is not Label.SUPPORTED:
        return
    for fact in facts_of(passages):
        if fact.relation != scene.lexicon.canonical(claim).relation or fact.attribution is not None:
            continue
        for other in _conflicting(fact, scene, random):
            added = said(other, scene.lexicon)
            is_refuting = label_of(claim, (added,), recurring(scene.lexicon)) is Label.REFUTED
            if is_refuting and label_of(claim, (*passages, added), scene.lexicon) is Label.NEI:
                yield changed(scene, (*passages, added), Expected.RISES, Label.NEI)
                return


def _conflicting(fact: Fact, scene: Scene, random: Random) -> Iterator[Fact]:
    reading = Reading(fact, evidence_sentence(fact, scene.lexicon))
    offered = [
        one
        for one in variants(reading, scene.document, scene.lexicon)
        if one.mechanism in {Mechanism.QUANTITY, Mechanism.TEMPORAL} and one.slot in {"value", "date"}
    ]
    for variant in random.sample(offered, len(offered)):
        other = parser_of(scene.lexicon).parse(variant.text)
        if other is not None and not Closure([fact], scene.lexicon).has_near(other):
            yield other


def _echoed(scene: Scene, _random: Random) -> Iterator[Instance]:
    if scene.label is not Label.SUPPORTED:
        echo = Said(text=scene.claim, says=())
        yield changed(scene, (*scene.situation.passages, echo), Expected.FLAGGED)


def _resolved(scene: Scene, _random: Random) -> Iterator[Instance]:
    """Tell a supporting fact after a sentence that names its subject alone: by a pronoun before, by name after."""
    claim, passages = claimed(scene), scene.situation.passages
    if claim is None or scene.label is not Label.SUPPORTED:
        return
    kinds = {entity.name: entity.kind for entity in scene.document.entities}
    for place, passage in enumerate(passages):
        fact = passage.says[0] if len(passage.says) == 1 else None
        if not isinstance(fact, Fact) or kinds.get(fact.subject, "person") in _PEOPLE or fact.attribution is not None:
            continue
        rest = (*passages[:place], *passages[place + 1 :])
        if label_of(claim, rest, scene.lexicon) is Label.SUPPORTED or not passage.text.startswith(f"{fact.subject} "):
            continue
        opening = f"This note is about {fact.subject}."
        told = [f"{opening} {name}{passage.text.removeprefix(fact.subject)}" for name in ("It", fact.subject)]
        before, after = (_with(scene, rest, place, Said(text=text, says=(fact,))) for text in told)
        yield Instance(before=before, after=after, expected=Expected.INVARIANT, label=Label.SUPPORTED)
        return


def _with(scene: Scene, rest: tuple[Said, ...], place: int, passage: Said) -> Situation:
    return Situation(claim=scene.claim, passages=(*rest[:place], passage, *rest[place:]))


E8 = Relation(
    "E8",
    "inject a trusted contradiction",
    "a supported claim on a fact whose value or date is determined; the passage alone refutes the claim, also where "
    "what two things do with each other may happen again on another date",
    _contradicted,
)
E11 = Relation("E11", "echo the claim", "a claim that is not supported", _echoed)
E13 = Relation(
    "E13",
    "resolve a pronoun",
    "a supported claim on a fact that begins with a thing, the only one named before",
    _resolved,
)
