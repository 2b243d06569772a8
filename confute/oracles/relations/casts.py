"""Casts: the things of a scene that a row's own passages speak of, and fresh ones beside them."""

from __future__ import annotations

from random import Random

from confute.oracles.facts import names
from confute.oracles.facts.fact import Fact, Modality, Polarity, Quantity
from confute.oracles.relations.phrases import MEMBERSHIP, phrases
from confute.oracles.relations.relation import Scene
from confute.oracles.relations.statement import Listed

_LEAGUES = "leagues"


class Cast:
    """Names for one instance: of the scene where it has them, coined where it has not; no two are the same."""

    def __init__(self, scene: Scene, random: Random) -> None:
        self._scene = scene
        self._random = random
        self._suite = names.suite_of(scene.document.entities[0].word)
        documents = (scene.document, *scene.others)
        self._words = {entity.word.lower() for document in documents for entity in document.entities}

    def fresh(self, kind: str, domain: str) -> str:
        """Return a coined name of a kind, of the scene's suite and of no document."""
        made = self._scene.lexicon.domains[domain].kinds[kind]
        word, name = names.coin(made, self._suite, self._random, self._words)
        self._words.add(word.lower())
        return name

    def like(self, name: str) -> str:
        """Return a coined name of the kind of a thing in the scene's document."""
        kind = next(entity.kind for entity in self._scene.document.entities if entity.name == name)
        return self.fresh(kind, self._scene.document.domain)

    def joiners(self, count: int) -> tuple[str, ...]:
        """Return names of one kind that can join a league; none where the document has no such kind."""
        by_kind: dict[str, list[str]] = {}
        for entity in self._scene.document.entities:
            if entity.kind in phrases().joiners:
                by_kind.setdefault(entity.kind, []).append(entity.name)
        if not by_kind:
            return ()
        kind = self._random.choice(sorted(by_kind))
        known = self._random.sample(by_kind[kind], min(count, len(by_kind[kind])))
        found = [*known, *(self.fresh(kind, self._scene.document.domain) for _ in range(count - len(known)))]
        return tuple(self._random.sample(found, count))

    def league(self) -> str:
        """Return the name of a fresh league."""
        return self.fresh("league", _LEAGUES)

    def charter(self) -> str:
        """Return the name of a fresh charter."""
        return self.fresh("charter", _LEAGUES)

    def closed_league(self, members: tuple[str, ...]) -> Listed:
        """Return the closed list of a fresh league's members."""
        return Listed(relation=MEMBERSHIP, object=self.league(), members=members)

    def measured(self, relation: str, count: int) -> tuple[Fact, ...]:
        """Return facts of a relation that determines a value, of different things and values; fresh ones fill up.

        None where the document has no such fact that could be varied so often.
        """
        known = [fact for fact in self._scene.document.facts if fact.relation == relation and _is_measure(fact)]
        found = list({fact.subject: fact for fact in known}.values())[:count]
        plausible = self._scene.lexicon.relations[relation].value
        if not found or found[0].value is None or plausible is None:
            return ()
        offered = list(self._scene.lexicon.units.alternatives(found[0].value, plausible))
        for value in self._random.sample(offered, len(offered)):
            if len(found) < count and value.unit == found[0].value.unit and _is_apart(value, found):
                found.append(Fact(relation=relation, subject=self.like(found[0].subject), value=value))
        return tuple(found) if len(found) == count else ()


def _is_measure(fact: Fact) -> bool:
    is_plain = fact.polarity is Polarity.POSITIVE and fact.modality is Modality.ACTUAL and fact.attribution is None
    return is_plain and fact.value is not None and fact.date is None and fact.object is None


def _is_apart(value: Quantity, found: list[Fact]) -> bool:
    """Tell whether a value is more than 3 % away from those of all facts, and above 0."""
    others = [fact.value.number for fact in found if fact.value is not None]
    return value.number > 0 and all(abs(value.number - other) * 100 > 3 * abs(other) for other in others)
