"""Texts and pools on which readers of numbers went wrong in public; each with what the check must say of it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from confute.text import fold
from confute.victims.grounding import Known, check, published


class Reported(NamedTuple):
    name: str
    text: str
    pool: list[Known]
    locale: str | None
    flags: list[tuple[str, str, str]]
    status: dict[str, str]
    checkable: int | None
    published: list[tuple[str, str, str]]


REPORTED = [
    Reported(
        "c01",
        "Freshness is \u221222.4 today.",
        [Known(name="tsb", value=-22.4, unit="none")],
        None,
        [],
        {},
        None,
        [("22.4", "sign", "tsb")],
    ),
    Reported(
        "c02",
        "Freshness is \u221220.9 today.",
        [Known(name="tsb", value=-22.4, unit="none")],
        None,
        [("\u221220.9", "value", "tsb")],
        {},
        None,
        [("20.9", "sign", "tsb")],
    ),
    Reported(
        "c06",
        "Finish with 5.4 mixed reps.",
        [Known(name="distance", value=5.0, unit="mi")],
        None,
        [],
        {},
        None,
        [("5.4", "value", "distance")],
    ),
    Reported(
        "c07",
        "The app passed 5.4 million installs.",
        [Known(name="distance", value=5.0, unit="mi")],
        None,
        [],
        {},
        None,
        [("5.4", "value", "distance")],
    ),
    Reported(
        "c08",
        "Adherence was 80 percent.",
        [Known(name="adherence", value=87, unit="pct")],
        None,
        [("80", "value", "adherence")],
        {},
        None,
        [],
    ),
    Reported(
        "c09",
        "Adherence was 0.87 this week.",
        [Known(name="adherence", value=87, unit="pct"), Known(name="ratio", value=0.93, unit="none")],
        None,
        [],
        {},
        None,
        [("0.87", "value", "ratio")],
    ),
    Reported(
        "c10",
        "One author wrote 85% of it.",
        [Known(name="top_author_share", value=85.19, unit="pct")],
        None,
        [],
        {},
        None,
        [],
    ),
    Reported(
        "c16",
        "Verbrauch: 1.204,5 kcal.",
        [Known(name="energy", value=1204.5, unit="kcal")],
        "de",
        [],
        {"1.204,5": "faithful"},
        None,
        [],
    ),
    Reported(
        "c17",
        "Gewicht 20,5 kg.",
        [Known(name="plates", value=205, unit="none"), Known(name="weight", value=20.5, unit="kg")],
        "de",
        [],
        {"20,5": "faithful"},
        None,
        [],
    ),
    Reported(
        "c18",
        "Exports fell to 816\u202f000 t.",
        [Known(name="exports", value=816000, unit="t")],
        None,
        [],
        {"816\u202f000": "faithful"},
        1,
        [],
    ),
    Reported(
        "c19",
        "Output rose in 2012\u201313.",
        [Known(name="visits", value=2100, unit="none"), Known(name="rank", value=13.4, unit="none")],
        None,
        [],
        {},
        0,
        [("2012", "value", "visits")],
    ),
    Reported(
        "c22",
        "It fell to minus twenty this morning.",
        [Known(name="temp", value=-22, unit="c"), Known(name="temp_high", value=20, unit="c")],
        None,
        [("minus twenty", "value", "temp")],
        {},
        None,
        [],
    ),
    Reported(
        "c23",
        "You took five thousand, six hundred steps.",
        [Known(name="steps", value=5600, unit="steps")],
        None,
        [],
        {"five thousand, six hundred": "faithful"},
        None,
        [],
    ),
    Reported(
        "c24",
        "Output reached 1e2 units.",
        [Known(name="alerts", value=1, unit="none")],
        None,
        [],
        {"1e2": "unmatched"},
        None,
        [],
    ),
    Reported(
        "c25",
        "Built on SMT-LIB 2.6 with Python 3.10.",
        [Known(name="load", value=2.5, unit="none"), Known(name="score", value=3.0, unit="none")],
        None,
        [],
        {},
        0,
        [("2.6", "value", "load"), ("3.10", "value", "score")],
    ),
    Reported(
        "c26",
        "See section 4.5 and §3.2.",
        [Known(name="load", value=4.2, unit="none"), Known(name="score", value=3.1, unit="none")],
        None,
        [],
        {},
        0,
        [("4.5", "value", "load"), ("3.2", "value", "score")],
    ),
    Reported("c32", "Latency was 41 ms.", [Known(name="warmup", value=45, unit="min")], None, [], {}, None, []),
    Reported(
        "c33",
        "Humidity stayed below 62%.",
        [Known(name="humidity", value=62, unit="pct")],
        None,
        [("below 62%", "value", "humidity")],
        {},
        None,
        [],
    ),
    Reported(
        "c36",
        "Humidity is 62% now (55% yesterday).",
        [Known(name="humidity_today", value=62, unit="pct")],
        None,
        [],
        {"55%": "unmatched"},
        None,
        [("55", "value", "humidity_today")],
    ),
    Reported(
        "c39",
        "The sensor is 21 meters away.",
        [Known(name="temp", value=22, unit="none"), Known(name="height", value=21, unit="m")],
        None,
        [],
        {"21": "faithful"},
        None,
        [("21", "value", "temp")],
    ),
    Reported(
        "c40",
        "The stone is 430 mm wide.",
        [Known(name="stone_width", value=400, unit="mm"), Known(name="gap", value=0.4, unit="m")],
        None,
        [("430", "value", "stone_width")],
        {},
        None,
        [],
    ),
    Reported(
        "c42",
        "That makes 100 min over both days.",
        [
            Known(name="mon", value=52, unit="min"),
            Known(name="tue", value=48, unit="min"),
            Known(name="weekly_target", value=95, unit="min"),
        ],
        None,
        [],
        {"100": "derived"},
        None,
        [],
    ),
    Reported(
        "c43",
        "Revenue is down 5%.",
        [Known(name="change", value=-5, unit="pct")],
        None,
        [],
        {},
        None,
        [("5", "sign", "change")],
    ),
    Reported(
        "c46",
        "Conversion rose 2%.",
        [Known(name="conversion_delta", value=2, unit="pp"), Known(name="conversion_rel", value=33.3, unit="pct")],
        None,
        [],
        {"2%": "ambiguous"},
        None,
        [],
    ),
    Reported(
        "c47", "It spent $443 million in the year.", [Known(name="width", value=430, unit="in")], None, [], {}, None, []
    ),
    Reported(
        "c48",
        "Jog 2 2/3 miles.",
        [Known(name="loop", value=2.6667, unit="mi"), Known(name="lap", value=3.2, unit="mi")],
        None,
        [],
        {},
        1,
        [("3", "value", "lap")],
    ),
    Reported(
        "c52",
        "Resting heart rate 56 bpm against a 59 bpm baseline.",
        [Known(name="rhr", value=52, unit="bpm"), Known(name="rhr_baseline", value=55, unit="bpm")],
        None,
        [("56", "value", "rhr"), ("59", "value", "rhr_baseline")],
        {},
        None,
        [("59", "value", "rhr_baseline")],
    ),
]

CASES = pytest.mark.parametrize("case", REPORTED, ids=[case.name for case in REPORTED])


@CASES
def test_a_reported_text_is_flagged_where_it_contradicts_its_pool_and_nowhere_else(case: Reported) -> None:
    found = check(case.text, case.pool, case.locale)
    assert [(flag.token, flag.kind, flag.nearest) for flag in found.flags] == case.flags


@CASES
def test_the_status_of_each_number_is_the_one_that_was_asked_for(case: Reported) -> None:
    found = check(case.text, case.pool, case.locale)
    said = {fold(one.token): one.status.value for one in found.findings}
    assert {fold(token): said[fold(token)] for token in case.status} == {fold(k): v for k, v in case.status.items()}
    assert case.checkable in {None, found.checkable}


@CASES
def test_the_published_method_gives_what_was_observed_of_it(case: Reported) -> None:
    assert [tuple(flag) for flag in published.check(case.text, case.pool).flags] == case.published
