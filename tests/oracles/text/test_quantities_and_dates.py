"""Numbers and dates as running text states them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.oracles.text import dates, quantities
from confute.oracles.text.quantities import Bound, base_value


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("2,013 deaths", 2013, None, Bound.EXACT),
        ("$ 196 million", 196_000_000, "$", Bound.EXACT),
        ("over 67% of", 67, "%", Bound.MORE),
        ("at least two hundred and five", 205, None, Bound.AT_LEAST),
        ("about 1.5 km", Fraction(3, 2), "kilometer", Bound.ABOUT),
        ("-5 degrees", -5, None, Bound.EXACT),
    ],
)
def test_a_quantity_is_read_with_its_bound_and_unit(text: str, value: Fraction, unit: str | None, bound: Bound) -> None:
    (found,) = quantities.quantities(text)
    assert (found.value, found.unit, found.bound) == (value, unit, bound)


@pytest.mark.parametrize("text", ["IL-6", "COVID-19", "p53", "BRCA1", "no number"])
def test_a_number_within_a_word_is_no_quantity(text: str) -> None:
    assert quantities.quantities(text) == ()


def test_units_convert_exactly() -> None:
    left, right = quantities.single("2 hours"), quantities.single("120 minutes")
    assert left is not None
    assert right is not None
    assert base_value(left) == base_value(right) == (Fraction(7200), "[time]")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("5 May 1843", (1843, 5, 5, 1)),
        ("May 5 , 1843", (1843, 5, 5, 1)),
        ("1843-05-05", (1843, 5, 5, 1)),
        ("10th October 2017", (2017, 10, 10, 1)),
        ("May 1843", (1843, 5, None, 1)),
        ("March 24", (None, 3, 24, 1)),
        ("1980s", (1980, None, None, 10)),
        ("19th century", (1800, None, None, 100)),
    ],
)
def test_a_date_is_read_as_precisely_as_it_is_written(text: str, parts: tuple[int | None, ...]) -> None:
    found = dates.single(text)
    assert found is not None
    assert found.parts == parts


def test_a_day_that_no_calendar_has_is_no_date() -> None:
    assert dates.single("31 February 1900") is None


@given(st.text(max_size=80))
def test_no_text_breaks_the_readers(text: str) -> None:
    spans = [(found.start, found.end) for found in quantities.quantities(text)]
    spans += [(found.start, found.end) for found in dates.dates(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
