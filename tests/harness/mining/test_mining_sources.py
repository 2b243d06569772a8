"""What keeps evidence from a claim: a source that both are of, and evidence that supports the claim."""

import pytest
from hashing_words import Hashing

from confute.contract import Segmentation, SegmentationUnit
from confute.curve_plan import Strategy, Toggles
from confute.errors import VictimError
from confute.harness.mining.miner import Miner
from confute.harness.mining.pool import pool
from confute.harness.mining.shortlist import NONE
from confute.harness.mining.sources import Marks, joined
from confute.harness.mining.support import Support
from confute.records import Case, Label, Ruling, Validity

PASSAGE = Segmentation(unit=SegmentationUnit.PASSAGE)
BRIDGE = "Borton: The bridge was built in 1801."
MILL = "Borton: A mill stands beside it."
HILL = "Caldy: The hill is 300 m high."
LAKE = "Derwen: The lake froze in 1947."


def case(case_id, evidence, group=None, label=Label.SUPPORTED, claim="The bridge of Borton dates from 1801."):
    return Case(
        case_id=case_id,
        claim=claim,
        evidence=evidence,
        label=label,
        domain="d",
        source="hand",
        group=group or case_id,
    )


def mined(cases, marks=None, support=None, **off):
    """Return the sets that the first case may be given, by id, and what was kept apart."""
    made = pool(cases, PASSAGE, Hashing(), marks)
    vectors = Hashing().embed([cases[0].claim])
    miner = Miner(cases[:1], vectors, made, toggles=Toggles(**off), seed=0, support=support)
    out = set(miner.kept.out.of(0).tolist())
    return [one.set_id for place, one in enumerate(made.sets) if place not in out], miner.kept


def test_a_set_of_another_group_that_shares_a_passage_is_of_the_same_source():
    cases = (case("a", (BRIDGE, MILL)), case("b", (MILL.upper() + " ", HILL)), case("c", (LAKE,)))
    eligible, kept = mined(cases)
    assert eligible == ["c"]
    assert kept.shared == 1
    assert mined(cases, source_guard=False)[0] == ["b", "c"]


def test_a_short_text_tells_no_source():
    cases = (case("a", (BRIDGE, "Id. at 44.")), case("b", (HILL, "Id. at 44.")))
    assert mined(cases)[0] == ["b"]


def test_a_passage_that_names_its_source_keeps_its_page_apart():
    cases = (case("a", (BRIDGE,)), case("b", (MILL,)), case("c", (HILL,)))
    assert mined(cases)[0] == ["b", "c"]
    assert mined(cases, Marks(PASSAGE, pattern="^(.+?): "))[0] == ["c"]


def test_a_page_that_is_named_keeps_the_group_of_that_name_apart():
    cases = (case("a", (BRIDGE,)), case("b", (LAKE,), group="BORTON"), case("c", (HILL,)))
    assert mined(cases, Marks(PASSAGE, pattern="^(.+?): "))[0] == ["c"]


def test_sources_that_a_row_names_keep_its_evidence_apart():
    cases = (case("a", (BRIDGE,)), case("b", (HILL,)), case("c", (LAKE,)))
    marks = Marks(PASSAGE, named={"a": ("atlas", "annals"), "c": ("Annals",)})
    assert mined(cases, marks)[0] == ["b"]


@pytest.mark.parametrize("toggles", [{}, {"source_guard": False}, {"honour_labels": False}])
def test_a_set_that_holds_the_whole_own_evidence_is_supporting_under_any_toggle(toggles):
    cases = (case("a", (BRIDGE,)), case("b", (HILL, BRIDGE.lower())), case("c", (HILL,)))
    eligible, kept = mined(cases, **toggles)
    assert eligible == ["c"]
    assert kept.supporting.counts.tolist() == [1]


class Supports:
    """An oracle for which evidence supports a claim where it names the hill."""

    version = "1"

    def __init__(self):
        self.asked = []

    def rule(self, case, candidate):
        self.asked.append(candidate.evidence)
        validity = Validity.INVALID if HILL in candidate.evidence else Validity.UNKNOWN
        return Ruling(validity=validity, label=None, reason="r", method="m", oracle_version="1")


def test_what_the_oracle_says_supports_the_claim_takes_no_place_in_k():
    # Of four sets the own one and that of the hill are out: two are left, so K = 3 is too many.
    cases = (case("a", (BRIDGE,)), case("b", (HILL,)), case("c", (LAKE,)), case("d", (MILL,)))
    made = pool(cases, PASSAGE, Hashing())
    miner = Miner(
        cases[:1],
        Hashing().embed([cases[0].claim]),
        made,
        toggles=Toggles(),
        seed=0,
        support=Support(Supports(), knows_all=True),
    )
    assert miner.eligible.tolist() == [2]
    (sweep,) = miner.sweep(("full",), (2, 3))
    assert sweep.budgets[2].sets[0] in {2, 3}
    assert sweep.budgets[3].sets.tolist() == [NONE]
    drawn = {
        Miner(
            cases[:1],
            Hashing().embed(["x"]),
            made,
            toggles=Toggles(),
            seed=seed,
            support=Support(Supports(), knows_all=True),
        ).drawn(Strategy.RANDOM)[0]
        for seed in range(20)
    }
    assert drawn == {2, 3}


def test_guards_on_text_are_asked_of_sets_that_share_a_passage_alone():
    oracle = Supports()
    cases = (case("a", (BRIDGE, MILL)), case("b", (MILL, HILL)), case("c", (HILL,)))
    eligible, _ = mined(cases, support=Support(oracle, knows_all=False), source_guard=False)
    assert oracle.asked == [(MILL, HILL)]
    assert eligible == ["c"]


def test_groups_that_share_a_source_by_way_of_another_are_one_and_mining_keeps_apart_what_is_shared_itself():
    # a and b share MILL, b and c share HILL; a and c share nothing.
    cases = (case("a", (BRIDGE, MILL)), case("b", (MILL, HILL)), case("c", (HILL,)), case("d", (LAKE,)))
    made = joined(cases, Marks(PASSAGE))
    assert [one.group for one in made.cases] == ["a", "a", "a", "d"]
    assert (made.declared, made.largest) == (4, 3)
    assert mined(cases)[0] == ["c", "d"]


def test_joined_sources_do_not_depend_on_the_order_of_the_cases():
    cases = [case(f"{n:02}", (f"{BRIDGE} {n // 2}", f"{HILL} {(n + 1) // 2 % 7}")) for n in range(12)]
    groups = {one.case_id: one.group for one in joined(cases, Marks(PASSAGE)).cases}
    assert {one.case_id: one.group for one in joined(cases[::-1], Marks(PASSAGE)).cases} == groups


def test_a_pattern_that_finds_nothing_or_a_blank_names_no_source():
    marks = Marks(PASSAGE, pattern="^(x)?( *)")
    assert marks.of(case("a", (BRIDGE,))) == {"source a", "passage borton: the bridge was built in 1801."}


@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf"), 1e30])
def test_a_claim_whose_vector_cannot_be_used_is_named(bad):
    cases = (case("a", (BRIDGE,)), case("b", (HILL,)))
    vectors = Hashing().embed([one.claim for one in cases])
    vectors[1] = bad
    made = pool(cases, PASSAGE, Hashing())
    with pytest.raises(VictimError, match=r"^b: the vector of a claim is not finite or has no length"):
        Miner(cases, vectors, made, toggles=Toggles(), seed=0)


def test_a_random_fall_back_depends_on_the_claim_and_not_on_its_row():
    cases = [case(f"{n:02}", (f"Passage number {n} of many.",), claim=f"Claim {n}") for n in range(12)]
    made = pool(cases, PASSAGE, Hashing())

    def drawn(claims):
        # The own set alone is asked for by a claim that equals it, so that K = 1 is always a draw.
        vectors = Hashing().embed([claim.evidence[0] for claim in claims])
        miner = Miner(claims, vectors, made, toggles=Toggles(eligible_budget=False), seed=0)
        found = miner.sweep(("full",), (1,))[0].budgets[1]
        assert found.depths.tolist() == [0] * len(claims)
        return dict(zip([claim.case_id for claim in claims], found.sets.tolist(), strict=True))

    assert drawn(cases[::-1]) == drawn(cases)
    assert drawn(cases[3:]).items() <= drawn(cases).items()
