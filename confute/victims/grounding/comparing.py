"""One quantity against one known value: whether they can be compared, agree, or contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction

from confute.victims.grounding.pool import Entry
from confute.victims.grounding.quantity import Bound, Quantity
from confute.victims.grounding.units import BASIS_POINT, COUNT, PERCENT, POINTS

NEARBY = Fraction(12, 100)
"""Up to this share of a known value, a number is taken for a wrong citation of it."""

FLIPPED = Fraction(1, 2)
"""Up to this share, a number of the other sign is taken for a wrong citation."""

_ROUNDED = Fraction(3, 100)
_ABOUT = Fraction(5, 100)
_FINE = Fraction(1, 200)
_SHARES = frozenset({"ratio", "points"})
_TURNED = {
    Bound.MORE: Bound.LESS,
    Bound.AT_LEAST: Bound.AT_MOST,
    Bound.LESS: Bound.MORE,
    Bound.AT_MOST: Bound.AT_LEAST,
}


class Kind(StrEnum):
    """How a number contradicts a known one."""

    VALUE = "value"
    SIGN = "sign"


def is_like(quantity: Quantity, entry: Entry) -> bool:
    """Tell whether both are of one dimension, a count of things being of the dimension of those things.

    Basis points are hundredths of per cent and of percentage points alike.
    """
    if quantity.unit.name == COUNT and entry.unit.name == COUNT:
        return quantity.noun is None or entry.is_given
    if BASIS_POINT in {quantity.unit.name, entry.unit.name}:
        return {quantity.unit.dimension, entry.unit.dimension} <= _SHARES
    return quantity.unit.dimension == entry.unit.dimension


def is_elliptic(quantity: Quantity, entry: Entry) -> bool:
    """Tell whether a bare number may leave out the unit of a known value: `It fell to minus twenty`."""
    if entry.unit.dimension.startswith("calendar"):
        return False
    return quantity.unit.name == COUNT and quantity.noun is None and entry.unit.name != COUNT


def values(quantity: Quantity, entry: Entry) -> Iterator[Fraction]:
    """Yield what a quantity may say in the unit of a known value, the likeliest first; nothing where they differ."""
    for reading in quantity.readings:
        signed = reading
        if quantity.direction < 0 and not quantity.signed:
            signed = -abs(reading)
        for value in (signed, abs(reading)) if signed < 0 and entry.is_decline else (signed,):
            yield from _in_unit(value, quantity, entry)


def _in_unit(value: Fraction, quantity: Quantity, entry: Entry) -> Iterator[Fraction]:
    if is_like(quantity, entry):
        yield value if quantity.unit.name == entry.unit.name == COUNT else quantity.unit.convert(value, entry.unit)
    elif entry.unit.name == PERCENT and quantity.unit.name == COUNT and abs(value) <= 1 and quantity.noun is None:
        yield value * 100
    elif quantity.unit.name == PERCENT and entry.unit.name == COUNT and abs(entry.value) <= 1:
        yield value / 100
    elif is_elliptic(quantity, entry):
        yield value


def agrees(quantity: Quantity, entry: Entry) -> bool:
    """Tell whether a quantity states a known value: to the precision that either shows, within a range, or a bound.

    Trailing zeros may be rounding where the result is within 3 %, and `about` gives 5 %. A bound agrees with a value on
    its side that is within `NEARBY` of it.
    """
    return any(_states(quantity, entry, value) for value in values(quantity, entry))


def _states(quantity: Quantity, entry: Entry, value: Fraction) -> bool:
    if entry.bound not in {Bound.EXACT, Bound.ABOUT} and value == entry.value:
        return True
    bound = _bound(quantity, value)
    if bound not in {Bound.EXACT, Bound.ABOUT}:
        return _within(bound, entry.value, value) and _share(value, entry) <= NEARBY
    slack = max(_scaled(quantity.half_unit, quantity, entry, value), min(entry.half_unit, _FINE * abs(entry.value)))
    if quantity.bound is Bound.ABOUT:
        slack = max(slack, _ABOUT * abs(entry.value))
    low, high = sorted((value, _upper(quantity, entry, value)))
    if low - slack <= entry.value <= high + slack:
        return True
    if entry.upper is not None and min(entry.value, entry.upper) <= value <= max(entry.value, entry.upper):
        return True
    coarse = _scaled(quantity.coarse, quantity, entry, value)
    return quantity.upper is None and abs(value - entry.value) <= min(coarse, _ROUNDED * abs(entry.value))


def contradicts(quantity: Quantity, entry: Entry, *, named: bool) -> Kind | None:
    """Return how a quantity contradicts a known value that it does not agree with, or None where it is about another.

    A number of the other sign contradicts within `NEARBY` of the magnitude, or within `FLIPPED` where the text says
    its sign or names the value; one of the same sign within `NEARBY`, or anywhere where the text names the value.
    """
    value = next(values(quantity, entry), None)
    if value is None or (quantity.direction != 0 and not entry.is_change and not entry.is_decline):
        return None
    if entry.bound not in {Bound.EXACT, Bound.ABOUT} and _within(entry.bound, value, entry.value):
        return None
    bound = _bound(quantity, value)
    if bound not in {Bound.EXACT, Bound.ABOUT} and _within(bound, entry.value, value):
        return None
    if not entry.is_given and _is_fraction(quantity, entry):
        return None
    if value * entry.value < 0:
        said = named or quantity.signed or quantity.direction != 0
        gap = abs(abs(value) - abs(entry.value))
        return Kind.SIGN if gap <= (FLIPPED if said else NEARBY) * abs(entry.value) else None
    near = min(_share(value, entry), _share(_upper(quantity, entry, value), entry)) <= NEARBY
    return Kind.VALUE if near or named else None


def _is_fraction(quantity: Quantity, entry: Entry) -> bool:
    """Tell whether one is per cent and the other a bare number up to 1, which in evidence may be any statistic."""
    bare = {quantity.unit.name: quantity.value, entry.unit.name: entry.value}
    return bare.keys() == {PERCENT, COUNT} and abs(bare[COUNT]) <= 1


def is_ambiguous(quantity: Quantity, entry: Entry) -> bool:
    """Tell whether a quantity is per cent where the same number is known in percentage points, or the reverse."""
    names = {quantity.unit.name, entry.unit.name}
    return names == {PERCENT, POINTS} and any(
        abs(abs(one) - abs(entry.value)) <= quantity.half_unit for one in quantity.readings
    )


def distance(quantity: Quantity, entry: Entry) -> Fraction:
    """Return the signed distance, as a share of the known value, between what a quantity says and that value."""
    return min((_share(value, entry) for value in values(quantity, entry)), default=Fraction(10**9))


def _share(value: Fraction, entry: Entry) -> Fraction:
    return abs(value - entry.value) / abs(entry.value) if entry.value else Fraction(10**9 if value else 0)


def _upper(quantity: Quantity, entry: Entry, low: Fraction) -> Fraction:
    if quantity.upper is None:
        return low
    upper = -quantity.upper if quantity.direction < 0 and not quantity.signed else quantity.upper
    return next(_in_unit(upper, quantity, entry), low)


def _scaled(slack: Fraction, quantity: Quantity, entry: Entry, value: Fraction) -> Fraction:
    """Return a slack of the quantity's unit in the unit of the known value."""
    if slack == 0 or not quantity.value:
        return slack
    if is_like(quantity, entry) and quantity.unit.name != COUNT:
        return slack * quantity.unit.factor / entry.unit.factor
    return slack * abs(value / quantity.value)


def _bound(quantity: Quantity, value: Fraction) -> Bound:
    """Return the bound on a signed value: what fell by more than 5 has changed by less than -5."""
    if quantity.direction < 0 and not quantity.signed and value < 0:
        return _TURNED.get(quantity.bound, quantity.bound)
    return quantity.bound


def _within(bound: Bound, value: Fraction, limit: Fraction) -> bool:
    match bound:
        case Bound.LESS:
            return value < limit
        case Bound.AT_MOST:
            return value <= limit
        case Bound.MORE:
            return value > limit
        case Bound.AT_LEAST:
            return value >= limit
        case _:
            return value == limit
