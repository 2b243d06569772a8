"""Small worlds: a plot of a domain played out with fresh names, numbers and dates."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from random import Random
from typing import NamedTuple

from confute.contract import Suite
from confute.oracles.facts import names
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.oracles.facts.lexicon import Domain, Plot
from confute.oracles.facts.quantity import ValueRange
from confute.records import NonBlank, Record

_PRECISIONS = ("year", "month", "day")


class Entity(Record):
    """A named thing: its name, the coined word in it, and its kind."""

    name: NonBlank
    word: NonBlank
    kind: NonBlank


class World(NamedTuple):
    """Things and the facts that hold between them."""

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]


def world(
    seed: int, domain: Domain, *, plot: int = 0, suite: Suite = Suite.DEVELOPMENT, taken: Collection[str] = ()
) -> World:
    """Return the world of one seed and plot; its coined words are of the suite and not among the `taken` ones."""
    random = Random(f"{seed}/world/{suite}/{domain.domain}/{plot}")  # noqa: S311  reproducible, no secret
    chosen = domain.plots[plot % len(domain.plots)]
    cast = _cast(chosen, domain, suite, random, taken)
    years = _years(domain, random, len(chosen.facts))
    facts = tuple(_fact(line, domain, cast, year, random) for line, year in zip(chosen.facts, years, strict=True))
    return World(tuple(cast.values()), facts)


def _cast(plot: Plot, domain: Domain, suite: Suite, random: Random, taken: Collection[str]) -> dict[str, Entity]:
    used, cast = {word.lower() for word in taken}, {}
    for kind, variables in plot.cast.items():
        for variable in variables:
            word, name = names.coin(domain.kinds[kind], suite, random, used)
            used.add(word.lower())
            cast[variable] = Entity(name=name, word=word, kind=kind)
    return cast


def _years(domain: Domain, random: Random, count: int) -> list[int]:
    """Draw a rising year for each fact, so that whatever a plot tells in order also happened in order."""
    first, last = domain.years
    span = random.randint(count, min(last - first, 4 * count))
    start = random.randint(first, last - span)
    return sorted(random.sample(range(start, start + span + 1), count))


def _fact(line: str, domain: Domain, cast: dict[str, Entity], year: int, random: Random) -> Fact:
    head, *rest = line.split(" ")
    manner: dict[str, object] = {}
    if head == "not":
        manner["polarity"], (head, *rest) = Polarity.NEGATIVE, rest
    elif head == "maybe":
        manner["modality"], (head, *rest) = Modality.POSSIBLE, rest
    elif head.startswith("says:"):
        manner["attribution"], (head, *rest) = cast[head.removeprefix("says:")].name, rest
    relation = domain.relations[head]
    who = [cast[word].name for word in rest if word in cast]
    precision = next((word for word in rest if word in _PRECISIONS), None)
    return Fact(
        relation=head,
        subject=who[0],
        object=who[1] if len(who) > 1 else None,
        value=_quantity(relation.value, random) if "value" in rest and relation.value else None,
        date=_date(year, precision, random) if precision else None,
        **manner,
    )


def _quantity(values: ValueRange, random: Random) -> Quantity:
    """Draw a number with its last significant digit not 0, spread over the range's powers of ten."""
    low, high = float(values.low), float(values.high)
    size = low * (high / low) ** random.random() if low > 0 else random.uniform(low, high)
    leading = f"{abs(size):.{values.digits - 1}e}"
    mantissa, _, exponent = leading.partition("e")
    step = Decimal(10) ** max(int(exponent) - values.digits + 1, 0)
    count = int(Decimal(mantissa).scaleb(int(exponent)) / step)
    if count % 10 == 0:
        count += random.randint(1, 9) if (count + 9) * step <= values.high else -random.randint(1, 9)
    return Quantity(number=(count * step).copy_sign(Decimal(size)), unit=values.unit)


def _date(year: int, precision: str, random: Random) -> Date:
    month = random.randint(1, 12) if precision != "year" else None
    return Date(year=year, month=month, day=random.randint(1, 28) if precision == "day" else None)
