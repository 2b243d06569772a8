"""Units of measure: how they are written, and their exact size."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

COUNT = "none"
"""The unit of a bare number."""

PERCENT, POINTS, YEAR = "pct", "pp", "year"


class Unit(NamedTuple):
    """A unit: its dimension, and value_in_base = value * factor + offset, both exact."""

    name: str
    dimension: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    def convert(self, value: Fraction, other: Unit) -> Fraction:
        """Return a value of this unit in another unit of the same dimension."""
        return (value * self.factor + self.offset - other.offset) / other.factor


# dimension: (unit, factor, the ways to write it)
_TABLE = {
    "length": (
        ("km", "1000", "km kilometer kilometers kilometre kilometres"),
        ("m", "1", "m meter meters metre metres"),
        ("cm", "1/100", "cm centimeter centimeters centimetre centimetres"),
        ("mm", "1/1000", "mm millimeter millimeters millimetre millimetres"),
        ("mi", "1609.344", "mi mile miles"),
        ("yd", "0.9144", "yd yds yard yards"),
        ("ft", "0.3048", "ft foot feet \u2032"),
        ("in", "0.0254", "in inch inches \u2033"),
        ("nmi", "1852", "nmi"),
    ),
    "mass": (
        ("kg", "1", "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes"),
        ("g", "1/1000", "g gram grams gramme grammes"),
        ("mg", "1/1000000", "mg milligram milligrams"),
        ("ug", "1/1000000000", "\u00b5g \u03bcg ug mcg microgram micrograms"),
        ("t", "1000", "t tonne tonnes"),
        ("lb", "0.45359237", "lb lbs pound pounds"),
        ("oz", "0.028349523125", "oz ounce ounces"),
    ),
    "time": (
        ("ms", "1/1000", "ms msec millisecond milliseconds"),
        ("s", "1", "s sec secs second seconds"),
        ("min", "60", "min mins minute minutes"),
        ("h", "3600", "h hr hrs hour hours"),
        ("day", "86400", "d day days"),
        ("week", "604800", "wk wks week weeks"),
    ),
    "months": (("month", "1", "month months mo"), ("years", "12", "yr yrs years")),
    "energy": (
        ("kcal", "4184", "kcal kcals Cal calorie calories"),
        ("kJ", "1000", "kj kilojoule kilojoules"),
        ("J", "1", "joule joules"),
        ("kWh", "3600000", "kwh"),
        ("MWh", "3600000000", "mwh"),
    ),
    "power": (("W", "1", "w watt watts"), ("kW", "1000", "kw kilowatt kilowatts"), ("MW", "1000000", "mw")),
    "volume": (
        ("l", "1", "l liter liters litre litres"),
        ("ml", "1/1000", "ml milliliter milliliters millilitre millilitres"),
        ("gal", "3.785411784", "gal gallon gallons"),
    ),
    "area": (
        ("m2", "1", "m2 m\u00b2 sqm"),
        ("km2", "1000000", "km2 km\u00b2"),
        ("ha", "10000", "ha hectare hectares"),
        ("acre", "4046.8564224", "acre acres"),
        ("ft2", "0.09290304", "ft2 ft\u00b2 sqft"),
    ),
    "speed": (
        ("km/h", "1", "km/h kmh kph km\u00a0per\u00a0hour kilometers\u00a0per\u00a0hour kilometres\u00a0per\u00a0hour"),
        ("mph", "1.609344", "mph mi/h miles\u00a0per\u00a0hour"),
        ("m/s", "3.6", "m/s"),
    ),
    "rate": (("bpm", "1", "bpm beats\u00a0per\u00a0minute"), ("Hz", "60", "hz hertz")),
    "information": (
        ("B", "1", "byte bytes"),
        ("kB", "1000", "kb"),
        ("MB", "1000000", "mb"),
        ("GB", "1000000000", "gb"),
        ("TB", "1000000000000", "tb"),
    ),
    "ratio": ((PERCENT, "1", "% pct percent per\u00a0cent"), ("permille", "1/10", "\u2030")),
    "points": (
        (POINTS, "1", "pp pps percentage\u00a0point percentage\u00a0points"),
        ("bp", "1/100", "basis\u00a0point basis\u00a0points bps"),
    ),
    "currency USD": (("USD", "1", "$ us$ usd dollar dollars"), ("cent", "1/100", "cent cents")),
    "currency EUR": (("EUR", "1", "\u20ac eur euro euros"),),
    "currency GBP": (("GBP", "1", "\u00a3 gbp pounds\u00a0sterling pound\u00a0sterling"),),
    "currency JPY": (("JPY", "1", "\u00a5 jpy yen"),),
    "temperature": (
        ("c", "1", "c \u00b0c \u2103 celsius degc degrees\u00a0c degrees\u00a0celsius"),
        ("f", "5/9", "f \u00b0f \u2109 fahrenheit degf degrees\u00a0f degrees\u00a0fahrenheit"),
    ),
    "calendar year": ((YEAR, "1", ""),),
    "calendar month": (("calendar month", "1", ""),),
    "calendar day": (("date", "1", ""),),
}
_OFFSETS = {"f": Fraction(-160, 9)}
_CASED_LETTERS = frozenset("mgtlLhsdCFWJ")
_BY_NAME = {
    name: Unit(name, dimension, Fraction(factor), _OFFSETS.get(name, Fraction(0)))
    for dimension, units in _TABLE.items()
    for name, factor, _ in units
}
_BY_WRITING = {
    writing.replace("\u00a0", " "): _BY_NAME[name]
    for units in _TABLE.values()
    for name, _, writings in units
    for writing in writings.split(" ")
    if writing
}

WRITINGS = tuple(sorted(_BY_WRITING, key=lambda writing: (-len(writing), writing)))
"""Every way to write a unit, the longest first."""


def written(text: str) -> Unit | None:
    """Return the unit that a text writes in full, or None; only a single letter must have its own case."""
    if len(text) == 1 and text.isalpha() and text not in _CASED_LETTERS:
        return None
    return _BY_WRITING.get(text) or _BY_WRITING.get(" ".join(text.lower().split()))


def named(name: str) -> Unit:
    """Return the unit of a pool's entry: one of the table, or else a thing that is counted, such as `steps`."""
    return _BY_NAME.get(name) or written(name) or counted(name)


def counted(noun: str) -> Unit:
    """Return the unit of counted things; singular and plural are one, and `none` is the bare number."""
    lowered = noun.lower()
    if lowered in {COUNT, ""}:
        return Unit(COUNT, COUNT)
    return Unit(noun, f"count {singular(lowered)}")


def singular(noun: str) -> str:
    """Return a noun without its plural ending."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
