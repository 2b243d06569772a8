"""Labels of statements against all models of small worlds: every way that they may be."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from confute.oracles.facts.fact import Fact, Polarity
from confute.oracles.relations import statement as said
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.statement import Quantifier, Statement
from confute.oracles.relations.truth import label
from confute.records import Label

LEXICON = relations_lexicon()
NAMES = ("Velmo", "Dasra", "Kortex")
UNNAMED = ("someone", "someone else")
LEAGUE, CHARTER = "Aldadale league", "Abeby charter"


class Model(NamedTuple):
    """A way the world may be: who belongs to the one league, and who endorsed the one charter."""

    belongs_to: frozenset[str]
    endorsed: frozenset[str]

    def all_in(self, relation: str) -> frozenset[str]:
        return {"belongs_to": self.belongs_to, "endorsed": self.endorsed}[relation]

    def holds(self, statement: Statement) -> bool:
        match statement:
            case Fact(relation=relation, subject=subject, polarity=polarity):
                return (subject in self.all_in(relation)) is (polarity is Polarity.POSITIVE)
            case said.Conjunction(parts=parts):
                return all(self.holds(part) for part in parts)
            case said.Conditional(condition=condition, consequence=consequence):
                return not self.holds(condition) or self.holds(consequence)
            case said.Listed(relation=relation, members=members):
                return set(members) == self.all_in(relation)
            case said.Count(number=number):
                return len(self.belongs_to) == number
            case said.Quantified(quantifier=Quantifier.EVERY, exceptions=exceptions):
                excepted = set(exceptions)
                are_members = excepted <= self.belongs_to and not excepted & self.endorsed
                return are_members and self.belongs_to - excepted <= self.endorsed
            case said.Quantified(quantifier=quantifier):
                return bool(self.belongs_to & self.endorsed) == (quantifier is Quantifier.SOME)
            case said.Denied(statement=inner):
                return not self.holds(inner)
            case _:
                raise AssertionError(statement)


def _subsets() -> list[frozenset[str]]:
    everyone = (*NAMES, *UNNAMED)
    return [
        frozenset(name for name, is_in in zip(everyone, chosen, strict=True) if is_in)
        for chosen in product((False, True), repeat=len(everyone))
    ]


MODELS = [Model(one, other) for one, other in product(_subsets(), repeat=2)]


def _by_models(claim: Statement, told: list[Statement]) -> Label:
    """Decide a claim in all 1024 models; two things that nobody names stand for all such things."""
    models = [model for model in MODELS if all(model.holds(one) for one in told)]
    found = {model.holds(claim) for model in models}
    if not models:
        return Label.NEI
    return Label.UNSUPPORTED if len(found) == 2 else Label.SUPPORTED if found == {True} else Label.REFUTED


atoms = st.builds(
    lambda relation, name, is_denied: (
        (fact.negated if is_denied else fact)
        if (fact := Fact(relation=relation, subject=name, object=LEAGUE if relation == "belongs_to" else CHARTER))
        else fact
    ),
    st.sampled_from(["belongs_to", "endorsed"]),
    st.sampled_from(NAMES),
    st.booleans(),
)
some_names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple)
lists = st.one_of(
    st.builds(said.Listed, relation=st.just("belongs_to"), object=st.just(LEAGUE), members=some_names),
    st.builds(said.Listed, relation=st.just("endorsed"), object=st.just(CHARTER), members=some_names),
)
conditionals = st.builds(said.Conditional, condition=atoms, consequence=atoms)
quantified = st.builds(
    said.Quantified,
    quantifier=st.sampled_from(list(Quantifier)),
    group=st.just(LEAGUE),
    relation=st.just("endorsed"),
    object=st.just(CHARTER),
)
excepting = some_names.map(
    lambda names: said.Quantified(
        quantifier=Quantifier.EVERY, group=LEAGUE, relation="endorsed", object=CHARTER, exceptions=names[:2]
    )
)
conjunctions = st.lists(atoms, min_size=2, max_size=3).map(lambda parts: said.Conjunction(parts=tuple(parts)))
larger = st.one_of(lists, quantified, excepting, st.builds(said.Count, group=st.just(LEAGUE), number=st.integers(1, 3)))
claims = st.one_of(atoms, conjunctions, conditionals, larger, larger.map(lambda one: said.Denied(statement=one)))


@given(claims, st.lists(st.one_of(atoms, atoms, lists), max_size=5))
@settings(max_examples=300)
def test_facts_and_closed_lists_give_the_label_that_all_models_give(claim: Statement, told: list[Statement]) -> None:
    assert label(claim, told, LEXICON) is _by_models(claim, told)


@given(claims, st.lists(st.one_of(atoms, atoms, lists, conditionals), max_size=5))
@settings(max_examples=200)
def test_with_conditions_a_firm_label_is_that_of_all_models(claim: Statement, told: list[Statement]) -> None:
    # Chains forwards and backwards find no proof by cases, so UNSUPPORTED may be said where models decide.
    expected = _by_models(claim, told)
    assume(expected is not Label.NEI)
    assert label(claim, told, LEXICON) in (expected, Label.UNSUPPORTED)


MEMBERS = tuple(Fact(relation="belongs_to", subject=name, object=LEAGUE) for name in NAMES)
ENDORSERS = tuple(Fact(relation="endorsed", subject=name, object=CHARTER) for name in NAMES)
ROSTER = said.Listed(relation="belongs_to", object=LEAGUE, members=NAMES)
ALL_BUT_VELMO = said.Quantified(
    quantifier=Quantifier.EVERY, group=LEAGUE, relation="endorsed", object=CHARTER, exceptions=("Velmo",)
)


@pytest.mark.parametrize(
    ("claim", "told", "expected"),
    [
        (ALL_BUT_VELMO, (ROSTER, ENDORSERS[0].negated, *ENDORSERS[1:]), Label.SUPPORTED),
        (ALL_BUT_VELMO, (ROSTER, *ENDORSERS), Label.REFUTED),
        (ALL_BUT_VELMO, (ROSTER, *ENDORSERS[1:]), Label.UNSUPPORTED),
        (ALL_BUT_VELMO, (*MEMBERS, ENDORSERS[0].negated, *ENDORSERS[1:]), Label.UNSUPPORTED),
        (
            said.Quantified(quantifier=Quantifier.NO, group=LEAGUE, relation="endorsed", object=CHARTER),
            (MEMBERS[0].negated, said.Listed(relation="endorsed", object=CHARTER, members=NAMES[:1])),
            Label.SUPPORTED,
        ),
        (said.Count(group=LEAGUE, number=3), (ROSTER,), Label.SUPPORTED),
        (said.Count(group=LEAGUE, number=2), (ROSTER,), Label.REFUTED),
        (said.Count(group=LEAGUE, number=2), MEMBERS, Label.REFUTED),
        (said.Count(group=LEAGUE, number=3), MEMBERS, Label.UNSUPPORTED),
    ],
)
def test_exceptions_counts_and_nobody_need_a_closed_list(
    claim: Statement, told: tuple[Statement, ...], expected: Label
) -> None:
    assert label(claim, told, LEXICON) is expected
    assert _by_models(claim, list(told)) is expected
