"""Relations of who is meant: names and values bound elsewhere, near names, other participants and speakers."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Fact
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.relation import Relation as Declared
from confute.oracles.facts.render import FRAMES
from confute.oracles.relations.claim_edits import (
    claimed,
    differs_only_in,
    is_plain,
    plain_facts,
    raising,
    read,
    replaced,
    tells_exactly,
)
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene
from confute.records import Label

_NAMES = ("subject", "object")


def _recombined(scene: Scene, before: Reading, after: Reading) -> Label | None:
    """Take a name or a value that another fact of the same relation binds, where the two facts make no chain."""
    if scene.lexicon.relations[before.fact.relation].is_transitive:
        return None
    others = [fact for fact in plain_facts(scene) if fact.relation == before.fact.relation]
    for slot in (*_NAMES, "value"):
        is_role = slot != "value" and replaced(slot, before.fact, scene.lexicon) is Label.REFUTED
        is_bound = getattr(after.fact, slot) in {getattr(fact, slot) for fact in others}
        is_vague = slot == "value" and not tells_exactly(before)
        if differs_only_in((slot,), before.fact, after.fact) and is_bound and not is_role and not is_vague:
            return None if any(_tells(fact, after.fact) for fact in others) else _cross_label(after.fact, others, scene)
    return None


def _tells(fact: Fact, claim: Fact) -> bool:
    """Tell whether a fact has all that a claim of its relation says; dates and values are compared as they stand."""
    return all(
        getattr(claim, argument) in (None, getattr(fact, argument))
        for argument in ("subject", "object", "value", "date")
    )


def _cross_label(claim: Fact, others: list[Fact], scene: Scene) -> Label:
    """Return REFUTED where another fact of the relation, or a denial, makes the claim false, else UNSUPPORTED."""
    relation = scene.lexicon.relations[claim.relation]
    denials = (fact.negated for fact in scene.document.facts if fact.relation == claim.relation)
    denied = [fact for fact in denials if is_plain(fact)]
    if relation.is_symmetric:
        denied += [fact.swapped for fact in denied]
    is_denied = any(_tells(claim, fact) for fact in denied)
    return Label.REFUTED if is_denied or any(_excludes(one, claim, relation) for one in others) else Label.UNSUPPORTED


def _excludes(fact: Fact, claim: Fact, relation: Declared) -> bool:
    """Tell whether a fact makes a claim of its relation false: it has its key and another value, or is its reverse."""
    is_reverse = relation.is_asymmetric and (fact.subject, fact.object) == (claim.object, claim.subject)
    return is_reverse or any(
        all(getattr(fact, argument) == getattr(claim, argument) is not None for argument in determinants)
        and None not in (getattr(fact, determined), getattr(claim, determined))
        and getattr(fact, determined) != getattr(claim, determined)
        for determined, determinants in relation.functional.items()
    )


def _near_name(scene: Scene, before: Reading, after: Reading) -> Label | None:
    known = {entity.name for entity in scene.document.entities}
    for slot in _NAMES:
        if differs_only_in((slot,), before.fact, after.fact) and getattr(after.fact, slot) not in known:
            return replaced(slot, before.fact, scene.lexicon)
    return None


def _swapped_participant(scene: Scene, before: Reading, after: Reading) -> Label | None:
    known = {entity.name for entity in scene.document.entities}
    for slot in _NAMES:
        is_other = differs_only_in((slot,), before.fact, after.fact) and getattr(after.fact, slot) in known
        if is_other and replaced(slot, before.fact, scene.lexicon) is Label.REFUTED:
            return Label.REFUTED
    return None


def _swapped_speakers(scene: Scene, random: Random) -> Iterator[Instance]:
    """Lay a claim that one speaker makes to that speaker, and then to another person."""
    told = read(scene)
    if told is None or not is_plain(told.fact):
        return
    for speaker in _speakers(told.fact, scene):
        others = [name for name in _of_the_kind(speaker, scene) if name not in (told.fact.subject, told.fact.object)]
        if others:
            frame = random.choice(FRAMES)
            first, second = (
                told.sentence._replace(speaker=name, frame=frame).text for name in (speaker, random.choice(others))
            )
            yield claimed(scene, first, second, Expected.RISES, Label.UNSUPPORTED)


def _speakers(fact: Fact, scene: Scene) -> list[str]:
    """Return who says a fact in a scene's document."""
    reports = (one for one in scene.document.facts if one.attribution is not None)
    return [
        one.attribution for one in reports if one.attribution and one.model_copy(update={"attribution": None}) == fact
    ]


def _of_the_kind(name: str, scene: Scene) -> list[str]:
    """Return the other names of a name's kind in its document, or where there are none in others of its domain."""
    kind = next((entity.kind for entity in scene.document.entities if entity.name == name), None)
    alike = (other for other in scene.others if other.domain == scene.document.domain)
    for documents in ([scene.document], alike):
        entities = (entity for document in documents for entity in document.entities)
        if names := [entity.name for entity in entities if entity.kind == kind and entity.name != name]:
            return names
    return []


NAME_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "C25",
        "binding recombination",
        "a supported plain claim, and another fact of its relation, whose name or value is put into it; no chains",
        raising((*_NAMES, "value"), _recombined),
    ),
    Relation(
        "C26",
        "near-name entity",
        "a supported plain claim; the near name is one letter away and named nowhere in the document",
        raising(_NAMES, _near_name),
    ),
    Relation(
        "C34",
        "swap attribution",
        "a claim that one speaker alone makes in the evidence",
        _swapped_speakers,
    ),
    Relation(
        "C39",
        "location or participant swap",
        "a supported plain claim with a name that the rest of the fact determines, and another of its kind",
        raising(_NAMES, _swapped_participant),
    ),
)
