"""What two things do with each other may happen again; what one thing is, it is once."""

from __future__ import annotations

from decimal import Decimal

import pytest

from confute.contract import Suite
from confute.oracles.facts.closure import label
from confute.oracles.facts.fact import Date, Fact, Polarity, Quantity
from confute.oracles.facts.parse import Parser
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.recurrence import recurring, undetermined
from confute.oracles.relations.worlds import relation_facts, sure_cases
from confute.records import Label

LEXICON = relations_lexicon()
CLIMBED = Fact(relation="climbed", subject="Veltex", object="Dasra", date=Date(year=1922))
HIGH = Fact(relation="height", subject="Dasra", value=Quantity(number=Decimal(4000), unit="metre"))
BROKE_OUT = Fact(relation="war_began", subject="Dasra war", date=Date(year=1922))


def price(millions: int, year: int) -> Fact:
    value = Quantity(number=Decimal(millions * 1_000_000), unit="dollar")
    return Fact(relation="bought", subject="Veltex", object="Dasra", value=value, date=Date(year=year))


@pytest.mark.parametrize(
    ("told", "claim", "once", "again"),
    [
        (CLIMBED, CLIMBED.model_copy(update={"date": Date(year=1924)}), Label.REFUTED, Label.UNSUPPORTED),
        (price(5, 1999), price(7, 1999), Label.REFUTED, Label.REFUTED),
        (price(5, 1999), price(7, 2003), Label.REFUTED, Label.UNSUPPORTED),
        (BROKE_OUT, BROKE_OUT.model_copy(update={"date": Date(year=1924)}), Label.REFUTED, Label.REFUTED),
        (HIGH, HIGH.model_copy(update={"value": Quantity(number=Decimal(900), unit="metre")}), *(Label.REFUTED,) * 2),
    ],
)
def test_a_second_event_is_false_only_where_it_cannot_happen_again(told, claim, once, again):
    assert label(claim, [told], LEXICON) is once
    assert label(claim, [told], recurring(LEXICON)) is again
    assert label(claim, [told], undetermined(LEXICON)) is Label.UNSUPPORTED


def test_the_lexicon_itself_stays_as_it_is():
    before = {name: dict(one.functional) for name, one in LEXICON.relations.items()}
    recurring(LEXICON)
    undetermined(LEXICON)
    assert {name: dict(one.functional) for name, one in LEXICON.relations.items()} == before


def test_a_denial_that_a_passage_states_stays_and_one_that_rests_on_a_date_goes():
    facts = relation_facts(0, Suite.DEVELOPMENT)
    by_id = {one.document_id: one for one in facts.documents}
    kept = {case.case_id for case in sure_cases(facts)}
    gone = [case for case in facts.cases if case.case_id not in kept]
    assert gone
    parser = Parser(LEXICON)
    for case in gone:
        claim = parser.parse(case.claim)
        denials = [fact for fact in by_id[case.group].facts if fact.polarity is Polarity.NEGATIVE]
        assert (case.label, claim.polarity) == (Label.SUPPORTED, Polarity.NEGATIVE)
        assert label(claim, denials, LEXICON) is Label.UNSUPPORTED
    assert any(" not " in case.claim and case.label is Label.SUPPORTED for case in facts.cases if case.case_id in kept)
