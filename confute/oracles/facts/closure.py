"""What follows from a set of facts, and hence the label of a claim, under an open world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.relation import Order
from confute.records import Label

_FLIPPED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}


def label(claim: Fact, facts: Iterable[Fact], lexicon: Lexicon) -> Label:
    """Return what the facts say of a claim; see Closure.label."""
    return Closure(facts, lexicon).label(claim)


class Closure:
    """A set of facts and everything that their relations' properties make of it."""

    def __init__(self, facts: Iterable[Fact], lexicon: Lexicon) -> None:
        """Raises OracleError where a fact is of an unknown relation."""
        self._lexicon = lexicon
        self._facts = tuple(dict.fromkeys(lexicon.canonical(fact) for fact in facts))
        self._by_speaker: dict[str | None, _World] = {}

    def label(self, claim: Fact) -> Label:
        """Return SUPPORTED, REFUTED or UNSUPPORTED, or NEI where the facts contradict themselves about the claim.

        The text's own facts and each speaker's reports are worlds of their own. What is actual is possible; what is
        possible, or reported, is not thereby actual. A denial has the flipped label of what it denies.
        """
        claim = self._lexicon.canonical(claim)
        if claim.attribution not in self._by_speaker:
            facts = tuple(fact for fact in self._facts if fact.attribution == claim.attribution)
            self._by_speaker[claim.attribution] = _World(facts, self._lexicon)
        return self._by_speaker[claim.attribution].label(claim)


class _World:
    """The facts of one speaker, closed."""

    def __init__(self, facts: tuple[Fact, ...], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._possible = tuple(fact for fact in facts if fact.modality is Modality.POSSIBLE)
        actual = [fact for fact in facts if fact.modality is Modality.ACTUAL]
        self._negative = [fact for fact in actual if fact.polarity is Polarity.NEGATIVE]
        self._positive: dict[str, list[Fact]] = {}
        for fact in actual:
            if fact.polarity is Polarity.POSITIVE:
                self._positive.setdefault(fact.relation, []).append(fact)
        for name in tuple(self._positive):
            self._positive[name] = self._saturated(name)
        for name, relation in lexicon.relations.items():
            if relation.order is not None:
                self._order(name, relation.order)

    def label(self, claim: Fact) -> Label:
        found = self._actual(claim)
        if claim.modality is Modality.ACTUAL or found is not Label.UNSUPPORTED:
            return found
        alone = (
            _World((fact.model_copy(update={"modality": Modality.ACTUAL}),), self._lexicon) for fact in self._possible
        )
        supported = any(world._actual(claim) is Label.SUPPORTED for world in alone)
        return Label.SUPPORTED if supported else Label.UNSUPPORTED

    def _actual(self, claim: Fact) -> Label:
        holds, fails = self._holds(claim), self._fails(claim)
        found = Label.UNSUPPORTED
        if holds and fails:
            return Label.NEI
        if holds or fails:
            found = Label.SUPPORTED if holds else Label.REFUTED
        return found if claim.polarity is Polarity.POSITIVE else _FLIPPED.get(found, found)

    def _holds(self, claim: Fact) -> bool:
        return any(self._entails(fact, claim) for fact in self._positive.get(claim.relation, ()))

    def _fails(self, claim: Fact) -> bool:
        relation = self._lexicon.relations[claim.relation]
        if claim.subject == claim.object and (relation.is_asymmetric or relation.is_symmetric):
            return True
        known = self._positive.get(claim.relation, [])
        ways = (claim, claim.swapped) if relation.is_symmetric else (claim,)
        return (
            any(
                self._entails(way, denied)
                for way, denied in product(ways, self._negative)
                if _same_relation(way, denied)
            )
            or (relation.is_asymmetric and any(_entities(fact.swapped) == _entities(claim) for fact in known))
            or any(self._conflict(way, fact) for way, fact in product(ways, known))
            or self._opposite_holds(claim, relation.opposite)
        )

    def _entails(self, fact: Fact, claim: Fact) -> bool:
        """Tell whether one positive tuple says all that another of its relation says."""
        return (
            _entities(fact) == _entities(claim)
            and (claim.value is None or (fact.value is not None and self._lexicon.units.same(fact.value, claim.value)))
            and (claim.date is None or (fact.date is not None and claim.date.contains(fact.date)))
        )

    def _conflict(self, claim: Fact, fact: Fact) -> bool:
        """Tell whether a functional argument of the claim differs from the known one."""
        functional = self._lexicon.relations[claim.relation].functional
        return any(
            all(self._equal(claim, fact, argument) for argument in determinants)
            and self._differ(claim, fact, determined)
            for determined, determinants in functional.items()
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
        if argument == "date":
            return not one.overlaps(other)
        return not self._equal(left, right, argument)

    def _opposite_holds(self, claim: Fact, opposite: str | None) -> bool:
        return any(
            _entities(fact) == _entities(claim) and fact.date == claim.date
            for fact in self._positive.get(opposite or "", ())
        )

    def _saturated(self, name: str) -> list[Fact]:
        relation, known = self._lexicon.relations[name], dict.fromkeys(self._positive[name])
        while True:
            new: set[Fact] = set()
            for left, right in product(known, known):
                new.update(self._merged(left, right))
                if relation.is_transitive and left.object == right.subject and left.subject != right.object:
                    new.add(Fact(relation=name, subject=left.subject, object=right.object))
            if relation.is_symmetric:
                new.update(fact.swapped for fact in known)
            if new <= known.keys():
                return list(known)
            known.update(dict.fromkeys(sorted(new, key=repr)))

    def _merged(self, left: Fact, right: Fact) -> Iterator[Fact]:
        """Yield the left fact with a functional argument that it lacks and the right one, of the same key, has."""
        for determined, determinants in self._lexicon.relations[left.relation].functional.items():
            lacks = getattr(left, determined) is None and getattr(right, determined) is not None
            if lacks and all(self._equal(left, right, argument) for argument in determinants):
                yield left.model_copy(update={determined: getattr(right, determined)})

    def _order(self, name: str, order: Order) -> None:
        measured = [fact for source in order.by for fact in self._positive.get(source, ())]
        known = self._positive.setdefault(name, [])
        for one, other in product(measured, measured):
            if one.subject == other.subject:
                continue
            if self._less(one, other, order.argument):
                low_first = order.direction == "less"
                subject, object_ = (one, other) if low_first else (other, one)
                known.append(Fact(relation=name, subject=subject.subject, object=object_.subject))
            elif self._equal(one, other, order.argument):
                self._deny_tie(name, order, one, other)
        self._positive[name] = self._saturated(name)

    def _deny_tie(self, name: str, order: Order, one: Fact, other: Fact) -> None:
        if order.argument == "value" or (one.date is not None and one.date.day is not None):
            tie = Fact(relation=name, subject=one.subject, object=other.subject, polarity=Polarity.NEGATIVE)
            self._negative.append(tie)

    def _less(self, one: Fact, other: Fact, argument: str) -> bool:
        if argument == "value":
            return bool(one.value and other.value and self._lexicon.units.less(one.value, other.value))
        return bool(one.date and other.date and one.date.last < other.date.first)


def _entities(fact: Fact) -> tuple[str, str | None]:
    return fact.subject, fact.object


def _same_relation(left: Fact, right: Fact) -> bool:
    return left.relation == right.relation
