"""What two sets of cases may not have in common, and how it is told."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Suite, parse
from confute.errors import CorpusError
from confute.harness.suites.material import material_of
from confute.harness.suites.traces import Seen, Traces, folded, plain_marks, refuse_shared, traces_of
from confute.oracles.facts.names import suite_of
from confute.records import Case, Label
from confute.text import word_grams

MARKS = plain_marks()


def case(claim: str, *evidence: str, group: str = "g") -> Case:
    return Case(case_id="c", claim=claim, evidence=evidence, label=Label.SUPPORTED, domain="d", source="s", group=group)


def entities(claim: str) -> frozenset[str]:
    return traces_of([case(claim)], None, MARKS).entities


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("The trial by Marie Curie ended in Paris.", {"marie curie", "paris"}),
        ("Aspirin lowers fever.", set()),  # one capital at a sentence's start says nothing
        ("Marie Curie won.", {"marie curie"}),
        ("BRCA1 is a gene. Genes matter.", {"brca1"}),
        ("It rose in March on a Monday.", set()),
        ("we met Anna, Bob and Cleo", {"anna", "bob", "cleo"}),
        ("It needs vitamin A.", set()),  # one letter names nothing
        ("", set()),
        ("...", set()),
    ],
)
def test_capitals_tell_the_names_of_a_claim(claim: str, found: set[str]) -> None:
    assert entities(claim or "-") == found


def test_the_evidence_of_a_users_text_names_no_entity_but_its_words_and_source_count() -> None:
    one = traces_of([case("x", "It was Marie Curie who found the new element radium then.")], None, MARKS)
    assert one.entities == frozenset()
    # 11 words are 4 runs of eight.
    assert len(one.grams) == 4
    assert "source g" in one.sources
    assert any(mark.startswith("passage it was marie") for mark in one.sources)


def test_where_names_are_known_only_runs_with_a_name_in_them_count() -> None:
    words = "one two three four five six seven eight nine Zor"
    found = traces_of([case(words)], {"zor"}, MARKS)
    # Of the three runs of eight words the last alone has the name.
    assert found.grams == {("three", "four", "five", "six", "seven", "eight", "nine", "zor")}
    assert found.entities == {"zor"}


@given(st.lists(st.sampled_from("abcd"), max_size=20))
def test_the_runs_of_eight_words_are_those_of_a_sliding_window(words: list[str]) -> None:
    assert word_grams(" ".join(words)) == {tuple(words[at : at + 8]) for at in range(max(0, len(words) - 7))}


def test_what_is_shared_is_named_by_kind_and_cut_short() -> None:
    mine = Traces(frozenset({"ada", "bob"}), frozenset({"source s"}), frozenset({tuple("abcdefgh")}))
    with pytest.raises(CorpusError) as told:
        refuse_shared("new", mine, Seen("the old suite", mine, frozenset(folded(["ADA"]))), "do so")
    assert "entities (1): 'bob'; sources (1): 'source s'; runs of eight words (1): 'a b c d e f g h'" in str(told.value)
    assert "in common with the old suite" in str(told.value)


@pytest.mark.parametrize("kind", ["entities", "sources", "grams"])
def test_one_thing_in_common_is_enough(kind: str) -> None:
    none = Traces(frozenset(), frozenset(), frozenset())
    one = none._replace(**{kind: frozenset({("x",) if kind == "grams" else "x"})})
    with pytest.raises(CorpusError, match="in common"):
        refuse_shared("a", one, Seen("b", one, frozenset()), "do so")
    refuse_shared("a", one, Seen("b", none, frozenset()), "do so")


def test_hostile_text_in_common_is_told_short_and_made_visible() -> None:
    hostile = Traces(frozenset({"\x1b[2J\u202e\x00" + "x" * 100_000}), frozenset(), frozenset())
    with pytest.raises(CorpusError) as told:
        refuse_shared("a", hostile, Seen("b", hostile, frozenset()), "do so")
    assert len(str(told.value)) < 1000
    assert not {"\x1b", "\u202e", "\x00"} & set(str(told.value))


@given(st.text())
def test_no_text_breaks_the_traces(text: str) -> None:
    traces_of([case(f"x{text}", text)], None, MARKS)


FACTS = "victim: {detector: word_overlap}\nobjective: {oracle: facts}\nevaluation: {suite: %s, seed: 1}\n"


def test_the_built_in_suites_have_nothing_in_common_and_each_keeps_to_its_words() -> None:
    found = {}
    for suite in (Suite.DEVELOPMENT, Suite.HELD_OUT):
        material = material_of(parse(FACTS % suite), None)
        assert material.names
        assert {suite_of(name) for name in material.names} == {suite}
        found[suite] = traces_of(material.cases, material.names, MARKS)
        assert found[suite].entities <= material.names
    refuse_shared("a", found[Suite.HELD_OUT], Seen("b", found[Suite.DEVELOPMENT], frozenset()), "do so")


SENTENCE = "The café at the théâtre approved the final budget of the northern region in March."


@pytest.mark.parametrize(
    "other",
    [
        unicodedata.normalize("NFD", SENTENCE),
        SENTENCE.upper(),
        "".join(chr(ord(char) + 0xFEE0) if "a" <= char <= "z" else char for char in SENTENCE),  # full width
        SENTENCE.replace("e", "e\u00ad"),
        SENTENCE.replace("e", "\u200be"),
        SENTENCE.replace("fi", "\ufb01"),
    ],
    ids=("decomposed", "upper case", "full width", "soft hyphens", "zero width", "ligature"),
)
def test_words_that_are_written_otherwise_are_the_same_words(other: str) -> None:
    # 15 words are 8 runs of eight.
    assert len(word_grams(SENTENCE)) == 8
    assert word_grams(f"{other} Encore.") & word_grams(SENTENCE) == word_grams(SENTENCE)
