"""What each mode gives each claim of a hand-made pool, and what each toggle spoils."""

import numpy as np
import pytest

from confute.contract import Segmentation, SegmentationUnit
from confute.curve_plan import Strategy, Toggles
from confute.errors import VictimError
from confute.harness.mining.miner import Miner
from confute.harness.mining.pool import pool
from confute.harness.mining.shortlist import NONE
from confute.records import Case, Label

PASSAGE = Segmentation(unit=SegmentationUnit.PASSAGE)

# The claim is (1, 0, 0, 0). Its cosine with "own" is 1, with "sister" .9, with "near" .8: H = 1 - .64 = .36. "left" and
# "right" are orthogonal with cosines .75 and .35: their centroid has (.75 + .35) / sqrt(2) = .778, less than "near",
# and their span explains .5625 + .1225 = .685, more than "near": H = .315.
VECTORS = {
    "claim": (1.0, 0.0, 0.0, 0.0),
    "other claim": (0.0, 0.0, 0.0, 1.0),
    "own": (1.0, 0.0, 0.0, 0.0),
    "sister": (0.9, np.sqrt(0.19), 0.0, 0.0),
    "near": (0.8, 0.6, 0.0, 0.0),
    "left": (0.75, 0.0, np.sqrt(1 - 0.5625), 0.0),
    "right": (0.35, 0.0, -0.2625 / np.sqrt(0.4375), np.sqrt(1 - 0.1225 - 0.2625**2 / 0.4375)),
    "far": (0.1, 0.0, 0.0, np.sqrt(0.99)),
}


class Vectors:
    fingerprint = "vectors"

    def embed(self, texts):
        return np.array([VECTORS[text] for text in texts], dtype=np.float32)

    def truncated(self, texts):
        return 0


def case(case_id, claim, evidence, label=Label.SUPPORTED, group=None, domain="law"):
    return Case(
        case_id=case_id,
        claim=claim,
        evidence=evidence,
        label=label,
        domain=domain,
        source="hand",
        group=group or case_id,
    )


CASES = (
    case("a-claim", "claim", ("own",), group="g"),
    case("b-sister", "other claim", ("sister",), group="g"),
    case("c-near", "other claim", ("near",), label=Label.REFUTED),
    case("d-pair", "other claim", ("left", "right"), domain="art"),
    case("e-far", "other claim", ("far",), domain="art"),
)


def miner(claims=CASES[:1], cases=CASES, seed=0, **off):
    made = pool(cases, PASSAGE, Vectors())
    vectors = Vectors().embed([one.claim for one in claims])
    return made, Miner(claims, vectors, made, toggles=Toggles(**off), seed=seed)


def chosen(made, found):
    return [None if place == NONE else made.sets[place].set_id for place in found.sets]


def swept(budgets, **options):
    made, mined = miner(**options)
    (sweep,) = mined.sweep(("full",), budgets)
    return {k: chosen(made, one)[0] for k, one in sweep.budgets.items()}, chosen(made, sweep.exhaustive)[0], sweep


def test_the_first_place_is_the_most_similar_set_of_another_source():
    found, _, sweep = swept((1,))
    assert found == {1: "c-near"}
    assert sweep.budgets[1].depths.tolist() == [1]


def test_a_wider_search_takes_the_lower_energy_and_says_how_deep_it_stands():
    found, everything, sweep = swept((1, 2, 3))
    assert (found, everything) == ({1: "c-near", 2: "d-pair", 3: "d-pair"}, "d-pair")
    assert (sweep.budgets[3].depths.tolist(), sweep.exhaustive.depths.tolist()) == ([2], [2])


def test_k_counts_eligible_sets_and_too_few_is_no_smaller_search():
    # Five sets less its own and its sister's leave three.
    found, everything, _ = swept((3, 4))
    assert (found, everything) == ({3: "d-pair", 4: None}, "d-pair")


def test_without_the_guard_evidence_of_the_own_source_is_taken_for_wrong():
    found, everything, _ = swept((1, 4), source_guard=False)
    assert (found, everything) == ({1: "b-sister", 4: "b-sister"}, "b-sister")


def test_the_own_set_in_k_makes_the_first_budget_a_random_draw():
    # At K = 1 the shortlist holds the own set alone, so a set is drawn from the whole pool, its own included.
    drawn = {swept((1,), seed=seed, eligible_budget=False)[0][1] for seed in range(40)}
    assert drawn == {one.case_id for one in CASES}
    found, _, sweep = swept((3,), eligible_budget=False)  # own, sister, near: one of three is left
    assert found == {3: "c-near"}
    assert sweep.budgets[3].depths.tolist() == [3]


def test_random_and_same_domain_draw_from_eligible_sets_alone_and_every_one_of_them():
    random, same = set(), set()
    for seed in range(60):
        made, mined = miner(seed=seed)
        random |= {made.sets[place].set_id for place in mined.drawn(Strategy.RANDOM)}
        same |= {made.sets[place].set_id for place in mined.drawn(Strategy.SAME_DOMAIN)}
    assert random == {"c-near", "d-pair", "e-far"}
    assert same == {"c-near"}


def test_one_seed_always_draws_the_same_and_the_order_of_the_cases_is_nothing():
    first, second = miner(seed=3), miner(seed=3, cases=CASES[::-1])
    assert first[1].drawn(Strategy.RANDOM).tolist() == second[1].drawn(Strategy.RANDOM).tolist()
    assert [one.set_id for one in first[0].sets] == [one.set_id for one in second[0].sets]


def test_evidence_of_one_source_leaves_nothing_to_mine():
    cases = tuple(one.model_copy(update={"group": "g"}) for one in CASES)
    made, mined = miner(claims=cases[:1], cases=cases)
    (sweep,) = mined.sweep(("full",), (1, 4))
    assert [chosen(made, one) for one in (*sweep.budgets.values(), sweep.exhaustive)] == [[None]] * 3
    assert mined.drawn(Strategy.RANDOM).tolist() == [NONE]
    assert mined.eligible.tolist() == [0]


def test_a_pool_of_one_set_leaves_nothing_to_mine():
    made, mined = miner(cases=CASES[:1])
    (sweep,) = mined.sweep(("full",), (1, 16))
    assert chosen(made, sweep.budgets[16]) == [None]
    assert mined.drawn(Strategy.SAME_DOMAIN).tolist() == [NONE]


def test_equal_passages_are_one_set_of_both_sources():
    copies = (*CASES, case("f-copy", "other claim", ("near",), group="g"))
    made, _ = miner(cases=copies)
    (shared,) = [one for one in made.sets if one.passages == ("near",)]
    assert (shared.set_id, shared.groups) == ("c-near", {"c-near", "g"})
    assert swept((1,), cases=copies)[0] == {1: "d-pair"}  # the copy is of the claim's own source now


def test_cases_without_evidence_are_left_out_of_the_pool_and_counted():
    made, _ = miner(cases=(*CASES, case("f", "claim", ()), case("g", "claim", ("  ", "\u200b"))))
    assert (made.without_evidence, len(made.sets)) == (2, 5)


def test_a_pool_without_any_evidence_is_refused():
    with pytest.raises(VictimError, match="no case has evidence"):
        pool([case("a", "claim", ())], PASSAGE, Vectors())


def test_ranks_share_one_pass_and_a_higher_rank_never_finds_a_higher_energy():
    generator = np.random.default_rng(1)
    names = [f"passage {number}" for number in range(60)]
    table = dict(zip(names, generator.normal(size=(60, 6)), strict=True)) | VECTORS
    cases = [case(f"{n:02}", "claim", tuple(names[3 * n : 3 * n + 3])) for n in range(20)]

    class Drawn(Vectors):
        def embed(self, texts):
            return np.array([np.resize(table[text], 6) for text in texts], dtype=np.float32)

    made = pool(cases, PASSAGE, Drawn())
    mined = Miner(cases, Drawn().embed(["claim"] * 20), made, toggles=Toggles(), seed=0)
    together = mined.sweep((1, 2, "full"), (1, 4, 16))
    alone = [mined.sweep((rank,), (1, 4, 16))[0] for rank in (1, 2, "full")]
    for first, second in zip(together, alone, strict=True):
        assert first.exhaustive.sets.tolist() == second.exhaustive.sets.tolist()
        assert [one.sets.tolist() for one in first.budgets.values()] == [
            one.sets.tolist() for one in second.budgets.values()
        ]
