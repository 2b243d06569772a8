"""Relations: what kinds of things they hold between, which rules they obey, and how they are said."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from confute.oracles.facts.quantity import ValueRange
from confute.records import NonBlank, Record

Argument = Literal["subject", "object", "value", "date"]


class Property(StrEnum):
    """A rule that a relation obeys between its subject and its object.

    `asymmetric`: what holds one way is false the other way. `symmetric`: what holds one way holds the other way.
    `transitive`: chains hold from end to end. `causal`: the subject brings the object about (also asymmetric).
    """

    ASYMMETRIC = "asymmetric"
    SYMMETRIC = "symmetric"
    TRANSITIVE = "transitive"
    CAUSAL = "causal"


class Order(Record):
    """A strict order: the subject stands above the object by a measured argument of other relations.

    `direction` is `greater` (a larger value, a later date) or `less` (a smaller value, an earlier date).
    """

    by: tuple[NonBlank, ...] = Field(min_length=1)
    argument: Literal["value", "date"]
    direction: Literal["greater", "less"]


class Kind(Record):
    """A kind of named things: how their names are coined, and the words that stand around the coined part.

    In `forms` the braces stand for the coined part. Where there are `nouns`, each name ends with one of them.
    """

    starts: tuple[NonBlank, ...] = Field(min_length=2)
    middles: tuple[str, ...] = Field(min_length=2)
    ends: tuple[NonBlank, ...] = Field(min_length=2)
    forms: tuple[NonBlank, ...] = ("{}",)
    nouns: tuple[NonBlank, ...] = ()


class Relation(Record):
    """A relation as the lexicon declares it.

    `functional` names, for an argument, those that determine it: a second value of it is then false. `converse` is
    another name of the relation with subject and object exchanged, `opposite` a relation that excludes this one.
    """

    subject: NonBlank
    object: NonBlank | None = None
    properties: frozenset[Property] = frozenset()
    functional: dict[Argument, tuple[Argument, ...]] = Field(default_factory=dict)
    order: Order | None = None
    converse: NonBlank | None = None
    opposite: NonBlank | None = None
    value: ValueRange | None = None
    templates: dict[NonBlank, NonBlank] = Field(min_length=3)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if Property.SYMMETRIC in self.properties and (self.is_asymmetric or self.subject != self.object):
            raise ValueError("a symmetric relation is not asymmetric, causal or ordered, and joins one kind")
        if (self.properties or self.converse or self.order) and self.object is None:
            raise ValueError("properties, converse and order need an object")
        return self

    @property
    def is_symmetric(self) -> bool:
        """Whether subject and object may be exchanged."""
        return Property.SYMMETRIC in self.properties

    @property
    def is_asymmetric(self) -> bool:
        """Whether the relation excludes its own reverse; causes and strict orders do."""
        return bool(self.properties & {Property.ASYMMETRIC, Property.CAUSAL}) or self.order is not None

    @property
    def is_transitive(self) -> bool:
        """Whether chains hold from end to end; strict orders do."""
        return Property.TRANSITIVE in self.properties or self.order is not None
