"""Rows that change claim and evidence alike: other names throughout, years and amounts moved throughout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from random import Random
from typing import TypeVar

from pydantic import ValidationError

from confute.oracles.facts import dates, names
from confute.oracles.facts.builtin import evidence_sentence
from confute.oracles.facts.fact import Date, Fact, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.render import Sentence
from confute.oracles.relations.claim_edits import style_of
from confute.oracles.relations.evidence_text import parser_of
from confute.oracles.relations.relation import Expected, Instance, Relation, Said, Scene, Situation

Written = TypeVar("Written", Date, Quantity)
_YEARS = (-9, 9)
_FACTORS = (Decimal(2), Decimal(3), Decimal("0.5"))
_NAMED = ("subject", "object", "attribution")


def _renamed(scene: Scene, random: Random) -> Iterator[Instance]:
    reading = parser_of(scene.lexicon).read(scene.claim)
    known = {entity.name for entity in scene.document.entities}
    if reading is None or not _names(reading.fact) <= known:
        return
    fresh = _fresh_names(scene, random)
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, fresh), key=len, reverse=True))})\b")

    def replaced(text: str) -> str:
        return pattern.sub(lambda match: fresh[match.group()], text)

    passages = tuple(
        Said(text=replaced(one.text), says=tuple(_with_names(fact, fresh) for fact in one.facts))
        for one in scene.document.passages
    )
    yield _both(scene, replaced(scene.claim), passages)


def _shifted(scene: Scene, random: Random) -> Iterator[Instance]:
    reading = parser_of(scene.lexicon).read(scene.claim)
    if reading is None:
        return
    years = random.choice([shift for shift in range(_YEARS[0], _YEARS[1] + 1) if shift])
    factor = random.choice(_FACTORS)
    passages = [_moved_passage(one.facts, one.text, years, factor, scene.lexicon) for one in scene.document.passages]
    fact = _moved(reading.fact, years, factor, scene.lexicon)
    written = None if fact is None else _written_alike(reading, fact, scene.lexicon)
    if written is None or None in passages:
        return
    told = tuple(one for one in passages if one is not None)
    if (written, told) != (scene.claim, scene.situation.passages):
        yield _both(scene, written, told)


def _both(scene: Scene, claim: str, passages: tuple[Said, ...]) -> Instance:
    after = Situation(claim=claim, passages=passages)
    return Instance(before=scene.situation, after=after, expected=Expected.INVARIANT, label=scene.label)


def _fresh_names(scene: Scene, random: Random) -> dict[str, str]:
    """Return a new name of the same kind and suite for each thing of the document."""
    kinds, used = scene.lexicon.domains[scene.document.domain].kinds, _words(scene)
    fresh: dict[str, str] = {}
    for entity in scene.document.entities:
        word, name = names.coin(kinds[entity.kind], names.suite_of(entity.word), random, used)
        used.add(word.lower())
        fresh[entity.name] = name
    return fresh


def _words(scene: Scene) -> set[str]:
    return {entity.word.lower() for one in (scene.document, *scene.others) for entity in one.entities}


def _names(fact: Fact) -> set[str]:
    return {name for slot in _NAMED if (name := getattr(fact, slot)) is not None}


def _with_names(fact: Fact, fresh: Mapping[str, str]) -> Fact:
    return fact.model_copy(update={slot: fresh.get(getattr(fact, slot), getattr(fact, slot)) for slot in _NAMED})


def _moved(fact: Fact, years: int, factor: Decimal, lexicon: Lexicon) -> Fact | None:
    """Return a fact with its year moved and its amount scaled, None where no such date or count of things is."""
    update: dict[str, object] = {}
    if fact.date is not None:
        try:
            update["date"] = Date.model_validate(fact.date.model_dump() | {"year": fact.date.year + years})
        except ValidationError:
            return None
    if fact.value is not None:
        moved = Quantity(number=fact.value.number * factor, unit=fact.value.unit)
        if lexicon.units.converted(moved, moved.unit) is None:
            return None
        update["value"] = moved
    return fact.model_copy(update=update)


def _moved_passage(facts: tuple[Fact, ...], text: str, years: int, factor: Decimal, lexicon: Lexicon) -> Said | None:
    if " ".join(evidence_sentence(fact, lexicon).text for fact in facts) != text:
        return None
    moved = [_moved(fact, years, factor, lexicon) for fact in facts]
    kept = tuple(fact for fact in moved if fact is not None)
    if len(kept) != len(facts):
        return None
    return Said(text=" ".join(evidence_sentence(fact, lexicon).text for fact in kept), says=kept)


def _written_alike(reading: Reading, fact: Fact, lexicon: Lexicon) -> str | None:
    """Return the sentence with the date and the value of another fact, in the styles of its own."""
    sentence, texts = reading.sentence, dict(reading.sentence.texts)
    if reading.fact.date is not None and fact.date is not None:
        texts["date"] = _alike(dates.writings, reading.fact.date, texts["date"], fact.date)
    if reading.fact.value is not None and fact.value is not None:
        texts["value"] = _alike(lexicon.units.writings, reading.fact.value, texts["value"], fact.value)
    written: Sentence = sentence._replace(texts=texts)
    return written.text if parser_of(lexicon).parse(written.text) == fact else None


def _alike(writings: Callable[[Written], Mapping[str, str]], own: Written, text: str, other: Written) -> str:
    found = writings(other)
    return found.get(style_of(writings(own), text), next(iter(found.values())))


E9 = Relation("E9", "rename consistently", "a claim that names things of its document alone", _renamed)
E10 = Relation("E10", "shift years and amounts consistently", "dates or amounts that stay writable", _shifted)
