"""Documents: passages with the facts that they say (the support graph), and claims about them."""

from __future__ import annotations

from confute.oracles.facts.fact import Fact
from confute.oracles.facts.world import Entity
from confute.records import NonBlank, Record


class Passage(Record):
    """A piece of evidence, and the facts that it says: an edge of the support graph for each."""

    text: NonBlank
    facts: tuple[Fact, ...]


class Document(Record):
    """One source: its passages, the things that they are about, and claims that can be parsed."""

    document_id: NonBlank
    domain: NonBlank
    entities: tuple[Entity, ...]
    passages: tuple[Passage, ...]
    claims: tuple[NonBlank, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts that the passages say, in their order."""
        return tuple(fact for passage in self.passages for fact in passage.facts)
