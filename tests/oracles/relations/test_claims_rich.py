"""Rows whose claims say more than one fact: instances checked by hand, and all of them by the oracle."""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random

import pytest

from confute.oracles.facts.builtin import evidence_sentence
from confute.oracles.facts.document import Document, Passage
from confute.oracles.facts.fact import Date, Fact, Quantity
from confute.oracles.facts.world import Entity
from confute.oracles.relations.catalogue import RELATIONS
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.relation import Expected, Instance, Scene
from confute.oracles.relations.statement import Ratio, Total
from confute.oracles.relations.truth import label
from confute.records import Label

LEXICON = relations_lexicon()
FACTS = (
    Fact(
        relation="bought",
        subject="Velmotex",
        object="Dasra",
        value=Quantity(number=Decimal(25_000_000), unit="dollar"),
        date=Date(year=2004, month=5, day=3),
    ),
    Fact(relation="merged_with", subject="Kortex", object="Halgen", date=Date(year=2006, month=2)),
    Fact(relation="workforce", subject="Velmotex", value=Quantity(number=Decimal(1200), unit="person")),
    Fact(relation="workforce", subject="Dasra", value=Quantity(number=Decimal(400), unit="person")),
    Fact(
        relation="profit_rose",
        subject="Kortex",
        value=Quantity(number=Decimal(12), unit="percent"),
        date=Date(year=2007),
        attribution="Nanaley",
    ),
)
BOUGHT = "Velmotex took over Dasra on 3 May 2004 at a price of 25 million dollars."
MERGED = "A merger united Kortex and Halgen in February 2006."
EMPLOYS = "Velmotex is an employer of 1,200 people."
PROFIT = "Profit at Kortex was up by 12 percent in 2007."
DOCUMENT = Document(
    document_id="by-hand",
    domain="business",
    entities=tuple(
        Entity(name=name, word=name, kind="person" if name == "Nanaley" else "firm")
        for name in ("Velmotex", "Dasra", "Kortex", "Halgen", "Nanaley")
    ),
    passages=tuple(Passage(text=evidence_sentence(fact, LEXICON).text, facts=(fact,)) for fact in FACTS),
    claims=(BOUGHT, MERGED, EMPLOYS, PROFIT),
)
SEEDS = range(12)


def made(row: str, claim: str, label: Label = Label.SUPPORTED) -> list[Instance]:
    """Return what a row makes of a claim about the document, by twelve draws."""
    scene = Scene(DOCUMENT, claim, label, LEXICON, ())
    return [one for seed in SEEDS for one in RELATIONS[row].transform(scene, Random(str(seed)))]


def arm(row: str, claim: str, expected: Expected) -> list[Instance]:
    """Return the instances of one direction; there are some."""
    found = [one for one in made(row, claim) if one.expected is expected]
    assert found
    return found


def told(instance: Instance) -> list[str]:
    """Return the passages that the row adds to the document."""
    return list(instance.after.evidence[len(DOCUMENT.passages) :])


def number_in(text: str) -> Decimal:
    """Return the number of people that a claim gives."""
    match = re.search(r"([\d,]+) people", text)
    assert match is not None
    return Decimal(match[1].replace(",", ""))


def test_a_double_negation_keeps_a_claim_word_for_word() -> None:
    afters = {one.after.claim for one in made("C6", EMPLOYS)}
    assert afters == {
        f"{frame} that {EMPLOYS}" for frame in ("It is not untrue", "It is not false", "It is not wrong to say")
    }


def test_a_common_word_loses_its_capital_behind_that() -> None:
    assert "It is not false that a merger united Kortex and Halgen in February 2006." in {
        one.after.claim for one in made("C6", MERGED)
    }


def test_about_stays_within_three_percent_or_goes_far_beyond() -> None:
    inside, outside = (
        [number_in(one.after.claim) for one in arm("C14", EMPLOYS, expected)]
        for expected in (Expected.INVARIANT, Expected.RISES)
    )
    assert set(inside) == {Decimal(1200)}
    # 80 to 150 % of 1,200, in two digits.
    assert set(outside) <= {Decimal(number) for number in (960, 1000, 1100, 1300, 1400, 1600, 1800)}
    assert len(set(outside)) > 2


@pytest.mark.parametrize(("row", "bounds"), [("C14", "about|roughly|approximately"), ("C15", "more than|over")])
def test_a_bound_and_a_number_are_all_that_changes(row: str, bounds: str) -> None:
    # The claim's template, its date and the way its number is written stay: 25 million dollars is no $26,000,000.
    bounded = re.compile(
        rf"Velmotex took over Dasra on 3 May 2004 at a price of (?:{bounds}) \d+(?:\.\d+)? million dollars\."
    )
    texts = [one.after.claim for one in made(row, BOUGHT)]
    assert len(texts) > len(SEEDS)
    assert [text for text in texts if bounded.fullmatch(text) is None] == []


@pytest.mark.parametrize("row", ["C14", "C15"])
def test_a_value_that_begins_a_claim_is_not_bounded(row: str) -> None:
    assert made(row, "25 million dollars is what Velmotex paid for Dasra.") == []


def test_more_than_names_a_number_below_or_above() -> None:
    assert all(number_in(one.after.claim) < 1200 for one in arm("C15", EMPLOYS, Expected.INVARIANT))
    above = arm("C15", EMPLOYS, Expected.RISES)
    assert all(number_in(one.after.claim) > 1200 for one in above)
    assert {one.label for one in above} == {Label.REFUTED}


def test_all_becomes_some_where_all_did_and_some_becomes_all_where_one_did_not() -> None:
    for one in arm("C16", EMPLOYS, Expected.INVARIANT):
        assert re.match(r"(Every|Each) member of the ", one.before.claim)
        assert re.match(r"(At least one|Some) member of the ", one.after.claim)
        assert not any("did not endorse" in text for text in told(one))
    for one in arm("C16", EMPLOYS, Expected.RISES):
        assert re.match(r"(Every|Each) member of the ", one.after.claim)
        assert sum("did not endorse" in text for text in told(one)) == 1


def test_only_is_added_to_one_of_two_who_did_it() -> None:
    found = arm("C17", EMPLOYS, Expected.RISES)
    only = [one for one in found if re.search(r"^Only |and no one else", one.after.claim)]
    excepting = [one for one in found if " except " in one.after.claim]
    assert len(only) == len(excepting) == len(SEEDS)
    assert all(sum(" endorsed the " in text for text in told(one)) >= 2 for one in only)
    for one in excepting:
        name = re.search(r" except (.+?) (gave|came|endorsed)", one.after.claim)
        assert name is not None
        assert any(text.startswith(f"{name[1]} endorsed") for text in told(one))


def test_clauses_are_exchanged_with_before_and_after() -> None:
    # Velmotex bought Dasra in May 2004; Kortex and Halgen merged in February 2006.
    for one in arm("C20", BOUGHT, Expected.INVARIANT):
        before, after = one.before.claim.lower(), one.after.claim.lower()
        assert {word for word in ("before", "after") if f"{word} " in before} != {
            word for word in ("before", "after") if f"{word} " in after
        }
        for text in (before, after):
            infix = re.search(r"(?<!^)(before|after) ", text)
            prefix = re.match(r"(before|after) ", text)
            is_bought_first = text.index("velmotex") < text.index("kortex")
            word = infix[1] if infix is not None else prefix[1] if prefix is not None else ""
            assert is_bought_first is ((word == "before") is (infix is not None))


def test_a_date_is_coarsened_or_refined_within_itself() -> None:
    assert {_date_of(one.after.claim) for one in arm("C23", BOUGHT, Expected.INVARIANT)} == {"May 2004", "2004"}
    finer = {_date_of(one.after.claim) for one in arm("C23", MERGED, Expected.RISES)}
    assert all(re.fullmatch(r"\d+ February 2006|February \d+, 2006|2006-02-\d\d", date) for date in finer)
    assert {one.label for one in made("C23", MERGED) if one.expected is Expected.RISES} == {Label.UNSUPPORTED}


def test_a_date_is_all_that_changes_when_it_is_coarsened_or_refined() -> None:
    for claim in (BOUGHT, MERGED):
        for one in made("C23", claim):
            assert one.before.claim == claim
            assert re.sub(r" (in|on) [\w ]*\d{4}", "", one.after.claim) == re.sub(r" (in|on) [\w ]*\d{4}", "", claim)


def _date_of(text: str) -> str:
    match = re.search(r" (?:in|on) (?:the year )?((?:\w+ )?\w* ?(?:\d+, )?\d{4}(?:-\d\d-\d\d)?)", text)
    assert match is not None, text
    return match[1]


def test_an_alias_stands_in_the_claim_and_is_declared_in_a_passage() -> None:
    for one in arm("C27", BOUGHT, Expected.INVARIANT):
        declared = re.fullmatch(r"(Velmotex|Dasra) is also known as (.+)\.", told(one)[0])
        assert declared is not None
        assert one.after.claim == BOUGHT.replace(declared[1], declared[2])


@pytest.mark.parametrize(("row", "follows"), [("C28", "broader"), ("C29", "narrower")])
def test_kinds_change_in_the_direction_that_the_context_allows(row: str, follows: str) -> None:
    for one in made(row, EMPLOYS):
        first, *edges = told(one)
        assert (" not " in first) is (row == "C29")
        narrow = re.match(r"Every (.+?) is an? ", edges[0])
        broad = re.search(r" is an? (.+)\.$", edges[-1])
        assert narrow is not None
        assert broad is not None
        goal = {"broader": broad[1], "narrower": narrow[1]}[follows]
        assert one.after.claim.endswith(f" {goal}.") is (one.expected is Expected.INVARIANT)


def test_a_conjunct_is_dropped_down_to_the_claim() -> None:
    for one in arm("C30", EMPLOYS, Expected.INVARIANT):
        assert one.after.claim == EMPLOYS
        assert re.search(r", (and|while) ", one.before.claim)
        assert EMPLOYS.removesuffix(".") in one.before.claim
        assert re.search(r"Dasra|Halgen", one.before.claim)


def test_a_conjunct_is_added_that_the_document_only_reports() -> None:
    for one in arm("C31", EMPLOYS, Expected.RISES):
        assert one.before.claim == EMPLOYS
        assert EMPLOYS.removesuffix(".") in one.after.claim
        assert PROFIT.removesuffix(".")[1:] in one.after.claim
        assert "12" in one.after.claim or "twelve" in one.after.claim
        assert "profit" in one.after.claim.lower()
        assert one.label is Label.UNSUPPORTED


def test_a_condition_is_dropped_and_leaves_its_consequence() -> None:
    for one in arm("C32", EMPLOYS, Expected.RISES):
        assert re.search(r" (if|provided that|on condition that) |^If ", one.before.claim)
        assert not re.search(r"\b[iI]f\b|provided|condition", one.after.claim)
        assert told(one)[0].startswith("If ")
        assert one.label is Label.UNSUPPORTED


def test_an_attribution_is_dropped_from_a_report() -> None:
    for one in arm("C33", EMPLOYS, Expected.RISES):
        assert "Nanaley" in one.before.claim
        assert "Nanaley" not in one.after.claim
        assert "Kortex" in one.after.claim
        assert one.label is Label.UNSUPPORTED


def test_a_rank_is_shifted_among_four_whose_sizes_are_told() -> None:
    for one in arm("C35", EMPLOYS, Expected.RISES):
        size = {"Velmotex": 1200, "Dasra": 400}
        size |= {text.split(" employs")[0]: int(number_in(text)) for text in told(one)}
        assert len(size) == 4
        assert [_is_right_rank(text, size) for text in (one.before.claim, one.after.claim)] == [True, False]


def _is_right_rank(text: str, size: dict[str, int]) -> bool:
    ranked = re.search(r", (\w[\w ]*) is the ((?:\w+-)?)largest employer\.$", text)
    other = re.search(r", the ((?:\w+-)?)largest employer is (.+)\.$", text)
    name, place = (ranked[1], ranked[2]) if ranked else (other[2], other[1]) if other else ("", "")
    ordinals = ("", "second-", "third-", "fourth-")
    return sorted(size, key=lambda one: -size[one])[ordinals.index(place)] == name


def test_a_name_that_the_closed_list_leaves_out_takes_a_members_place() -> None:
    for one in arm("C36", EMPLOYS, Expected.RISES):
        names = re.search(r" are (.+), and there are no others\.$", told(one)[0])
        assert names is not None
        members = re.split(r", | and ", names[1])
        assert one.before.claim.split(" is ")[0] in members
        assert one.after.claim.split(" is ")[0] not in members


def test_members_are_counted_one_too_many_or_too_few() -> None:
    words = ("", "one", "two", "three", "four", "five", "six")
    for one in arm("C37", EMPLOYS, Expected.RISES):
        names = re.search(r" are (.+), and there are no others\.$", told(one)[0])
        assert names is not None
        count = len(re.split(r", | and ", names[1]))
        assert re.search(rf"\b{words[count]}\b", one.before.claim)
        assert re.search(rf"\b({words[count - 1]}|{words[count + 1]})\b", one.after.claim)


def test_a_sum_and_a_ratio_are_right_and_then_wrong() -> None:
    # 1,200 + 400 = 1,600.
    totals = [one for one in arm("C38", EMPLOYS, Expected.RISES) if "combined" in one.before.claim]
    assert totals
    assert all(number_in(one.before.claim) == 1600 != number_in(one.after.claim) for one in totals)
    digits = {"two": "2", "three": "3", "four": "4", "five": "5"}
    ratios = [one for one in made("C38", EMPLOYS) if " times " in one.before.claim]
    assert ratios
    for one in ratios:
        factor = re.search(r"(\S+) times ", one.before.claim)
        assert factor is not None
        small = 1200 if "Velmotex" in one.before.claim else 400
        assert number_in(told(one)[0]) == Decimal(digits.get(factor[1], factor[1])) * small


def test_what_is_denied_is_denied_in_words_that_mean_no_more_and_no_less() -> None:
    # Who did not buy a dog may have acquired one, or paid for one; and "never" reaches further than "did not".
    texts = [text for one in made("C29", EMPLOYS) for text in (one.before.claim, one.after.claim)]
    assert texts
    assert [text for text in texts if not re.search(r" did not (purchase|make|take|get|buy) ", text)] == []
    assert [text for text in texts if re.search(r"never|acquire|pay|cover", text)] == []


@pytest.mark.parametrize(("measure", "unit"), [("half_life", "hour"), ("height", "metre")])
def test_what_does_not_add_up_has_no_sum(measure: str, unit: str) -> None:
    facts = tuple(
        Fact(relation=measure, subject=name, value=Quantity(number=Decimal(number), unit=unit))
        for name, number in (("Velmotin", 60), ("Dasrin", 20))
    )
    total = Total(relation=measure, subjects=("Velmotin", "Dasrin"), value=Quantity(number=Decimal(80), unit=unit))
    ratio = Ratio(relation=measure, subject="Velmotin", other="Dasrin", factor=Decimal(3))
    assert [label(one, facts, LEXICON) for one in (total, ratio)] == [Label.UNSUPPORTED, Label.SUPPORTED]


def test_only_what_happened_stands_before_or_after_something() -> None:
    # A workforce has no date; a merger and a purchase are told by what happened, without a price.
    for one in arm("C20", BOUGHT, Expected.INVARIANT):
        for text in (one.before.claim, one.after.claim):
            assert not re.search(r"\d|dollars| was in | was the ", text)
    assert made("C20", EMPLOYS) == []


def test_a_complement_denies_the_claim_word_for_word() -> None:
    assert {one.after.claim for one in arm("P8", EMPLOYS, Expected.RISES)} == {
        f"It is {frame} that {EMPLOYS}" for frame in ("not true", "false", "not the case")
    }


@pytest.mark.parametrize("row", ["C14", "C15", "C20", "C23", "C30", "C31", "C33", "P8"])
def test_a_row_on_supported_claims_leaves_others_alone(row: str) -> None:
    assert made(row, PROFIT, Label.UNSUPPORTED) == []


@pytest.mark.parametrize("row", ["C14", "C15"])
def test_a_claim_without_a_value_bounds_nothing(row: str) -> None:
    assert made(row, MERGED) == []
