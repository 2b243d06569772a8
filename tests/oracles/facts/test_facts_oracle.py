"""The oracle over the built-in set: rulings, moves, and the set's own soundness."""

import itertools
import json
import statistics
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Suite
from confute.edits import edit_size, edited
from confute.errors import OracleError
from confute.oracles.facts import Document, Fact, FactsOracle, Passage, builtin, builtin_lexicon
from confute.oracles.facts.claims import MAX_JACCARD, jaccard
from confute.oracles.facts.parse import Parser
from confute.oracles.facts.world import Entity, world
from confute.oracles.shortcut import ShortcutStatus, audit
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Validity

FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
ORACLE = builtin(0, Suite.DEVELOPMENT)
PARSER = Parser(builtin_lexicon())
SUPPORTED = [case for case in ORACLE.cases if case.label is Label.SUPPORTED]
FALSE = [case for case in ORACLE.cases if case.label is not Label.SUPPORTED]
MOVES = {(case.case_id, goal): ORACLE.moves(case, goal) for case in ORACLE.cases for goal in AttackGoal}


def candidate(
    case: Case,
    claim: str,
    goal: AttackGoal = FA,
    evidence: tuple[str, ...] | None = None,
    edits: tuple[Edit, ...] = (),
) -> Candidate:
    shown = case.evidence if evidence is None else evidence
    return Candidate(case_id=case.case_id, goal=goal, edits=edits, claim=claim, evidence=shown)


def after(case: Case, *edits: Edit) -> str:
    text = edited(case.claim, edits)
    assert text is not None
    return text


def small_oracle(claim: str, *facts: Fact) -> FactsOracle:
    passages = tuple(Passage(text=f"Passage {number}.", facts=(fact,)) for number, fact in enumerate(facts))
    entities = tuple(Entity(name=name, word=name, kind="ruler") for name in ("Ana", "Ben", "Cid"))
    return FactsOracle(
        [Document(document_id="d", domain="history", entities=entities, passages=passages, claims=(claim,))]
    )


def test_the_built_in_set_has_four_hundred_facts_and_claims_of_both_kinds_in_each_domain() -> None:
    assert sum(len(document.facts) for document in ORACLE.documents) >= 400
    assert all(5 <= len(document.facts) <= 8 for document in ORACLE.documents)
    by_domain = Counter(case.domain for case in ORACLE.cases)
    assert len(by_domain) == 8
    assert max(by_domain.values()) <= 1.5 * min(by_domain.values())
    assert {case.domain for case in FALSE} == set(by_domain)
    assert 0.25 <= len(FALSE) / len(ORACLE.cases) <= 0.4
    assert {case.label for case in FALSE} == {Label.UNSUPPORTED, Label.REFUTED}
    assert len({case.case_id for case in ORACLE.cases}) == len(ORACLE.cases)


def test_no_claim_is_a_sentence_of_the_evidence_or_close_to_one() -> None:
    for case in ORACLE.cases:
        sentences = [f"{part}." for passage in case.evidence for part in passage.removesuffix(".").split(". ")]
        assert case.claim not in sentences
        assert max(jaccard(case.claim, sentence) for sentence in sentences) <= MAX_JACCARD


def test_no_claim_is_in_the_template_that_evidence_uses() -> None:
    for case in ORACLE.cases:
        reading = PARSER.read(case.claim)
        assert reading is not None
        first, *_ = builtin_lexicon().templates[reading.fact.relation]
        assert reading.sentence.template.name != first, case.claim


def test_each_passage_says_the_facts_of_its_support_graph_and_no_others() -> None:
    for document in ORACLE.documents:
        for passage in document.passages:
            parts = [f"{part}." for part in passage.text.removesuffix(".").split(". ")]
            assert tuple(PARSER.parse(part) for part in parts) == passage.facts


def test_an_unedited_claim_has_its_own_label() -> None:
    for case in ORACLE.cases:
        assert ORACLE.label(case.claim, case.evidence) is case.label


def test_every_move_alone_is_ruled_valid_with_the_label_it_promises() -> None:
    for case in ORACLE.cases:
        for goal in AttackGoal:
            for edit in MOVES[case.case_id, goal]:
                text = after(case, edit)
                ruling = ORACLE.rule(case, candidate(case, text, goal, edits=(edit,)))
                assert (ruling.validity, ruling.label) == (Validity.VALID, edit.expected_label), text
                assert ruling.method == "facts_closure"
                assert ruling.oracle_version == ORACLE.version


def test_no_passage_of_the_evidence_alone_entails_a_content_edit() -> None:
    for case in SUPPORTED[::7]:
        for edit in MOVES[case.case_id, FA]:
            text = after(case, edit)
            assert all(ORACLE.label(text, (passage,)) is not Label.SUPPORTED for passage in case.evidence)


def test_every_content_mechanism_has_moves_in_every_domain() -> None:
    found = Counter((case.domain, edit.mechanism) for case in SUPPORTED for edit in MOVES[case.case_id, FA])
    content = [
        one for one in Mechanism if one is not Mechanism.PARAPHRASE and not (one.changes_evidence or one.frames_a_probe)
    ]
    assert all(found[domain, mechanism] > 0 for domain in builtin_lexicon().domains for mechanism in content)
    assert not any(mechanism is Mechanism.PARAPHRASE for _, mechanism in found)


def test_a_supported_claim_has_many_moves_most_of_them_minimal() -> None:
    counts = [len(MOVES[case.case_id, FA]) for case in SUPPORTED]
    assert statistics.median(counts) >= 25
    minimal = [
        sum(edit_size(case.claim, after(case, edit))[0] <= 2 for edit in MOVES[case.case_id, FA]) for case in SUPPORTED
    ]
    assert statistics.median(minimal) >= 15


def test_paraphrases_keep_the_label_and_a_false_claim_has_no_move_to_be_wrongly_rejected() -> None:
    assert all(MOVES[case.case_id, FR] for case in SUPPORTED)
    assert all(edit.expected_label is Label.SUPPORTED for case in SUPPORTED for edit in MOVES[case.case_id, FR])
    assert all(MOVES[case.case_id, FA] for case in FALSE)
    assert all(not MOVES[case.case_id, FR] for case in FALSE)
    paraphrases = [edit for case in FALSE for edit in MOVES[case.case_id, FA]]
    assert {edit.mechanism for edit in paraphrases} == {Mechanism.PARAPHRASE}


def test_edits_of_different_slots_combine_into_a_sentence_that_parses() -> None:
    combined = 0
    for case in SUPPORTED[::11]:
        by_slot: dict[str, Edit] = {}
        for edit in MOVES[case.case_id, FA]:
            by_slot.setdefault(edit.slot, edit)
        for one, other in itertools.combinations(by_slot.values(), 2):
            text = edited(case.claim, (one, other))
            if text is not None:
                assert PARSER.parse(text) is not None, text
                combined += 1
    assert combined > 50


def test_moves_touch_only_the_tokens_that_differ() -> None:
    case = next(case for case in SUPPORTED if len(case.claim) > 60)
    for edit in MOVES[case.case_id, FA]:
        if edit.slot in ("subject", "object", "value", "date"):
            assert sum(replacement.end - replacement.start for replacement in edit.replacements) < len(case.claim) / 2


def test_the_same_seed_gives_the_same_set_and_another_seed_another() -> None:
    assert builtin(0, Suite.DEVELOPMENT).cases == ORACLE.cases
    assert builtin(1, Suite.DEVELOPMENT).cases != ORACLE.cases


def test_no_coined_word_is_shared_between_suites_over_many_seeds() -> None:
    words = {suite: set[str]() for suite in Suite}
    for suite, seed, domain in itertools.product(Suite, range(25), builtin_lexicon().domains.values()):
        for plot in range(len(domain.plots)):
            words[suite] |= {entity.word.lower() for entity in world(seed, domain, plot=plot, suite=suite).entities}
    assert all(len(found) > 1000 for found in words.values())
    for one, other in itertools.combinations(words.values(), 2):
        assert not one & other


def test_names_are_mostly_single_words_and_unique_in_the_set() -> None:
    entities = [entity for document in ORACLE.documents for entity in document.entities]
    assert len({entity.word.lower() for entity in entities}) == len(entities)
    single = sum(" " not in entity.name for entity in entities)
    assert 0.5 < single / len(entities) < 0.95


def test_one_surface_feature_does_not_tell_edited_from_faithful_claims() -> None:
    faithful = [case.claim for case in SUPPORTED]
    edits = [after(case, edit) for case in SUPPORTED for edit in MOVES[case.case_id, FA]]
    assert audit(faithful, edits).status is ShortcutStatus.CLEAR
    assert audit(faithful, [case.claim for case in FALSE]).status is ShortcutStatus.CLEAR


def test_a_swap_in_a_symmetric_relation_keeps_the_claim_true() -> None:
    """Ana is married to Ben: no role swap, and only a paraphrase."""
    oracle = small_oracle("Ana was married to Ben.", Fact(relation="married", subject="Ana", object="Ben"))
    case = oracle.cases[0]
    ruling = oracle.rule(case, candidate(case, "Ben was married to Ana."))
    assert (ruling.validity, ruling.label, ruling.reason) == (Validity.INVALID, Label.SUPPORTED, "symmetric_relation")
    assert Mechanism.ROLE_SWAP not in {edit.mechanism for edit in oracle.moves(case, FA)}
    paraphrased = [after(case, edit) for edit in oracle.moves(case, FR)]
    assert "Ben was married to Ana." in paraphrased


@pytest.mark.parametrize("name", ["married", "merged_with", "borders", "settled_with", "swaps_with", "interacts_with"])
def test_no_symmetric_relation_is_offered_a_role_swap(name: Any) -> None:
    for case in SUPPORTED:
        said = PARSER.parse(case.claim)
        if said is not None and said.relation == name:
            assert Mechanism.ROLE_SWAP not in {edit.mechanism for edit in MOVES[case.case_id, FA]}


@pytest.mark.parametrize(
    ("claim", "goal", "validity", "reason"),
    [
        ("Ana overthrew Ben.", FA, Validity.INVALID, "not_well_formed"),
        ("Ben was overthrown by Ana.", FA, Validity.INVALID, "no_op"),
        ("ben  was overthrown by ＡＮＡ.", FA, Validity.INVALID, "no_op"),
        ("Ana deposed Ben.", FA, Validity.INVALID, "label_not_changed"),
        ("Ana deposed Ben.", FR, Validity.VALID, "closure"),
        ("Ben deposed Ana.", FA, Validity.VALID, "closure"),
        ("Ben deposed Ana.", FR, Validity.INVALID, "label_changed"),
        ("Ana may have deposed Ben.", FA, Validity.INVALID, "label_not_changed"),
        ("According to Cid, Ana deposed Ben.", FA, Validity.VALID, "closure"),
    ],
)
def test_a_ruling_gives_its_reason(claim: Any, goal: Any, validity: Any, reason: Any) -> None:
    oracle = small_oracle("Ben was overthrown by Ana.", Fact(relation="deposed", subject="Ana", object="Ben"))
    ruling = oracle.rule(oracle.cases[0], candidate(oracle.cases[0], claim, goal))
    assert (ruling.validity, ruling.reason) == (validity, reason)


def test_evidence_counts_as_the_candidate_has_it() -> None:
    oracle = small_oracle("Ben was overthrown by Ana.", Fact(relation="deposed", subject="Ana", object="Ben"))
    case = oracle.cases[0]
    assert oracle.rule(case, candidate(case, case.claim, evidence=())).reason == "no_evidence_left"
    unknown = oracle.rule(case, candidate(case, "Ana deposed Ben.", evidence=("Something else.",)))
    assert (unknown.validity, unknown.label, unknown.reason) == (Validity.UNKNOWN, None, "unknown_passage")


def test_contradictory_evidence_is_unknown() -> None:
    one, other = (Fact(relation="deposed", subject=a, object=b) for a, b in (("Ana", "Ben"), ("Ben", "Ana")))
    oracle = FactsOracle(
        [
            Document(
                document_id=name,
                domain="history",
                entities=(),
                passages=(Passage(text=f"{name}.", facts=(fact,)),),
                claims=(),
            )
            for name, fact in (("one", one), ("other", other))
        ]
    )
    case = ORACLE.cases[0]
    ruling = oracle.rule(case, candidate(case, "Ana deposed Ben.", evidence=("one.", "other.")))
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "contradictory_evidence")


@given(st.text(max_size=200) | st.sampled_from(["\x00", "\ud800.", "x" * 100_000, "<b>Ana</b> deposed Ben."]))
def test_hostile_claims_are_ruled_not_well_formed(text: Any) -> None:
    case = ORACLE.cases[0]
    ruling = ORACLE.rule(case, candidate(case, text))
    assert ruling.validity is Validity.INVALID
    assert ruling.reason in ("not_well_formed", "no_op")


@pytest.mark.parametrize("claim", ["This is no sentence of the lexicon.", "Ana deposed Ben"])
def test_a_document_with_a_claim_that_cannot_be_parsed_is_refused(claim: Any) -> None:
    with pytest.raises(OracleError, match=r"d\.claims\[0\]"):
        small_oracle(claim, Fact(relation="deposed", subject="Ana", object="Ben"))


def test_moves_and_cases_survive_json() -> None:
    for case in ORACLE.cases[:5]:
        assert json.loads(case.model_dump_json())["label"] == case.label
        for edit in MOVES[case.case_id, FA]:
            assert type(edit).model_validate_json(edit.model_dump_json()) == edit


def test_no_move_of_a_value_stays_within_three_percent_of_the_true_one() -> None:
    for case in SUPPORTED:
        true = ORACLE._parser.parse(case.claim)
        for edit in MOVES[case.case_id, FA]:
            fact = ORACLE._parser.parse(after(case, edit))
            if true is None or fact is None or edit.slot != "value" or true.value is None or fact.value is None:
                continue
            if true.value.unit == fact.value.unit:
                assert abs(fact.value.number - true.value.number) > abs(true.value.number) * 3 / 100
