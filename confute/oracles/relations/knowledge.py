"""What passages tell, closed: their facts with aliases resolved, closed lists spelled out and conditions applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from confute.errors import OracleError
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.relations.phrases import MEMBERSHIP
from confute.oracles.relations.statement import (
    Alias,
    Conditional,
    Conjunction,
    Existential,
    Listed,
    Statement,
    Subsumption,
    names_of,
    renamed,
)
from confute.records import Label, Record

_TOLD = (Alias, Conditional, Existential, Fact, Listed, Subsumption)
Kind = TypeVar("Kind", bound=Record)


class Members(NamedTuple):
    """The known members of a group, and whether those are all."""

    names: tuple[str, ...]
    are_all: bool


class Knowledge:
    """Everything that passages tell; different names, aliases apart, are different things."""

    def __init__(self, told: Iterable[Statement], lexicon: Lexicon, mentioned: Iterable[str] = ()) -> None:
        """`mentioned` are names that a closed list shuts out though no passage has them.

        Raises OracleError for an unknown relation, or where passages tell what only claims may say.
        """
        self.lexicon = lexicon
        told = tuple(_flattened(told))
        self._aliases = _resolved_aliases([one for one in told if isinstance(one, Alias)])
        self.lists = self._kept(Listed, told)
        self.conditionals = self._kept(Conditional, told)
        self.existentials = self._kept(Existential, told)
        self._edges = self._kept(Subsumption, told)
        names = {self._aliases.get(name, name) for name in mentioned}
        names |= {self._aliases.get(name, name) for one in told for name in names_of(one)}
        spelled_out = [fact for one in self.lists for fact in _spelled_out(one, names)]
        facts = map(lexicon.canonical, self._kept(Fact, told))
        self._close(dict.fromkeys([*facts, *spelled_out]))
        self._apply_conditionals()

    def resolved(self, statement: Kind) -> Kind | None:
        """Return a statement with each alias replaced; None where it lists one thing under two names."""
        try:
            return renamed(statement, self._aliases)
        except ValidationError:
            return None

    @property
    def is_contradictory(self) -> bool:
        """Whether what the text itself states cannot all be true."""
        stated = [fact for fact in self.facts if fact.attribution is None and fact.modality is Modality.ACTUAL]
        positive = [one for one in self.existentials if one.polarity is Polarity.POSITIVE]
        is_broken = any(self.label(fact) is Label.NEI for fact in stated[:1])
        return is_broken or any(self.is_denied(one) for one in positive)

    def label(self, fact: Fact) -> Label:
        """Return the label of a fact whose aliases are resolved."""
        return self._closure.label(fact)

    def holds(self, fact: Fact, **parts: Quantity | Date) -> bool:
        """Tell whether a fact, with other parts where some are given, is SUPPORTED."""
        return self.label(fact.model_copy(update=dict(parts))) is Label.SUPPORTED

    def assuming(self, *facts: Fact) -> Closure:
        """Return the closure of what is told and some facts more, to which no condition is applied."""
        return Closure((*self.facts, *facts), self.lexicon)

    def values(self, fact: Fact) -> list[Quantity]:
        """Return all values of a fact's relation, of the dimension of its own value, for which the fact holds."""
        found = dict.fromkeys(one.value for one in self.facts if one.relation == fact.relation and one.value)
        comparable = self.lexicon.units.comparable
        return [
            value
            for value in found
            if value is not None
            and (fact.value is None or comparable(value, fact.value))
            and self.holds(fact, value=value)
        ]

    def dates(self, event: Fact) -> list[Date]:
        """Return all dates for which an event that tells none holds."""
        found = dict.fromkeys(one.date for one in self.facts if one.relation == event.relation and one.date)
        return [date for date in found if date is not None and self.holds(event, date=date)]

    def members(self, group: str) -> Members:
        """Return the known members of a group."""
        known = self.listed(MEMBERSHIP, group)
        if known is not None:
            return Members(known.members, are_all=True)
        names = dict.fromkeys(fact.subject for fact in self.facts if fact.relation == MEMBERSHIP)
        belongs = (Fact(relation=MEMBERSHIP, subject=name, object=group) for name in names)
        return Members(tuple(fact.subject for fact in belongs if self.holds(fact)), are_all=False)

    def listed(self, relation: str, object_: str) -> Listed | None:
        """Return the closed list of a relation to an object, or None where none is told."""
        return next((one for one in self.lists if (one.relation, one.object) == (relation, object_)), None)

    def above(self, noun: str) -> frozenset[str]:
        """Return a kind and all broader ones."""
        found, new = {noun}, {noun}
        while new:
            new = {edge.broader for edge in self._edges if edge.narrower in new} - found
            found |= new
        return frozenset(found)

    def is_told(self, claim: Existential) -> bool:
        """Tell whether the subject stands in the relation to something of the kind, or of a narrower one."""
        return any(claim.noun in self.above(one.noun) for one in self._deeds(claim, Polarity.POSITIVE))

    def is_denied(self, claim: Existential) -> bool:
        """Tell whether the subject stands in the relation to nothing of the kind, or of a broader one."""
        return any(one.noun in self.above(claim.noun) for one in self._deeds(claim, Polarity.NEGATIVE))

    def _deeds(self, claim: Existential, polarity: Polarity) -> Iterator[Existential]:
        for one in self.existentials:
            if (one.relation, one.subject, one.polarity) == (claim.relation, claim.subject, polarity):
                yield one

    def _kept(self, kind: type[Kind], told: Iterable[Record]) -> tuple[Kind, ...]:
        found = (self.resolved(one) for one in told if isinstance(one, kind))
        return tuple(one for one in found if one is not None)

    def _close(self, facts: Iterable[Fact]) -> None:
        self.facts = tuple(facts)
        self._closure = Closure(self.facts, self.lexicon)

    def _apply_conditionals(self) -> None:
        """Add what conditions give, forwards and backwards, until nothing is new."""
        while True:
            gained = [one.consequence for one in self.conditionals if self.holds(one.condition)]
            refuted = [one for one in self.conditionals if self.label(one.consequence) is Label.REFUTED]
            gained += [one.condition.negated for one in refuted]
            new = dict.fromkeys(map(self.lexicon.canonical, gained))
            if new.keys() <= set(self.facts):
                return
            self._close(dict.fromkeys([*self.facts, *new]))


def _flattened(told: Iterable[Statement]) -> Iterator[Statement]:
    """Yield what is told, the parts of a conjunction each by itself."""
    for one in told:
        if isinstance(one, Conjunction):
            yield from one.parts
        elif isinstance(one, _TOLD):
            yield one
        else:
            raise OracleError(
                "a passage cannot tell this",
                field="says",
                allowed=", ".join(kind.__name__ for kind in (*_TOLD, Conjunction)),
                got=type(one).__name__,
                hint="say it in a claim, and tell in passages the facts that it follows from",
            )


def _resolved_aliases(aliases: Iterable[Alias]) -> Mapping[str, str]:
    """Return, for each name that is an alias, the one name that stands for all names of its thing."""
    found: dict[str, str] = {}
    for one in aliases:
        kept, dropped = found.get(one.name, one.name), found.get(one.alias, one.alias)
        found = {name: kept if target == dropped else target for name, target in found.items()}
        found[dropped] = kept
    return found


def _spelled_out(listed: Listed, names: Iterable[str]) -> Iterator[Fact]:
    """Yield that each member stands in the relation, and that no other name does."""
    for name in (*listed.members, *sorted(set(names) - set(listed.members))):
        polarity = Polarity.POSITIVE if name in listed.members else Polarity.NEGATIVE
        yield Fact(relation=listed.relation, subject=name, object=listed.object, polarity=polarity)
