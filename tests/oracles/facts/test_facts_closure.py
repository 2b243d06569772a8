"""The closure, by hand and against an independent enumeration of all models of tiny worlds."""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from itertools import chain, combinations, permutations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from confute.errors import OracleError
from confute.oracles.facts import builtin_lexicon
from confute.oracles.facts.closure import label
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.records import Label

LEXICON = builtin_lexicon()
S, R, U = Label.SUPPORTED, Label.REFUTED, Label.UNSUPPORTED


def fact(
    relation: str, subject: str, other: str | None = None, value: Any = None, date: Any = None, **manner: Any
) -> Fact:
    if value is not None and not isinstance(value, Quantity):
        declared = LEXICON.relations[relation].value
        assert declared is not None
        value = Quantity(number=Decimal(value), unit=declared.unit)
    return Fact(
        relation=relation,
        subject=subject,
        object=other,
        value=value,
        date=None if date is None else Date(**dict(zip(("year", "month", "day"), date, strict=False))),
        **manner,
    )


BOUGHT = fact("bought", "A", "B", 120_000_000, (2014, 3, 5))
NOT: dict[str, Any]
MAYBE: dict[str, Any]
NOT, MAYBE = {"polarity": Polarity.NEGATIVE}, {"modality": Modality.POSSIBLE}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (fact("bought", "A", "B"), S),
        (fact("bought", "A", "B", date=(2014,)), S),  # coarser
        (fact("bought", "A", "B", date=(2015,)), R),  # functional
        (fact("bought", "A", "B", date=(2014, 3, 6)), R),
        (fact("bought", "A", "B", 121_000_000), R),
        (fact("bought", "A", "B", Quantity(number=Decimal(120_000_000), unit="euro")), R),
        (fact("bought", "B", "A"), R),  # asymmetric
        (fact("bought", "A", "C"), U),  # open world
        (fact("bought", "C", "B"), U),
        (fact("bought", "A", "A"), R),
        (fact("bought", "A", "B", **NOT), R),
        (fact("bought", "B", "A", **NOT), S),
        (fact("bought", "A", "C", **NOT), U),
        (fact("bought", "A", "B", date=(2015,), **NOT), S),
        (fact("bought", "A", "B", **MAYBE), S),  # what is, may be
        (fact("bought", "B", "A", **MAYBE), R),
        (fact("bought", "A", "B", attribution="P"), U),
        (fact("merged_with", "A", "B"), U),
    ],
)
def test_one_purchase_decides_these_claims(claim: Any, expected: Any) -> None:
    assert label(claim, [BOUGHT], LEXICON) is expected


def test_a_finer_date_than_the_evidence_has_is_not_supported() -> None:
    facts = [fact("bought", "A", "B", date=(2014,))]
    assert label(fact("bought", "A", "B", date=(2014, 3)), facts, LEXICON) is U


def test_a_symmetric_relation_holds_both_ways_and_so_does_its_date() -> None:
    facts = [fact("merged_with", "A", "B", date=(2014, 3, 5))]
    assert label(fact("merged_with", "B", "A", date=(2014, 3, 5)), facts, LEXICON) is S
    assert label(fact("merged_with", "B", "A", date=(2013,)), facts, LEXICON) is R


def test_the_possible_does_not_entail_the_actual() -> None:
    facts = [fact("bought", "A", "B", **MAYBE)]
    assert label(fact("bought", "A", "B"), facts, LEXICON) is U
    assert label(fact("bought", "A", "B", **NOT), facts, LEXICON) is U
    assert label(fact("bought", "A", "B", **MAYBE), facts, LEXICON) is S
    assert label(fact("bought", "B", "A", **MAYBE), facts, LEXICON) is U
    assert label(fact("merged_with", "B", "A", **MAYBE), [fact("merged_with", "A", "B", **MAYBE)], LEXICON) is S


def test_two_possibilities_are_not_possible_together() -> None:
    chain_ = [fact("upheaval_caused", "A", "B", **MAYBE), fact("upheaval_caused", "B", "C", **MAYBE)]
    assert label(fact("upheaval_caused", "A", "C", **MAYBE), chain_, LEXICON) is U


def test_the_reported_does_not_entail_the_fact() -> None:
    facts = [fact("bought", "A", "B", date=(2014,), attribution="P")]
    assert label(fact("bought", "A", "B"), facts, LEXICON) is U
    assert label(fact("bought", "A", "B", attribution="P"), facts, LEXICON) is S
    assert label(fact("bought", "B", "A", attribution="P"), facts, LEXICON) is R
    assert label(fact("bought", "A", "B", attribution="Q"), facts, LEXICON) is U


def test_a_denial_refutes_the_claim_and_everything_that_entails_it() -> None:
    facts = [fact("bought", "A", "B", date=(2014,), **NOT)]
    assert label(fact("bought", "A", "B", date=(2014, 3)), facts, LEXICON) is R
    assert label(fact("bought", "A", "B"), facts, LEXICON) is U
    assert label(fact("bought", "A", "B", date=(2014,), **NOT), facts, LEXICON) is S


def test_dates_order_events_through_chains() -> None:
    facts = [
        fact("upheaval_began", "A", date=(2010, 5)),
        fact("upheaval_began", "B", date=(2010, 6, 1)),
        fact("upheaval_before", "B", "C"),
    ]
    assert label(fact("upheaval_before", "A", "C"), facts, LEXICON) is S
    assert label(fact("upheaval_before", "C", "A"), facts, LEXICON) is R
    assert label(fact("upheaval_after", "C", "A"), facts, LEXICON) is S  # the converse name
    assert label(fact("upheaval_before", "A", "D"), facts, LEXICON) is U


def test_overlapping_dates_order_nothing() -> None:
    facts = [fact("upheaval_began", "A", date=(2010,)), fact("upheaval_began", "B", date=(2010, 6, 1))]
    assert label(fact("upheaval_before", "A", "B"), facts, LEXICON) is U
    assert label(fact("upheaval_before", "B", "A"), facts, LEXICON) is U


def test_values_order_things_across_units_and_equal_values_refute_both_ways() -> None:
    miles = fact("river_length", "B", None, Quantity(number=Decimal(100), unit="mile"))
    facts = [fact("river_length", "A", None, 161), miles, fact("river_length", "C", None, 161_000)]
    metres = fact("river_length", "C", None, Quantity(number=Decimal(161_000), unit="metre"))
    assert label(fact("longer_river", "A", "B"), facts[:2], LEXICON) is S  # 161 km against 160.9344 km
    assert label(fact("longer_river", "A", "C"), [facts[0], metres], LEXICON) is R
    assert label(fact("longer_river", "C", "A"), [facts[0], metres], LEXICON) is R


def test_a_measure_that_breaks_a_known_order_is_refuted() -> None:
    facts = [fact("longer_river", "A", "B"), fact("river_length", "B", None, 500)]
    assert label(fact("river_length", "A", None, 400), facts, LEXICON) is R
    assert label(fact("river_length", "A", None, 600), facts, LEXICON) is U


def test_the_opposite_direction_on_one_date_is_refuted() -> None:
    facts = [fact("profit_rose", "A", None, 12, (2014,))]
    assert label(fact("profit_fell", "A", None, 12, (2014,)), facts, LEXICON) is R
    assert label(fact("profit_fell", "A", None, 12, (2015,)), facts, LEXICON) is U
    assert label(fact("profit_rose", "A", None, 13, (2014,)), facts, LEXICON) is R


def test_a_value_and_a_date_of_one_event_join() -> None:
    facts = [fact("bought", "A", "B", 120_000_000), fact("bought", "A", "B", date=(2014,))]
    assert label(fact("bought", "A", "B", 120_000_000, (2014,)), facts, LEXICON) is S


def test_contradictory_facts_vouch_for_nothing() -> None:
    facts = [fact("bought", "A", "B"), fact("bought", "B", "A")]
    assert label(fact("bought", "A", "B"), facts, LEXICON) is Label.NEI


def test_an_unknown_relation_is_an_error() -> None:
    with pytest.raises(OracleError, match="unknown relation"):
        label(Fact(relation="owns", subject="A"), [], LEXICON)


# The independent oracle: every set of pairs over three things that obeys the axioms is a model; a claim is supported
# if it is true in all models of the facts, and refuted if in none.
Pair = tuple[str, str]
Pairs = frozenset[Pair]
THINGS = ("A", "B", "C")
PAIRS = tuple(product(THINGS, THINGS))
RELATIONS: dict[str, tuple[str, ...]] = {
    "merged_with": ("symmetric",),
    "bought": ("asymmetric",),
    "upheaval_caused": ("asymmetric", "transitive"),
    "longer_river": ("asymmetric", "transitive"),
    "flows_into": ("asymmetric", "functional"),
    "succeeded": ("asymmetric", "functional", "injective"),
    "overruled": (),
}
AXIOMS: dict[str, Callable[[Pairs], bool]] = {
    "symmetric": lambda pairs: all((b, a) in pairs and a != b for a, b in pairs),
    "asymmetric": lambda pairs: all((b, a) not in pairs for a, b in pairs),
    "transitive": lambda pairs: all((a, d) in pairs for (a, b), (c, d) in product(pairs, pairs) if b == c),
    "functional": lambda pairs: all(b == d for (a, b), (c, d) in product(pairs, pairs) if a == c),
    "injective": lambda pairs: all(a == c for (a, b), (c, d) in product(pairs, pairs) if b == d),
}


@cache
def models(relation: str) -> list[Pairs]:
    subsets = chain.from_iterable(combinations(PAIRS, size) for size in range(len(PAIRS) + 1))
    return [
        frozenset(pairs) for pairs in subsets if all(AXIOMS[axiom](frozenset(pairs)) for axiom in RELATIONS[relation])
    ]


def enumerated(relation: str, stated: dict[Pair, bool], claim: Pair) -> Label:
    possible = [model for model in models(relation) if all((pair in model) == holds for pair, holds in stated.items())]
    if not possible:
        return Label.NEI
    truths = {claim in model for model in possible}
    if len(truths) == 2:
        return U
    return S if True in truths else R


@settings(max_examples=400)
@given(
    st.sampled_from(sorted(RELATIONS)),
    st.dictionaries(st.sampled_from(PAIRS), st.booleans(), max_size=4),
    st.sampled_from(PAIRS),
    st.booleans(),
)
def test_the_closure_agrees_with_the_enumeration_of_all_models(
    relation: str, stated: dict[Pair, bool], pair: Pair, positive: bool
) -> None:
    assume(pair[0] != pair[1] or RELATIONS[relation])
    expected = enumerated(relation, stated, pair)
    facts = [fact(relation, *known, **({} if holds else NOT)) for known, holds in stated.items()]
    assume(not (relation == "overruled" and any(one == other for one, other in stated)))
    if not positive:
        expected = {S: R, R: S}.get(expected, expected)
    assert label(fact(relation, *pair, **({} if positive else NOT)), facts, LEXICON) is expected


@given(
    st.permutations(THINGS),
    st.lists(st.integers(1, 4), min_size=3, max_size=3),
)
def test_measured_orders_agree_with_plain_comparison(things: Any, lengths: Any) -> None:
    facts = [fact("river_length", thing, None, length * 100) for thing, length in zip(things, lengths, strict=True)]
    by_thing = dict(zip(things, lengths, strict=True))
    for one, other in permutations(THINGS, 2):
        expected = S if by_thing[one] > by_thing[other] else R
        assert label(fact("longer_river", one, other), facts, LEXICON) is expected
