"""The closure over evidence that was changed while the claim stays."""

from confute.contract import Suite
from confute.oracles.facts import builtin
from confute.records import AttackGoal, Candidate, Label, Validity

FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
ORACLE = builtin(0, Suite.DEVELOPMENT)
SUPPORTED = [case for case in ORACLE.cases if case.label is Label.SUPPORTED]
FALSE = [case for case in ORACLE.cases if case.label is not Label.SUPPORTED]


def rule(case, evidence, goal=FA):
    return ORACLE.rule(
        case, Candidate(case_id=case.case_id, goal=goal, edits=(), claim=case.claim, evidence=tuple(evidence))
    )


def foreign(case):
    return next(one.evidence[0] for one in ORACLE.cases if one.group != case.group)


def test_an_added_passage_that_entails_the_claim_makes_a_false_acceptance_invalid():
    case = SUPPORTED[0]
    bare = case.model_copy(update={"evidence": (foreign(case),), "label": Label.UNSUPPORTED})
    assert rule(bare, [*bare.evidence, *case.evidence]).reason == "entailed_by_evidence"
    assert rule(bare, [*bare.evidence, *case.evidence]).validity is Validity.INVALID
    assert rule(bare, bare.evidence * 2).validity is Validity.VALID


def test_copies_order_and_passages_of_other_worlds_keep_every_label():
    for case in (*SUPPORTED[:40], *FALSE[:40]):
        goal = FR if case.label is Label.SUPPORTED else FA
        for evidence in ((*case.evidence, *case.evidence), case.evidence[::-1], (*case.evidence, foreign(case))):
            if evidence != case.evidence:
                ruling = rule(case, evidence, goal)
                assert (ruling.validity, ruling.label, ruling.reason) == (Validity.VALID, case.label, "closure")


def test_deleting_the_sole_support_is_valid_and_deleting_another_passage_is_not():
    found = set()
    for case in SUPPORTED[:40]:
        for place in range(len(case.evidence)):
            left = case.evidence[:place] + case.evidence[place + 1 :]
            ruling = rule(case, left)
            expected = ORACLE.label(case.claim, left)
            assert ruling.label is expected
            assert (ruling.validity is Validity.VALID) == (expected is not Label.SUPPORTED)
            found.add(ruling.validity)
    assert found == {Validity.VALID, Validity.INVALID}


def test_without_any_passage_nothing_is_known():
    ruling = rule(SUPPORTED[0], ())
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "no_evidence_left")


def test_the_claim_as_its_own_evidence_says_nothing_and_is_named_an_echo():
    case = FALSE[0]
    ruling = rule(case, (*case.evidence, case.claim))
    assert (ruling.validity, ruling.label, ruling.reason) == (Validity.VALID, case.label, "echo")
    assert rule(case, (*case.evidence, f"It is said that {case.claim}")).reason == "unknown_passage"


def test_an_echo_does_not_make_up_for_support_that_was_deleted():
    case = next(one for one in SUPPORTED if rule(one, one.evidence[1:]).validity is Validity.VALID)
    assert rule(case, (*case.evidence[1:], case.claim)).validity is Validity.VALID
    assert rule(case, (*case.evidence, case.claim)).validity is Validity.INVALID
