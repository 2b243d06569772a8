"""Of every kind of counterexample the smallest is kept."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.agents.archive import Archive, Elite, cell_of
from confute.records import Mechanism


def elite(
    name: str, tokens: int, chars: int = 1, *, mechanism: Mechanism = Mechanism.QUANTITY, stage: str = "decision"
) -> Elite:
    return Elite(attack_id=name, mechanism=mechanism, stage=stage, tokens=tokens, chars=chars, passages=0)


def test_the_smallest_of_a_cell_is_its_elite_whatever_the_order() -> None:
    large, small = elite("a", 2, 9), elite("b", 2, 3)
    first, second = Archive([large, small]), Archive([small, large])
    assert first.elites == second.elites == ((cell_of(small), small),)
    assert Archive([small]).add(large) is False


def test_sizes_stages_and_mechanisms_have_cells_of_their_own() -> None:
    found = [elite(str(tokens), tokens) for tokens in (1, 2, 3, 5, 6)]
    found += [elite("s", 1, stage="policy"), elite("m", 1, mechanism=Mechanism.BINDING)]
    # 3 and 5 share a cell, so that seven counterexamples fill six.
    assert len(Archive(found).elites) == 6
    assert [cell_of(one).size for one in found[:5]] == ["1", "2", "3-5", "3-5", "more"]


def test_evenness_is_the_entropy_of_the_cells_as_a_share_of_its_maximum() -> None:
    assert Archive([elite("a", 1), elite("b", 1)]).evenness is None
    assert Archive([elite("a", 1), elite("b", 2)]).evenness == pytest.approx(1.0)
    # Shares 3/4 and 1/4: -(0.75 ln 0.75 + 0.25 ln 0.25) / ln 2 = 0.8112781...
    uneven = Archive([elite("a", 1), elite("b", 1), elite("c", 1), elite("d", 2)]).evenness
    assert uneven == pytest.approx(0.8112781244591328)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 20)), min_size=1, max_size=20))
def test_no_counterexample_is_smaller_than_the_elite_of_its_cell(sizes: list[tuple[int, int]]) -> None:
    found = [elite(f"{index:02}", tokens, chars) for index, (tokens, chars) in enumerate(sizes)]
    archive = Archive(found)
    kept = dict(archive.elites)
    assert set(kept) == {cell_of(one) for one in found}
    for one in found:
        best = kept[cell_of(one)]
        assert (best.tokens, best.chars, best.attack_id) <= (one.tokens, one.chars, one.attack_id)
    assert archive.evenness is None or 0 < archive.evenness <= 1 + math.ulp(1)
