"""Relations of quantities and their signs: numbers, units, directions."""

from __future__ import annotations

from decimal import Decimal

from confute.oracles.facts.fact import Fact, Quantity
from confute.oracles.facts.parse import Reading
from confute.oracles.relations.claim_edits import (
    differs_only_in,
    keeping,
    plain_facts,
    raising,
    replaced,
    style_of,
    tells_exactly,
)
from confute.oracles.relations.relation import Relation, Scene
from confute.records import Label

_TOLERANCE = Decimal("0.03")
_BASIS_POINT = "basis_point"
"""Nobody tells a profit's rise, or a stake, in basis points: no relation of the lexicon is one of rates."""


def _opposite_direction(scene: Scene, before: Reading, after: Reading) -> Label | None:
    relation = scene.lexicon.relations[before.fact.relation]
    is_signed = relation.value is not None and before.fact.value is not None
    is_opposite = after.fact.relation == relation.opposite and differs_only_in(("relation",), before.fact, after.fact)
    return Label.REFUTED if is_signed and is_opposite else None


def _other_number(scene: Scene, before: Reading, after: Reading) -> Label | None:
    """Take a number of the same unit that the document nowhere tells, no transposition and no change of sign."""
    numbers = _numbers(before.fact, after.fact)
    told = {fact.value for fact in plain_facts(scene)}
    if numbers is None or after.fact.value in told or _is_transposed(*numbers) or numbers[0] == -numbers[1]:
        return None
    return _false_value(scene, before)


def _transposed(scene: Scene, before: Reading, after: Reading) -> Label | None:
    numbers = _numbers(before.fact, after.fact)
    return _false_value(scene, before) if numbers is not None and _is_transposed(*numbers) else None


def _flipped_sign(scene: Scene, before: Reading, after: Reading) -> Label | None:
    plausible = scene.lexicon.relations[before.fact.relation].value
    numbers = _numbers(before.fact, after.fact)
    if numbers is None or plausible is None or plausible.low >= 0 or numbers[0] != -numbers[1]:
        return None
    return _false_value(scene, before)


def _other_unit(scene: Scene, before: Reading, after: Reading) -> Label | None:
    one, other = before.fact.value, after.fact.value
    if one is None or other is None or not differs_only_in(("value",), before.fact, after.fact):
        return None
    if _BASIS_POINT in (one.unit, other.unit):
        return None
    is_unit_alone = one.number == other.number and not scene.lexicon.units.same(one, other)
    return _false_value(scene, before) if is_unit_alone else None


def _digits_or_words(scene: Scene, before: Reading, after: Reading) -> bool:
    one, other = _style(scene, before), _style(scene, after)
    return before.fact == after.fact and ("words/0" in (one, other)) and one != other and one[-2:] == other[-2:] == "/0"


def _converted(scene: Scene, before: Reading, after: Reading) -> bool:
    one, other = before.fact.value, after.fact.value
    if one is None or other is None or one.unit == other.unit or _BASIS_POINT in (one.unit, other.unit):
        return False
    return scene.lexicon.units.same(one, other)


def _false_value(scene: Scene, before: Reading) -> Label | None:
    """Return REFUTED where the claim tells its value exactly, and all that determines it, else None."""
    is_determined = replaced("value", before.fact, scene.lexicon) is Label.REFUTED
    return Label.REFUTED if is_determined and tells_exactly(before) else None


def _numbers(before: Fact, after: Fact) -> tuple[Decimal, Decimal] | None:
    """Return two numbers of one unit that differ by over 3 %, where all else of the facts is the same."""
    one, other = before.value, after.value
    if not differs_only_in(("value",), before, after) or one is None or other is None or one.unit != other.unit:
        return None
    is_far = abs(one.number - other.number) > _TOLERANCE * abs(one.number)
    return (one.number, other.number) if is_far else None


def _is_transposed(one: Decimal, other: Decimal) -> bool:
    """Tell whether two numbers differ by two adjacent digits exchanged."""
    digits, others = (number.normalize().as_tuple() for number in (one, other))
    if (digits.sign, digits.exponent, len(digits.digits)) != (others.sign, others.exponent, len(others.digits)):
        return False
    apart = [index for index, pair in enumerate(zip(digits.digits, others.digits, strict=True)) if pair[0] != pair[1]]
    return len(apart) == 2 and apart[1] - apart[0] == 1 and sorted(digits.digits) == sorted(others.digits)


def _style(scene: Scene, reading: Reading) -> str:
    value: Quantity | None = reading.fact.value
    return "" if value is None else style_of(scene.lexicon.units.writings(value), reading.sentence.texts["value"])


_TRUE_VALUE = "a supported plain claim that tells its value exactly, and all that determines it"
VALUE_RELATIONS: tuple[Relation, ...] = (
    Relation(
        "C7",
        "direction antonym",
        "a supported plain claim of a change with an exact amount, whose relation has an opposite",
        raising(("relation",), _opposite_direction),
    ),
    Relation(
        "C8",
        "change exact quantity",
        f"{_TRUE_VALUE}; the other number is over 3 % away and not told in the document",
        raising(("value",), _other_number),
    ),
    Relation(
        "C9",
        "digits and words",
        "a claim with a whole number below 100, of ones or of millions, and its unit in full",
        keeping("value", _digits_or_words),
    ),
    Relation(
        "C10",
        "convert unit correctly",
        "a claim whose value is exactly a number of at most six digits in another unit; not in basis points",
        keeping("value", _converted),
    ),
    Relation(
        "C11",
        "change unit, keep number",
        f"{_TRUE_VALUE}, in a unit that has another of its dimension; not in basis points",
        raising(("value",), _other_unit),
    ),
    Relation(
        "C12",
        "transpose digits",
        f"{_TRUE_VALUE}, with two unequal adjacent digits whose exchange changes it by over 3 %",
        raising(("value",), _transposed),
    ),
    Relation(
        "C13",
        "flip sign",
        f"{_TRUE_VALUE}, not 0, of a relation whose values may be negative",
        raising(("value",), _flipped_sign),
    ),
)
