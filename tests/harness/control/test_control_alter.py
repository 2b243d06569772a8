from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.harness.control.alter import checkable, drifted, rendered, sign_flipped, unit_swapped


def test_what_renders_as_a_signed_zero_is_no_arm_and_zero_has_no_sign_to_flip_as_handed_in_c56() -> None:
    shown = [rendered(value, places=0) for value in (-0.4, -0.01, 0.0)]
    assert shown == [None, None, "0"]
    texts = [f"Change was {one} points." for one in shown if one is not None]
    assert [text for text in texts if sign_flipped(text) is not None] == []


@pytest.mark.parametrize(
    ("text", "drift", "expected"),
    [
        ("It cost $7,520,000 then.", 0.1, "It cost $8,272,000 then."),
        ("It grew by 8.5 percent.", -0.2, "It grew by 6.8 percent."),
        ("It lost 4 games.", 0.1, None),  # 4.4 shows as 4
        ("It has no number.", 0.1, None),
        ("It was in 1998.", 0.1, None),
        ("It has 50 seats.", 0.1, None),  # 55 is another value of the evidence
    ],
)
def test_a_number_drifts_in_the_precision_that_it_is_written_with(
    text: str, drift: float, expected: str | None
) -> None:
    assert drifted(text, drift, {Fraction(55)}) == expected


@given(st.decimals(min_value=-9999, max_value=9999, places=3), st.integers(0, 3))
def test_what_is_rendered_reads_back_with_its_sign(value: Decimal, places: int) -> None:
    text = rendered(value, places=places)
    if text is not None:
        (read,) = checkable(f"The level is {text} today.")
        assert read.value == Fraction(text)
        assert (read.value < 0) is (Decimal(text) < 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Freshness is -22.4 today.", "Freshness is 22.4 today."),
        ("It melts at minus 53 degrees.", "It melts at 53 degrees."),
        ("Profit fell by 34 percent.", "Profit rose by 34 percent."),
        ("Profit rose by 34 percent.", "Profit fell by 34 percent."),
        ("It has 34 rooms.", None),
    ],
)
def test_a_sign_is_turned_in_digits_or_in_words(text: str, expected: str | None) -> None:
    assert sign_flipped(text) == expected


def test_a_unit_is_replaced_and_the_number_kept() -> None:
    assert unit_swapped("It is 12 km away.") == "It is 12 miles away."
    assert unit_swapped("It cost $12.") == "It cost \u20ac12."
    assert unit_swapped("It has 12 rooms.") is None
