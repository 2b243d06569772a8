"""Which cases an attack sets aside, and which passages are foreign, where declared groups share a source."""

import json

import pytest
from watching import Quiet

from confute import contract
from confute.contract import Suite
from confute.harness import arena
from confute.harness.mining.sources import joined
from confute.oracles.facts.builtin import builtin
from confute.records import AttackGoal

CONTRACT = """
victim: {detector: word_overlap, threshold: {calibrate: {error: false_acceptance, target_rate: 0.2, share: 0.5}}}
objective: {oracle: guarded_text}
attacker: {capabilities: [inflation]}
"""
WORDS = ("amber", "birch", "cedar", "dahlia", "elder", "fern", "gorse", "hazel", "iris", "juniper")


def row(number, **changed):
    """One unsupported claim of a group of its own, about words that no other has."""
    word = f"{WORDS[number % 10]}{WORDS[number // 10]}"
    said = f"{word}wood" if number % 4 > 1 else f"{word}root"
    own = {"claim": f"{word}wood grows in {word}shire", "evidence": [f"{word}leaf and {said}"]}
    return {"id": f"{number:02}", "label": "UNSUPPORTED", "group": f"g{number:02}", "domain": "d", **own, **changed}


def prepared(tmp_path, rows, text=CONTRACT):
    data = tmp_path / "claims.jsonl"
    data.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return arena.prepare(contract.parse(text), data, tmp_path / "cache", Quiet()).arena


def with_shared_passages():
    return [row(n) | {"evidence": [*row(n)["evidence"], f"page number {n // 2} of all"]} for n in range(40)]


def with_named_sources():
    return [row(n, sources=[f"book {n // 2}"]) for n in range(40)]


def with_titles():
    return [row(n, evidence=[f"page{n // 2}: {passage}" for passage in row(n)["evidence"]]) for n in range(40)]


CURVE = CONTRACT + "curve: {passage_source: '^([^ ]+?): '}\n"


@pytest.mark.parametrize(
    ("rows", "text"), [(with_shared_passages(), CONTRACT), (with_named_sources(), CONTRACT), (with_titles(), CURVE)]
)
def test_groups_that_share_a_source_stay_on_one_side_of_the_split(tmp_path, rows, text):
    attacked = prepared(tmp_path, rows, text).cases
    numbers = {int(case.case_id) for case in attacked}
    # 40 cases of 20 sources: half are attacked, and with each the other case of its source.
    assert len(numbers) == 20
    assert {number ^ 1 for number in numbers} == numbers
    assert {case.group for case in attacked} == {f"g{number & ~1:02}" for number in numbers}


def test_groups_that_share_nothing_are_parted_one_by_one(tmp_path):
    numbers = {int(case.case_id) for case in prepared(tmp_path, [row(n) for n in range(40)]).cases}
    assert {number ^ 1 for number in numbers} != numbers


def test_passages_of_a_joined_source_are_not_foreign_and_all_others_are(tmp_path):
    given = "victim: {detector: word_overlap, threshold: {value: 0.5}}\n" + CONTRACT.split("\n", 2)[2]
    made = prepared(tmp_path, with_named_sources()[:8], given)
    # Eight passages that have nothing in common, of four books; the guards let 16 by for each claim.
    for number, case in enumerate(made.cases):
        offered = {edit.passages[0].text for edit in made.moves.moves(case, AttackGoal.FALSE_ACCEPTANCE)}
        assert offered == {row(other)["evidence"][0] for other in range(8) if other not in {number, number ^ 1}}


@pytest.mark.parametrize("suite", Suite)
def test_no_two_documents_of_the_built_in_facts_share_a_source(suite):
    # The oracle finds a case's document by its group, which joining may therefore not rename.
    oracle = builtin(0, suite)
    parsed = contract.parse("victim: {detector: word_overlap}\nobjective: {oracle: facts}\n")
    material = arena.gathered(parsed, None)
    assert joined(oracle.cases, arena.marks(parsed, material)).cases == oracle.cases
