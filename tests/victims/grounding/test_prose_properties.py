from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words

from confute.victims.grounding import Known, check, numerals, units
from confute.victims.grounding.check import grounding
from confute.victims.grounding.density import false_flag_chance
from confute.victims.grounding.matching import Status
from confute.victims.grounding.pool import entries
from confute.victims.grounding.prose import quantities
from confute.victims.grounding.support import support

WHOLE = st.integers(min_value=2, max_value=999_999_999)


def values(text: str, locale: str | None = None) -> list[Fraction]:
    return [one.value for one in quantities(text, locale) if one.skipped is None]


@given(WHOLE)
def test_words_of_an_independent_writer_are_read_back(number: int) -> None:
    assert values(f"It counted {num2words(number)} of them.") == [number]


@given(WHOLE, st.sampled_from([",", "\u00a0", "\u202f", "'"]))
def test_grouped_digits_are_one_number(number: int, mark: str) -> None:
    assert values(f"It was {number:,} kg".replace(",", mark)) == [number]


@given(WHOLE, st.integers(min_value=0, max_value=99))
def test_a_locale_decides_what_dot_and_comma_mean(number: int, cents: int) -> None:
    english = f"{number:,}.{cents:02d}"
    german = english.translate(str.maketrans(",.", ".,"))
    expected = [number + Fraction(cents, 100)]
    assert values(f"{english} kg", "en") == values(f"{german} kg", "de") == expected


@given(st.integers(1, 10**6), st.sampled_from("-\u2212\u2010\u2011\ufe63\uff0d\u2796\u2013"))
def test_every_minus_is_a_minus(number: int, minus: str) -> None:
    assert values(f"It is {minus}{number} today.") == [-number]


@given(st.integers(1, 9999), st.integers(-9, 9))
def test_scientific_notation_is_one_number(digits: int, power: int) -> None:
    assert values(f"about {digits}e{power} m and {digits} \u00d7 10^{power} m") == [digits * Fraction(10) ** power] * 2


@given(st.text(max_size=300), st.sampled_from([None, "de", "en"]))
def test_any_text_is_read_without_an_error_and_every_place_is_its_own(text: str, locale: str | None) -> None:
    found = quantities(text, locale)
    assert all(text[one.start : one.end] == one.token for one in found)
    assert all(left.start <= right.start for left, right in pairwise(found))


@given(st.integers(20, 10**5), st.sampled_from(["km", "kg", "bpm", "pct", "USD", "none"]))
def test_a_known_value_is_faithful_and_a_drift_of_a_tenth_is_not(number: int, unit: str) -> None:
    def status(value: float) -> list[Status]:
        forms = {"pct": f"{value}%", "USD": f"${value}", "none": f"{value}"}
        text = f"The level is {forms.get(unit, f'{value} {unit}')}."
        return [one.status for one in check(text, [Known(name="x", value=number, unit=unit)]).findings]

    assert status(number) == [Status.FAITHFUL]
    assert status(round(number * 1.1, 1)) == [Status.CONTRADICTED]


PINT = {
    "mi": "mile", "ft": "foot", "in": "inch", "lb": "pound", "oz": "ounce", "yd": "yard", "nmi": "nautical_mile",
    "kcal": "kilocalorie", "gal": "gallon", "acre": "acre", "ha": "hectare", "mph": "mph", "kWh": "kWh", "t": "tonne",
}  # fmt: skip
BASES = {
    "length": "meter",
    "mass": "kilogram",
    "energy": "joule",
    "volume": "liter",
    "area": "meter**2",
    "speed": "km/h",
}


@pytest.mark.parametrize("name", PINT)
def test_factors_are_those_of_pint(name: str) -> None:
    unit = units.named(name)
    size = pint.UnitRegistry().Quantity(1, PINT[name]).to(BASES[unit.dimension]).magnitude
    assert float(unit.factor) == pytest.approx(size, rel=2e-5)  # pint's acre is the US survey acre


@given(st.integers(-60, 120))
def test_temperatures_are_converted_with_their_offset(celsius: int) -> None:
    fahrenheit = units.named("c").convert(Fraction(celsius), units.named("f"))
    assert fahrenheit == Fraction(9 * celsius, 5) + 32


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(20, 5000), min_size=1, max_size=6, unique=True))
def test_the_chance_of_a_false_flag_is_the_share_of_draws_that_the_check_flags(known: list[int]) -> None:
    pool = entries([Known(name="q", value=one, unit="km") for one in known])
    low, high = min(known) / 2, max(known) * 2
    steps = 200
    draws = [low * (high / low) ** ((step + 0.5) / steps) for step in range(steps)]
    flagged = sum(bool(grounding(f"It has {draw:.6f} km here.", pool).flags) for draw in draws)
    # an even grid of 200 places is off by at most one place at each end of each of at most six bands
    assert flagged / steps == pytest.approx(false_flag_chance(pool)["km"], abs=12 / steps)


def test_undecided_verdicts_lower_coverage_and_the_strict_score_alone_as_handed_in_c59() -> None:
    found = support(["yes", "idk", "idk", "idk"])
    assert (found.score, found.coverage, found.strict_score) == (1.0, 0.25, 0.25)
    assert support([]).score is None


@pytest.mark.parametrize(
    ("words", "value"),
    [("one million eighty two thousand", 1_082_000), ("five thousand, six hundred", 5600), ("twenty twelve", None)],
)
def test_words_make_a_number_or_none(words: str, value: int | None) -> None:
    assert numerals.in_words(words) == value
