"""The guards on changed evidence of free text."""

import pytest

from confute.oracles.text import GuardedTextOracle
from confute.oracles.text.evidence import EvidenceGuards
from confute.oracles.text.findings import Effect
from confute.records import AttackGoal, Candidate, Case, Label, Validity

CLAIM = "Ada Lovelace wrote 7 notes on the analytical engine."
OWN = ("Ada Lovelace wrote 7 notes.", "Babbage designed the engine.")
RAIN = "In the valley the rain fell."
SHARING = (
    "The rain fell on Lovelace.",
    "The rain fell 7 times.",
    "The rain fell for seven days.",
    "The rain made a NOTE.",
    "The rain fell on L\u043evelace.",
    "An engine ran.",
)
GUARDS = EvidenceGuards([OWN, (RAIN, *SHARING)])
UNREAD = "\u5317\u4eac\u662f\u4e2d\u56fd\u7684\u9996\u90fd"


def ruled(claim: str, passage: str) -> tuple[Effect, str]:
    return EvidenceGuards([("Water is clear.",), (passage,)]).judge(
        claim, ("Water is clear.",), ("Water is clear.", passage)
    )


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((*OWN, OWN[0]), (Effect.SAME, "same_passages")),
        (OWN[::-1], (Effect.SAME, "same_passages")),
        ((*OWN, RAIN), (Effect.SAME, "unrelated_passages")),
        *(((*OWN, passage), (Effect.UNSURE, "shares_content")) for passage in SHARING),
        ((*OWN, RAIN, SHARING[-1]), (Effect.UNSURE, "shares_content")),
        ((*OWN, "Hills are green."), (Effect.UNSURE, "unknown_passage")),
        ((*OWN, RAIN + RAIN), (Effect.UNSURE, "unknown_passage")),
        ((*OWN, "a" * 100_000), (Effect.UNSURE, "unknown_passage")),
        ((*OWN, " "), (Effect.UNSURE, "blank_passage")),
        ((*OWN, "\u200b"), (Effect.UNSURE, "blank_passage")),
        (OWN[:1], (Effect.UNSURE, "support_not_annotated")),
        ((OWN[0], RAIN), (Effect.UNSURE, "support_not_annotated")),
        ((), (Effect.UNSURE, "no_evidence_left")),
        ((" ", "\u3164"), (Effect.UNSURE, "no_evidence_left")),
        ((*OWN, CLAIM), (Effect.SAME, "echo")),
    ],
)
def test_what_changed_evidence_does_to_a_label(after, expected):
    assert GUARDS.judge(CLAIM, OWN, after) == expected


@pytest.mark.parametrize(
    ("after", "support", "expected"),
    [
        (OWN[1:], (0,), (Effect.FALSE, "support_deleted")),
        ((RAIN, OWN[1]), (0,), (Effect.FALSE, "support_deleted")),
        ((RAIN,), (0, 1), (Effect.FALSE, "support_deleted")),
        (OWN[:1], (0,), (Effect.SAME, "support_left")),
        (OWN[:1], (0, 1), (Effect.UNSURE, "support_partly_left")),
        ((OWN[1], SHARING[0]), (0,), (Effect.UNSURE, "shares_content")),
        ((OWN[1], CLAIM), (0,), (Effect.UNSURE, "shares_content")),
        ((), (0, 1), (Effect.UNSURE, "no_evidence_left")),
    ],
)
def test_annotated_support_is_left_or_deleted_as_a_whole_or_else_leaves_the_label_open(after, support, expected):
    assert GUARDS.judge(CLAIM, OWN, after, support) == expected


@pytest.mark.parametrize(
    "copy", ["Ada Lovelace wrote 7 notes", "ADA LOVELACE, wrote 7 notes!", "_Ada_ Lovelace wrote 7 note."]
)
def test_support_is_not_deleted_while_a_copy_is_left_that_differs_on_the_surface_alone(copy):
    before = (OWN[0], copy, OWN[1])
    assert GUARDS.judge(CLAIM, before, before[1:], (0,)) == (Effect.SAME, "same_passages")
    assert GUARDS.judge(CLAIM, before, before[2:], (0,)) == (Effect.FALSE, "support_deleted")


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Statins lower mortality.", "Statins reduce mortality, trial 0 says."),
        ("Obama lowered taxes.", "Taxes were cut by Obama in his term."),
        ("statins kill", "The use of a statin is lethal."),
        ("Aspirin reduces fever", "_Aspirin_ _reduces_ _fever_ in children."),
        ("Aspirin reduces fever", "<b>As</b>pirin re<i>duces</i> fe<i>ver</i>"),
        ("Aspirin reduces fever", "As**pir**in"),
        ("Aspirin reduces fever", "As\x00pi\u00ad\u200brin"),
        ("Aspirin reduces fever", "&#65;spirin"),
        ("Odds with p < 0.05 for fever and x > 3", "A fever."),
        ("They sold 1000 units", "1,000 of the items went."),
        ("Twelve people died", "12 were killed."),
        ("12 were killed", "A dozen or twelve."),
        ("Half, 50%, left", "A share of 0.5 went."),
        ("the na\u00efve", "a naive one"),
        ("mice ate", "A mouse eats."),
        ("they went", "She will go."),
        ("tumour", "tumor"),
        ("haemoglobin", "hemoglobin"),
        ("low birth-weight", "a birthweight"),
        ("a birthweight", "birth weight"),
        ("homocysteine", "hyperhomocysteinemia"),
        ("an antimigraine drug", "migraines"),
        ("the U.S.A.", "the USA"),
        ("the WHO advised it", "So did the World Health Organization."),
        ("the World Health Organization", "So did WHO."),
    ],
)
def test_a_passage_that_shares_content_in_another_spelling_leaves_the_label_open(claim, passage):
    assert ruled(claim, passage) == (Effect.UNSURE, "shares_content")


def test_no_word_is_so_common_that_a_passage_with_it_says_nothing_of_the_claim():
    others = tuple(f"In the valley of number{index} the rain fell." for index in range(100))
    guards = EvidenceGuards([OWN, others])
    assert guards.judge("Snow fell on the hill.", OWN, (*OWN, others[0])) == (Effect.UNSURE, "shares_content")
    assert guards.judge("Snow lay on the hill.", OWN, (*OWN, others[0])) == (Effect.SAME, "unrelated_passages")


@pytest.mark.parametrize(
    "strange",
    [
        UNREAD,
        "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",  # Thai
        "\u1797\u17d2\u1793\u17c6\u1796\u17c1\u1789",  # Khmer
        "\u30a2\u30b9\u30d4\u30ea\u30f3",  # Japanese
        "\u0430\u0441\u043f\u0438\u0440\u0438\u043d \u0436",  # Cyrillic
        "\u0391\u03b8\u03ae\u03bd\u03b1",  # Greek
        "re\u0436uces",  # two scripts in one word
        "\U0001f170spirin",  # a letter in a square
        "a s p i r i n",
        "It did so.",
        "9" * 5000,
        "a" * 100_000,
    ],
)
def test_a_text_that_cannot_be_read_leaves_the_label_open(strange):
    assert ruled("Aspirin reduces fever.", strange) == (Effect.UNSURE, "unreadable")
    assert ruled(strange, "Aspirin reduces fever.") == (Effect.UNSURE, "unreadable")


def test_greek_letters_as_symbols_are_read():
    assert ruled("TGF-\u03b2 rose", "IL-1\u03b1 fell") == (Effect.SAME, "unrelated_passages")


@pytest.mark.parametrize("passage", ["\x00", "\ud800", "a" * 100_000, "\u202e", "\U0001f4a5", "<" * 5000, "1," * 5000])
def test_hostile_passages_are_judged(passage):
    assert ruled(CLAIM, passage)[0] in set(Effect)


@pytest.mark.parametrize(
    ("label", "goal", "expected"),
    [
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, (Validity.VALID, Label.SUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_ACCEPTANCE, (Validity.INVALID, Label.SUPPORTED)),
        (Label.REFUTED, AttackGoal.FALSE_ACCEPTANCE, (Validity.VALID, Label.REFUTED)),
        (Label.NEI, AttackGoal.FALSE_ACCEPTANCE, (Validity.VALID, Label.UNSUPPORTED)),
    ],
)
def test_evidence_that_says_the_same_keeps_the_label(label, goal, expected):
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=label, domain="d", source="s", group="g")
    candidate = Candidate(case_id="c", goal=goal, edits=(), claim=CLAIM, evidence=(*OWN, OWN[1]))
    ruling = GuardedTextOracle([case]).rule(case, candidate)
    assert (ruling.validity, ruling.label) == expected


def test_claim_and_evidence_changed_at_once_are_left_open():
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=Label.SUPPORTED, domain="d", source="s", group="g")
    changed = Candidate(
        case_id="c",
        goal=AttackGoal.FALSE_ACCEPTANCE,
        edits=(),
        claim=CLAIM.replace("7", "9"),
        evidence=(*OWN, OWN[0]),
    )
    ruling = GuardedTextOracle([case]).rule(case, changed)
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "claim_and_evidence_changed")


@pytest.mark.parametrize(
    ("label", "goal", "evidence", "expected"),
    [
        (Label.SUPPORTED, AttackGoal.FALSE_ACCEPTANCE, OWN[1:], (Validity.VALID, Label.UNSUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, OWN[1:], (Validity.INVALID, Label.UNSUPPORTED)),
        (Label.SUPPORTED, AttackGoal.FALSE_REJECTION, OWN[:1], (Validity.VALID, Label.SUPPORTED)),
        (Label.REFUTED, AttackGoal.FALSE_ACCEPTANCE, OWN[1:], (Validity.UNKNOWN, None)),
    ],
)
def test_a_deletion_of_annotated_support_makes_a_supported_claim_unsupported(label, goal, evidence, expected):
    case = Case(case_id="c", claim=CLAIM, evidence=OWN, label=label, domain="d", source="s", group="g")
    candidate = Candidate(case_id="c", goal=goal, edits=(), claim=CLAIM, evidence=evidence)
    ruling = GuardedTextOracle([case], {"c": (0,)}).rule(case, candidate)
    assert (ruling.validity, ruling.label) == expected
    assert GuardedTextOracle([case]).rule(case, candidate).reason == "support_not_annotated"
