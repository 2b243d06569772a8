"""The oracle over relations: both labels come from the texts, and a wrong instance is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.oracles.facts import builtin_lexicon
from confute.oracles.facts.parse import Parser
from confute.oracles.relations.normal import Normaliser
from confute.oracles.relations.oracle import RelationOracle, Skip
from confute.oracles.relations.relation import Expected, Instance, Said, Situation
from confute.records import Label

LEXICON = builtin_lexicon()
ORACLE = RelationOracle(LEXICON)
NORMALISER = Normaliser(LEXICON)
BOUGHT = "Quinvalo bought Padlin for 302 million dollars in June 2005."
HELD = "Padlin was acquired by Quinvalo for 302 million dollars."


def said(text: str) -> Said:
    fact = Parser(LEXICON).parse(text)
    assert fact is not None
    return Said(text=text, says=(fact,))


def situation(claim: str, *passages: str) -> Situation:
    return Situation(claim=claim, passages=tuple(said(text) for text in passages or (BOUGHT,)))


def instance(before: str, after: str, expected: Expected, label: Label) -> Instance:
    return Instance(before=situation(before), after=situation(after), expected=expected, label=label)


def test_a_swap_of_buyer_and_bought_is_refuted_and_passes() -> None:
    made = instance(HELD, "Quinvalo was acquired by Padlin for 302 million dollars.", Expected.RISES, Label.REFUTED)
    assert ORACLE.checked(made) == made


@pytest.mark.parametrize(
    ("after", "expected", "label", "reason"),
    [
        (HELD, Expected.INVARIANT, Label.SUPPORTED, "no_op"),
        ("Padlin is big.", Expected.RISES, Label.UNSUPPORTED, "claim_not_read"),
        ("Padlin was sold to Quinvalo.", Expected.RISES, Label.UNSUPPORTED, "label_not_changed"),
        ("Quinvalo was sold to Padlin.", Expected.INVARIANT, Label.SUPPORTED, "label_changed"),
        ("Quinvalo was sold to Padlin.", Expected.RISES, Label.UNSUPPORTED, "label_not_as_declared"),
        ("Padlin was sold to Quinvalo for 301 million dollars.", Expected.RISES, Label.REFUTED, "within_tolerance"),
    ],
)
def test_a_wrong_instance_is_refused(after: str, expected: Expected, label: Label, reason: str) -> None:
    assert ORACLE.checked(instance(HELD, after, expected, label)) == Skip(reason=reason)


def test_a_claim_that_was_not_supported_before_cannot_fall() -> None:
    made = instance("Quinvalo was sold to Padlin.", HELD.replace("302", "800"), Expected.RISES, Label.REFUTED)
    assert ORACLE.checked(made) == Skip(reason="label_before_not_supported")


def test_a_passage_that_says_more_than_it_is_said_to_say_is_refused() -> None:
    before, hidden = situation(HELD), Said(text="Padlin may have bought Quinvalo.", says=())
    after = before.model_copy(update={"passages": (*before.passages, hidden)})
    made = Instance(before=before, after=after, expected=Expected.INVARIANT, label=Label.SUPPORTED)
    assert ORACLE.checked(made) == Skip(reason="passage_says_more")


def test_a_passage_that_says_less_than_it_is_said_to_say_is_refused() -> None:
    before = situation(HELD)
    told = said("Padlin bought Velra.").model_copy(update={"text": "Padlin bought Velqua."})
    both = told.model_copy(update={"says": (*told.says, *said("Padlin bought Velqua.").says)})
    after = before.model_copy(update={"passages": (*before.passages, both)})
    made = Instance(before=before, after=after, expected=Expected.INVARIANT, label=Label.SUPPORTED)
    assert ORACLE.checked(made) == Skip(reason="passage_says_less")


def test_the_claim_as_a_passage_says_nothing() -> None:
    claim = "Quinvalo was acquired by Padlin."
    before = situation(claim)
    after = before.model_copy(update={"passages": (*before.passages, Said(text=claim, says=()))})
    made = Instance(before=before, after=after, expected=Expected.FLAGGED, label=Label.REFUTED)
    assert ORACLE.checked(made) == made


def test_evidence_that_contradicts_itself_passes_only_as_declared() -> None:
    before, after = situation(HELD), situation(HELD, BOUGHT, "Padlin bought Quinvalo.")
    made = Instance(before=before, after=after, expected=Expected.RISES, label=Label.UNSUPPORTED)
    assert ORACLE.checked(made) == Skip(reason="contradictory_evidence")
    declared = made.model_copy(update={"label": Label.NEI})
    assert ORACLE.checked(declared) == declared


def test_a_contradiction_beside_the_claim_is_none_of_it() -> None:
    # Two buyers who each bought the other: the text contradicts itself, and says nothing against the claim.
    before = situation(HELD)
    after = situation(HELD, BOUGHT, "Korlin bought Tamvance.", "Tamvance bought Korlin.")
    made = Instance(before=before, after=after, expected=Expected.RISES, label=Label.NEI)
    assert ORACLE.label(after) is Label.NEI
    assert ORACLE.checked(made) == Skip(reason="contradiction_elsewhere")


def test_what_was_told_before_must_support_the_claim_without_the_contradiction() -> None:
    before = situation(HELD, BOUGHT, "Padlin merged with Korlin.")
    after = situation(HELD, "Padlin merged with Korlin.", BOUGHT.replace("302", "800"), BOUGHT.replace("302", "302.0"))
    made = Instance(before=before, after=after, expected=Expected.RISES, label=Label.NEI)
    assert ORACLE.checked(made) == Skip(reason="contradiction_elsewhere")


@pytest.mark.parametrize(
    "text",
    [
        "padlin  was\u00a0acquired BY Quinvalo for 302 million dollars",
        "Padlin wsa acquired by Quinvalo for 302 million dollars.",
        "Padlin ｗａｓ acquired by Quinvalo for 302 million dollars .",
        HELD + " This sentence adds nothing.",
    ],
)
def test_changes_of_the_surface_are_undone_before_reading(text: str) -> None:
    if text[0].islower():
        text = "P" + text[1:]
    assert ORACLE.read(text) == ORACLE.read(HELD) is not None


@pytest.mark.parametrize("text", ["Padlin as acquired by Quinvalo.", "PADLIN was acquired by Quinvalo.", "\x00" * 5000])
def test_what_is_no_mere_change_of_the_surface_is_not_undone(text: str) -> None:
    assert ORACLE.read(text) != ORACLE.read("Padlin was acquired by Quinvalo.")


HOSTILE = [
    "",
    ".",
    "\x00.",
    "\ud800 was sold to \udfff.",
    "A" * 100_000,
    "\u202e" * 600 + ".",
    "the " * 290 + "Padlin.",
    "<b>",
]


@pytest.mark.parametrize("claim", HOSTILE)
def test_a_hostile_claim_is_skipped_and_breaks_nothing(claim: str) -> None:
    made = instance(HELD, claim, Expected.RISES, Label.UNSUPPORTED)
    assert ORACLE.checked(made) == Skip(reason="claim_not_read")


@given(st.text(max_size=60))
def test_any_text_has_a_normal_form_that_is_its_own_normal_form(text: str) -> None:
    normaliser = NORMALISER
    once = normaliser.restored(text)
    assert normaliser.restored(once) == once
