"""What claims and passages say: a fact, or something said of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, model_validator

from confute.oracles.facts.fact import Fact, Modality, Polarity, Quantity
from confute.records import NonBlank, Record

_NAMES = frozenset(
    {"subject", "object", "other", "members", "subjects", "exceptions", "alias", "name", "group", "attribution"}
)


def _stated(fact: Fact) -> Fact:
    if fact.attribution is not None or fact.modality is not Modality.ACTUAL:
        raise ValueError("a part of a larger statement is actual and no report")
    return fact


def _affirmed(fact: Fact) -> Fact:
    if fact.polarity is not Polarity.POSITIVE:
        raise ValueError("must not be a denial")
    return _stated(fact)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("names must differ")
    return names


Stated = Annotated[Fact, AfterValidator(_stated)]
Affirmed = Annotated[Fact, AfterValidator(_affirmed)]
Names = Annotated[tuple[NonBlank, ...], AfterValidator(_distinct)]


class Bound(StrEnum):
    """How a value bounds the true one: about it (within 3 % of what is said), more, or less."""

    ABOUT = "about"
    MORE_THAN = "more than"
    LESS_THAN = "less than"


class Bounded(Record):
    """The fact holds with some value that the bound allows: "employs more than 300 people"."""

    fact: Affirmed
    bound: Bound

    @model_validator(mode="after")
    def _has_a_value(self) -> Self:
        if self.fact.value is None:
            raise ValueError("a bounded fact has a value")
        return self

    @property
    def value(self) -> Quantity:
        """The value that is named; the fact has one."""
        if self.fact.value is None:
            raise ValueError("a bounded fact has a value")
        return self.fact.value


class Conjunction(Record):
    """All parts hold."""

    parts: tuple[Stated, ...] = Field(min_length=2)


class Conditional(Record):
    """If the condition holds, so does the consequence; read as material implication."""

    condition: Stated
    consequence: Stated


class Precedes(Record):
    """Both events took place, the one on a day before that of the other; neither fact tells its date."""

    earlier: Affirmed
    later: Affirmed

    @model_validator(mode="after")
    def _tells_no_date(self) -> Self:
        if self.earlier.date is not None or self.later.date is not None:
            raise ValueError("events in a sequence tell no date")
        return self


class Listed(Record):
    """A closed list: these, and no others, stand in the relation to the object."""

    relation: NonBlank
    object: NonBlank
    members: Names = Field(min_length=1)


class Quantifier(StrEnum):
    """Of how many members something is said; `SOME` is one or more, and may be all."""

    EVERY = "every"
    SOME = "some"
    NO = "no"


class Quantified(Record):
    """Every, some or no member of a group stands in the relation to the object; `exceptions` are members that do not.

    Only `EVERY` has exceptions.
    """

    quantifier: Quantifier
    group: NonBlank
    relation: NonBlank
    object: NonBlank
    exceptions: Names = ()

    @model_validator(mode="after")
    def _excepts_from_every(self) -> Self:
        if self.exceptions and self.quantifier is not Quantifier.EVERY:
            raise ValueError("only every member has exceptions")
        return self


class Count(Record):
    """A group has exactly so many members."""

    group: NonBlank
    number: int = Field(ge=1, le=99)


class Ranked(Record):
    """Of the members, exactly `rank` - 1 stand above the subject in an order of the lexicon, and all others below."""

    order: NonBlank
    members: Names = Field(min_length=3)
    subject: NonBlank
    rank: int = Field(ge=1)

    @model_validator(mode="after")
    def _ranks_a_member(self) -> Self:
        if self.subject not in self.members or self.rank > len(self.members):
            raise ValueError("the subject is one of the members, and its rank is not beyond their number")
        return self


class Total(Record):
    """The values of the subjects in one relation add up to the value."""

    relation: NonBlank
    subjects: Names = Field(min_length=2)
    value: Quantity


class Ratio(Record):
    """The subject's value in a relation is `factor` times that of the other."""

    relation: NonBlank
    subject: NonBlank
    other: NonBlank
    factor: Decimal = Field(gt=0, allow_inf_nan=False)


class Alias(Record):
    """Two names of one thing."""

    alias: NonBlank
    name: NonBlank


class Subsumption(Record):
    """Whatever is of the narrower kind is of the broader one."""

    narrower: NonBlank
    broader: NonBlank


class Existential(Record):
    """The subject stands in the relation to something of a kind, or, negative, to nothing of that kind."""

    relation: NonBlank
    subject: NonBlank
    noun: NonBlank
    polarity: Polarity = Polarity.POSITIVE

    @property
    def negated(self) -> Existential:
        """The statement with the other polarity."""
        return self.model_copy(update={"polarity": self.polarity.flipped})


Simple: TypeAlias = (
    Fact
    | Bounded
    | Conjunction
    | Conditional
    | Precedes
    | Listed
    | Quantified
    | Count
    | Ranked
    | Total
    | Ratio
    | Alias
    | Subsumption
    | Existential
)


class Denied(Record):
    """What is said does not hold.

    A fact is denied by its own polarity; conjunctions and conditions are not denied, as their denials are read in two
    ways.
    """

    statement: Simple

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        if isinstance(self.statement, Fact | Existential | Conjunction | Conditional):
            raise ValueError("deny a fact by its polarity, and no conjunction or condition")
        return self


Statement: TypeAlias = Simple | Denied
Kind = TypeVar("Kind", bound=Record)


def complement(statement: Statement) -> Statement | None:
    """Return the statement that holds exactly where this one does not.

    None for a report, a mere possibility, a conjunction or a condition, whose denials are read in two ways.
    """
    if isinstance(statement, Denied):
        return statement.statement
    if isinstance(statement, Existential):
        return statement.negated
    if isinstance(statement, Conjunction | Conditional):
        return None
    if not isinstance(statement, Fact):
        return Denied(statement=statement)
    is_stated = statement.attribution is None and statement.modality is Modality.ACTUAL
    return statement.negated if is_stated else None


def names_of(statement: Statement) -> frozenset[str]:
    """Return all names that a statement mentions."""
    return frozenset(_names(statement.model_dump()))


def renamed(statement: Kind, names: Mapping[str, str]) -> Kind:
    """Return the statement with other names; a name that is no key stays.

    Raises ValidationError where a statement that needs different names would lose one.
    """
    return type(statement).model_validate(_renamed(statement.model_dump(), names))


def _names(dumped: Mapping[str, Any]) -> Iterator[str]:
    for key, value in dumped.items():
        if isinstance(value, Mapping):
            yield from _names(value)
        elif key == "parts":
            for part in value:
                yield from _names(part)
        elif key in _NAMES and value is not None:
            yield from (value,) if isinstance(value, str) else value


def _renamed(dumped: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in dumped.items():
        if isinstance(value, Mapping):
            found[key] = _renamed(value, names)
        elif key == "parts":
            found[key] = [_renamed(part, names) for part in value]
        elif key in _NAMES and value is not None:
            is_one = isinstance(value, str)
            found[key] = (
                names.get(value, value) if is_one else tuple(dict.fromkeys(names.get(one, one) for one in value))
            )
        else:
            found[key] = value
    return found
