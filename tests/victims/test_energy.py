from itertools import pairwise

import numpy as np
import pytest
from hashing_embedder import HashingEmbedder, TableEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from confute.errors import VictimError
from confute.records import Pair
from confute.victims.energy import HallucinationEnergy, bases

PLANE = TableEmbedder(
    {
        "claim": (0.8, 0.6),
        "opposite": (-0.8, -0.6),
        "x": (1.0, 0.0),
        "long x": (7.0, 0.0),
        "y": (0.0, 1.0),
        "diagonal": (1.0, 1.0),
        "nan": (float("nan"), 1.0),
        "zero": (0.0, 0.0),
    }
)

WORDS = st.sampled_from(["bridge", "river", "opened", "1932", "court", "appeal", "copper", "heat", "not", "the"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
PAIRS = st.builds(Pair, claim=TEXTS, evidence=st.lists(TEXTS, min_size=1, max_size=9).map(tuple))


def energy(claim, *evidence, rank="full", embedder=PLANE):
    return HallucinationEnergy(embedder, rank).score([Pair(claim=claim, evidence=evidence)])[0]


def reference(pair, rank, embedder):
    """The definition, one pair at a time: the full SVD of E with the cut-off written out."""
    rows = embedder.embed([*pair.evidence, pair.claim]).astype(float)
    rows /= np.sqrt((rows**2).sum(axis=1))[:, None]
    _, values, right = np.linalg.svd(rows[:-1])
    kept = min(int((values > 1e-6 * values[0]).sum()), len(rows) if rank == "full" else rank)
    return min(max(1 - sum(float(right[i] @ rows[-1]) ** 2 for i in range(kept)), 0), 1)


def test_the_energy_of_a_claim_against_the_x_axis_is_its_squared_y_coordinate():
    assert energy("claim", "x") == pytest.approx(0.36, abs=1e-7)  # 0.6^2


def test_the_sign_of_a_claim_is_lost():
    assert energy("opposite", "x") == energy("claim", "x")


def test_evidence_counts_by_its_direction_and_not_by_its_length():
    assert energy("claim", "long x") == energy("claim", "x")


def test_evidence_that_spans_the_claim_leaves_no_energy():
    assert energy("claim", "x", "diagonal") == pytest.approx(0, abs=1e-12)


def test_rank_one_keeps_the_direction_with_the_most_evidence():
    # Two rows along x against one along y: singular values sqrt(2) and 1, so rank 1 keeps x and leaves 0.6^2.
    assert energy("claim", "x", "y", "x", rank=1) == pytest.approx(0.36, abs=1e-7)


def test_copies_of_a_passage_add_no_direction():
    embedder = HashingEmbedder()
    once = energy("the court closed", "the appeal court", embedder=embedder)
    for copies in (2, 8, 60):
        evidence = ("the appeal court",) * copies
        assert energy("the court closed", *evidence, embedder=embedder) == pytest.approx(once, abs=1e-12)


def test_a_direction_just_above_the_cutoff_counts_and_one_just_below_does_not():
    # Rows (1, 0) and (1, t) scaled to unit length have singular values about sqrt(2) and t / sqrt(2): a ratio of t / 2.
    for tilt, rows in ((1e-5, 2), (1e-7, 1)):
        stack = np.array([[[1.0, 0.0], [1.0, tilt]]])
        stack /= np.linalg.norm(stack, axis=2, keepdims=True)
        assert [len(basis) for basis in bases(stack, "full")] == [rows]


def test_a_basis_is_orthonormal_even_where_passages_are_nearly_parallel():
    rng = np.random.default_rng(0)
    stack = rng.normal(size=(1, 1, 40)) + 1e-4 * rng.normal(size=(3, 6, 40))
    stack /= np.linalg.norm(stack, axis=2, keepdims=True)
    for basis in bases(stack, "full"):
        assert np.abs(basis @ basis.T - np.eye(len(basis))).max() < 1e-13


@settings(max_examples=60, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=12), st.sampled_from([1, 2, 5, 8, "full"]))
def test_every_energy_is_what_the_definition_gives_for_the_pair_alone(pairs, rank):
    embedder = HashingEmbedder(dimension=6)
    scores = HallucinationEnergy(embedder, rank).score(pairs)
    assert scores == pytest.approx([reference(pair, rank, embedder) for pair in pairs], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=12), st.randoms(use_true_random=False), st.sampled_from([3, 7, 48, 384]))
def test_a_score_is_bitwise_the_same_whatever_else_is_in_the_batch(pairs, order, dimension):
    detector = HallucinationEnergy(HashingEmbedder(dimension), 8)
    together = dict(zip(pairs, detector.score(pairs), strict=True))
    shuffled = order.sample(pairs, len(pairs))
    assert dict(zip(shuffled, detector.score(shuffled), strict=True)) == together
    for pair in pairs:
        assert HallucinationEnergy(HashingEmbedder(dimension), 8).score([pair]) == [together[pair]]


def test_the_stacks_that_pairs_are_worked_out_in_do_not_show(monkeypatch):
    pairs = [
        Pair(claim=f"claim {place}", evidence=tuple(f"passage {place} {index}" for index in range(1 + place % 7)))
        for place in range(50)
    ]
    whole = HallucinationEnergy(HashingEmbedder(), 3).score(pairs)
    monkeypatch.setattr("confute.victims.projection._STACK_FLOATS", 500)
    assert HallucinationEnergy(HashingEmbedder(), 3).score(pairs) == whole


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_a_higher_rank_never_raises_the_energy(pair):
    embedder = HashingEmbedder()
    ranks = [1, 2, 3, 5, 8, "full"]
    energies = [HallucinationEnergy(embedder, rank).score([pair])[0] for rank in ranks]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(energies))


@settings(max_examples=40, deadline=None)
@given(PAIRS, TEXTS)
def test_at_full_rank_added_evidence_never_raises_the_energy(pair, added):
    more = Pair(claim=pair.claim, evidence=(*pair.evidence, added))
    before, after = HallucinationEnergy(HashingEmbedder(), "full").score([pair, more])
    assert after <= before + 1e-5  # passages are sums of words, dependent but for the float32 rounding of each


def test_more_passages_than_dimensions_span_everything():
    evidence = tuple(f"passage number {index}" for index in range(30))
    assert energy("another claim", *evidence, embedder=HashingEmbedder(8)) == pytest.approx(0, abs=1e-12)


def test_evidence_is_embedded_once_while_only_claims_change():
    embedder = HashingEmbedder()
    detector = HallucinationEnergy(embedder, 8)
    evidence = ("the bridge opened", "the river closed")
    detector.score([Pair(claim="a bridge", evidence=evidence)])
    detector.score([Pair(claim="a river", evidence=evidence), Pair(claim="a court", evidence=evidence)])
    assert embedder.asked == [["a bridge", *evidence], ["a river", "a court"]]


def test_kept_evidence_gives_bitwise_the_score_of_fresh_evidence():
    pair = Pair(claim="a bridge", evidence=("the bridge opened", "the river closed", "copper"))
    detector = HallucinationEnergy(HashingEmbedder(), 2)
    first = detector.score([pair])
    detector.score([Pair(claim=f"claim {index}", evidence=(f"e {index}", "copper")) for index in range(20)])
    assert detector.score([pair]) == first


def test_forgotten_evidence_is_worked_out_again(monkeypatch):
    monkeypatch.setattr("confute.victims.projection._CACHE_BYTES", 1000)
    embedder = HashingEmbedder()
    detector = HallucinationEnergy(embedder, 8)
    pairs = [Pair(claim="a bridge", evidence=(f"passage {index}",)) for index in range(9)]
    assert detector.score(pairs) == detector.score(pairs)
    assert len(embedder.asked[1]) > 5  # 48 doubles a row, so at most two of the nine sets are kept


@pytest.mark.parametrize("text", ["nan", "zero"])
def test_a_vector_without_a_direction_is_an_error_that_names_its_text(text):
    for pair in (Pair(claim=text, evidence=("x",)), Pair(claim="claim", evidence=("x", text))):
        with pytest.raises(VictimError, match=text):
            HallucinationEnergy(PLANE, 8).score([pair])


def test_an_embedder_that_loses_a_text_is_an_error():
    class Losing(HashingEmbedder):
        def embed(self, texts):
            return super().embed(texts)[:-1]

    with pytest.raises(VictimError, match="one vector a text"):
        HallucinationEnergy(Losing(), 8).score([Pair(claim="a", evidence=("b",))])


def test_no_pairs_have_no_scores():
    assert HallucinationEnergy(PLANE, 8).score([]) == []
