"""What follows from a set of facts, and hence the label of a claim, under an open world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import combinations, product

from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.relation import Order
from confute.records import Label

_FLIPPED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def label(claim: Fact, facts: Iterable[Fact], lexicon: Lexicon) -> Label:
    """Return what the facts say of a claim; see Closure.label."""
    return Closure(facts, lexicon).label(claim)


_TOLERANCE = Decimal("0.03")


class Closure:
    """A set of facts and everything that their relations' properties make of it."""

    def __init__(self, facts: Iterable[Fact], lexicon: Lexicon) -> None:
        """Raises OracleError where a fact is of an unknown relation."""
        self._lexicon = lexicon
        self._facts = tuple(dict.fromkeys(lexicon.canonical(fact) for fact in facts))
        self._worlds: dict[str | None, _World] = {}

    def label(self, claim: Fact) -> Label:
        """Return SUPPORTED, REFUTED or UNSUPPORTED, or NEI where the facts contradict each other.

        SUPPORTED: the claim follows. REFUTED: the facts and the claim cannot all be true. The text's own facts and
        each speaker's reports are worlds of their own. What is actual is possible; what is possible, or reported, is
        not thereby actual. A denial has the flipped label of what it denies.
        """
        claim = self._lexicon.canonical(claim)
        facts = [fact for fact in self._facts if fact.attribution == claim.attribution]
        if claim.attribution not in self._worlds:
            actual = (fact for fact in facts if fact.modality is Modality.ACTUAL)
            self._worlds[claim.attribution] = _World(actual, self._lexicon)
        found = self._worlds[claim.attribution].label(claim)
        if claim.modality is Modality.ACTUAL or found is not Label.UNSUPPORTED:
            return found
        possible = (fact for fact in facts if fact.modality is Modality.POSSIBLE)
        alone = (_World([fact], self._lexicon) for fact in possible)
        return Label.SUPPORTED if any(world.label(claim) is Label.SUPPORTED for world in alone) else found

    def has_near(self, claim: Fact) -> bool:
        """Tell whether a fact has the claim's arguments and nearly its value: within 3 %, and not the same.

        Of such a claim a reader may say that it rounds, so that its label is no firm ground for an attack.
        """
        claim = self._lexicon.canonical(claim)
        return claim.value is not None and any(
            fact.value is not None
            and (fact.relation, fact.subject, fact.object) == (claim.relation, claim.subject, claim.object)
            and fact.value.unit == claim.value.unit
            and 0 < abs(fact.value.number - claim.value.number) <= _TOLERANCE * abs(fact.value.number)
            for fact in self._facts
        )


class _World:
    """Facts that are all taken as actual, closed."""

    def __init__(self, facts: Iterable[Fact], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._facts = tuple(facts)
        self._negative = [fact for fact in self._facts if fact.polarity is Polarity.NEGATIVE]
        self._positive: dict[str, dict[Fact, None]] = {}
        for fact in self._facts:
            if fact.polarity is Polarity.POSITIVE:
                self._positive.setdefault(fact.relation, {})[fact] = None
        for name, known in self._positive.items():
            self._saturate(name, known)
        for name, order in lexicon.orders.items():
            self._apply_order(name, order)

    def label(self, claim: Fact) -> Label:
        """Return the label of a claim's tuple and polarity; its modality and attribution are not looked at."""
        stated = claim.model_copy(update={"polarity": Polarity.POSITIVE})
        if self.is_contradictory:
            return Label.NEI
        found = Label.UNSUPPORTED
        if any(self._entails(fact, stated) for fact in self._positive.get(claim.relation, ())):
            found = Label.SUPPORTED
        elif _World((*self._facts, stated), self._lexicon).is_contradictory:
            found = Label.REFUTED
        return found if claim.polarity is Polarity.POSITIVE else _FLIPPED.get(found, found)

    @cached_property
    def is_contradictory(self) -> bool:
        """Whether the facts cannot all be true."""
        return any(self._is_broken(name, known) for name, known in self._positive.items())

    def _is_broken(self, name: str, known: Iterable[Fact]) -> bool:
        relation = self._lexicon.relations[name]
        pairs = {(fact.subject, fact.object) for fact in known}
        is_reflexive = any(subject == object_ for subject, object_ in pairs)
        is_mutual = any((object_, subject) in pairs for subject, object_ in pairs)
        denied = [fact for fact in self._negative if fact.relation == name]
        return (
            (is_reflexive and (relation.is_asymmetric or relation.is_symmetric))
            or (is_mutual and relation.is_asymmetric)
            or any(self._entails(fact, denial) for fact, denial in product(known, denied))
            or any(self._conflict(one, other) or self._conflict(other, one) for one, other in combinations(known, 2))
            or any(
                _oppose(one, other) for one, other in product(known, self._positive.get(relation.opposite or "", ()))
            )
        )

    def _entails(self, fact: Fact, claim: Fact) -> bool:
        """Tell whether one positive tuple says all that another of its relation says."""
        return (
            (fact.subject, fact.object) == (claim.subject, claim.object)
            and (claim.value is None or (fact.value is not None and self._lexicon.units.same(fact.value, claim.value)))
            and (claim.date is None or (fact.date is not None and claim.date.contains(fact.date)))
        )

    def _conflict(self, one: Fact, other: Fact) -> bool:
        """Tell whether two tuples of a relation have one key and differ in what it determines."""
        return any(
            all(self._equal(one, other, argument) for argument in determinants) and self._differ(one, other, determined)
            for determined, determinants in self._lexicon.relations[one.relation].functional.items()
        )

    def _equal(self, left: Fact, right: Fact, argument: str) -> bool:
        one, other = getattr(left, argument), getattr(right, argument)
        if one is None or other is None:
            return False
        return self._lexicon.units.same(one, other) if argument == "value" else bool(one == other)

    def _differ(self, left: Fact, right: Fact, argument: str) -> bool:
        one, other = getattr(left, argument), getattr(right, argument)
        if one is None or other is None:
            return False
        return not one.overlaps(other) if argument == "date" else not self._equal(left, right, argument)

    def _saturate(self, name: str, known: dict[Fact, None]) -> None:
        """Add what symmetry, chains and shared keys make of the tuples of one relation, until nothing is new."""
        relation = self._lexicon.relations[name]
        while True:
            new = dict.fromkeys(fact.swapped for fact in known) if relation.is_symmetric else {}
            for left, right in product(known, known):
                new |= dict.fromkeys(self._merged(left, right))
                if relation.is_transitive and left.object == right.subject and left.subject != right.object:
                    new[Fact(relation=name, subject=left.subject, object=right.object)] = None
            if new.keys() <= known.keys():
                return
            known |= new

    def _merged(self, left: Fact, right: Fact) -> Iterator[Fact]:
        """Yield the left fact with a functional argument that it lacks and the right one, of the same key, has."""
        for determined, determinants in self._lexicon.relations[left.relation].functional.items():
            lacks = getattr(left, determined) is None and getattr(right, determined) is not None
            if lacks and all(self._equal(left, right, argument) for argument in determinants):
                yield left.model_copy(update={determined: getattr(right, determined)})

    def _apply_order(self, name: str, order: Order) -> None:
        """Add the order that measured values or dates show; two equal values show that neither stands above."""
        measured = [fact for source in order.by for fact in self._positive.get(source, ())]
        known = self._positive.setdefault(name, {})
        for one, other in product(measured, measured):
            if one.subject == other.subject:
                continue
            if self._less(one, other, order.argument):
                above, below = (one, other) if order.direction == "less" else (other, one)
                known[Fact(relation=name, subject=above.subject, object=below.subject)] = None
            elif order.argument == "value" and self._equal(one, other, "value"):
                tie = Fact(relation=name, subject=one.subject, object=other.subject, polarity=Polarity.NEGATIVE)
                self._negative.append(tie)
        self._saturate(name, known)

    def _less(self, one: Fact, other: Fact, argument: str) -> bool:
        if argument == "value":
            return bool(one.value and other.value and self._lexicon.units.less(one.value, other.value))
        return bool(one.date and other.date and one.date.last < other.date.first)


def _oppose(one: Fact, other: Fact) -> bool:
    return (one.subject, one.object, one.date) == (other.subject, other.object, other.date)
