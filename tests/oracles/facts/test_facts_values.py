"""Numbers, quantities and dates: writing, reading, equality, conversion and shifting."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from confute.oracles.facts import builtin_lexicon, dates, numeral
from confute.oracles.facts.fact import Date, Quantity
from confute.oracles.facts.quantity import ValueRange

UNITS = builtin_lexicon().units


def quantity(number: int | str, unit: str) -> Quantity:
    return Quantity(number=Decimal(number), unit=unit)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,250", "1250"),
        ("1250", "1250"),
        ("1.25 billion", "1250000000"),
        ("forty-two", "42"),
        ("Forty-two million", "42000000"),
        ("three hundred and five", "305"),
        ("minus 7", "-7"),
        ("-0.5", "-0.5"),
    ],
)
def test_a_number_is_read_in_each_form(text: Any, number: Any) -> None:
    assert numeral.read(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "12,50", "1e5", "٣", "five six", "million", "1.2.3", "--5", "1,0000"])
def test_what_is_not_a_number_is_none(text: Any) -> None:
    assert numeral.read(text) is None


@given(st.integers(-(10**12), 10**12).map(Decimal) | st.decimals(-(10**6), 10**6, places=4))
def test_every_form_of_a_number_reads_as_that_number(number: Any) -> None:
    assert {numeral.read(text) for text in numeral.forms(number).values()} == {number}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("1", "kilometre"), ("1000", "metre")),
        (("1500", "milligram"), ("1.5", "gram")),
        (("90", "minute"), ("1.5", "hour")),
        (("2", "percent"), ("200", "basis_point")),
        (("125", "mile"), ("201.168", "kilometre")),  # 125 international miles of exactly 1.609344 km
    ],
)
def test_equal_amounts_in_two_units_are_the_same(left: Any, right: Any) -> None:
    assert UNITS.same(quantity(*left), quantity(*right))
    assert UNITS.converted(quantity(*left), right[1]) == quantity(*right)


def test_quantities_of_two_dimensions_are_never_the_same_and_never_ordered() -> None:
    assert not UNITS.same(quantity(5, "dollar"), quantity(5, "euro"))
    assert not UNITS.less(quantity(1, "metre"), quantity(5, "gram"))


def test_a_conversion_that_needs_more_than_six_digits_is_refused() -> None:
    assert UNITS.converted(quantity(7, "metre"), "foot") is None  # 22.9658...
    assert UNITS.converted(quantity("1.5", "hour"), "minute") == quantity(90, "minute")


@given(st.decimals("0.01", 10**6, places=2), st.sampled_from(["metre", "gram", "day", "percent"]))
def test_a_conversion_keeps_the_amount_exactly(number: Any, unit: Any) -> None:
    source = quantity(number, unit)
    for other in UNITS.siblings(unit):
        converted = UNITS.converted(source, other)
        assert converted is None or UNITS.same(converted, source)


def test_alternatives_are_other_amounts_within_the_plausible_range() -> None:
    source, plausible = quantity(847, "kilometre"), ValueRange(unit="kilometre", low=10, high=5000)
    found = list(UNITS.alternatives(source, plausible))
    numbers = {other.number for other in found if other.unit == "kilometre"}
    # transposed 487 and 874, last digit, ten percent up (931.7 -> 932), a tenth; tenfold is out of range
    assert {Decimal(487), Decimal(874), Decimal(848), Decimal(846), Decimal(932)} <= numbers
    assert Decimal("84.7") in numbers
    assert not {Decimal(847), Decimal(8470), Decimal(-847)} & numbers
    assert not any(UNITS.same(source, other) for other in found)
    assert quantity(847, "metre") in found
    assert quantity(847, "foot") not in found  # 3281 feet to the kilometre: no neighbour


def test_a_rounding_counts_only_beyond_three_percent() -> None:
    plausible = ValueRange(unit="kilometre", low=10, high=5000)
    # 1240 -> 1200 is 3.2 percent away, four steps of ten; 4150 -> 4200 is 1.2 percent, five steps
    assert quantity(1200, "kilometre") in UNITS.alternatives(quantity(1240, "kilometre"), plausible)
    assert quantity(4200, "kilometre") not in UNITS.alternatives(quantity(4150, "kilometre"), plausible)


def test_a_sign_is_flipped_only_where_the_range_has_a_negative_side() -> None:
    degrees = ValueRange(unit="degree_celsius", low=-100, high=100)
    assert quantity(-40, "degree_celsius") in UNITS.alternatives(quantity(40, "degree_celsius"), degrees)
    assert list(UNITS.alternatives(quantity(0, "degree_celsius"), degrees))
    assert quantity(0, "degree_celsius") not in UNITS.alternatives(quantity(0, "degree_celsius"), degrees)


def test_things_that_are_counted_stay_whole() -> None:
    people = ValueRange(unit="person", low=1, high=10**6)
    numbers = {other.number for other in UNITS.alternatives(quantity(1234, "person"), people)}
    assert Decimal("123.4") not in numbers
    assert all(Fraction(number).denominator == 1 for number in numbers)


@given(st.dates().map(lambda day: Date(year=day.year, month=day.month, day=day.day)))
def test_every_form_of_a_date_reads_as_that_date(date: Any) -> None:
    month, year = Date(year=date.year, month=date.month), Date(year=date.year)
    for one in (date, month, year):
        assert {dates.read(text) for text in dates.writings(one).values()} == {one}


def test_a_date_that_the_calendar_does_not_have_is_refused() -> None:
    assert dates.read("on 29 February 2023") is None
    assert dates.read("on 29 February 2024") == Date(year=2024, month=2, day=29)
    with pytest.raises(ValidationError, match="has no day 31"):
        Date(year=2024, month=4, day=31)
    with pytest.raises(ValidationError, match="needs a month"):
        Date(year=2024, day=3)


def test_a_year_contains_its_days_and_not_the_other_way_round() -> None:
    year, month, day = Date(year=2014), Date(year=2014, month=2), Date(year=2014, month=2, day=28)
    assert year.contains(month)
    assert month.contains(day)
    assert not day.contains(month)
    assert year.overlaps(day)
    assert not Date(year=2015).overlaps(day)


def test_shifted_dates_have_the_same_precision_and_differ() -> None:
    date = Date(year=2014, month=12, day=31)
    found = list(dates.shifted(date))
    assert date not in found
    assert Date(year=2041, month=12, day=31) in found  # transposed year
    assert Date(year=2014, month=1, day=31) in found  # the month after December, within the year
    assert Date(year=2014, month=12, day=13) in found  # transposed day
    assert all(other.day is not None for other in found)
