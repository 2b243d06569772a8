"""Moves on evidence: where they come from, what vouches for them, and what a run makes of them."""

from itertools import islice

import numpy as np
import pytest
from synthetic_run import attempt, canaries, counterexample, manifest
from synthetic_run import case as summary
from watching import Quiet

from confute import contract
from confute.agents.agent import View
from confute.contract import Suite
from confute.edits import applied, edited_evidence, evidence_size, unedited
from confute.harness import controls, run
from confute.harness.evidence import EvidenceMoves
from confute.harness.gate import Gate
from confute.harness.outcome import items
from confute.harness.render.formats import rendered
from confute.harness.report import build
from confute.harness.search import Item
from confute.oracles.facts import builtin
from confute.records import Arm, AttackGoal, Case, Label, Mechanism, Outcome, Ruling, Validity

FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
OF_EVIDENCE = tuple(mechanism for mechanism in Mechanism if mechanism.changes_evidence)
ORACLE = builtin(0, Suite.DEVELOPMENT)
SOURCE = EvidenceMoves(OF_EVIDENCE, ORACLE, ORACLE.cases, None)
SUPPORTED = next(case for case in ORACLE.cases if case.label is Label.SUPPORTED)
FALSE = next(case for case in ORACLE.cases if case.label is not Label.SUPPORTED)


def made(case_id, claim, *evidence, group):
    return Case(
        case_id=case_id, claim=claim, evidence=evidence, label=Label.UNSUPPORTED, domain="d", source="s", group=group
    )


CLAIM = made("c", "red green blue", "own", group="g")
POOL = (
    CLAIM,
    made("same group", "x", "red green blue", group="g"),
    made("near", "x", "red green", group="h"),
    made("far", "x", "grey", "red", group="i"),
)


class Vouches:
    """Keeps every label but where the evidence says `red` alone."""

    def rule(self, case, candidate):
        validity = Validity.INVALID if "red" in candidate.evidence else Validity.VALID
        return Ruling(validity=validity, label=case.label, reason="ok", method="test", oracle_version="1")


class ByLength:
    """Embeds a text by its length: cosine 1 for equal lengths, and less the further apart they are."""

    fingerprint = "length"

    def embed(self, texts):
        angles = np.array([len(text) / 20 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def texts(source, mechanism, goal=FA, case=CLAIM):
    return [edit.passages[0].text for edit in source.moves(case, goal) if edit.mechanism is mechanism]


def test_foreign_passages_come_nearest_first_and_never_from_the_same_source():
    source = EvidenceMoves((Mechanism.INFLATION,), Vouches(), POOL, None)
    assert texts(source, Mechanism.INFLATION) == ["red green", "grey"]


def test_rotation_begins_with_the_passages_least_like_the_claim():
    supported = CLAIM.model_copy(update={"label": Label.SUPPORTED})
    source = EvidenceMoves((Mechanism.ROTATION,), Vouches(), POOL, None)
    assert texts(source, Mechanism.ROTATION, FR, supported) == ["grey", "red green", None]


def test_a_passage_that_two_mechanisms_would_add_is_offered_once():
    supported = CLAIM.model_copy(update={"label": Label.SUPPORTED})
    source = EvidenceMoves((Mechanism.ROTATION, Mechanism.DISTRACTOR), Vouches(), POOL, None)
    assert [move.mechanism for move in source.moves(supported, FR)] == [Mechanism.ROTATION] * 3


def test_an_embedder_ranks_where_there_is_one():
    # Lengths 14 of the claim, 9 of `red green`, 4 of `grey`.
    source = EvidenceMoves((Mechanism.INFLATION,), Vouches(), POOL, ByLength())
    assert texts(source, Mechanism.INFLATION) == ["red green", "grey"]
    short = CLAIM.model_copy(update={"claim": "blue"})
    assert texts(source, Mechanism.INFLATION, case=short) == ["grey", "red green"]
    assert source.fingerprint != EvidenceMoves((Mechanism.INFLATION,), Vouches(), POOL, None).fingerprint


def test_a_pool_without_a_foreign_passage_offers_none():
    source = EvidenceMoves((Mechanism.INFLATION, Mechanism.NEAREST_WRONG), Vouches(), POOL[:2], None)
    assert source.moves(CLAIM, FA) == ()


@pytest.mark.parametrize("goal", list(AttackGoal))
@pytest.mark.parametrize("case", [*islice(ORACLE.cases, 0, 60, 6)], ids=lambda case: case.case_id)
def test_every_move_alone_is_valid_keeps_the_claim_and_gives_evidence_of_its_own(case, goal):
    moves = SOURCE.moves(case, goal)
    assert len({edited_evidence(case.evidence, (move,)) for move in moves}) == len(moves)
    start = unedited(case, goal)
    for move in moves:
        candidate = applied(start, (move,))
        ruling = ORACLE.rule(case, candidate)
        assert (ruling.validity, ruling.label) == (Validity.VALID, move.expected_label)
        assert candidate.claim == case.claim
        assert candidate.evidence != case.evidence


def test_each_direction_has_its_mechanisms():
    def mechanisms(case, goal):
        return {move.mechanism for move in SOURCE.moves(case, goal)}

    assert mechanisms(SUPPORTED, FA) == {Mechanism.SUPPORT_DELETION, Mechanism.NEAREST_WRONG}
    assert mechanisms(SUPPORTED, FR) == {Mechanism.ROTATION, Mechanism.DISTRACTOR, Mechanism.DUPLICATION}
    assert mechanisms(FALSE, FA) == {
        Mechanism.INFLATION,
        Mechanism.DUPLICATION,
        Mechanism.NEAREST_WRONG,
        Mechanism.ECHO,
    }
    assert mechanisms(FALSE, FR) == set()


def item(case, goal):
    start = unedited(case, goal)
    run_of = contract.parse("victim: {detector: word_overlap}\nobjective: {oracle: facts}\n")
    view = View(
        goal=goal,
        knowledge=run_of.attacker.knowledge,
        start=start,
        moves=SOURCE.moves(case, goal),
        victim_queries=64,
        max_edits=4,
        seed=0,
    )
    return Item(case=case, view=view), Gate(run_of.validity_constraints, ORACLE)


def test_an_attack_that_keeps_the_label_is_paired_with_the_item_and_a_deletion_with_a_blind_draw():
    assert controls.paired(*item(FALSE, FA), seed=0) == []
    assert controls.paired(*item(SUPPORTED, FR), seed=0) == []
    drawn = controls.paired(*item(SUPPORTED, FA), seed=0)
    assert [step.edits[0].mechanism for step in drawn] == [Mechanism.SUPPORT_DELETION, Mechanism.NEAREST_WRONG]


@pytest.mark.parametrize(("risk", "induced"), [(0.9, Outcome.SUCCEEDED), (0.1, None)])
def test_the_control_of_an_inflation_is_the_item_itself(risk, induced):
    (found,) = items(
        [summary("a", Label.REFUTED)],
        [
            attempt("a", FA, Arm.BASELINE, risk),
            attempt("a", FA, Arm.SEARCH, 0.2, mechanism=Mechanism.INFLATION),
        ],
    )
    assert found.induced(found.search, found.search.outcome) is induced


def test_the_control_of_a_support_deletion_is_its_blind_draw():
    (found,) = items(
        [summary("a", Label.SUPPORTED)],
        [
            attempt("a", FR, Arm.BASELINE, 0.1),
            attempt("a", FA, Arm.CONTROL, 0.9, mechanism=Mechanism.SUPPORT_DELETION),
            attempt("a", FA, Arm.SEARCH, 0.2, mechanism=Mechanism.SUPPORT_DELETION),
        ],
    )
    assert found.control(found.search) is Outcome.RESISTED


EVIDENCE_RUN = """
victim: {{detector: word_overlap, threshold: {{calibrate: {{error: false_acceptance, target_rate: 0.3}}}}}}
objective: {{oracle: facts}}
attacker: {{capabilities: [{capabilities}], budgets: {{victim_queries: 24, evidence_additions: 2}}}}
evaluation: {{max_cases: 12, seed: 3}}
"""


def carried_out(folder, capabilities):
    order = run.Order(contract=contract.parse(EVIDENCE_RUN.format(capabilities=capabilities)), data=None)
    folder.mkdir()
    return run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evidence") / "run"
    report = carried_out(folder, "inflation, rotation, support_deletion, polarity")
    return folder, report


def test_two_runs_on_evidence_give_one_ledger(attacked, tmp_path):
    carried_out(tmp_path / "run", "inflation, rotation, support_deletion, polarity")
    assert run.ledger_digest(tmp_path / "run") == run.ledger_digest(attacked[0])


def test_a_run_names_every_mechanism_passes_no_limit_and_keeps_claim_and_evidence_apart(attacked):
    folder, report = attacked
    assert {one.mechanism for one in report.by_mechanism} >= {Mechanism.INFLATION, Mechanism.SUPPORT_DELETION}
    with run.Ledger(folder / "ledger.sqlite") as ledger:
        searched = [one for one in ledger.attempts if one.arm is Arm.SEARCH]
    assert max(evidence_size(one.edits)[0] for one in searched) == 2
    assert all(len({edit.mechanism.changes_evidence for edit in one.edits}) == 1 for one in searched)


def test_a_counterexample_on_evidence_replays_to_its_failure(attacked):
    found = [one for one in attacked[1].counterexamples if one.failure_family == "evidence"]
    assert found
    for one in found:
        assert one.adversarial_claim == one.original_claim
        assert one.adversarial_evidence != one.source_evidence
        assert one.passages_added + one.passages_removed > 0
        assert one.realism == "evidence_edit"


def test_an_echo_is_a_probe_of_provenance_whose_figures_no_gate_may_use(tmp_path):
    report = carried_out(tmp_path / "run", "echo")
    assert "provenance_probe" in report.gates_withheld
    assert "provenance_probe" in {one.code for one in report.warnings}
    (direction,) = [one for one in report.directions if one.attack.items]
    assert direction.attack.asr_induced.numerator > 0
    assert {(one.failure_family, one.expected_policy) for one in report.counterexamples} == {
        ("provenance_probe", "FLAG_PROVENANCE")
    }


@pytest.mark.parametrize("form", ["md", "html"])
def test_added_and_removed_passages_are_shown_and_escaped(form):
    shown = counterexample(
        "inflation-1",
        adversarial_claim="The clinic opened in 2018.",
        adversarial_evidence=("<b>new</b> \u202e",),
        failure_mechanism=Mechanism.INFLATION,
        passages_added=1,
        passages_removed=1,
    )
    report = build(manifest([summary("a")]), canaries(), [shown])
    text = rendered(report, form)
    assert "1 passage added, 1 removed" in text
    assert "\u202e" not in text
    assert "<b>new" not in text
    marks = {"md": ("~~The clinic", "added: **"), "html": ("<del>The clinic", "<ins>&lt;b&gt;new")}
    assert all(mark in text for mark in marks[form])
