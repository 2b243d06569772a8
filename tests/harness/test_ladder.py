"""The difficulty ladder: whose evidence a claim is set against at each level."""

import numpy as np

from confute.harness.ladder import NEIGHBOURS, Ladder
from confute.records import Arm, Case, Label


class ByAngle:
    """Reads a text's angle, in degrees, off its last word."""

    fingerprint = "angle"

    def embed(self, texts):
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def case(name, angle, *, group=None, domain="d", label=Label.SUPPORTED, evidence=None):
    return Case(
        case_id=name,
        claim=f"claim {angle}",
        evidence=(f"evidence {angle}",) if evidence is None else evidence,
        label=label,
        domain=domain,
        source="s",
        group=group or name,
    )


def evidence_of(steps, case_id, level):
    return [step.pair.evidence for step in steps if (step.case_id, step.level) == (case_id, level)]


def test_unrelated_evidence_is_of_another_domain_and_level_2_of_the_same():
    cases = [case("a", 0), case("b", 10), case("c", 20, domain="e")]
    steps = Ladder(cases, 0, None).steps()
    assert evidence_of(steps, "a", 0) == [("evidence 20",)]
    assert evidence_of(steps, "a", 2) == [("evidence 10",)]
    assert {step.level for step in steps} == {0, 2}  # 3 and 4 need an embedder
    assert {(step.arm, step.label) for step in steps} == {(Arm.LADDER, Label.UNSUPPORTED)}


def test_the_semantic_neighbour_is_the_nearest_set_of_another_source():
    near_but_own = case("b", 1, group="a")
    steps = Ladder([case("a", 0, group="a"), near_but_own, case("c", 30), case("d", 20)], 0, ByAngle()).steps()
    assert evidence_of(steps, "a", 3) == [("evidence 20",)]


def test_a_claims_own_evidence_is_never_set_against_it_under_another_group():
    cases = [case("a", 0), case("b", 5, evidence=("evidence 0",)), case("c", 40)]
    steps = Ladder(cases, 0, ByAngle()).steps()
    assert {step.pair.evidence for step in steps if step.case_id == "a"} == {("evidence 40",)}


def test_a_detector_aware_choice_has_all_of_its_neighbours_or_none():
    enough = [case(f"{angle:02}", angle) for angle in range(NEIGHBOURS + 2)]
    steps = Ladder(enough, 0, ByAngle()).steps()
    assert evidence_of(steps, "00", 4) == [(f"evidence {angle}",) for angle in range(1, NEIGHBOURS + 1)]
    assert [step.queries for step in steps if (step.case_id, step.level) == ("00", 4)] == list(range(1, NEIGHBOURS + 1))
    assert evidence_of(Ladder(enough[:NEIGHBOURS], 0, ByAngle()).steps(), "00", 4) == []


def test_only_supported_claims_with_evidence_are_set_against_other_evidence():
    cases = [case("a", 0, label=Label.REFUTED), case("b", 10, evidence=(" ",)), case("c", 20)]
    steps = Ladder(cases, 0, None).steps()
    assert {step.case_id for step in steps} == {"c"}
    assert evidence_of(steps, "c", 0) == [("evidence 0",)]
