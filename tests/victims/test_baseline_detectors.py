import numpy as np
import pytest
from hashing_embedder import HashingEmbedder, TableEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from confute.records import Pair
from confute.victims.cosine import NearestPassage
from confute.victims.overlap import WordOverlap

TEXTS = st.text(st.sampled_from("abc de"), min_size=1, max_size=12)
PAIRS = st.builds(Pair, claim=TEXTS, evidence=st.lists(TEXTS, min_size=1, max_size=5).map(tuple))
PLANE = TableEmbedder({"claim": (0.8, 0.6), "x": (1.0, 0.0), "y": (0.0, 1.0), "away": (-0.8, -0.6)})


def nearest(*evidence):
    return NearestPassage(PLANE).score([Pair(claim="claim", evidence=evidence)])[0]


def overlap(claim, *evidence):
    return WordOverlap().score([Pair(claim=claim, evidence=evidence)])[0]


def test_the_nearest_passage_alone_counts():
    assert nearest("y", "x") == pytest.approx(0.2, abs=1e-7)  # 1 - max(0.6, 0.8)


def test_the_risk_of_an_opposite_passage_is_two_and_of_the_claim_itself_zero():
    assert nearest("away") == pytest.approx(2.0, abs=1e-7)
    assert nearest("away", "claim") == pytest.approx(0.0, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=8))
def test_nearest_passage_is_the_plain_formula_bitwise_the_same_in_every_batch(pairs):
    embedder = HashingEmbedder()
    detector = NearestPassage(embedder)
    for pair, score in zip(pairs, detector.score(pairs), strict=True):
        claim, *rows = embedder.embed([pair.claim, *pair.evidence]).astype(float)
        cosines = [row @ claim / np.linalg.norm(row) / np.linalg.norm(claim) for row in rows]
        assert score == pytest.approx(1 - max(cosines), abs=1e-12)
        assert NearestPassage(embedder).score([pair]) == [score]


def test_overlap_is_the_share_of_the_claims_distinct_words_that_the_evidence_lacks():
    # the, bridge, opened, in, 1932: "opened" and "in" are missing, so 2 of 5.
    assert overlap("The bridge opened in 1932. The bridge!", "the BRIDGE", "closed 1932") == pytest.approx(0.4)


def test_overlap_folds_case_and_compatibility_forms():
    assert overlap("ﬁne STRASSE", "fine straße") == 0.0


def test_a_claim_without_a_word_is_supported_by_nothing():
    assert overlap("?!", "?!") == 1.0
