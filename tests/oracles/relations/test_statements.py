"""What statements accept, how they are denied and renamed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from confute.oracles.facts.fact import Fact, Modality, Quantity
from confute.oracles.relations import statement as said
from confute.oracles.relations.statement import complement, names_of, renamed
from confute.records import Record

BOUGHT = Fact(relation="bought", subject="Velmo", object="Dasra")
EMPLOYS = Fact(relation="workforce", subject="Velmo", value=Quantity(number=Decimal(1230), unit="person"))
EVERY = said.Quantified(
    quantifier=said.Quantifier.EVERY,
    group="Aldadale league",
    relation="endorsed",
    object="Abeby charter",
    exceptions=("Velmo",),
)


def test_the_complement_of_a_fact_is_its_denial_and_back() -> None:
    assert complement(BOUGHT) == BOUGHT.negated
    assert complement(BOUGHT.negated) == BOUGHT


def test_the_complement_of_a_larger_statement_is_denied_and_back() -> None:
    denied = complement(EVERY)
    assert denied == said.Denied(statement=EVERY)
    assert denied is not None
    assert complement(denied) == EVERY


@pytest.mark.parametrize(
    "statement",
    [
        BOUGHT.model_copy(update={"modality": Modality.POSSIBLE}),
        BOUGHT.model_copy(update={"attribution": "Nanaley"}),
        said.Conjunction(parts=(BOUGHT, EMPLOYS)),
        said.Conditional(condition=BOUGHT, consequence=EMPLOYS),
    ],
)
def test_what_would_be_denied_in_two_ways_has_no_complement(statement: said.Statement) -> None:
    assert complement(statement) is None


def test_a_statement_names_everything_in_it() -> None:
    both = said.Conjunction(parts=(BOUGHT, EMPLOYS.model_copy(update={"subject": "Kortex"})))
    assert names_of(both) == {"Velmo", "Dasra", "Kortex"}
    assert names_of(said.Denied(statement=EVERY)) == {"Aldadale league", "Abeby charter", "Velmo"}


def test_renaming_reaches_every_part_and_leaves_other_names() -> None:
    after = renamed(said.Denied(statement=EVERY), {"Velmo": "Zarlo", "Abeby charter": "Zelaton pact"})
    assert names_of(after) == {"Aldadale league", "Zelaton pact", "Zarlo"}
    both = renamed(said.Conjunction(parts=(BOUGHT, EMPLOYS)), {"Velmo": "Zarlo"})
    assert [part.subject for part in both.parts] == ["Zarlo", "Zarlo"]


@pytest.mark.parametrize(
    "parts",
    [
        {"kind": said.Bounded, "fact": BOUGHT, "bound": "about"},
        {"kind": said.Bounded, "fact": EMPLOYS.negated, "bound": "about"},
        {"kind": said.Conjunction, "parts": (BOUGHT,)},
        {"kind": said.Conditional, "condition": BOUGHT.model_copy(update={"attribution": "X"}), "consequence": EMPLOYS},
        {"kind": said.Listed, "relation": "endorsed", "object": "Abeby charter", "members": ("Velmo", "Velmo")},
        {"kind": said.Ranked, "order": "o", "members": ("A", "B", "C"), "subject": "D", "rank": 1},
        {"kind": said.Ranked, "order": "o", "members": ("A", "B", "C"), "subject": "A", "rank": 4},
        {"kind": said.Ratio, "relation": "r", "subject": "A", "other": "B", "factor": Decimal(0)},
        {"kind": said.Denied, "statement": BOUGHT},
        {
            "kind": said.Quantified,
            "quantifier": "some",
            "group": "g",
            "relation": "r",
            "object": "o",
            "exceptions": ("A",),
        },
    ],
)
def test_a_statement_that_makes_no_sense_is_refused(parts: dict[str, object]) -> None:
    kind = parts.pop("kind")
    assert isinstance(kind, type)
    assert issubclass(kind, Record)
    with pytest.raises(ValidationError):
        kind.model_validate(parts)
