"""The published table of four arms. Its three records are not public here; these have the metrics and the accident.

Known of the published demonstration: the metrics (resting heart rate and its baseline in bpm, freshness without a unit,
adherence in per cent), and that the corrupted heart rate falls on the baseline in every record, which is why its
corrupted arm is 0.75 and not 1.00. Records and templates below are rebuilt from that.
"""

from __future__ import annotations

from statistics import fmean

import pytest

from confute.victims.grounding import Known, check, published

RECORDS = [
    {"rhr": 52, "rhr_baseline": 55, "tsb": -22.4, "adherence": 87},
    {"rhr": 48, "rhr_baseline": 51, "tsb": -14.6, "adherence": 73},
    {"rhr": 60, "rhr_baseline": 64, "tsb": -31.2, "adherence": 91},
]
UNITS = {"rhr": "bpm", "rhr_baseline": "bpm", "tsb": "none", "adherence": "pct"}
FAITHFUL = (
    "Resting heart rate {rhr} bpm against a {rhr_baseline} bpm baseline. "
    "Freshness is {tsb}. Adherence was {adherence}%."
)
FLIPPED = "Freshness is {tsb}."
UNRELATED = [
    "The train left with 112 bpm music, 30 bpm drums, 412 seats and a 20% discount.",
    "The market held 140 bpm, 25 bpm, 900 stalls and 30% more light.",
    "The lake has 120 bpm ripples, 66.5 bpm waves, 3000 fish and 40% cloud.",
]


def pool(record: dict[str, float]) -> list[Known]:
    return [Known(name=name, value=value, unit=UNITS[name]) for name, value in record.items()]


def drifted(record: dict[str, float]) -> dict[str, float]:
    return {name: round(value * 1.07, 1 if name == "tsb" else 0) for name, value in record.items()}


def texts(arm: str) -> list[str]:
    if arm == "unrelated":
        return UNRELATED
    if arm == "sign_flip":
        return [FLIPPED.format(tsb=-record["tsb"]) for record in RECORDS]
    return [FAITHFUL.format(**(record if arm == "faithful" else drifted(record))) for record in RECORDS]


# Corrupted by 7 %: 52 -> 56 is 1.8 % from 55, 48 -> 51 is 51, 60 -> 64 is 64: exact by the 3 % rule, so 3 of 4 numbers
# are flagged. Unrelated: 66.5 bpm is 3.9 % from 64, 1 of the 12 numbers.
@pytest.mark.parametrize(
    ("arm", "bug", "share"),
    [
        ("faithful", False, 0.00),
        ("corrupted", False, 0.75),
        ("sign_flip", False, 1.00),
        ("unrelated", False, 0.08),
        ("sign_flip", True, 0.00),
    ],
)
def test_the_published_method_gives_the_published_table(arm: str, bug: bool, share: float) -> None:
    reports = [
        published.check(text, pool(record), magnitude_bug=bug) for text, record in zip(texts(arm), RECORDS, strict=True)
    ]
    assert round(fmean(report.share or 0.0 for report in reports), 2) == share


@pytest.mark.parametrize(("arm", "share"), [("faithful", 0.0), ("corrupted", 1.0), ("sign_flip", 1.0)])
def test_the_check_tells_apart_the_corrupted_values_that_fall_on_their_neighbours(arm: str, share: float) -> None:
    found = [check(text, pool(record)) for text, record in zip(texts(arm), RECORDS, strict=True)]
    assert fmean(len(one.flags) / one.checkable for one in found) == share
    if arm == "corrupted":
        # 52 -> 56 falls on no value; 48 -> 51 and 60 -> 64 are the baselines of their records
        assert [one.flags[0].collides_with for one in found] == [None, "rhr_baseline", "rhr_baseline"]
