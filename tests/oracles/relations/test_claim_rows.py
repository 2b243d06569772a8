"""The rows on claims: each by hand, and all that they make checked against their own preconditions."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from random import Random
from typing import Any
from unicodedata import normalize

import pytest
from rapidfuzz.distance import OSA

from confute.contract import Suite
from confute.oracles.facts import closure
from confute.oracles.facts.builtin import builtin
from confute.oracles.facts.document import Document, Passage
from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.parse import Parser, Reading
from confute.oracles.facts.relation import Property
from confute.oracles.facts.world import Entity
from confute.oracles.relations.claims_manner import MANNER_RELATIONS
from confute.oracles.relations.claims_names import NAME_RELATIONS
from confute.oracles.relations.claims_roles import ROLE_RELATIONS
from confute.oracles.relations.claims_surface import SURFACE_RELATIONS
from confute.oracles.relations.claims_values import VALUE_RELATIONS
from confute.oracles.relations.normal import FUNCTION_WORDS, Normaliser, mended, slips
from confute.oracles.relations.oracle import RelationOracle, Skip
from confute.oracles.relations.phrases import relations_lexicon
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene
from confute.oracles.relations.worlds import relation_facts, scenes
from confute.records import Label

LEXICON = relations_lexicon()
PARSER = Parser(LEXICON)
ORACLE = RelationOracle(LEXICON)
FACTS = relation_facts(3, Suite.DEVELOPMENT)
SCENES = tuple(scenes(FACTS))
ROWS = {
    one.relation_id: one
    for one in (*ROLE_RELATIONS, *NAME_RELATIONS, *MANNER_RELATIONS, *VALUE_RELATIONS, *SURFACE_RELATIONS)
}
SUPPORTED, REFUTED, UNSUPPORTED = Label.SUPPORTED, Label.REFUTED, Label.UNSUPPORTED
ENOUGH = 40

BOUGHT = "Quinvalo bought Padlin for 302 million dollars in June 2005."
SALE = "Padlin was sold to Quinvalo"
REIGN = "Aldric reigned for 12 years."
RULE = "The reign of Aldric lasted"
STRIKE, RECALL = "The Brafield strike began in 1999.", "The Norford recall began in 2001."
NAMED = {
    "firm": ("Quinvalo", "Padlin", "Tamvance", "Korlin"),
    "person": ("Sabekis", "Joturas"),
    "upheaval": ("Brafield strike", "Norford recall"),
    "town": ("Brabach", "Krukirch"),
    "gathering": ("Aberdan summit",),
    "mineral": ("Kylomrite", "Kylalphyre"),
}


class Preferring(Random):
    """Draws what is wanted wherever it is on offer."""

    def __init__(self, seed: int, wanted: Any) -> None:
        super().__init__(seed)
        self.wanted = wanted

    def choice(self, seq: Any) -> Any:
        return next((one for one in seq if one == self.wanted), None) or super().choice(seq)


def read(text: str) -> Reading:
    found = PARSER.read(text)
    assert found is not None, text
    return found


def scene(claim: str, label: Label, *passages: str) -> Scene:
    told = tuple(Passage(text=text, facts=(read(text).fact,)) for text in passages)
    words = " ".join(passages)
    entities = tuple(
        Entity(name=name, word=name.split(" ")[0], kind=kind)
        for kind, names in NAMED.items()
        for name in names
        if name in words or name in ("Joturas", "Krukirch")
    )
    document = Document(document_id="hand", domain="business", entities=entities, passages=told, claims=(claim,))
    return Scene(document, claim, label, LEXICON, ())


def made(row: str, where: Scene, wanted: Any = None) -> set[tuple[str, str, Label]]:
    found = [one for seed in range(150) for one in ROWS[row].transform(where, Preferring(seed, wanted))]
    assert all(ORACLE.checked(one) == one for one in found)
    return {(one.before.claim, one.after.claim, one.label) for one in found}


# row, claim, its label, passages, what the claim becomes, and the label of that, all by hand
BY_HAND = [
    ("C1", f"{SALE}.", SUPPORTED, (BOUGHT,), "Quinvalo was sold to Padlin.", REFUTED),
    ("C2", "A merger united Quinvalo and Padlin.", SUPPORTED, ("Quinvalo merged with Padlin.",),
     "A merger united Padlin and Quinvalo.", SUPPORTED),
    ("C2", "A merger united Quinvalo and Korlin.", UNSUPPORTED, ("Quinvalo merged with Padlin.",),
     "A merger united Korlin and Quinvalo.", UNSUPPORTED),
    ("C3", "Padlin was acquired by Quinvalo.", SUPPORTED, (BOUGHT,), "Quinvalo took over Padlin.", SUPPORTED),
    ("C4", f"{SALE}.", SUPPORTED, (BOUGHT,), "Quinvalo took over Padlin.", SUPPORTED),
    ("C5", f"{SALE}.", SUPPORTED, (BOUGHT,), "Padlin was not sold to Quinvalo.", REFUTED),
    ("C5", "Padlin was not sold to Korlin.", SUPPORTED, ("Korlin did not buy Padlin.",), "Padlin was sold to Korlin.",
     REFUTED),
    ("C7", "Rainfall at Obandale was up by 12 percent in 1999.", SUPPORTED,
     ("Rainfall at Obandale rose by 12 percent in 1999.",), "Rainfall at Obandale was down by 12 percent in 1999.",
     REFUTED),
    ("C8", f"{SALE} for 302 million dollars.", SUPPORTED, (BOUGHT,), f"{SALE} for 604 million dollars.", REFUTED),
    ("C9", f"{RULE} 12 years.", SUPPORTED, (REIGN,), f"{RULE} twelve years.", SUPPORTED),
    ("C9", f"{RULE} 13 years.", REFUTED, (REIGN,), f"{RULE} thirteen years.", REFUTED),
    ("C10", f"{RULE} 12 years.", SUPPORTED, (REIGN,), f"{RULE} 144 months.", SUPPORTED),
    ("C11", f"{RULE} 12 years.", SUPPORTED, (REIGN,), f"{RULE} 12 months.", REFUTED),
    ("C12", f"{RULE} 12 years.", SUPPORTED, (REIGN,), f"{RULE} 21 years.", REFUTED),
    ("C13", "The air at Obandale averaged 7 °C in 1999.", SUPPORTED,
     ("Obandale logged a mean temperature of 7 degrees Celsius in 1999.",),
     "The air at Obandale averaged minus 7 °C in 1999.", REFUTED),
    ("C21", f"{SALE} in June 2005.", SUPPORTED, (BOUGHT,), f"{SALE} in June 2006.", REFUTED),
    ("C22", f"{SALE} on 4 May 2001.", SUPPORTED, ("Quinvalo bought Padlin on May 4, 2001.",), f"{SALE} on 2001-05-04.",
     SUPPORTED),
    ("C24", "The Norford recall was caused by the Brafield strike.", SUPPORTED,
     ("The Brafield strike led to the Norford recall.",), "The Brafield strike was caused by the Norford recall.",
     REFUTED),
    ("C25", f"{SALE}.", SUPPORTED, ("Quinvalo bought Padlin.", "Tamvance bought Korlin."),
     "Padlin was sold to Tamvance.", UNSUPPORTED),
    ("C25", f"{SALE}.", SUPPORTED,
     ("Quinvalo bought Padlin.", "Tamvance bought Korlin.", "Tamvance did not buy Padlin."),
     "Padlin was sold to Tamvance.", REFUTED),
    ("C26", "Kylalphyre is softer than Kylomrite.", SUPPORTED, ("Kylomrite is harder than Kylalphyre.",),
     "Kylalphyra is softer than Kylomrite.", UNSUPPORTED),
    ("C39", "Brabach hosted the Aberdan summit.", SUPPORTED, ("The Aberdan summit was held in Brabach.",),
     "Krukirch hosted the Aberdan summit.", REFUTED),
    ("C40", f"{SALE}.", SUPPORTED, (BOUGHT,), "Ownership of Padlin passed to Quinvalo.", SUPPORTED),
    ("C41", f"{SALE}.", SUPPORTED, (BOUGHT,), "Padlin WAS sold to Quinvalo.", SUPPORTED),
    ("C41", f"{SALE}.", SUPPORTED, (BOUGHT,), f"{SALE} .", SUPPORTED),
    ("C41", f"{SALE}.", SUPPORTED, (BOUGHT,), "Padlin was sold to\u00a0Quinvalo.", SUPPORTED),
    ("C41", f"{SALE}.", SUPPORTED, (BOUGHT,), "Padlin ｗａｓ sold to Quinvalo.", SUPPORTED),
    ("C42", f"{SALE}.", SUPPORTED, (BOUGHT,), "Padlin wsa sold to Quinvalo.", SUPPORTED),
]  # fmt: skip


@pytest.mark.parametrize(("row", "claim", "label", "passages", "after", "after_label"), BY_HAND)
def test_a_row_makes_what_was_made_by_hand(
    row: str, claim: str, label: Label, passages: tuple[str, ...], after: str, after_label: Label
) -> None:
    assert (claim, after, after_label) in made(row, scene(claim, label, *passages), after)


def test_what_was_only_possible_is_asserted() -> None:
    where = scene("Quinvalo was sold to Padlin.", UNSUPPORTED, "Padlin may have bought Quinvalo.")
    assert made("C18", where) == {("Quinvalo may have been sold to Padlin.", where.claim, UNSUPPORTED)}


def test_two_dated_events_change_their_order() -> None:
    before, after = ("The Brafield strike began " + order + " the Norford recall." for order in ("before", "after"))
    where = scene("The Brafield strike got under way in 1999.", SUPPORTED, STRIKE, RECALL)
    assert (before, after, REFUTED) in made("C19", where, (before, after))


def test_events_of_overlapping_dates_have_no_order() -> None:
    where = scene(
        "The Brafield strike got under way in 1999.", SUPPORTED, STRIKE, "The Norford recall began in May 1999."
    )
    assert made("C19", where) == set()


def test_a_report_is_laid_to_another_speaker() -> None:
    where = scene("Quinvalo was sold to Padlin.", UNSUPPORTED, "According to Sabekis, Padlin bought Quinvalo.")
    before, after = (f"According to {name}, Quinvalo was sold to Padlin." for name in ("Sabekis", "Joturas"))
    assert (before, after, UNSUPPORTED) in made("C34", where)


# Each of these lacks one thing that the row's precondition asks for.
DOES_NOT_APPLY: list[tuple[Any, ...]] = [
    ("C1", "A merger united Quinvalo and Padlin.", SUPPORTED, "Quinvalo merged with Padlin."),  # symmetric
    ("C1", "The Norford recall was caused by the Brafield strike.", SUPPORTED,
     "The Brafield strike led to the Norford recall."),  # a cause
    ("C2", f"{SALE}.", SUPPORTED, BOUGHT),  # not symmetric
    ("C5", f"{SALE}.", REFUTED, "Padlin bought Quinvalo."),  # not supported
    ("C7", "Profit at Quinvalo was up.", SUPPORTED, BOUGHT),  # no amount, and not to be read
    ("C8", "Half a dose of Belomab is cleared within 12 hours.", SUPPORTED, "Belomab has a half-life of 12 hours."),
    ("C8", "Arena Park offers room for 12,000 people.", SUPPORTED, "Arena Park holds 12,000 people."),  # or for fewer
    ("C12", f"{RULE} 11 years.", SUPPORTED, "Aldric reigned for 11 years."),  # equal digits
    ("C13", f"{RULE} 12 years.", SUPPORTED, REIGN),  # a reign is never negative
    ("C13", "Obandale recorded an increase in rainfall of 38% in 1999.", SUPPORTED,
     "Rainfall at Obandale rose by 38 percent in 1999.", "Ashgate Mill posted a net margin of minus 38 percent."),
    ("C18", f"{SALE}.", SUPPORTED, BOUGHT),  # nothing is merely possible
    ("C21", "Padlin was taken to court by Quinvalo in 1999.", SUPPORTED, "Quinvalo sued Padlin in 1999."),  # and again?
    ("C24", f"{SALE}.", SUPPORTED, BOUGHT),  # no cause
    ("C25", "Padlin gave backing to the Abburg charter.", SUPPORTED, "Padlin endorsed the Abburg charter."),  # no other
    ("C34", f"{SALE}.", SUPPORTED, BOUGHT),  # no speaker
    ("C39", f"{SALE}.", SUPPORTED, BOUGHT),  # no name is determined
    ("C42", "Padlin gave backing to Quinvalo.", UNSUPPORTED, BOUGHT),  # no such function word
]  # fmt: skip


@pytest.mark.parametrize(("row", "claim", "label", "passages"), [(*one[:3], one[3:]) for one in DOES_NOT_APPLY])
def test_a_row_makes_nothing_where_it_does_not_apply(
    row: str, claim: str, label: Label, passages: tuple[str, ...]
) -> None:
    assert made(row, scene(claim, label, *passages)) == set()


def instances(row: Relation) -> Iterator[tuple[Scene, Instance]]:
    """What a row makes of the documents of a seed; the oracle refuses none, but values near the true one in C25."""
    for where in SCENES:
        for one in row.transform(where, Random(f"3/{where.claim}")):
            ruled = ORACLE.checked(one)
            if isinstance(ruled, Skip):
                assert (row.relation_id, ruled.reason) == ("C25", "within_tolerance"), one
            else:
                yield where, one


def changed(before: Fact, after: Fact) -> set[str]:
    return {name for name in Fact.model_fields if getattr(before, name) != getattr(after, name)}


def declared(fact: Fact) -> Any:
    return LEXICON.relations[fact.relation]


def number(reading: Reading) -> Any:
    assert reading.fact.value is not None
    return reading.fact.value.number


def same_template(before: Reading, after: Reading) -> bool:
    return before.sentence.template is after.sentence.template


def digits(reading: Reading) -> str:
    return "".join(map(str, number(reading).normalize().as_tuple().digits))


def words(reading: Reading) -> list[str]:
    return reading.sentence.text.removesuffix(".").replace(" the ", " ").split()


def denies(reading: Reading) -> bool:
    return reading.fact.polarity is Polarity.NEGATIVE


def agent(reading: Reading) -> str | None:
    """The name after "by" where there is a form of "be"; "by 2 percent" is no agent."""
    names = [text for slot, text in reading.sentence.texts.items() if slot in ("subject", "object")]
    nexts = [after for before, after in pairwise(words(reading)) if before == "by"]
    found = [name for name in names if name.split(" ")[0] in nexts]
    return found[0] if found and {"was", "were", "is", "are"} & set(words(reading)) else None


def change_voice(one: Reading, other: Reading) -> bool:
    """One is passive, and the other names its agent before any other name."""
    passive, active = (one, other) if agent(one) is not None else (other, one)
    name = agent(passive)
    others = [text for slot, text in active.sentence.texts.items() if slot in ("subject", "object") and text != name]
    text = active.sentence.text
    return name is not None and agent(active) is None and all(text.index(name) < text.index(one) for one in others)


Check = Callable[[Scene, Reading, Reading], bool]
HOLDS: dict[str, Check] = {
    "C1": lambda _, b, a: declared(b.fact).is_asymmetric and a.fact == b.fact.swapped,
    "C2": lambda _, b, a: declared(b.fact).is_symmetric and a.fact == b.fact.swapped != b.fact,
    "C3": lambda _, b, a: b.fact == a.fact and change_voice(b, a),
    "C4": lambda _, b, a: b.fact == a.fact and "converse" in {b.sentence.template.name, a.sentence.template.name},
    "C5": lambda _, b, a: a.fact == b.fact.negated and same_template(b, a)
    and {"not"} == {word for one in (a, b) for word in words(one) if word in ("not", "never")},
    "C7": lambda _, b, a: changed(b.fact, a.fact) == {"relation"} and declared(b.fact).opposite == a.fact.relation,
    "C8": lambda _, b, a: changed(b.fact, a.fact) == {"value"} and abs(number(a) / number(b) - 1) > 0.03,
    "C9": lambda _, b, a: b.fact == a.fact and any(map(str.isdigit, b.sentence.texts["value"]))
    is not any(map(str.isdigit, a.sentence.texts["value"])),
    "C10": lambda _, b, a: changed(b.fact, a.fact) == {"value"} and number(a) != number(b),
    "C11": lambda _, b, a: changed(b.fact, a.fact) == {"value"} and number(a) == number(b),
    "C12": lambda _, b, a: OSA.distance(digits(b), digits(a)) == 1 and sorted(digits(b)) == sorted(digits(a)),
    "C13": lambda _, b, a: number(a) == -number(b) != 0 and declared(b.fact).value.low < 0,
    "C18": lambda s, b, a: b.fact.modality is Modality.POSSIBLE and b.fact in s.document.facts
    and a.fact == b.fact.model_copy(update={"modality": Modality.ACTUAL}),
    "C19": lambda _, b, a: a.fact == b.fact.swapped and declared(b.fact).order.argument == "date",
    "C21": lambda _, b, a: changed(b.fact, a.fact) == {"date"} and "date" in declared(b.fact).functional,
    "C22": lambda _, b, a: b.fact == a.fact and b.sentence.texts["date"] != a.sentence.texts["date"],
    "C24": lambda _, b, a: Property.CAUSAL in declared(b.fact).properties and a.fact == b.fact.swapped,
    "C25": lambda s, b, a: len(slot := changed(b.fact, a.fact)) == 1
    and any(getattr(f, one) == getattr(a.fact, one) for f in s.document.facts for one in slot),
    "C26": lambda s, b, a: len(slot := changed(b.fact, a.fact)) == 1
    and not any(getattr(a.fact, one) in passage.text for passage in s.document.passages for one in slot),
    "C34": lambda s, b, a: changed(b.fact, a.fact) == {"attribution"} and b.fact in s.document.facts,
    "C39": lambda _, b, a: changed(b.fact, a.fact) < {"subject", "object"}
    and changed(b.fact, a.fact) <= declared(b.fact).functional.keys(),
    "C40": lambda _, b, a: b.fact == a.fact and not same_template(b, a),
}  # fmt: skip


@pytest.mark.parametrize("row", HOLDS)
def test_every_instance_keeps_its_precondition_and_its_labels(row: str) -> None:
    found = list(islice(instances(ROWS[row]), ENOUGH))
    assert len(found) >= 30
    for where, one in found:
        before, after = read(one.before.claim), read(one.after.claim)
        labels = [closure.label(reading.fact, where.document.facts, LEXICON) for reading in (before, after)]
        assert labels[1] is one.label
        assert labels[0] is (SUPPORTED if one.expected is Expected.RISES else one.label)
        assert (labels[0] is labels[1]) is (one.expected is Expected.INVARIANT)
        assert HOLDS[row](where, before, after), (one.before.claim, one.after.claim)
        assert one.before.passages == one.after.passages == where.situation.passages
        assert before.fact.polarity is Polarity.POSITIVE or one.expected is Expected.INVARIANT or row == "C5"


def test_only_the_surface_changes_in_a_change_of_surface() -> None:
    def bare(text: str) -> list[str]:
        return normalize("NFKC", text).casefold().removesuffix(".").split()

    for where, one in islice(instances(ROWS["C41"]), 200):
        assert bare(one.before.claim) == bare(one.after.claim)
        names = set(read(where.claim).sentence.texts.values())
        assert all(name in one.after.claim.replace("\u00a0", " ").replace("  ", " ") for name in names)


def test_one_letter_of_one_function_word_slips_in_a_typo() -> None:
    for _, one in islice(instances(ROWS["C42"]), 200):
        pairs = zip(one.before.claim.split(), one.after.claim.split(), strict=True)
        ((word, typo),) = [pair for pair in pairs if pair[0] != pair[1]]
        assert word in FUNCTION_WORDS
        assert OSA.distance(word, typo) == 1


def test_every_slip_is_mended_to_its_word_and_is_no_word_of_the_lexicon() -> None:
    normaliser = Normaliser(LEXICON)
    for word in FUNCTION_WORDS:
        assert slips(word)
        for slip in slips(word):
            assert mended(slip) == word
            assert normaliser.restored(f"X {slip} y.") == f"X {word} y."


@pytest.mark.parametrize("word", ["form", "wit", "thee", "where", "than", "wasp", "bean", "ten", "The", "ha", "km", ""])
def test_a_word_of_english_a_number_and_a_unit_are_no_slips(word: str) -> None:
    assert mended(word) is None


def test_a_claim_in_its_normal_form_stays_as_it_is() -> None:
    normaliser = Normaliser(LEXICON)
    assert [normaliser.restored(case.claim) for case in FACTS.cases] == [case.claim for case in FACTS.cases]


def test_the_small_worlds_leave_the_built_in_documents_as_they_are() -> None:
    theirs = builtin(3, Suite.DEVELOPMENT).documents
    assert FACTS.documents[: len(theirs)] == theirs


def test_a_relation_of_ones_own_is_one_function() -> None:
    def undated(where: Scene, _: Random) -> Iterator[Instance]:
        told = PARSER.read(where.claim)
        if told is not None and told.fact.date is not None and where.label is SUPPORTED:
            texts = {slot: text for slot, text in told.sentence.texts.items() if slot != "date"}
            after = where.situation.model_copy(update={"claim": told.sentence._replace(texts=texts).text})
            yield Instance(before=where.situation, after=after, expected=Expected.INVARIANT, label=SUPPORTED)

    own = Relation("X1", "leave out the date", "a supported claim whose date may be left out", undated)
    where = scene(f"{SALE} in June 2005.", SUPPORTED, BOUGHT)
    (one,) = own.transform(where, Random(0))
    assert ORACLE.checked(one) == one
    assert one.after.claim == f"{SALE}."
    assert list(own.transform(scene(f"{SALE}.", SUPPORTED, BOUGHT), Random(0))) == []


def test_a_relation_that_is_wrong_on_some_cases_is_refused_on_those_alone() -> None:
    def swapped(where: Scene, _: Random) -> Iterator[Instance]:
        """Swap names in any relation, and say that nothing changes: right for symmetric ones alone."""
        told = PARSER.read(where.claim)
        if told is not None and "object" in told.sentence.texts and where.label is SUPPORTED:
            texts = told.sentence.texts
            texts = texts | {"subject": texts["object"], "object": texts["subject"]}
            after = where.situation.model_copy(update={"claim": told.sentence._replace(texts=texts).text})
            yield Instance(before=where.situation, after=after, expected=Expected.INVARIANT, label=SUPPORTED)

    counted: Counter[str] = Counter()
    for where in SCENES[:400]:
        for one in swapped(where, Random(0)):
            ruled = ORACLE.checked(one)
            counted["skipped" if isinstance(ruled, Skip) else "kept"] += 1
            told = read(where.claim).fact
            assert isinstance(ruled, Skip) or declared(told).is_symmetric or told.polarity is Polarity.NEGATIVE
    assert counted["skipped"] > counted["kept"] > 0


@pytest.mark.parametrize("row", ["C10", "C11"])
def test_nothing_is_told_in_basis_points(row: str) -> None:
    texts = [one.after.claim for scene in SCENES for one in ROWS[row].transform(scene, Random("0"))]
    assert len(texts) > 20
    assert [text for text in texts if "basis point" in text] == []
