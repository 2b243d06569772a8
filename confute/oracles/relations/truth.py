"""What passages say of a statement: the closure of their facts, extended to lists, conditions, kinds and amounts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import assert_never

from confute.oracles.facts.closure import Closure
from confute.oracles.facts.fact import Fact, Polarity, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.quantity import Units
from confute.oracles.relations import statement as said
from confute.oracles.relations.knowledge import Knowledge
from confute.oracles.relations.phrases import MEMBERSHIP, phrases
from confute.oracles.relations.statement import Bound, Quantifier, Statement, names_of
from confute.records import Label

TOLERANCE = Decimal("0.03")
"""The share of the true value by which a value that is said to be "about" it may be off."""

_FLIPPED = {Label.SUPPORTED: Label.REFUTED, Label.REFUTED: Label.SUPPORTED}
_SUPPORTED, _REFUTED, _OPEN = Label.SUPPORTED, Label.REFUTED, Label.UNSUPPORTED
_STEPS = {Bound.ABOUT: 0, Bound.MORE_THAN: 1, Bound.LESS_THAN: -1}


def label(statement: Statement, told: Iterable[Statement], lexicon: Lexicon) -> Label:
    """Return what is told says of a statement: SUPPORTED, REFUTED or UNSUPPORTED, or NEI where it contradicts itself.

    SUPPORTED: the statement holds wherever all that is told holds. REFUTED: it holds nowhere there. Different names,
    aliases apart, are different things; a thing that nobody names may exist. Reports and mere possibilities are
    treated as in `facts.closure`; a claim that lists one thing under two names is UNSUPPORTED. Raises OracleError for
    an unknown relation, or where passages tell what only claims may say: bounds, sequences, counts, ranks, totals,
    ratios, quantifiers, and denials of those.
    """
    if isinstance(statement, said.Denied):
        return _flipped(label(statement.statement, told, lexicon))
    known = Knowledge(told, lexicon, names_of(statement))
    resolved = known.resolved(statement)
    if isinstance(resolved, Fact):
        return known.label(resolved)
    if known.is_contradictory:
        return Label.NEI
    return _OPEN if resolved is None else _label(resolved, known)


def has_near(statement: Statement, told: Iterable[Statement], lexicon: Lexicon) -> bool:
    """Tell whether a statement gives a value within 3 % of the one that is told, and not the same.

    Of such a claim a reader may say that it rounds.
    """
    if isinstance(statement, said.Denied):
        return has_near(statement.statement, told, lexicon)
    known = Knowledge(told, lexicon, names_of(statement))
    resolved = known.resolved(statement)
    match resolved:
        case Fact():
            return Closure(known.facts, lexicon).has_near(resolved)
        case said.Total() | said.Ratio():
            pair = _amounts(resolved, known)
            return pair is not None and not lexicon.units.same(*pair) and _is_about(pair[1], pair[0], lexicon.units)
        case _:
            return False


def _label(statement: said.Simple, known: Knowledge) -> Label:  # noqa: PLR0911, PLR0912  one case for each kind
    match statement:
        case Fact():
            return known.label(statement)
        case said.Bounded():
            return _bounded(statement, known)
        case said.Conjunction():
            return _conjunction(statement, known)
        case said.Conditional():
            return _conditional(statement, known)
        case said.Precedes():
            return _precedes(statement, known)
        case said.Listed():
            return _listed(statement, known)
        case said.Quantified():
            return _quantified(statement, known)
        case said.Count():
            return _count(statement, known)
        case said.Ranked():
            return _ranked(statement, known)
        case said.Total() | said.Ratio():
            pair = _amounts(statement, known)
            return _OPEN if pair is None else _SUPPORTED if known.lexicon.units.same(*pair) else _REFUTED
        case said.Alias():
            return _SUPPORTED if statement.alias == statement.name else _OPEN
        case said.Subsumption():
            return _SUPPORTED if statement.broader in known.above(statement.narrower) else _OPEN
        case said.Existential():
            found = _SUPPORTED if known.is_told(statement) else _REFUTED if known.is_denied(statement) else _OPEN
            return found if statement.polarity is Polarity.POSITIVE else _flipped(found)
        case _:
            assert_never(statement)


def _flipped(found: Label) -> Label:
    return _FLIPPED.get(found, found)


def _conjunction(statement: said.Conjunction, known: Knowledge) -> Label:
    labels = [known.label(part) for part in statement.parts]
    if all(found is _SUPPORTED for found in labels):
        return _SUPPORTED
    *others, last = statement.parts
    is_impossible = known.assuming(*others).label(last) in (_REFUTED, Label.NEI)
    return _REFUTED if _REFUTED in labels or is_impossible else _OPEN


def _conditional(statement: said.Conditional, known: Knowledge) -> Label:
    condition, consequence = known.label(statement.condition), known.label(statement.consequence)
    if condition is _SUPPORTED and consequence is _REFUTED:
        return _REFUTED
    if condition is _REFUTED or consequence is _SUPPORTED or statement in known.conditionals:
        return _SUPPORTED
    assumed = known.assuming(statement.condition).label(statement.consequence)
    return _SUPPORTED if assumed in (_SUPPORTED, Label.NEI) else _OPEN


def _bounded(statement: said.Bounded, known: Knowledge) -> Label:
    if any(_allows(statement, value, known.lexicon.units) for value in known.values(statement.fact)):
        return _SUPPORTED
    return _REFUTED if known.label(_probe(statement, known)) is _REFUTED else _OPEN


def _allows(statement: said.Bounded, value: Quantity, units: Units) -> bool:
    """Tell whether a true value lies within the bound."""
    match statement.bound:
        case Bound.MORE_THAN:
            return units.less(statement.value, value)
        case Bound.LESS_THAN:
            return units.less(value, statement.value)
        case Bound.ABOUT:
            return _is_about(statement.value, value, units)


def _is_about(stated: Quantity, true: Quantity, units: Units) -> bool:
    slack = abs(true.number) * TOLERANCE
    low, high = (Quantity(number=true.number + side * slack, unit=true.unit) for side in (-1, 1))
    return units.comparable(stated, true) and not units.less(stated, low) and not units.less(high, stated)


def _probe(statement: said.Bounded, known: Knowledge) -> Fact:
    """Return the fact with a value that the bound allows and no fact gives: refuted only where all such are."""
    value, step = statement.value, _STEPS[statement.bound] * (abs(statement.value.number) + 1)
    told = [one.value for one in known.facts if one.value is not None]
    value = Quantity(number=value.number + step, unit=value.unit)
    while step and any(known.lexicon.units.same(value, other) for other in told):
        value = Quantity(number=value.number + step, unit=value.unit)
    return statement.fact.model_copy(update={"value": value})


def _precedes(statement: said.Precedes, known: Knowledge) -> Label:
    events = (statement.earlier, statement.later)
    if any(known.label(event) is _REFUTED for event in events):
        return _REFUTED
    pairs = [(one, other) for one in known.dates(statement.earlier) for other in known.dates(statement.later)]
    if any(one.last < other.first for one, other in pairs):
        return _SUPPORTED
    happens_once = all("date" in known.lexicon.relations[event.relation].functional for event in events)
    return _REFUTED if happens_once and any(other.last < one.first for one, other in pairs) else _OPEN


def _listed(statement: said.Listed, known: Knowledge) -> Label:
    told = known.listed(statement.relation, statement.object)
    if told is not None:
        return _SUPPORTED if set(told.members) == set(statement.members) else _REFUTED
    names = {fact.subject for fact in known.facts if fact.relation == statement.relation} - set(statement.members)
    has_more = any(known.holds(_stands(name, statement)) for name in names)
    has_less = any(known.label(_stands(name, statement)) is _REFUTED for name in statement.members)
    return _REFUTED if has_more or has_less else _OPEN


def _stands(name: str, statement: said.Listed | said.Quantified) -> Fact:
    return Fact(relation=statement.relation, subject=name, object=statement.object)


def _quantified(statement: said.Quantified, known: Knowledge) -> Label:
    members, are_all = known.members(statement.group)
    labels = [known.label(_stands(name, statement)) for name in members if name not in statement.exceptions]
    if statement.quantifier is Quantifier.EVERY:
        for name in statement.exceptions:
            labels.append(known.label(Fact(relation=MEMBERSHIP, subject=name, object=statement.group)))
            labels.append(_flipped(known.label(_stands(name, statement))))
        follows = are_all and all(found is _SUPPORTED for found in labels)
        return _REFUTED if _REFUTED in labels else _SUPPORTED if follows else _OPEN
    is_excluded = (are_all and all(found is _REFUTED for found in labels)) or _none_belongs(statement, known)
    some = _SUPPORTED if _SUPPORTED in labels else _REFUTED if is_excluded else _OPEN
    return some if statement.quantifier is Quantifier.SOME else _flipped(some)


def _none_belongs(statement: said.Quantified, known: Knowledge) -> bool:
    """Tell whether all that stand in the relation are told, and told to be outside the group."""
    doers = known.listed(statement.relation, statement.object)
    if doers is None:
        return False
    belong = (Fact(relation=MEMBERSHIP, subject=name, object=statement.group) for name in doers.members)
    return all(known.label(fact) is _REFUTED for fact in belong)


def _count(statement: said.Count, known: Knowledge) -> Label:
    members, are_all = known.members(statement.group)
    if are_all:
        return _SUPPORTED if len(members) == statement.number else _REFUTED
    return _REFUTED if len(members) > statement.number else _OPEN


def _ranked(statement: said.Ranked, known: Knowledge) -> Label:
    order, subject = statement.order, statement.subject
    others = [name for name in statement.members if name != subject]
    above = sum(known.holds(Fact(relation=order, subject=name, object=subject)) for name in others)
    below = sum(known.holds(Fact(relation=order, subject=subject, object=name)) for name in others)
    if above == statement.rank - 1 and above + below == len(others):
        return _SUPPORTED
    return _REFUTED if above > statement.rank - 1 or below > len(statement.members) - statement.rank else _OPEN


def _amounts(statement: said.Total | said.Ratio, known: Knowledge) -> tuple[Quantity, Quantity] | None:
    """Return the amount that the facts give and the one that the statement gives; None where one is not known.

    Values of two units are not added, nor those of a measure that does not add up.
    """
    if isinstance(statement, said.Ratio):
        values = _determined(statement.relation, (statement.subject, statement.other), known)
        if values is None:
            return None
        return values[0], Quantity(number=values[1].number * statement.factor, unit=values[1].unit)
    if statement.relation not in phrases().additive:
        return None
    values = _determined(statement.relation, statement.subjects, known)
    if values is None or not known.lexicon.units.comparable(values[0], statement.value):
        return None
    total = sum((value.number for value in values), Decimal())
    return Quantity(number=total, unit=values[0].unit), statement.value


def _determined(relation: str, names: Iterable[str], known: Knowledge) -> list[Quantity] | None:
    """Return the values of names in a relation that determines them; None where one is unknown, or units differ."""
    if known.lexicon.relations[relation].functional.get("value") != ("subject",):
        return None
    found = [known.values(Fact(relation=relation, subject=name)) for name in names]
    values = [values[0] for values in found if values]
    return values if len(values) == len(found) and len({value.unit for value in values}) == 1 else None
