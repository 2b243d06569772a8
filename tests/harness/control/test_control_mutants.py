"""The control of the control: which arm catches which planted bug."""

from __future__ import annotations

import pytest

from confute.contract import Suite
from confute.harness.control.arms import material
from confute.harness.control.asking import asked
from confute.harness.control.mutants import mutants
from confute.harness.control.probe import Material
from confute.harness.control.selftest import SelfTest, page, self_test
from confute.harness.control.source import from_facts
from confute.harness.control.verdict import control
from confute.harness.judging.page import markdown
from confute.oracles.facts.builtin import builtin
from confute.victims.overlap import WordOverlap

# the arm that is there for the bug; others may catch it too
CAUGHT_BY = {
    "abs": "sign_flipped",
    "dropped_unit": "unit_swapped",
    "reversed_sign": "sign_flipped",
    "constant": "faithful",
    "length": "filler",
    "overlap_only": "corrupted 10%",
    "off_by_one_threshold": "corrupted 10%",
    "case": "faithful",
    "first_passage_only": "corrupted 10%",
    "cached_answer": "corrupted 10%",
    "nan": "corrupted 10%",
    "inverted_scale": "faithful",
}


@pytest.fixture(scope="module")
def facts() -> Material:
    return from_facts(0)


@pytest.fixture(scope="module")
def tested(facts: Material) -> SelfTest:
    return self_test(facts, 0)


def test_similarity_of_words_is_found_blind_to_negation(facts: Material) -> None:
    found = control("word_overlap", facts, asked(WordOverlap(), facts.probes, seed=0), 0.5)
    assert found.passed is False
    assert any(sentence.startswith("blind to negation") for sentence in found.sentences)


def test_the_sound_detector_passes(tested: SelfTest) -> None:
    assert tested.sound.passed is True
    assert tested.passed


def test_the_planted_bugs_are_twelve() -> None:
    assert len(mutants()) == 12
    assert mutants().keys() == CAUGHT_BY.keys()


@pytest.mark.parametrize("name", CAUGHT_BY)
def test_a_planted_bug_is_caught_by_the_arm_that_is_there_for_it(name: str, tested: SelfTest) -> None:
    (found,) = [one for one in tested.caught if one.mutant == name]
    assert CAUGHT_BY[name] in found.arms


def test_the_page_lists_every_bug_with_its_arms(tested: SelfTest) -> None:
    text = markdown(page(tested))
    assert "12 of 12 planted bugs" in text
    assert all(name in text.replace("\\", "") for name in CAUGHT_BY)


def test_a_seed_gives_the_same_probes_again() -> None:
    oracle = builtin(3, Suite.DEVELOPMENT)
    assert material(oracle.cases, oracle, 3, "facts", 1) == material(oracle.cases, oracle, 3, "facts", 1)
