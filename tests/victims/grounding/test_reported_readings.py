"""Sentences that the check once read wrongly, by kind; each with the value that is known and what must be said."""

from __future__ import annotations

from fractions import Fraction

import pint
import pytest

from confute.records import Pair
from confute.victims.grounding import GroundingCheck, Known, check, shares, units


def statuses(text: str, value: float, unit: str, name: str) -> list[str]:
    return [one.status.value for one in check(text, [Known(name=name, value=value, unit=unit)]).findings]


def is_flagged(text: str, value: float, unit: str, name: str) -> bool:
    return "contradicted" in statuses(text, value, unit, name)


@pytest.mark.parametrize(
    ("text", "value", "unit", "name"),
    [
        ("Revenue fell from 100 to 95.", 95, "none", "revenue"),
        ("The price rose from $4.00 to $5.00.", 5, "USD", "price"),
        ("Weight decreased from 80 kg to 76 kg.", 76, "kg", "weight"),
        ("Revenue was 95, up from 90.", 95, "none", "revenue"),
        ("Revenue was 95, down from about 100.", 95, "none", "revenue"),
        ("Sales rose to 95 from 90.", 95, "none", "sales"),
        ("Revenue was 95 compared with 100 a year earlier.", 95, "none", "revenue"),
    ],
)
def test_what_something_changed_from_is_of_another_time(text: str, value: float, unit: str, name: str) -> None:
    found = statuses(text, value, unit, name)
    assert "faithful" in found
    assert "contradicted" not in found


def test_a_comparison_is_no_range() -> None:
    assert statuses("Revenue was 95 compared to 100 the year before.", 95, "none", "revenue") == [
        "faithful",
        "unmatched",
    ]


def test_what_something_changed_to_is_compared() -> None:
    assert is_flagged("Revenue fell from 100 to 91.", 95, "none", "revenue")


def test_an_earlier_value_is_compared_with_the_earlier_value_of_the_evidence() -> None:
    pair = Pair(claim="Revenue fell from 110 to 95.", evidence=("Revenue fell from 100 to 95.",))
    assert GroundingCheck().score([pair]) == [1.0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It was -5 to -3 \u00b0C.", -4),
        ("It ranged from \u22125 \u00b0C to \u22123 \u00b0C.", -4),
        ("It ranged from -5 to 3 \u00b0C.", -1),
        ("It was -5\u2013-3 \u00b0C.", -4),
        ("Between -5 and -3 \u00b0C", -4),
        ("It ranged from 50 to 60 \u00b0C.", 55),
    ],
)
def test_a_range_may_have_ends_below_zero(text: str, value: float) -> None:
    assert statuses(text, value, "c", "temperature") == ["faithful"]
    assert statuses(text, value + 20, "c", "temperature") != ["faithful"]


# each second value is the first of the unit, converted by hand with the size of the unit
@pytest.mark.parametrize(
    ("right", "wrong", "value", "unit"),
    [
        ("310.15 K", "320.15 K", 37, "degC"),
        ("310.15 kelvin", "320.15 kelvin", 37, "degC"),
        ("1013.25 hPa", "1100 hPa", 1, "atm"),
        ("30 psi", "32 psi", 206.84, "kPa"),
        ("10 kWh", "11 kWh", 36, "MJ"),
        ("100 cal", "110 cal", 418.4, "J"),
        ("2048 MiB", "2200 MiB", 2, "GiB"),
        ("11 stone 6 lb", "12 stone 6 lb", 72.57, "kg"),
        ("150 basis points", "140 basis points", 1.5, "pct"),
        ("150 bps", "120 bps", 1.5, "pct"),
    ],
)
def test_a_unit_is_converted_into_that_of_the_known_value(right: str, wrong: str, value: float, unit: str) -> None:
    assert statuses(f"The level is {right}.", value, unit, "level") == ["faithful"]
    assert is_flagged(f"The level is {wrong}.", value, unit, "level")


PINT = {
    "kelvin": "delta_degC", "hPa": "hPa", "kPa": "kPa", "MPa": "MPa", "mbar": "mbar", "bar": "bar", "atm": "atm",
    "psi": "psi", "mmHg": "mmHg", "torr": "torr", "cal": "cal", "mJ": "mJ", "MJ": "MJ", "GJ": "GJ", "Wh": "Wh",
    "GWh": "GWh", "TWh": "TWh", "BTU": "Btu_it", "hp": "hp", "mW": "mW", "GW": "GW", "KiB": "KiB", "MiB": "MiB",
    "GiB": "GiB", "TiB": "TiB", "stone": "stone", "um": "um", "nm": "nm", "ly": "ly", "ns": "ns", "us": "us",
    "ng": "ng", "m3": "m**3", "cl": "cl", "dl": "dl", "knot": "knot",
}  # fmt: skip
BASES = {
    "temperature": "delta_degC", "pressure": "Pa", "energy": "J", "power": "W", "information": "byte", "mass": "kg",
    "length": "m", "time": "s", "volume": "l", "speed": "km/h",
}  # fmt: skip


def test_the_sizes_of_units_are_those_of_an_independent_table() -> None:
    registry = pint.UnitRegistry()
    for name, theirs in PINT.items():
        unit = units.named(name)
        size = registry.Quantity(1, theirs).to(BASES[unit.dimension]).magnitude
        assert float(unit.factor) == pytest.approx(size, rel=1e-7), name


@pytest.mark.parametrize("amount", ["42 Nm", "42 mA", "42 N", "42 L/min", "42 kg/m3", "42 \u00b5mol/L"])
@pytest.mark.parametrize("unit", ["m", "kg", "l", "none"])
def test_a_number_of_an_unknown_unit_is_never_read_in_the_unit_of_a_known_value(amount: str, unit: str) -> None:
    assert statuses(f"The level is {amount}.", 40, unit, "level") == ["unmatched"]


@pytest.mark.parametrize(
    ("text", "value", "unit", "name"),
    [
        ("Negative growth of 1.2 percent followed.", -1.2, "pct", "growth"),
        ("Losses narrowed to $5m.", -5e6, "USD", "profit"),
        ("He is 5 kg lighter.", -5, "kg", "weight change"),
        ("A (5)% margin is bad.", -5, "pct", "margin"),
        ("It has 10^6 cells.", 1e6, "cells", "cells"),
        ("It has 10\u2076 cells.", 1e6, "cells", "cells"),
        ("It has 10**6 cells.", 1e6, "cells", "cells"),
        ("Two dozen eggs lay there.", 24, "eggs", "eggs"),
        ("Half a dozen eggs lay there.", 6, "eggs", "eggs"),
        ("There were no deaths.", 0, "deaths", "deaths"),
    ],
)
def test_a_sign_or_a_size_in_words_is_read(text: str, value: float, unit: str, name: str) -> None:
    assert statuses(text, value, unit, name) == ["faithful"]
    assert statuses(text, value * 2 + 1, unit, name) != ["faithful"]


def test_the_change_of_a_loss_is_not_compared_with_its_level() -> None:
    for verb in ("widened", "fell", "narrowed"):
        assert statuses(f"Losses {verb} by $5m.", -5e6, "USD", "profit") == ["unmatched"]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Two thirds agreed.", Fraction(200, 3)),
        ("Three quarters of them agreed.", 75),
        ("A quarter of them agreed.", 25),
        ("Half of them agreed.", 50),
        ("A third of them agreed.", Fraction(100, 3)),
        ("1 in 5 agreed.", 20),
        ("Nine out of ten agreed.", 90),
    ],
)
def test_a_share_in_words_is_a_percentage(text: str, share: Fraction) -> None:
    assert statuses(text, round(float(share)), "pct", "agreed") == ["faithful"]
    assert statuses(text, round(float(share) + 9), "pct", "agreed") == ["contradicted"]


@pytest.mark.parametrize(
    "text", ["In the third quarter sales grew.", "It rained in the second half of the year.", "A third party sued."]
)
def test_a_quarter_of_a_year_a_half_of_a_time_and_a_third_one_are_no_shares(text: str) -> None:
    assert statuses(text, 40, "pct", "sales") == []


def test_a_share_is_never_greater_than_its_whole() -> None:
    assert shares.percentage("5 in 3") is None


@pytest.mark.parametrize(
    ("text", "contradicted", "fine"),
    [
        ("Costs fell more than 5 %.", -3, -7),
        ("Costs fell by at least 5 %.", -3, -5.2),
        ("Costs fell less than 5 %.", -7, -3),
        ("Costs rose more than 5 %.", 3, 7),
    ],
)
def test_a_bound_on_a_fall_is_turned_with_its_sign(text: str, contradicted: float, fine: float) -> None:
    assert is_flagged(text, contradicted, "pct", "costs change")
    assert not is_flagged(text, fine, "pct", "costs change")


def test_none_of_a_thing_contradicts_some() -> None:
    assert is_flagged("There were no deaths.", 5, "deaths", "deaths")
    assert is_flagged("No deaths occurred.", 5, "deaths", "deaths")
    assert statuses("No deaths of this kind are known.", 5, "deaths", "deaths") == []


def test_a_denied_number_neither_supports_nor_contradicts() -> None:
    assert statuses("Profit was not 5 million dollars.", 5e6, "USD", "profit") == ["unmatched"]
    assert statuses("Profit was not only 5 million dollars.", 5e6, "USD", "profit") == ["faithful"]


def test_an_exact_number_is_not_taken_for_a_rounded_one() -> None:
    assert statuses("1,000 guests came.", 1017, "guests", "guests") == ["faithful"]
    assert statuses("Exactly 1,000 guests came.", 1017, "guests", "guests") == ["contradicted"]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Delay was longer in patients aged over 75.", "Delay was longer in the 70 patients."),
        ("The 30- and 90-day mortality improved.", "Higher 30-day mortality (OR = 3.38) improved."),
        ("The Ambra Games were held on June 15 and 16.", "Ambra Games: the 15 events of June."),
        ("The Ambra Games were held on 15-16 June.", "Ambra Games: the 14 events of June."),
        ("Screening reached 40% of the Ambra Group.", "Screening reached the Ambra Group (P = 0.43)."),
    ],
)
def test_what_is_no_measure_of_the_evidence_contradicts_none_of_it(claim: str, evidence: str) -> None:
    assert GroundingCheck().judge(Pair(claim=claim, evidence=(evidence,))).grounding.flags == ()
