"""Labels of statements by hand, by arithmetic and by order."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confute.errors import OracleError
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.oracles.relations import statement as said
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.statement import Statement
from confute.oracles.relations.truth import has_near, label
from confute.records import Label

LEXICON = relations_lexicon()
LEAGUE, CHARTER = "Aldadale league", "Abeby charter"


def _employs(name: str, number: int | Fraction | Decimal) -> Fact:
    value = Quantity(number=Decimal(str(number)), unit="person")
    return Fact(relation="workforce", subject=name, value=value)


@given(st.integers(1, 2000), st.integers(1, 2000), st.sampled_from(list(said.Bound)))
def test_a_bound_is_decided_by_arithmetic(true: int, stated: int, bound: said.Bound) -> None:
    holds = {
        said.Bound.MORE_THAN: true > stated,
        said.Bound.LESS_THAN: true < stated,
        said.Bound.ABOUT: abs(Fraction(stated - true, true)) <= Fraction(3, 100),
    }[bound]
    claim = said.Bounded(fact=_employs("Velmo", stated), bound=bound)
    assert label(claim, [_employs("Velmo", true)], LEXICON) is (Label.SUPPORTED if holds else Label.REFUTED)


def test_a_bound_on_a_value_that_is_not_told_is_open() -> None:
    claim = said.Bounded(fact=_employs("Velmo", 100), bound=said.Bound.MORE_THAN)
    assert label(claim, [_employs("Dasra", 300)], LEXICON) is Label.UNSUPPORTED


@given(
    st.lists(st.sampled_from([None, 100, 200, 300, 400]), min_size=4, max_size=4),
    st.integers(0, 3),
    st.integers(1, 4),
)
def test_a_rank_is_decided_by_all_orders_that_the_values_allow(values: list[int | None], index: int, rank: int) -> None:
    known = [value for value in values if value is not None]
    assume(len(set(known)) == len(known))
    members = ("Velmo", "Dasra", "Kortex", "Halgen")
    size = dict(zip(members, values, strict=True))
    told = [_employs(name, value) for name, value in size.items() if value is not None]
    found = set()
    for order in permutations(members):  # the largest first
        sizes = [size[name] for name in order if size[name] is not None]
        if sizes == sorted(known, reverse=True):
            found.add(order.index(members[index]) == rank - 1)
    expected = Label.UNSUPPORTED if len(found) == 2 else Label.SUPPORTED if found == {True} else Label.REFUTED
    claim = said.Ranked(order="larger_employer", members=members, subject=members[index], rank=rank)
    assert label(claim, told, LEXICON) is expected


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        (Date(year=1999), Date(year=2000), Label.SUPPORTED),
        (Date(year=2000), Date(year=2000, month=5), Label.UNSUPPORTED),
        (Date(year=2000, month=5, day=3), Date(year=2000, month=5, day=3), Label.UNSUPPORTED),
        (Date(year=2000, month=5, day=4), Date(year=2000, month=5, day=3), Label.REFUTED),
        (None, Date(year=2000), Label.UNSUPPORTED),
    ],
)
def test_a_sequence_follows_from_dates_that_surely_differ(
    earlier: Date | None, later: Date | None, expected: Label
) -> None:
    first = Fact(relation="bought", subject="Velmo", object="Dasra")
    second = Fact(relation="merged_with", subject="Kortex", object="Halgen")
    told = [first.model_copy(update={"date": earlier}), second.model_copy(update={"date": later})]
    assert label(said.Precedes(earlier=first, later=second), told, LEXICON) is expected


def test_a_sequence_with_a_denied_event_is_refuted() -> None:
    first = Fact(relation="bought", subject="Velmo", object="Dasra")
    second = Fact(relation="merged_with", subject="Kortex", object="Halgen")
    assert label(said.Precedes(earlier=first, later=second), [first.negated], LEXICON) is Label.REFUTED


def test_a_condition_gives_its_consequence_only_where_it_holds() -> None:
    ratifies = Fact(relation="ratifies", subject="Velmo", object=CHARTER)
    leaves = Fact(relation="leaves", subject="Dasra", object=LEAGUE)
    rule = said.Conditional(condition=ratifies, consequence=leaves)
    assert label(leaves, [rule], LEXICON) is Label.UNSUPPORTED
    assert label(rule, [rule], LEXICON) is Label.SUPPORTED
    assert label(leaves, [rule, ratifies], LEXICON) is Label.SUPPORTED
    assert label(ratifies, [rule, leaves.negated], LEXICON) is Label.REFUTED
    maybe = ratifies.model_copy(update={"modality": Modality.POSSIBLE})
    reported = ratifies.model_copy(update={"attribution": "Halgen"})
    assert label(leaves, [rule, maybe, reported], LEXICON) is Label.UNSUPPORTED


def test_an_alias_is_the_same_thing_in_facts_lists_and_reports() -> None:
    alias = said.Alias(alias="Zarlo", name="Velmo")
    bought = Fact(relation="bought", subject="Velmo", object="Dasra")
    by_alias = bought.model_copy(update={"subject": "Zarlo"})
    assert label(by_alias, [bought], LEXICON) is Label.UNSUPPORTED
    assert label(by_alias, [bought, alias], LEXICON) is Label.SUPPORTED
    assert label(bought, [by_alias, alias], LEXICON) is Label.SUPPORTED
    # Velmo is on the list, so Zarlo is; without the alias the list shuts Zarlo out.
    listed = said.Listed(relation="belongs_to", object=LEAGUE, members=("Velmo", "Dasra"))
    member = Fact(relation="belongs_to", subject="Zarlo", object=LEAGUE)
    assert label(member, [listed, alias], LEXICON) is Label.SUPPORTED
    assert label(member, [listed], LEXICON) is Label.REFUTED
    chain = said.Alias(alias="Noro", name="Zarlo")
    assert label(bought.model_copy(update={"subject": "Noro"}), [bought, chain, alias], LEXICON) is Label.SUPPORTED
    assert label(said.Alias(alias="Noro", name="Velmo"), [chain, alias], LEXICON) is Label.SUPPORTED


def test_a_rank_among_one_thing_under_two_names_is_open() -> None:
    claim = said.Ranked(order="larger_employer", members=("Velmo", "Zarlo", "Dasra"), subject="Dasra", rank=2)
    alias = said.Alias(alias="Zarlo", name="Velmo")
    assert label(claim, [alias, _employs("Velmo", 30), _employs("Dasra", 20)], LEXICON) is Label.UNSUPPORTED


@pytest.mark.parametrize(
    ("told", "claim", "is_denied", "expected"),
    [
        ("cello", "string instrument", False, Label.SUPPORTED),
        ("cello", "musical instrument", False, Label.SUPPORTED),
        ("string instrument", "cello", False, Label.UNSUPPORTED),
        ("string instrument", "cello", True, Label.SUPPORTED),
        ("cello", "string instrument", True, Label.UNSUPPORTED),
        ("cello", "car", False, Label.UNSUPPORTED),
    ],
)
def test_kinds_go_up_in_what_is_affirmed_and_down_in_what_is_denied(
    told: str, claim: str, is_denied: bool, expected: Label
) -> None:
    edges = [
        said.Subsumption(narrower="cello", broader="string instrument"),
        said.Subsumption(narrower="string instrument", broader="musical instrument"),
    ]
    polarity = Polarity.NEGATIVE if is_denied else Polarity.POSITIVE
    one, other = (
        said.Existential(relation="got", subject="Velmo", noun=noun, polarity=polarity) for noun in (told, claim)
    )
    assert label(other, [one, *edges], LEXICON) is expected
    flipped = {Label.SUPPORTED: Label.REFUTED}.get(expected, expected)
    assert label(other.negated, [one, *edges], LEXICON) is flipped


def test_a_narrower_thing_bought_and_no_broader_one_is_a_contradiction() -> None:
    edge = said.Subsumption(narrower="cello", broader="string instrument")
    got = said.Existential(relation="got", subject="Velmo", noun="cello")
    none = said.Existential(relation="got", subject="Velmo", noun="string instrument", polarity=Polarity.NEGATIVE)
    assert label(got, [got, none, edge], LEXICON) is Label.NEI


def test_totals_and_ratios_are_decided_by_arithmetic_over_known_values() -> None:
    told = [_employs("Velmo", 300), _employs("Dasra", 120)]
    total = said.Total(relation="workforce", subjects=("Velmo", "Dasra"), value=Quantity(number=420, unit="person"))
    wrong = total.model_copy(update={"value": Quantity(number=Decimal(421), unit="person")})
    ratio = said.Ratio(relation="workforce", subject="Velmo", other="Dasra", factor=Decimal("2.5"))
    assert label(total, told, LEXICON) is Label.SUPPORTED
    assert label(wrong, told, LEXICON) is Label.REFUTED
    assert has_near(wrong, told, LEXICON)
    assert not has_near(total, told, LEXICON)
    assert label(ratio, told, LEXICON) is Label.SUPPORTED
    assert label(ratio.model_copy(update={"factor": Decimal(3)}), told, LEXICON) is Label.REFUTED
    assert label(total, told[:1], LEXICON) is Label.UNSUPPORTED


@pytest.mark.parametrize(
    "claim",
    [
        said.Count(group=LEAGUE, number=1),
        said.Conjunction(parts=(_employs("Dasra", 1), _employs("Kortex", 1))),
        said.Denied(statement=said.Count(group=LEAGUE, number=1)),
    ],
)
def test_evidence_that_contradicts_itself_decides_nothing(claim: Statement) -> None:
    assert label(claim, [_employs("Velmo", 300), _employs("Velmo", 900)], LEXICON) is Label.NEI


def test_a_passage_cannot_tell_what_only_claims_say() -> None:
    with pytest.raises(OracleError, match="a passage cannot tell this"):
        label(_employs("Velmo", 1), [said.Count(group=LEAGUE, number=1)], LEXICON)
