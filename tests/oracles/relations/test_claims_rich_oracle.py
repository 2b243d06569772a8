"""Every instance of the rows beyond one fact is as the oracle finds it, and made again by the same generator."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from confute.contract import Suite
from confute.oracles.relations.catalogue import RELATIONS
from confute.oracles.relations.oracle import RelationOracle
from confute.oracles.relations.relation import Expected, Scene
from confute.oracles.relations.worlds import relation_facts, scenes

ROWS = ["C6", "C14", "C15", "C16", "C17", "C20", "C23", "C27", "C28", "C29", "C30", "C31", "C32", "C33", "C35", "C36"]
ROWS += ["C37", "C38", "P8"]


@cache
def _drawn() -> tuple[RelationOracle, list[Scene]]:
    facts = relation_facts(5, Suite.DEVELOPMENT)
    return RelationOracle(facts.lexicon), list(scenes(facts))[::6]


@pytest.mark.parametrize("row", ROWS)
def test_the_oracle_confirms_every_instance_of_a_row(row: str) -> None:
    oracle, drawn = _drawn()
    count: Counter[Expected] = Counter()
    for number, scene in enumerate(drawn):
        for one in RELATIONS[row].transform(scene, Random(f"{row}/{number}")):
            assert oracle.checked(one) == one, one
            count[one.expected] += 1
    assert min(count.values()) >= 20, count


@pytest.mark.parametrize("row", ROWS)
def test_one_generator_gives_the_same_instances_again(row: str) -> None:
    _, drawn = _drawn()
    for scene in drawn[:10]:
        first, second = (list(RELATIONS[row].transform(scene, Random("again"))) for _ in range(2))
        assert first == second
