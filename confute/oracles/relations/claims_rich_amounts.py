"""Rows on amounts: about, more than, ranks, sums and ratios."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from random import Random

from confute.oracles.facts.fact import Fact, Quantity
from confute.oracles.facts.parse import Reading
from confute.oracles.relations import forms
from confute.oracles.relations.casts import Cast
from confute.oracles.relations.claim_edits import tells_exactly
from confute.oracles.relations.claims_rich import instances, label_in, pair, scaled, supported, worded_alike
from confute.oracles.relations.phrases import phrases
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene
from confute.oracles.relations.saying import claim
from confute.oracles.relations.statement import Bound, Bounded, Conjunction, Ranked, Ratio, Statement, Total
from confute.records import Label

_FACTORS = ("2", "3", "4", "5", "1.5", "2.5")
_WRONG_FACTORS = ("2", "3", "4", "5", "6", "1.5", "2.5", "3.5")
_RANKED = 4
_FAR = ("0.8", "0.85", "0.9", "1.12", "1.2", "1.3", "1.5")
_BELOW = ("0.5", "0.6", "0.7", "0.8", "0.9")
_ABOVE = ("1.1", "1.2", "1.4", "1.5", "1.6", "2")
_WRONG = ("0.8", "0.85", "0.9", "1.1", "1.15", "1.25")


def _about(scene: Scene, random: Random) -> Iterator[Instance]:
    """Round a supported value within the tolerance, and beyond it."""
    measured = _measured(scene)
    if measured is None:
        return
    reading, value = measured
    for inside in (scaled(scene, value, ("1",), random), value):
        found = list(_bounded(scene, reading, inside, Bound.ABOUT, random))
        if found and found[0].expected is Expected.INVARIANT:
            yield from found
            break
    outside = _bounded(scene, reading, scaled(scene, value, _FAR, random), Bound.ABOUT, random)
    yield from (one for one in outside if one.expected is Expected.RISES)


def _more_than(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say that a supported value is more than one below it, and more than one above it."""
    measured = _measured(scene)
    if measured is None:
        return
    reading, value = measured
    for shares, expected in ((_BELOW, Expected.INVARIANT), (_ABOVE, Expected.RISES)):
        found = _bounded(scene, reading, scaled(scene, value, shares, random), Bound.MORE_THAN, random)
        yield from (one for one in found if one.expected is expected)


def _measured(scene: Scene) -> tuple[Reading, Quantity] | None:
    """Return a supported claim and its exact value above 0, None for any other claim."""
    reading = supported(scene)
    if reading is None or reading.fact.value is None or reading.fact.value.number <= 0 or not tells_exactly(reading):
        return None
    return reading, reading.fact.value


def _bounded(
    scene: Scene, reading: Reading, value: Quantity | None, bound: Bound, random: Random
) -> Iterator[Instance]:
    """Put a bound before the claim's value, or before another one of the same format; all else stays word for word."""
    if value is None:
        return
    fact = reading.fact.model_copy(update={"value": value})
    sentence = worded_alike(reading, fact, scene.lexicon)
    if sentence is None or scene.claim.lower().startswith(reading.sentence.texts["value"].lower()):
        return
    bounded = f"{random.choice(forms.BOUNDED[bound])} {sentence.texts['value']}"
    after = sentence._replace(texts=sentence.texts | {"value": bounded}).text
    found = label_in(scene, Bounded(fact=fact, bound=bound))
    if found in (Label.SUPPORTED, Label.UNSUPPORTED, Label.REFUTED):
        yield from instances(scene, (), (scene.claim, after), None if found is Label.SUPPORTED else found)


def _ranked(scene: Scene, random: Random) -> Iterator[Instance]:
    """Rank one of four measured things rightly, then one place off, or put another thing in its place."""
    for order in phrases().superlatives:
        declared = scene.lexicon.orders[order]
        measured = Cast(scene, random).measured(declared.by[0], _RANKED)
        if not measured:
            continue
        highest_first = sorted(measured, key=_number, reverse=declared.direction == "greater")
        members = tuple(random.sample([fact.subject for fact in measured], _RANKED))
        rank = random.randint(1, _RANKED)
        right = Ranked(order=order, members=members, subject=highest_first[rank - 1].subject, rank=rank)
        other = random.choice([place for place in (rank - 1, rank + 1) if 1 <= place <= _RANKED])
        shifts: tuple[dict[str, object], ...] = ({"rank": other}, {"subject": highest_first[other - 1].subject})
        wrong = right.model_copy(update=random.choice(shifts))
        yield from instances(scene, _beside(scene, measured), pair(right, wrong, scene.lexicon, random), Label.REFUTED)


def _derived(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say two values one by one, then their sum or ratio; and then a wrong sum or ratio."""
    for relation in phrases().measures:
        for summed in (True, False) if relation in phrases().additive else (False,):
            cast = Cast(scene, random)
            facts = cast.measured(relation, 2) if summed else _multiple(relation, scene, cast, random)
            if len(facts) < 2:
                continue
            right, wrong = _total(facts, random) if summed else _ratio(facts, random)
            told, singly = _beside(scene, facts), claim(Conjunction(parts=facts), scene.lexicon, random)
            yield from instances(scene, told, (singly, claim(right, scene.lexicon, random)))
            yield from instances(scene, told, pair(right, wrong, scene.lexicon, random), Label.REFUTED)


def _total(facts: tuple[Fact, ...], random: Random) -> tuple[Statement, Statement]:
    unit = next(fact.value.unit for fact in facts if fact.value is not None)
    total = sum(map(_number, facts), Decimal())
    wrong = (total * Decimal(random.choice(_WRONG))).to_integral_value()
    right = Total(
        relation=facts[0].relation,
        subjects=tuple(fact.subject for fact in facts),
        value=Quantity(number=total, unit=unit),
    )
    return right, right.model_copy(update={"value": Quantity(number=wrong, unit=unit)})


def _multiple(relation: str, scene: Scene, cast: Cast, random: Random) -> tuple[Fact, ...]:
    """Return a measured thing and, before it, a fresh one of which the value is a plain multiple."""
    known = cast.measured(relation, 1)
    plausible = scene.lexicon.relations[relation].value
    for fact in known:
        for factor in random.sample(_FACTORS, len(_FACTORS)):
            number = _number(fact) * Decimal(factor)
            if plausible is not None and number <= plausible.high and number == number.to_integral_value():
                value = Quantity(number=number, unit=plausible.unit)
                return Fact(relation=relation, subject=cast.like(fact.subject), value=value), fact
    return ()


def _ratio(facts: tuple[Fact, ...], random: Random) -> tuple[Statement, Statement]:
    one, other = facts
    factor = _number(one) / _number(other)
    right = Ratio(relation=one.relation, subject=one.subject, other=other.subject, factor=factor)
    wrong = random.choice([Decimal(other) for other in _WRONG_FACTORS if Decimal(other) != factor])
    return right, right.model_copy(update={"factor": wrong})


def _number(fact: Fact) -> Decimal:
    return Decimal() if fact.value is None else fact.value.number


def _beside(scene: Scene, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact not in scene.document.facts)


_EXACT = "a supported plain claim with an exact value above 0 that does not begin it; its words and format stay"
AMOUNTS: tuple[Relation, ...] = (
    Relation("C14", "'about N' inside / outside the tolerance", _EXACT, _about),
    Relation("C15", "'more than k', k below / above", _EXACT, _more_than),
    Relation("C35", "ordinal or superlative shift", "a document with a measure that orders things by size", _ranked),
    Relation("C38", "derived sum or ratio, right / wrong", "a document with a measure of sums or ratios", _derived),
)
