"""What is known: named values with units, given by a user or read from evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from pydantic import FiniteFloat

from confute.records import NonBlank, Record
from confute.victims.grounding import naming, wording
from confute.victims.grounding.prose import quantities
from confute.victims.grounding.quantity import Bound, Quantity
from confute.victims.grounding.units import COUNT, Unit, named

_FULL, _MOST = 1.0, 0.6
_CHANGES = naming.words_of_name("change delta diff difference growth trend shift net balance")
_DECLINES = naming.words_of_name("loss decline drop decrease reduction deficit fall shrinkage")


class Known(Record):
    """A value that is known: its name, the number, and its unit as `km`, `pct`, `USD`, `none` or a counted noun.

    The name is what prose calls it, as words or an identifier: `resting heart rate`, `rhr_baseline`. A unit that no
    table knows is taken for the noun of a counted thing.
    """

    name: NonBlank
    value: FiniteFloat
    unit: NonBlank = COUNT


@dataclass(frozen=True, slots=True)
class Entry:
    """A known value as it is compared: exact, with half a unit of its last digit, and the words that name it.

    `named_from` is the share of those words that must stand beside a number to name the entry. `upper` and `bound` are
    of a value that evidence gives as a range or a bound; `moment` is the other time that it is of, `names` the
    capitalised words of the sentence that says it; `directed` is one that something fell or rose by.
    """

    name: str
    value: Fraction
    unit: Unit
    half_unit: Fraction
    words: frozenset[str]
    named_from: float
    upper: Fraction | None = None
    bound: Bound = Bound.EXACT
    moment: str | None = None
    names: frozenset[str] = frozenset()
    directed: bool = False

    @property
    def is_given(self) -> bool:
        """Whether a user gave the value with its name; one read from evidence has but the words around it."""
        return self.named_from == _FULL

    @property
    def is_change(self) -> bool:
        """Whether the value is by how much something changed, and no level."""
        return self.directed or self.value < 0 or bool(self.words & _CHANGES)

    def words_for(self, direction: int) -> frozenset[str]:
        """Return the words that name the value; beside `rose` or `fell` a user's name need not say `change` again."""
        subject = self.words - _CHANGES
        return subject if direction and self.is_given and subject else self.words

    @property
    def is_decline(self) -> bool:
        """Whether the value is by how much something fell, written without a sign."""
        return self.value > 0 and bool(self.words & _DECLINES)


def entries(pool: Iterable[Known]) -> tuple[Entry, ...]:
    """Return a user's pool as entries, in its order."""
    return tuple(_entry(known) for known in pool)


def _entry(known: Known) -> Entry:
    written = Decimal(repr(known.value)).normalize()
    places = -int(written.as_tuple().exponent)
    return Entry(
        name=known.name,
        value=Fraction(written),
        unit=named(known.unit),
        half_unit=Fraction(1, 2 * 10**places) if places > 0 else Fraction(0),
        words=naming.words_of_name(known.name),
        named_from=_FULL,
        moment=wording.moment("", known.name.replace("_", " ")),
    )


@lru_cache(maxsize=256)
def read(passages: tuple[str, ...], locale: str | None = None) -> tuple[Entry, ...]:
    """Return the quantities that passages state, each named by the words around it."""
    found = []
    for passage in passages:
        stated = quantities(passage, locale)
        for quantity, window in zip(stated, naming.windows(stated, passage), strict=True):
            if quantity.skipped is None or quantity.unit.dimension.startswith("calendar"):
                found.append(_stated(quantity, window))
    return tuple(found)


def _stated(quantity: Quantity, window: naming.Window) -> Entry:
    sign = -1 if quantity.direction < 0 and not quantity.signed else 1
    return Entry(
        name=_shortened(f"{window.before} {quantity.token} {window.after}"),
        value=sign * quantity.value,
        unit=named(quantity.noun) if quantity.noun and quantity.unit.name == COUNT else quantity.unit,
        half_unit=quantity.half_unit,
        words=naming.content_words(f"{window.before} {window.after}"),
        named_from=_MOST,
        upper=quantity.upper,
        bound=quantity.bound,
        moment=wording.moment(window.before, window.after),
        directed=quantity.direction != 0,
        names=naming.names(window.sentence)[1],
    )


def _shortened(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip()
    return plain if len(plain) <= 80 else f"{plain[:77]}..."
