"""Judges behind the guards: they are asked what the guards do not recognise, and what they cannot settle stays open."""

import asyncio

import pytest

from confute.edits import applied, unedited
from confute.judges.families import build_panel
from confute.models.scripted import ScriptedModel
from confute.oracles.judged import METHOD, JudgedTextOracle
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import AttackGoal, Case, Edit, Label, Mechanism, Replacement, Validity
from confute.verdicts import Verdict, VerdictState

CASE = Case(
    case_id="c",
    claim="The museum opened its doors to visitors in 1998.",
    evidence=("The museum opened its doors to visitors in 1998.",),
    label=Label.SUPPORTED,
    domain="d",
    source="s",
    group="g",
)
UNRECOGNISED = "The museum opened its windows to visitors in 1998."
FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION


class Fixed:
    family, version = "support", "v"

    def __init__(self, state, code=None):
        self.state, self.code, self.asked = state, code, []

    async def conclude(self, exhibit, *, repeat=0):
        await asyncio.sleep(0)
        self.asked.append(exhibit)
        return Verdict(family="support", version="v", state=self.state, code=self.code)


@pytest.fixture(scope="module")
def guards():
    return GuardedTextOracle([CASE])


def candidate(claim, goal=FA, mechanism=Mechanism.BINDING):
    whole = Replacement(start=0, end=len(CASE.claim), text=claim)
    edit = Edit(mechanism=mechanism, slot="text", replacements=(whole,), expected_label=Label.UNSUPPORTED)
    return applied(unedited(CASE, goal), (edit,))


def ruled(guards, panel, claim=UNRECOGNISED, goal=FA, mechanism=Mechanism.BINDING):
    return JudgedTextOracle(guards, lambda case, goal: panel, "v").rule(CASE, candidate(claim, goal, mechanism))


@pytest.mark.parametrize(
    ("state", "goal", "validity", "label"),
    [
        (VerdictState.RESISTED, FA, Validity.VALID, Label.UNSUPPORTED),
        (VerdictState.SUCCEEDED, FA, Validity.INVALID, Label.SUPPORTED),
        (VerdictState.SUCCEEDED, FR, Validity.VALID, Label.SUPPORTED),
        (VerdictState.RESISTED, FR, Validity.INVALID, Label.UNSUPPORTED),
    ],
)
def test_a_verdict_settles_what_the_guards_do_not_recognise(guards, state, goal, validity, label):
    ruling = ruled(guards, Fixed(state), goal=goal)
    assert (ruling.validity, ruling.label, ruling.method) == (validity, label, METHOD)
    assert ruling.reason == f"judged_{label.lower()}"


@pytest.mark.parametrize("state", [VerdictState.CONFLICT, VerdictState.INCONCLUSIVE, VerdictState.ERROR])
def test_what_judges_cannot_settle_stays_unknown(guards, state):
    ruling = ruled(guards, Fixed(state))
    assert (ruling.validity, ruling.label) == (Validity.UNKNOWN, None)
    assert ruling.reason == f"judges:{state.lower()}"


def test_the_guards_own_word_is_never_put_to_judges(guards):
    panel = Fixed(VerdictState.SUCCEEDED)
    valid = ruled(guards, panel, "The museum opened its doors to visitors in 1950.")
    same = ruled(guards, panel, CASE.claim.upper())
    assert (valid.validity, same.validity) == (Validity.VALID, Validity.INVALID)
    assert panel.asked == []


def test_a_paraphrase_towards_a_false_acceptance_is_not_judged(guards):
    panel = Fixed(VerdictState.RESISTED)
    assert ruled(guards, panel, mechanism=Mechanism.PARAPHRASE).validity is Validity.UNKNOWN
    assert panel.asked == []


def test_a_claim_is_judged_once_on_its_own_evidence(guards):
    panel = Fixed(VerdictState.RESISTED)
    oracle = JudgedTextOracle(guards, lambda case, goal: panel, "v")
    assert oracle.rule(CASE, candidate(UNRECOGNISED)) == oracle.rule(CASE, candidate(UNRECOGNISED))
    (exhibit,) = panel.asked
    assert (exhibit.claim, exhibit.evidence) == (UNRECOGNISED, CASE.evidence)


def test_the_version_is_of_guards_and_judges_together(guards):
    versions = {JudgedTextOracle(guards, lambda case, goal: None, version).version for version in "ab"}
    assert len(versions | {guards.version}) == 3


def test_a_spent_budget_of_judge_calls_leaves_it_unknown(guards):
    panel = build_panel("support", ScriptedModel([]), spend=lambda: False)
    ruling = ruled(guards, panel)
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "judges:budget_spent")


def test_a_doubt_of_a_guard_is_not_put_to_judges():
    # What may have happened in 1998 may have happened in 1950 too: the guards know the change and doubt it.
    doubted = CASE.model_copy(update={"claim": CASE.claim.replace("opened", "may have opened")})
    whole = Replacement(start=0, end=len(doubted.claim), text=doubted.claim.replace("1998", "1950"))
    edit = Edit(mechanism=Mechanism.TEMPORAL, slot="text", replacements=(whole,), expected_label=Label.UNSUPPORTED)
    panel = Fixed(VerdictState.RESISTED)
    ruling = JudgedTextOracle(GuardedTextOracle([doubted]), lambda case, goal: panel, "v").rule(
        doubted, applied(unedited(doubted, FA), (edit,))
    )
    assert (ruling.validity, ruling.reason) == (Validity.UNKNOWN, "modal")
    assert panel.asked == []
