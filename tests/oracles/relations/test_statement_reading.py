"""What is said is read back as the same statement, and nothing else is read."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.oracles.facts.fact import Date, Fact, Polarity, Quantity
from confute.oracles.relations import statement as said
from confute.oracles.relations.phrases import phrases, relations_lexicon
from confute.oracles.relations.reading import Reader
from confute.oracles.relations.saying import embedded, evidence, ways
from confute.oracles.relations.statement import Statement

LEXICON = relations_lexicon()
READER = Reader(LEXICON)
NAMES = ("Velmo", "Dasra", "Kortex Holdings", "Halgen", "Orsra")
GROUPS = ("Aldadale league", "Noromont guild")
CHARTERS = ("Abeby charter", "Zelaton pact")

names = st.lists(st.sampled_from(NAMES), min_size=3, max_size=5, unique=True).map(tuple)
facts = st.builds(
    Fact,
    relation=st.sampled_from(["bought", "merged_with"]),
    subject=st.sampled_from(NAMES[:2]),
    object=st.sampled_from(NAMES[2:]),
)
dated = facts.flatmap(
    lambda fact: st.sampled_from(
        [fact, *(fact.model_copy(update={"date": date}) for date in (Date(year=2004, month=5, day=3), Date(year=1999)))]
    )
)
parts = dated.flatmap(lambda fact: st.sampled_from([fact, fact.negated]))
people = st.integers(2, 99_999).map(lambda number: Quantity(number=Decimal(number), unit="person"))
employs = st.builds(Fact, relation=st.just("workforce"), subject=st.sampled_from(NAMES), value=people)
measures = st.sampled_from(sorted(phrases().measures))
ranked = names.flatmap(
    lambda members: st.builds(
        said.Ranked,
        order=st.sampled_from(sorted(phrases().superlatives)),
        members=st.just(members),
        subject=st.sampled_from(members),
        rank=st.integers(1, len(members)),
    )
)
quantified = st.builds(
    said.Quantified,
    quantifier=st.sampled_from(list(said.Quantifier)),
    group=st.sampled_from(GROUPS),
    relation=st.just("endorsed"),
    object=st.sampled_from(CHARTERS),
)
excepting = names.map(
    lambda chosen: said.Quantified(
        quantifier=said.Quantifier.EVERY,
        group=GROUPS[0],
        relation="endorsed",
        object=CHARTERS[0],
        exceptions=chosen[:2],
    )
)
deniable: st.SearchStrategy[Any] = st.one_of(
    st.builds(said.Bounded, fact=employs, bound=st.sampled_from(list(said.Bound))),
    st.builds(said.Precedes, earlier=facts, later=facts),
    st.builds(said.Listed, relation=st.just("belongs_to"), object=st.sampled_from(GROUPS), members=names),
    st.builds(said.Listed, relation=st.just("endorsed"), object=st.sampled_from(CHARTERS), members=names),
    quantified,
    excepting,
    st.builds(said.Count, group=st.sampled_from(GROUPS), number=st.integers(1, 99)),
    ranked,
    st.builds(said.Total, relation=measures, subjects=names, value=people),
    st.builds(
        said.Ratio,
        relation=measures,
        subject=st.sampled_from(NAMES[:2]),
        other=st.sampled_from(NAMES[2:]),
        factor=st.sampled_from([Decimal(text) for text in ("2", "3", "1.5", "12", "0.5")]),
    ),
    st.builds(said.Alias, alias=st.sampled_from(NAMES[:2]), name=st.sampled_from(NAMES[2:])),
    st.sampled_from([said.Subsumption(narrower=one, broader=other) for one, other in phrases().kinds.items()]),
)
statements: st.SearchStrategy[Any] = st.one_of(
    parts,
    employs,
    deniable,
    deniable.map(lambda one: said.Denied(statement=one)),
    st.lists(parts, min_size=2, max_size=3).map(lambda found: said.Conjunction(parts=tuple(found))),
    st.builds(said.Conditional, condition=parts, consequence=parts),
    st.builds(
        said.Existential,
        relation=st.sampled_from(sorted(phrases().deeds)),
        subject=st.sampled_from(NAMES),
        noun=st.sampled_from(phrases().nouns),
        polarity=st.sampled_from(list(Polarity)),
    ),
)


@given(statements, st.integers(0, 1000))
def test_all_ways_to_say_a_statement_are_read_as_it(statement: Statement, seed: int) -> None:
    texts = [*ways(statement, LEXICON, Random(seed)), evidence(statement, LEXICON)]
    assert len(texts) > 1
    for text in texts:
        assert text is not None
        assert READER.read(text) == statement, text


@given(statements.filter(lambda one: not isinstance(one, said.Denied)), st.integers(0, 1000))
def test_a_denial_of_a_denial_is_read_as_what_it_denies_the_denial_of(statement: Statement, seed: int) -> None:
    text = ways(statement, LEXICON, Random(seed))[0]
    assert READER.read(f"It is not untrue that {embedded(text, statement)}") == statement


@pytest.mark.parametrize(
    "text",
    [
        # The date may be of either event.
        "Velmo bought Dasra before Halgen merged with Orsra in 2004.",
        # Who vouches for the second half, the text or Nanaley?
        "According to Nanaley, Velmo bought Dasra, and Halgen merged with Orsra.",
        # Denied together, or only the first?
        "It is not true that Velmo bought Dasra, and Halgen merged with Orsra.",
        "It is not true that Velmo may have bought Dasra.",
        "It is not true that it is not true that Velmo bought Dasra.",
        # All did not, or not all did?
        "Every member of the Aldadale league did not endorse the Abeby charter.",
        "Of Velmo, Dasra and Halgen, Orsra is the largest employer.",
        "Of the Velmo, Dasra and the Halgen, the Velmo is the longest.",
        "Of Velmo, Dasra and Velmo, Dasra is the largest employer.",
        "The Aldadale league has exactly one members.",
        "Velmo bought an cello.",
        "Velmo bought a quark.",
        "If Velmo bought Dasra.",
        "Velmo bought Dasra about.",
        "Velmo about employs 1,230 people.",
        "Velmo employs about about 1,230 people.",
        "only velmo endorsed the Abeby charter.",
        "",
        ".",
    ],
)
def test_what_is_ambiguous_or_wrong_is_not_read(text: str) -> None:
    assert READER.read(text) is None


def test_only_is_no_part_of_a_name() -> None:
    listed = said.Listed(relation="endorsed", object="Abeby charter", members=("Velmo",))
    assert READER.read("Only Velmo endorsed the Abeby charter.") == listed


@given(st.text(max_size=300))
def test_random_text_says_nothing(text: str) -> None:
    assert READER.read(f"{text}.") is None


@pytest.mark.parametrize(
    "text",
    [
        "\x00" * 500 + ".",
        "It is not true that \ud800 bought \udfff.",
        "A" * 100_000 + ".",
        "Of " + ", ".join(["Velmo Dasra Kor"] * 70) + ".",
        "Only " + " and ".join(["Velmo"] * 130) + ".",
        ", and ".join(["Velmo bought Dasra"] * 45) + "!.",
        "If " + ", ".join(["Velmo bought Dasra"] * 45) + "!.",
        " before ".join(["Velmo bought Dasra"] * 40) + ".",
        "Velmo employs " + "over 12 people " * 35 + ".",
        "Every member of the Abeby league except " + ", ".join(["Velmo"] * 150) + ".",
        "Taken together, the " + "a " * 500 + ".",
    ],
)
def test_hostile_text_is_read_as_nothing(text: str) -> None:
    assert READER.read(text) is None
