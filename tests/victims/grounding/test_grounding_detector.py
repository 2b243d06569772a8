from __future__ import annotations

import pytest

from confute.contract import Segmentation, Threshold, Victim
from confute.records import Pair
from confute.victims import load
from confute.victims.frozen import freeze
from confute.victims.grounding import GroundingCheck
from confute.victims.overlap import WordOverlap
from confute.victims.segmentation import passages


def no_embedder(name: str):
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("claim", "evidence", "reason"),
    [
        pytest.param("The legal age is 62.", "The legal age is 64.", "numeric_contradiction", id="handed c60"),
        pytest.param(
            "Telemetry is disabled by default.",
            "Telemetry is enabled by default.",
            "polarity_contradiction",
            id="handed c61",
        ),
        pytest.param(
            "This is not an exchange or return.",
            "This is an exchange or return.",
            "polarity_contradiction",
            id="handed c62",
        ),
        ("Telemetry is not disabled by default.", "Telemetry is enabled by default.", None),
        ("The legal age is sixty-four.", "The legal age is 64.", None),
        ("The firm was founded in 1993.", "The firm was founded in 1998.", "numeric_contradiction"),
        ("The bridge is 3 km long.", "The bridge has 3 lanes.", None),
    ],
)
def test_a_claim_is_ungrounded_where_its_evidence_contradicts_it(claim: str, evidence: str, reason: str | None) -> None:
    found = GroundingCheck().judge(Pair(claim=claim, evidence=(evidence,)))
    assert found.reason == reason
    assert found.grounded is (reason is None)


def test_overlap_certifies_what_the_check_refuses() -> None:
    pair = Pair(claim="The legal age is 62.", evidence=("The legal age is 64.",))
    # 4 of the claim's 5 words stand in the evidence: risk 1/5
    assert WordOverlap().score([pair]) == pytest.approx([0.2])
    assert GroundingCheck().score([pair]) == [1.0]


def test_a_contract_names_the_check() -> None:
    victim = Victim(detector="grounding", threshold=Threshold(value=0.5))
    frozen = freeze(victim, load.load(victim, no_embedder), None, [], [])
    scores = frozen.measure([Pair(claim=f"The age is {age}.", evidence=("The age is 64.",)) for age in (64, 62)])
    assert [frozen.decide(score) for score in scores] == ["ACCEPT", "REJECT"]


def test_a_new_number_or_none_at_all_is_no_contradiction_and_a_tie_at_one_half_accepts() -> None:
    pairs = [Pair(claim=claim, evidence=("The age is 64.",)) for claim in ("It has 900 rooms.", "It is blue.")]
    assert GroundingCheck().score(pairs) == [0.5, 0.5]


def test_an_abbreviation_and_a_decimal_end_no_sentence_as_handed_in_c64() -> None:
    text = "The U.S. rate is 4.5 percent. Dr. Ito agreed."
    assert len(passages((text,), Segmentation(unit="sentence"))) == 2
