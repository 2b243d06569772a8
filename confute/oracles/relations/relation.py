"""A metamorphic relation: a change of a case, and what it must do to the risk of a sound detector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from random import Random
from typing import NamedTuple

from confute.oracles.facts.document import Document
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.relations.statement import Statement
from confute.records import Label, NonBlank, Record


class Expected(StrEnum):
    """What a change must do to the risk.

    `INVARIANT`: the label stays, so the risk moves by no more than the tolerance and the decision stays. `RISES`: what
    was supported no longer is, so the risk rises and the claim is rejected. `NOT_BELOW` and `NOT_ABOVE`: the risk
    falls, or rises, by no more than rounding. `HIGHEST` and `LOW`: a control whose risk is known beforehand.
    `FLAGGED`: a probe of scope, whose risk may fall and whose provenance must be told.
    """

    INVARIANT = "INV"
    RISES = "UP"
    NOT_BELOW = "NOT_BELOW"
    NOT_ABOVE = "NOT_ABOVE"
    HIGHEST = "HIGHEST"
    LOW = "LOW"
    FLAGGED = "FLAGGED"


class Said(Record):
    """A passage of evidence, and what it says."""

    text: NonBlank
    says: tuple[Statement, ...]


class Situation(Record):
    """A claim as text, against passages whose meaning is known."""

    claim: str
    passages: tuple[Said, ...]

    @property
    def evidence(self) -> tuple[str, ...]:
        """The passages' texts, in order."""
        return tuple(passage.text for passage in self.passages)


class Instance(Record):
    """One change made on one case: what stood before, what stands after, and what must follow.

    `label` is the label that the relation declares for `after`; the oracle recomputes both labels and emits the
    instance only where they are as declared.
    """

    before: Situation
    after: Situation
    expected: Expected
    label: Label


class Scene(NamedTuple):
    """A labelled case as a transform sees it: its document and claim, and the other documents of the same set."""

    document: Document
    claim: str
    label: Label
    lexicon: Lexicon
    others: tuple[Document, ...]

    @property
    def situation(self) -> Situation:
        """The case as it stands."""
        passages = tuple(Said(text=one.text, says=one.facts) for one in self.document.passages)
        return Situation(claim=self.claim, passages=passages)


class Relation(NamedTuple):
    """A relation's name, and the function that makes its instances of a case; no instance means that it does not apply.

    `precondition` says in words what the transform looks for. The transform draws from the generator that it is given
    and from nothing else.
    """

    relation_id: str
    title: str
    precondition: str
    transform: Callable[[Scene, Random], Iterator[Instance]]
