"""The lexicon: units, and the domains with their kinds, relations and plots, read from YAML."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, TypeVar

import yaml
from pydantic import Field, ValidationError

from confute.errors import OracleError, problem_of
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.quantity import Unit, Units
from confute.oracles.facts.relation import Kind, Order, Relation
from confute.oracles.facts.template import Template
from confute.records import NonBlank, Record, digest_of

_UNITS = "units"
Model = TypeVar("Model", bound=Record)


class Plot(Record):
    """A small story: which things of which kind take part, and the facts that hold between them."""

    cast: dict[NonBlank, tuple[NonBlank, ...]]
    facts: tuple[NonBlank, ...] = Field(min_length=3)


class Domain(Record):
    """A field of talk; `years` is the first and last year of its dates."""

    domain: NonBlank
    years: tuple[int, int]
    kinds: dict[NonBlank, Kind]
    relations: dict[NonBlank, Relation]
    plots: tuple[Plot, ...] = Field(min_length=1)


class Lexicon:
    """Units, domains, and the relations of all domains with their compiled templates.

    Raises OracleError naming the file, the relation and the mistake.
    """

    def __init__(self, sources: dict[str, Any]) -> None:
        """`sources` maps a name to what its YAML holds: `units` the unit table, any other one a domain."""
        self.digest = digest_of(sources)
        self.units = Units({name: _read(Unit, unit, f"units.{name}") for name, unit in sources[_UNITS].items()})
        domains = [_read(Domain, source, name) for name, source in sources.items() if name != _UNITS]
        self.domains = {domain.domain: domain for domain in domains}
        self.relations: dict[str, Relation] = {}
        self.templates: dict[str, dict[str, Template]] = {}
        self._converses: dict[str, str] = {}
        self.orders: dict[str, Order] = {}
        for domain in domains:
            for name, relation in domain.relations.items():
                self._add(name, relation, domain)
        self._check_references()

    def canonical(self, fact: Fact) -> Fact:
        """Return a fact told by a converse name under the relation's own name; any other fact as it is.

        Raises OracleError for a relation that the lexicon does not have.
        """
        if fact.relation in self.relations:
            return fact
        if fact.relation in self._converses:
            return fact.swapped.model_copy(update={"relation": self._converses[fact.relation]})
        raise OracleError("unknown relation", field="relation", allowed=", ".join(self.relations), got=fact.relation)

    def _add(self, name: str, relation: Relation, domain: Domain) -> None:
        if name in self.relations or name in self._converses:
            raise OracleError("declared twice", field=f"{domain.domain}.{name}")
        kinds = {"subject": relation.subject, "object": relation.object}
        try:
            nouns = {slot: domain.kinds[kind].nouns for slot, kind in kinds.items() if kind is not None}
            self.templates[name] = {
                style: Template(style, notation, nouns, self.units.pattern)
                for style, notation in relation.templates.items()
            }
        except (ValueError, KeyError) as error:
            raise OracleError(f"wrong template or kind: {error}", field=f"{domain.domain}.{name}") from error
        self.relations[name] = relation
        if relation.order is not None:
            self.orders[name] = relation.order
        if relation.converse is not None:
            self._converses[relation.converse] = name

    def _check_references(self) -> None:
        for name, relation in self.relations.items():
            named = {relation.opposite, *(relation.order.by if relation.order else ())} - {None}
            if missing := named - self.relations.keys():
                raise OracleError("names unknown relations", field=name, got=sorted(map(str, missing)))
            if relation.value is not None and relation.value.unit not in self.units:
                raise OracleError("names an unknown unit", field=name, got=relation.value.unit)


@cache
def builtin_lexicon() -> Lexicon:
    """Return the lexicon that comes with the package."""
    folder = resources.files("confute.oracles.facts") / "lexicon"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return Lexicon({file.name.removesuffix(".yaml"): yaml.safe_load(file.read_text("utf-8")) for file in files})


def _read(model: type[Model], source: Any, name: str) -> Model:
    try:
        return model.model_validate(source)
    except ValidationError as error:
        detail = error.errors()[0]
        where = ".".join([name, *map(str, detail["loc"])])
        raise OracleError(problem_of(detail), field=where, got=detail["input"]) from error
