"""The mining engine against the definition, pair by pair, in float64."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confute.errors import VictimError
from confute.harness.mining import bases, energies, shortlist
from confute.harness.mining.shortlist import NONE

RANKS = (1, 2, 4, "full")


def ragged(sets):
    """Return the rows of all sets, one after another, and the offsets at which each set begins."""
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in sets])]).astype(np.intp)
    return np.concatenate(list(sets)).astype(np.float32, copy=False), offsets


def energy_of(claim, rows, rank="full"):
    """1 - ||V_r c||^2 by one thin SVD, directions at or below 1e-6 of the largest singular value left out."""
    rows = np.asarray(rows, dtype=np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    claim = np.asarray(claim, dtype=np.float64)
    claim = claim / np.linalg.norm(claim)
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    basis = right[values > 1e-6 * values[0]]
    basis = basis if rank == "full" else basis[:rank]
    return np.clip(1 - np.square(basis @ claim).sum(), 0, 1)


def unit(vectors):
    vectors = np.asarray(vectors, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def pool(seed, n_claims, n_sets, dimension=24, most_rows=6):
    """Return random unit claims and ragged evidence, some of it near copies, some of it exact ones."""
    generator = np.random.default_rng(seed)
    claims = unit(generator.normal(size=(n_claims, dimension)))
    sets = []
    for number in range(n_sets):
        rows = generator.normal(size=(generator.integers(1, most_rows + 1), dimension))
        if number % 4 == 1:
            rows[-1] = rows[0]
        if number % 4 == 2:
            rows[-1] = rows[0] + 1e-3 * rows[-1]
        sets.append(np.asarray(rows * generator.uniform(0.1, 9), dtype=np.float32))
    lists = [sorted(generator.choice(n_sets, size=min(n_sets, 2), replace=False).tolist()) for _ in range(n_claims)]
    return claims, sets, lists


def ranked(claims, made, lists, k):
    """The k most similar eligible sets by a full sort of (-similarity, number)."""
    found = []
    for claim, banned in zip(claims, lists, strict=True):
        similarity = made.centroids @ claim
        order = [one for one in np.lexsort((np.arange(len(similarity)), -similarity)) if one not in banned]
        found.append((order[:k] + [NONE] * k)[: min(k, len(similarity))])
    return np.array(found)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 40), st.integers(1, 45))
def test_shortlist_and_energies_are_those_of_the_definition(seed, n_claims, n_sets, k):
    claims, sets, lists = pool(seed, n_claims, n_sets)
    made = bases.build(*ragged(sets), RANKS)
    chosen = shortlist.nearest(claims, made.centroids, shortlist.ineligible(lists), k)
    assert chosen.tolist() == ranked(claims, made, lists, k).tolist()
    found = energies.shortlisted(claims, made, chosen, RANKS)
    for at, rank in enumerate(RANKS):
        for row, column in np.ndindex(chosen.shape):
            place = chosen[row, column]
            expected = np.inf if place == NONE else energy_of(claims[row], sets[place], rank)
            assert found[at, row, column] == pytest.approx(expected, abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 40))
def test_the_least_of_all_pairs_is_the_least_of_the_definition(seed, n_claims, n_sets):
    claims, sets, lists = pool(seed, n_claims, n_sets)
    made = bases.build(*ragged(sets), RANKS)
    for rank, least in zip(RANKS, energies.least(claims, made, shortlist.ineligible(lists), RANKS), strict=True):
        for row, claim in enumerate(claims):
            eligible = [one for one in range(n_sets) if one not in lists[row]]
            expected = min((energy_of(claim, sets[one], rank) for one in eligible), default=np.inf)
            assert least.energies[row] == pytest.approx(expected, abs=1e-5)
            assert (least.sets[row] == NONE) == (not eligible)
            if eligible:
                assert energy_of(claim, sets[least.sets[row]], rank) == pytest.approx(expected, abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 60))
def test_the_least_cells_of_a_row_are_those_of_a_stable_sort_with_its_ties(seed, columns, width):
    # Few distinct values make ties, and infinity stands for what is not eligible.
    values = np.array([-0.5, -0.0, 0.0, 0.25, np.inf], dtype=np.float32)
    distances = values[np.random.default_rng(seed).integers(0, 5, size=(7, columns))]
    expected = np.argsort(distances + np.float32(0), axis=1, kind="stable")[:, : min(width, columns)]
    expected = np.where(np.isinf(np.take_along_axis(distances, expected, axis=1)), NONE, expected)
    assert shortlist._least(distances, min(width, columns)).tolist() == expected.tolist()


def test_shortlists_of_all_budgets_are_nested_and_the_running_minimum_never_rises():
    claims, sets, lists = pool(3, 20, 300)
    made = bases.build(*ragged(sets))
    excluded = shortlist.ineligible(lists)
    widest = shortlist.nearest(claims, made.centroids, excluded, 256)
    for k in (1, 4, 16, 64):
        assert (shortlist.nearest(claims, made.centroids, excluded, k) == widest[:, :k]).all()
    running = np.minimum.accumulate(energies.shortlisted(claims, made, widest, ("full",))[0], axis=1)
    floor = energies.least(claims, made, excluded, ("full",))[0].energies
    assert (np.diff(running, axis=1) <= 0).all()
    assert (floor <= running[:, -1] + 1e-6).all()


def test_grouped_and_whole_products_give_the_same_energies():
    claims, sets, lists = pool(5, 30, 400)
    made = bases.build(*ragged(sets), RANKS)
    chosen = shortlist.nearest(claims, made.centroids, shortlist.ineligible(lists), 12)
    grouped = energies.shortlisted(claims, made, chosen, RANKS)  # 12 x 2.5 < 400 sets
    every = shortlist.nearest(claims, made.centroids, shortlist.ineligible(lists), 400)
    whole = energies.shortlisted(claims, made, every, RANKS)[:, :, :12]  # 400 x 2.5 >= 400 sets
    assert np.abs(grouped - whole).max() < 1e-6


def test_ties_in_similarity_go_to_the_lower_set_number():
    claims = unit([[1.0, 0.0]])
    made = bases.build(*ragged([unit([[0.6, 0.8]]), unit([[0.6, -0.8]]), unit([[0.6, 0.8]])]))
    chosen = shortlist.nearest(claims, made.centroids, shortlist.ineligible([[]]), 3)
    assert chosen.tolist() == [[0, 1, 2]]


def test_depth_counts_eligible_sets_alone():
    # Similarities to the claim (1, 0): .6, .8, 1, 0. Without set 2, set 1 is the first and set 3 the third.
    claims = unit([[1.0, 0.0]] * 3)
    made = bases.build(*ragged([unit([[0.6, 0.8]]), unit([[0.8, 0.6]]), unit([[1, 0]]), unit([[0, 1]])]))
    excluded = shortlist.ineligible([[2], [2], [2]])
    found = shortlist.depth(claims, made.centroids, excluded, np.array([1, 3, NONE]))
    assert found.tolist() == [1, 3, 0]


def test_a_copied_row_adds_no_direction_unless_null_directions_are_kept():
    # Eight copies of one vector span one direction: H = 1 - cos^2 = 1 - .36. LAPACK's null directions add to it.
    generator = np.random.default_rng(0)
    claims = unit(generator.normal(size=(40, 384)))
    row = unit(generator.normal(size=(1, 384)))
    rows, offsets = ragged([np.repeat(row, 8, axis=0)])
    every = np.zeros((40, 1), dtype=np.int32)
    cut = energies.shortlisted(claims, bases.build(rows, offsets), every, ("full",))[0, :, 0]
    kept = energies.shortlisted(claims, bases.build(rows, offsets, keep_null=True), every, ("full",))[0, :, 0]
    assert cut == pytest.approx(1 - np.square(claims @ row[0]), abs=1e-6)
    # Seven arbitrary directions of 384 explain 7/384 = .018 of a random claim on average.
    assert (cut - kept).mean() == pytest.approx(7 / 384, abs=0.005)


def test_depth_puts_the_lower_of_two_equally_similar_sets_first():
    claims = unit([[1.0, 0.0]] * 2)
    made = bases.build(*ragged([unit([[0.6, 0.8]]), unit([[0.6, -0.8]])]))
    found = shortlist.depth(claims, made.centroids, shortlist.ineligible([[], []]), np.array([0, 1]))
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_row_without_a_length_is_refused(bad):
    with pytest.raises(VictimError, match="not finite or has no length"):
        bases.build(*ragged([np.array([[1.0, 0.0], bad], dtype=np.float32)]))


def test_a_set_without_rows_is_refused():
    with pytest.raises(VictimError, match="no rows"):
        bases.build(np.ones((1, 2), dtype=np.float32), np.array([0, 1, 1]))


def test_opposite_rows_have_no_centroid_and_similarity_nought():
    made = bases.build(*ragged([np.array([[1.0, 0.0], [-1.0, 0.0]], dtype=np.float32)]))
    assert made.centroids.tolist() == [[0.0, 0.0]]


def test_four_hundred_equal_centroids_tie_bit_by_bit_and_go_by_set_number():
    # What a product rounds to depends on the column; equal centroids are to be equally far in whatever column.
    generator = np.random.default_rng(0)
    five = generator.normal(size=(5, 384)).astype(np.float32)
    made = bases.build(*ragged([five[number % 5][None] for number in range(400)]))
    claims = unit(generator.normal(size=(70, 384)))
    nothing = shortlist.ineligible([[] for _ in claims])
    found = shortlist.nearest(claims, made.centroids, nothing, 400)
    # Each centroid stands 80 times, at n, n + 5, n + 10 ...
    for row in found.reshape(70, 5, 80):
        for run in row:
            assert run.tolist() == list(range(run[0] % 5, 400, 5))
    for place in (0, 79, 399):
        depths = shortlist.depth(claims, made.centroids, nothing, found[:, place].astype(np.intp))
        assert depths.tolist() == [place + 1] * 70
