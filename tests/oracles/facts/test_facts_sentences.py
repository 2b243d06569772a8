"""Rendering and parsing are inverse over every relation, template, polarity, modality, format and attribution."""

import string
from decimal import Decimal
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.errors import OracleError
from confute.oracles.facts import builtin_lexicon
from confute.oracles.facts.fact import Date, Fact, Modality, Polarity, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Parser
from confute.oracles.facts.render import FRAMES, Writing, render, sentence
from confute.oracles.facts.template import Template

LEXICON = builtin_lexicon()
PARSER = Parser(LEXICON)
STYLES = [(name, style) for name, templates in LEXICON.templates.items() for style in templates]
WORDS = st.builds(
    lambda head, tail: head + tail,
    st.sampled_from("BCDFGKLPRSTVZ"),
    st.text(string.ascii_lowercase, min_size=4, max_size=9),
)
DATES = st.one_of(
    st.builds(Date, year=st.integers(1000, 2400)),
    st.builds(Date, year=st.integers(1000, 2400), month=st.integers(1, 12)),
    st.builds(Date, year=st.integers(1000, 2400), month=st.integers(1, 12), day=st.integers(1, 28)),
)
NUMBERS = st.decimals(min_value=-(10**7), max_value=10**10, places=2) | st.integers(0, 10**10).map(Decimal)


def facts(relation: str, template: Template) -> st.SearchStrategy[Fact]:
    """Facts that the template has a place for."""
    declared = LEXICON.relations[relation]
    domain = next(domain for domain in LEXICON.domains.values() if relation in domain.relations)

    def name(kind: str) -> st.SearchStrategy[str]:
        nouns = domain.kinds[kind].nouns
        return st.builds(lambda word, noun: f"{word} {noun}", WORDS, st.sampled_from(nouns)) if nouns else WORDS

    def slot(argument: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        if argument in template.required:
            return values
        return st.none() | values if argument in template.slots else st.none()

    unit = declared.value.unit if declared.value else "dollar"
    return st.builds(
        Fact,
        relation=st.just(relation),
        subject=name(declared.subject),
        object=name(declared.object) if declared.object else st.none(),
        value=slot(
            "value", st.builds(Quantity, number=NUMBERS, unit=st.sampled_from([unit, *LEXICON.units.siblings(unit)]))
        ),
        date=slot("date", DATES),
        polarity=st.sampled_from(Polarity),
        modality=st.sampled_from(Modality),
        attribution=st.none() | WORDS,
    )


WRITINGS = st.builds(Writing, st.integers(0, 9), st.integers(0, 3), st.sampled_from(FRAMES))


@pytest.mark.parametrize("domain", sorted(LEXICON.domains))
@given(data=st.data())
def test_parsing_is_the_inverse_of_rendering(domain: Any, data: Any) -> None:
    styles = [(name, style) for name, style in STYLES if name in LEXICON.domains[domain].relations]
    relation, style = data.draw(st.sampled_from(styles))
    template = LEXICON.templates[relation][style]
    fact = data.draw(facts(relation, template))
    said = sentence(fact, template, LEXICON, data.draw(WRITINGS))
    assert said is not None
    for verb in template.verbs:
        expected = fact.model_copy(update={"polarity": verb.polarity, "modality": verb.modality})
        assert PARSER.parse(said._replace(verb=verb).text) == expected


def test_every_template_reads_back_in_every_verb_form_with_any_part_left_out() -> None:
    read = 0
    for relation, style in STYLES:
        template, declared = LEXICON.templates[relation][style], LEXICON.relations[relation]
        domain = next(domain for domain in LEXICON.domains.values() if relation in domain.relations)
        nouns = {kind: (domain.kinds[kind].nouns or ("",))[0] for kind in domain.kinds}
        texts = {
            "subject": f"Velmora {nouns[declared.subject]}".strip(),
            "object": f"Dastin {nouns[declared.object]}".strip() if declared.object else None,
            "value": Quantity(number=Decimal(12), unit=declared.value.unit) if declared.value else None,
            "date": Date(year=1999, month=5, day=3),
        }
        optional = sorted(template.slots - template.required)
        for left_out in chain.from_iterable(combinations(optional, size) for size in range(len(optional) + 1)):
            said = {slot: value for slot, value in texts.items() if slot in template.slots - set(left_out)}
            fact = Fact(relation=relation, **said)
            filled = sentence(fact, template, LEXICON)
            assert filled is not None
            for verb in template.verbs:
                expected = fact.model_copy(update={"polarity": verb.polarity, "modality": verb.modality})
                assert PARSER.parse(filled._replace(verb=verb).text) == expected
                read += 1
    assert read >= 4 * len(STYLES)


@pytest.mark.parametrize(
    "text", ["Velmora Tribunal fined Dastin on 3 May 1999.", "Velmora Hospital tested Dastin in 1999."]
)
def test_a_date_is_not_taken_for_a_value_that_is_left_out(text: str) -> None:
    fact = PARSER.parse(text)
    assert fact is not None
    assert (fact.value, fact.date and fact.date.year) == (None, 1999)


def test_the_lexicon_has_forty_relations_over_eight_domains() -> None:
    assert len(LEXICON.relations) >= 40
    assert sorted(LEXICON.domains) == sorted(
        ["business", "medicine", "law", "science", "sport", "geography", "history", "finance"]
    )
    for domain in LEXICON.domains.values():
        relations = domain.relations.values()
        assert any(relation.is_symmetric for relation in relations)
        assert any(relation.is_asymmetric and relation.object == relation.subject for relation in relations)
        assert any("causal" in relation.properties for relation in relations)
        assert any(relation.order for relation in relations)
        assert any(relation.functional for relation in relations)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("active", "Velmora bought Dastin for 120,000,000 dollars on 5 March 2014."),
        ("passive", "Dastin was acquired by Velmora for 120,000,000 dollars on 5 March 2014."),
        ("converse", "Dastin was sold to Velmora for 120,000,000 dollars on 5 March 2014."),
        ("takeover", "Velmora took over Dastin on 5 March 2014 at a price of 120,000,000 dollars."),
    ],
)
def test_a_fact_is_said_in_active_passive_converse_and_paraphrase(style: Any, text: Any) -> None:
    fact = Fact(
        relation="bought",
        subject="Velmora",
        object="Dastin",
        value=Quantity(number=Decimal(120_000_000), unit="dollar"),
        date=Date(year=2014, month=3, day=5),
    )
    assert render(fact, style, LEXICON) == text
    assert PARSER.parse(text) == fact


@given(st.text(max_size=300) | st.text("Velmora botDsinf r1,.$%\u00a0\x00\ud800<>{}[]|", max_size=300))
def test_any_text_parses_to_a_fact_or_to_none(text: Any) -> None:
    fact = PARSER.parse(text)
    assert fact is None or isinstance(fact, Fact)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "Velmora bought Dastin",
        "Velmora bought Dastin!",
        "Velmora bought  Dastin.",
        "velmora bought dastin.",
        "Velmora bought Dastin for dollars.",
        "Velmora bought Dastin for 12 on 3 May 2014.",
        "Velmora bought Dastin for 12 zorkmids.",
        "Velmora bought Dastin on 31 February 2014.",
        "Velmora bought Dastin on 2014-13-01.",
        "Velmora bought Dastin and Velmora bought Dastin.",
        "Velmora bought\x00Dastin.",
        "Velmora bought D\ud800astin.",
        "A" * 100_000 + " bought Dastin.",
        "Velmora bought " + "Dastin " * 20_000 + ".",
    ],
)
def test_what_no_template_says_is_not_parsed(text: Any) -> None:
    assert PARSER.parse(text) is None


@pytest.mark.parametrize(
    ("notation", "problem"),
    [
        ("{subject} bought {object}", "one verb"),
        ("{subject} <buys> {object}", "not a verb notation"),
        ("{subject} <buy|bought|bought> {object}[ soon]", "one slot"),
        ("{subject} <buy|bought|bought> {victim}", "slots are"),
        ("{subject} <buy|bought|bought> {subject}", "slots are"),
    ],
)
def test_a_wrong_template_says_what_is_wrong(notation: Any, problem: Any) -> None:
    with pytest.raises(ValueError, match=problem):
        Template("active", notation, {}, LEXICON.units.pattern)


def lexicon_with(**relation: Any) -> dict[str, Any]:
    declared = {
        "subject": "firm",
        "object": "firm",
        "templates": {"a": "{subject} <is> x", "b": "y", "c": "z"},
    } | relation
    kind = {"starts": ["A", "B"], "middles": ["a", "b"], "ends": ["c", "d"]}
    domain = {
        "domain": "toy",
        "years": [1990, 2000],
        "kinds": {"firm": kind},
        "relations": {"r": declared},
        "plots": [{"cast": {"firm": ["a"]}, "facts": ["r a", "r a", "r a"]}],
    }
    return {"units": {}, "toy": domain}


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ({"properties": ["reflexive"]}, "toy.relations.r.properties.0"),
        ({"properties": ["symmetric", "causal"]}, "a symmetric relation is not asymmetric"),
        ({"templates": {"a": "{subject} <is> x"}}, "toy.relations.r.templates"),
        ({}, "toy.r"),
        ({"colour": "red"}, "toy.relations.r.colour"),
    ],
)
def test_a_wrong_lexicon_names_the_place(relation: Any, message: Any) -> None:
    with pytest.raises(OracleError, match=message):
        Lexicon(lexicon_with(**relation))
