"""Paraphrases: other texts that say the same fact."""

from __future__ import annotations

from collections.abc import Iterator

from confute.oracles.facts import dates
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.mutate import Variant
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.render import FRAMES, Sentence
from confute.records import Mechanism


def paraphrases(reading: Reading, lexicon: Lexicon) -> Iterator[Variant]:
    """Yield the same fact in other templates, verb forms, numerals, units, date formats and attributions."""
    for slot, sentence in _sentences(reading, lexicon):
        yield Variant(Mechanism.PARAPHRASE, slot, sentence.text)


def _sentences(reading: Reading, lexicon: Lexicon) -> Iterator[tuple[str, Sentence]]:
    fact, sentence = reading
    ways = [sentence.texts]
    if lexicon.relations[fact.relation].is_symmetric:
        swapped = sentence.texts | {"subject": sentence.texts["object"], "object": sentence.texts["subject"]}
        yield "subject+object", sentence._replace(texts=swapped)
        ways.append(swapped)
    for template in lexicon.templates[fact.relation].values():
        for texts in ways:
            if template.required <= texts.keys() <= template.slots:
                for verb in template.verbs:
                    if (verb.polarity, verb.modality) == (fact.polarity, fact.modality):
                        yield "relation", sentence._replace(template=template, verb=verb, texts=texts)
    for text in _values(fact, lexicon):
        yield "value", sentence._replace(texts=sentence.texts | {"value": text})
    for text in dates.writings(fact.date).values() if fact.date is not None else ():
        yield "date", sentence._replace(texts=sentence.texts | {"date": text})
    for frame in FRAMES if sentence.speaker is not None else ():
        yield "attribution", sentence._replace(frame=frame)


def _values(fact: Fact, lexicon: Lexicon) -> Iterator[str]:
    if fact.value is None:
        return
    yield from lexicon.units.writings(fact.value).values()
    for unit in lexicon.units.siblings(fact.value.unit):
        converted = lexicon.units.converted(fact.value, unit)
        if converted is not None:
            yield lexicon.units.writings(converted)["grouped/0"]
