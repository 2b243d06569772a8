"""Content edits: other texts for one slot or one relation of a sentence, whose labels are still to be recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from confute.oracles.facts import dates, names
from confute.oracles.facts.document import Document
from confute.oracles.facts.fact import Date, Modality, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.relation import Property, Relation
from confute.oracles.facts.render import Sentence
from confute.oracles.facts.world import Entity
from confute.records import Mechanism
from confute.text import token_distance

_NEAR_NAMES = 3
_MAX_TOKENS = 6


class Variant(NamedTuple):
    """Another text for a claim: what the change is, and the slot that it works on."""

    mechanism: Mechanism
    slot: str
    text: str


def variants(reading: Reading, document: Document, lexicon: Lexicon) -> Iterator[Variant]:
    """Yield the content edits of a claim about a document, in a fixed order; some may leave its label as it is."""
    yield from _role_swaps(reading, lexicon)
    yield from _polarities(reading, lexicon)
    yield from _quantities(reading, document, lexicon)
    yield from _dates(reading, document)
    yield from _bindings(reading, document)


def _with_text(sentence: Sentence, slot: str, text: str) -> str:
    return sentence._replace(texts=sentence.texts | {slot: text}).text


def _role_swaps(reading: Reading, lexicon: Lexicon) -> Iterator[Variant]:
    sentence, relation = reading.sentence, lexicon.relations[reading.fact.relation]
    if relation.object != relation.subject or relation.is_symmetric:
        return
    mechanism, source = _swap_mechanism(relation), sentence.text
    texts = sentence.texts | {"subject": sentence.texts["object"], "object": sentence.texts["subject"]}
    yield Variant(mechanism, "subject+object", sentence._replace(texts=texts).text)
    for template in lexicon.templates[reading.fact.relation].values():
        if template is not sentence.template and template.required <= texts.keys() <= template.slots:
            verb = template.verb(reading.fact.polarity, reading.fact.modality)
            text = sentence._replace(template=template, verb=verb, texts=texts).text
            if token_distance(source, text) <= _MAX_TOKENS:
                yield Variant(mechanism, "relation", text)


def _swap_mechanism(relation: Relation) -> Mechanism:
    if Property.CAUSAL in relation.properties:
        return Mechanism.CAUSAL
    is_temporal = relation.order is not None and relation.order.argument == "date"
    return Mechanism.TEMPORAL if is_temporal else Mechanism.ROLE_SWAP


def _polarities(reading: Reading, lexicon: Lexicon) -> Iterator[Variant]:
    """Yield denials, assertions of what was only possible, and verbs of the opposite direction."""
    sentence, fact = reading.sentence, reading.fact
    flipped = fact.polarity.flipped
    for verb in sentence.template.verbs:
        denies = verb.polarity is flipped and verb.modality is fact.modality
        asserts = fact.modality is Modality.POSSIBLE and verb.modality is Modality.ACTUAL
        if denies or asserts:
            yield Variant(Mechanism.POLARITY, "relation", sentence._replace(verb=verb).text)
    others = [(fact.relation, flipped), (lexicon.relations[fact.relation].opposite, fact.polarity)]
    for relation, polarity in others:
        for template in lexicon.templates.get(relation or "", {}).values():
            if template is not sentence.template and template.required <= sentence.texts.keys() <= template.slots:
                verb = template.verb(polarity, fact.modality)
                text = sentence._replace(template=template, verb=verb).text
                if token_distance(sentence.text, text) <= _MAX_TOKENS:
                    yield Variant(Mechanism.POLARITY, "relation", text)


def _quantities(reading: Reading, document: Document, lexicon: Lexicon) -> Iterator[Variant]:
    value, plausible = reading.fact.value, lexicon.relations[reading.fact.relation].value
    if value is None or plausible is None:
        return
    stated = [fact.value for fact in document.facts if fact.value is not None]
    others = [other for other in stated if lexicon.units.comparable(other, value)]
    for other in (*lexicon.units.alternatives(value, plausible), *others):
        text = _written_alike(value, reading.sentence.texts["value"], other, lexicon)
        yield Variant(Mechanism.QUANTITY, "value", _with_text(reading.sentence, "value", text))


def _written_alike(value: Quantity, written: str, other: Quantity, lexicon: Lexicon) -> str:
    """Write another quantity in the style of the first, as far as it can be."""
    styles = [style for style, text in lexicon.units.writings(value).items() if text == written]
    writings = lexicon.units.writings(other)
    return next((writings[style] for style in styles if style in writings), next(iter(writings.values())))


def _dates(reading: Reading, document: Document) -> Iterator[Variant]:
    date = reading.fact.date
    if date is None:
        return
    written = reading.sentence.texts["date"]
    style = next((style for style, text in dates.writings(date).items() if text.lower() == written.lower()), "")
    stated = [fact.date for fact in document.facts if fact.date is not None]
    others = [other for other in stated if _precision(other) == _precision(date)]
    for other in (*dates.shifted(date), *others):
        writings = dates.writings(other)
        text = writings.get(style, next(iter(writings.values())))
        yield Variant(Mechanism.TEMPORAL, "date", _with_text(reading.sentence, "date", text))


def _precision(date: Date) -> tuple[bool, bool]:
    return date.month is None, date.day is None


def _bindings(reading: Reading, document: Document) -> Iterator[Variant]:
    """Yield other names of the same kind from the document, and coined names that differ in one letter."""
    sentence = reading.sentence
    by_name = {entity.name: entity for entity in document.entities}
    used = {sentence.texts.get("subject"), sentence.texts.get("object"), sentence.speaker}
    slots = {slot: sentence.texts[slot] for slot in ("subject", "object") if slot in sentence.texts}
    for slot, name in slots.items():
        for other in _other_names(name, by_name):
            if other not in used:
                yield Variant(Mechanism.BINDING, slot, _with_text(sentence, slot, other))
    for other in _other_names(sentence.speaker or "", by_name):
        if other not in used:
            yield Variant(Mechanism.BINDING, "attribution", sentence._replace(speaker=other).text)


def _other_names(name: str, by_name: dict[str, Entity]) -> Iterator[str]:
    entity = by_name.get(name)
    if entity is None:
        return
    yield from (other.name for other in by_name.values() if other.kind == entity.kind and other.name != name)
    yield from islice(names.near(name, entity.word, by_name), _NEAR_NAMES)
