"""The rows on evidence, on a document small enough to label by hand and on the built-in set."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random

import pytest

from confute.contract import Suite
from confute.oracles.facts.builtin import builtin, documents, evidence_sentence
from confute.oracles.facts.document import Document, Passage
from confute.oracles.facts.fact import Date, Fact, Quantity
from confute.oracles.facts.lexicon import builtin_lexicon
from confute.oracles.facts.world import Entity
from confute.oracles.relations.evidence import EVIDENCE
from confute.oracles.relations.oracle import RelationOracle, Skip
from confute.oracles.relations.relation import Expected, Scene
from confute.records import Label

LEXICON = builtin_lexicon()
ORACLE = RelationOracle(LEXICON)
ROWS = {one.relation_id: one for one in EVIDENCE}
OTHERS = tuple(documents(7, Suite.DEVELOPMENT, LEXICON))

BOUGHT = Fact(
    relation="bought",
    subject="Veltex",
    object="Dasra",
    value=Quantity(number=Decimal(512_000_000), unit="dollar"),
    date=Date(year=2004, month=3, day=5),
)
EMPLOYS = Fact(relation="workforce", subject="Kordyne", value=Quantity(number=Decimal(4200), unit="person"))
ROSE = Fact(relation="profit_rose", subject="Dasra", value=Quantity(number=Decimal(12), unit="percent"))


def document(*facts: Fact) -> Document:
    return Document(
        document_id="by-hand",
        domain="business",
        entities=tuple(Entity(name=name, word=name, kind="firm") for name in ("Veltex", "Dasra", "Kordyne")),
        passages=tuple(Passage(text=evidence_sentence(fact, LEXICON).text, facts=(fact,)) for fact in facts),
        claims=(),
    )


def scene(claim: str, label: Label = Label.SUPPORTED) -> Scene:
    return Scene(document(BOUGHT, EMPLOYS, ROSE), claim, label, LEXICON, OTHERS)


SOLD = "Dasra was sold to Veltex for 512 million dollars on 5 March 2004."
FALSE = "Veltex was sold to Dasra."


def of(row: str, claim: str = SOLD, label: Label = Label.SUPPORTED, seed: str = "0"):
    return list(ROWS[row].transform(scene(claim, label), Random(seed)))


def test_the_rows_are_those_of_the_catalogue_but_the_one_on_ranks():
    assert [one.relation_id for one in EVIDENCE] == [f"E{number}" for number in range(1, 19) if number != 16]


@pytest.mark.parametrize("row", sorted(ROWS))
def test_the_oracle_vouches_for_what_a_row_makes_of_the_built_in_set(row):
    oracle = builtin(3, Suite.DEVELOPMENT)
    by_id = {one.document_id: one for one in oracle.documents}
    made = []
    for case in oracle.cases[::53]:
        own = by_id[case.group]
        given = Scene(own, case.claim, case.label, LEXICON, tuple(one for one in oracle.documents if one is not own))
        first = list(ROWS[row].transform(given, Random(case.case_id)))
        assert first == list(ROWS[row].transform(given, Random(case.case_id)))
        made += first
    assert made
    assert [one.reason for one in map(ORACLE.checked, made) if isinstance(one, Skip)] == []


def test_the_sole_support_is_the_passage_that_is_deleted():
    (made,) = of("E5")
    assert [passage.says[0] for passage in made.after.passages] == [EMPLOYS, ROSE]
    assert (made.expected, made.label) == (Expected.RISES, Label.UNSUPPORTED)


def test_a_support_is_said_twice_before_one_saying_is_deleted():
    (made,) = of("E6")
    assert [passage.says[0] for passage in made.before.passages] == [BOUGHT, EMPLOYS, ROSE, BOUGHT]
    assert [passage.says[0] for passage in made.after.passages] == [EMPLOYS, ROSE, BOUGHT]
    assert made.after.passages[-1].text != made.before.passages[0].text


def test_the_tail_is_dropped_as_far_as_the_claim_still_follows():
    (made,) = of("E14")
    assert [passage.says[0] for passage in made.after.passages] == [BOUGHT]
    assert of("E14", "Kordyne provides work for 4,200 people.")[0].after.passages[-1].says == (EMPLOYS,)


def test_a_contradiction_gives_the_same_purchase_another_price_or_day_beyond_rounding():
    (made,) = of("E8")
    (other,) = made.after.passages[-1].says
    assert (other.relation, other.subject, other.object) == ("bought", "Veltex", "Dasra")
    assert (other.value, other.date) != (BOUGHT.value, BOUGHT.date)
    if other.value != BOUGHT.value:
        assert abs(other.value.number / BOUGHT.value.number - 1) > Decimal("0.03")
    assert made.label is Label.NEI


def test_a_contradiction_refutes_the_claim_by_itself_and_the_rest_supports_it():
    oracle = builtin(3, Suite.DEVELOPMENT)
    by_id = {one.document_id: one for one in oracle.documents}
    drawn = [case for case in oracle.cases if case.label is Label.SUPPORTED][::5]
    made = [
        one
        for case in drawn
        for one in ROWS["E8"].transform(Scene(by_id[case.group], case.claim, case.label, LEXICON, ()), Random("0"))
    ]
    assert len(made) > 20
    for one in made:
        *rest, added = one.after.passages
        alone, without = (one.after.model_copy(update={"passages": some}) for some in ((added,), tuple(rest)))
        assert (ORACLE.label(alone), ORACLE.label(without)) == (Label.REFUTED, Label.SUPPORTED)


@pytest.mark.parametrize(
    ("fact", "claim", "is_made"),
    [
        (
            Fact(relation="climbed", subject="Veltex", object="Dasra", date=Date(year=1922)),
            "Dasra was scaled by Veltex in 1922.",
            False,
        ),
        (
            Fact(relation="height", subject="Dasra", value=Quantity(number=Decimal(4000), unit="metre")),
            "The height of Dasra is 4,000 metres.",
            True,
        ),
    ],
)
def test_a_second_climb_contradicts_no_climb_and_a_second_height_contradicts_a_height(fact, claim, is_made):
    given = Scene(document(fact), claim, Label.SUPPORTED, LEXICON, ())
    assert ORACLE.read(claim) == fact
    assert bool([one for seed in range(9) for one in ROWS["E8"].transform(given, Random(str(seed)))]) is is_made


def test_the_same_text_is_cut_as_a_whole_by_sentence_and_in_windows():
    made = of("E12")
    texts = [" ".join(one.evidence) for one in (made[0].before, *(each.after for each in made))]
    whole, windows = made[0].after, made[-1].after
    assert len(whole.passages) == 1
    assert texts[0] == texts[1]
    assert [len(one.says) for one in windows.passages] == [2, 2]
    assert len(made) == 2  # cut by sentence it is as it was


def test_renaming_is_one_bijection_over_claim_and_evidence():
    (made,) = of("E9")
    renamed = [passage.says[0] for passage in made.after.passages]
    veltex, dasra, kordyne = renamed[0].subject, renamed[0].object, renamed[1].subject
    assert renamed[2].subject == dasra
    assert len({veltex, dasra, kordyne, "Veltex", "Dasra", "Kordyne"}) == 6
    assert made.after.claim == SOLD.replace("Dasra", dasra).replace("Veltex", veltex)


def test_a_claim_on_something_that_its_document_does_not_name_is_not_renamed():
    assert of("E9", "Veltey was sold to Dasra.", Label.UNSUPPORTED) == []


def test_years_and_amounts_move_alike_in_claim_and_evidence():
    (made,) = of("E10")
    moved = made.after.passages[0].says[0]
    years, factor = moved.date.year - 2004, moved.value.number / BOUGHT.value.number
    assert years != 0
    assert factor in {2, 3, Decimal("0.5")}
    assert str(2004 + years) in made.after.claim
    assert made.after.passages[1].says[0].value.number == 4200 * factor
    assert ORACLE.read(made.after.claim) == moved


def test_a_pronoun_and_its_only_antecedent_differ_in_one_word():
    (made,) = of("E13")
    before, after = made.before.passages[0].text, made.after.passages[0].text
    assert before.startswith("This note is about Veltex. It bought Dasra ")
    assert after == before.replace(" It ", " Veltex ")


def test_an_echo_is_made_of_claims_that_are_not_supported_and_says_nothing():
    (made,) = of("E11", FALSE, Label.REFUTED)
    assert (made.after.passages[-1].text, made.after.passages[-1].says) == (FALSE, ())
    assert made.expected is Expected.FLAGGED
    assert of("E11") == []


def test_wrong_evidence_is_another_document_s_and_nearer_among_more():
    made = of("E7")
    evidence = [one.after.evidence for one in made]
    assert 1 <= len(evidence) <= 3
    assert all(one in [tuple(p.text for p in other.passages) for other in OTHERS] for one in evidence)
    assert len(set(evidence)) == len(evidence)


def test_a_topical_distractor_is_about_the_claim_s_subject_and_says_nothing_of_the_claim():
    (made,) = of("E4")
    (fact,) = made.after.passages[-1].says
    assert fact.subject == "Veltex"
    assert fact.relation != "bought"
    assert of("E4", FALSE, Label.REFUTED)[0].expected is Expected.NOT_BELOW


def test_no_evidence_and_filler_say_nothing():
    empty, filler = of("E17")
    assert empty.after.passages == ()
    assert [passage.says for passage in filler.after.passages] == [()] * len(filler.after.passages)


def test_unrelated_numbers_share_no_name_and_no_unit_of_the_claim():
    (made,) = of("E18", "Kordyne provides work for 4,200 people.")
    said = [fact for passage in made.after.passages for fact in passage.says]
    assert {"Veltex", "Dasra", "Kordyne"}.isdisjoint({fact.subject for fact in said})
    assert all(fact.value is None or not LEXICON.units.comparable(fact.value, EMPLOYS.value) for fact in said)
    assert re.search(r"\d", " ".join(made.after.evidence))
