"""Failures shrunk and confirmed with a real gate, recorder and ledger, also where the victim is noisy."""

import pytest
from payments import edit, frozen, paid, view_of

from confute.contract import AttackContract, Attacker, Objective, OracleChoice, ValidityConstraints, Victim
from confute.harness import controls
from confute.harness.counterexamples import CounterexampleWriter
from confute.harness.gate import Gate
from confute.harness.ledger import Ledger
from confute.harness.recorder import Recorder, Step
from confute.harness.search import Item
from confute.harness.shrink import Found, Shrinker
from confute.records import (
    Arm,
    Label,
    Mechanism,
    Ruling,
    Validity,
)

CASE = paid("Ana paid 10 euros in May", "Ana paid 10 euros to Ben in May.")
THRESHOLD = 0.5
NUMBER = edit(9, 11, "12")
MONTH = edit(21, 24, "June", Mechanism.TEMPORAL)


class OnlyTheOriginalIsTrue:
    def rule(self, case, candidate):
        changed = candidate.claim != case.claim
        return Ruling(
            validity=Validity.VALID if changed else Validity.INVALID,
            label=Label.REFUTED if changed else Label.SUPPORTED,
            reason="compared",
            method="test",
            oracle_version="1",
        )


class AcceptsTwelve:
    """Accepts whatever holds the number 12, but on every `rejects`-th asking of it."""

    def __init__(self, rejects=None):
        self.rejects = rejects
        self.asked = 0

    def score(self, pairs):
        return [self.risk(pair) for pair in pairs]

    def risk(self, pair):
        if pair.claim == CASE.claim:
            return 0.2
        if "12" not in pair.claim:
            return 0.9
        self.asked += 1
        return 0.9 if self.rejects and self.asked % self.rejects == 0 else 0.4


@pytest.fixture
def shrink(tmp_path):
    def shrink(detector, *, deterministic=True):
        victim_part = Victim(detector="test:detector", deterministic=deterministic, threshold={"value": THRESHOLD})
        contract = AttackContract(
            victim=victim_part, objective=Objective(oracle=OracleChoice.FACTS), attacker=Attacker()
        )
        view = view_of(CASE, moves=(NUMBER, MONTH), queries=8)
        item = Item(case=CASE, view=view)
        gate = Gate(ValidityConstraints(), OnlyTheOriginalIsTrue())
        victim = frozen(victim_part, detector, CASE)
        with Ledger(tmp_path / "ledger") as ledger:
            recorder = Recorder(contract.digest, victim, ledger)
            (baseline,) = recorder.record(controls.baselines([CASE]))
            both = controls.candidate_of(view, (NUMBER, MONTH))
            (found,) = recorder.record(
                [
                    Step(
                        case_id="c",
                        goal=view.goal,
                        arm=Arm.SEARCH,
                        index=0,
                        pair=both.pair,
                        label=Label.REFUTED,
                        edits=both.edits,
                        ruling=gate.rule(CASE, both),
                        queries=3,
                    )
                ]
            )
            shrinker = Shrinker(gate, recorder, deterministic=deterministic, advanced=lambda units: None)
            shrunk = shrinker.run([Found(item=item, attempt=found)])
            written = CounterexampleWriter(contract, THRESHOLD, None).write(shrunk, {"c": baseline})
            return shrunk[0], written, ledger.attempts

    return shrink


def test_the_edit_that_the_failure_does_not_need_is_dropped(shrink):
    shrunk, _, _ = shrink(AcceptsTwelve())
    assert shrunk.candidate.claim == "Ana paid 12 euros in May"
    assert (len(shrunk.replays), shrunk.wrong, shrunk.is_confirmed) == (20, 20, True)


def test_the_record_holds_what_a_reader_needs_to_judge_the_failure(shrink):
    _, (one,), _ = shrink(AcceptsTwelve())
    # One token, "10" for "12", is one character. The risk rose from 0.2 to 0.4, below the threshold of 0.5: the score
    # saw the change and the threshold let it pass. No capitalised word changed, but the number did.
    assert (one.edit_distance_tokens, one.edit_distance_chars) == (1, 1)
    assert (one.pre_score, one.post_score, one.delta_score) == (0.2, 0.4, pytest.approx(0.2))
    assert one.first_compromised_stage == "threshold"
    assert (one.entities_preserved, one.relation_words_preserved) == (False, True)
    assert (one.failure_mechanism, one.failure_family) == (Mechanism.QUANTITY, "content")
    assert (one.expected_relation, one.expected_policy) == ("risk_rises", "REVIEW_OR_REJECT")
    assert (one.original_label, one.oracle_label, one.realism) == (Label.SUPPORTED, Label.REFUTED, "within_human_edits")
    assert (one.queries_used, one.confirmed_wrong, one.embedding_similarity_claims) == (3, 20, None)


def test_a_noisy_victim_is_asked_five_times_for_every_step_of_shrinking(shrink):
    _, _, attempts = shrink(AcceptsTwelve(rejects=6), deterministic=False)
    steps = [one for one in attempts if one.arm is Arm.MINIMISE]
    assert {one.repeat for one in steps} == set(range(5))
    assert len({one.step for one in steps}) * 5 == len(steps)


def test_four_of_five_wrong_answers_are_enough_and_three_are_not(shrink):
    # One rejection in six asks leaves at least four of any five wrong; one in two leaves at most three.
    kept, written, _ = shrink(AcceptsTwelve(rejects=6), deterministic=False)
    assert kept.candidate.claim == "Ana paid 12 euros in May"
    assert len(written) == 1


def test_a_failure_that_half_of_the_fresh_replays_do_not_show_is_not_kept(shrink):
    shrunk, written, _ = shrink(AcceptsTwelve(rejects=2), deterministic=False)
    assert not shrunk.is_confirmed
    assert written == ()
