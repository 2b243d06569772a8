"""What a counterexample demands, and what its replays say together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_failures import Written, by_claim, known_failure, paraphrase, score_of

from confute.contract import Calibration
from confute.harness.regress.relations import Finding, Reference, Relation, reference, relation_finding
from confute.harness.regress.replay import ReplayState, replay, replay_all
from confute.records import AttackGoal, Case, Label, Pair, ScoreState
from confute.victims import calibration

# Ranks: 0.01, 0.02, ... 0.20. Strictly between 0.05 and 0.08 lie 0.06 and 0.07, which is 2 of 20 = 0.10.
TWENTY = Reference(risks=tuple(n / 100 for n in range(1, 21)))
NOTHING = Reference(risks=())


@pytest.mark.parametrize(
    ("pre", "post", "state"),
    [
        (0.2, 0.9, ReplayState.HOLDS),
        (0.2, 0.5, ReplayState.FAILS),  # a tie at the threshold accepts
        (0.9, 0.9, ReplayState.FAILS),  # rejected, but the risk did not rise: a detector that rejects everything
        (0.95, 0.9, ReplayState.FAILS),
        (0.2, ScoreState.ERROR, ReplayState.UNMEASURED),
        (0.2, ScoreState.NO_EVIDENCE, ReplayState.UNMEASURED),
        (ScoreState.NO_EVIDENCE, 0.9, ReplayState.UNMEASURED),
    ],
)
def test_a_false_claim_must_be_riskier_and_rejected(pre, post, state) -> None:
    row = known_failure()
    assert replay(row, by_claim(row, pre, post), TWENTY).state is state


@pytest.mark.parametrize(
    ("pre", "post", "state"),
    [
        (0.05, 0.08, ReplayState.HOLDS),
        (0.08, 0.05, ReplayState.HOLDS),
        (0.05, 0.09, ReplayState.FAILS),  # 0.06, 0.07, 0.08: 3 of 20 is over 0.10
        (0.05, 0.6, ReplayState.FAILS),
        (0.9, 0.05, ReplayState.FAILS),
        (0.05, ScoreState.ERROR, ReplayState.UNMEASURED),
    ],
)
def test_a_paraphrase_must_keep_its_risk_and_be_accepted(pre, post, state) -> None:
    row = paraphrase()
    assert replay(row, by_claim(row, pre, post), TWENTY).state is state


def test_a_claim_whose_provenance_is_to_be_flagged_must_not_be_accepted() -> None:
    row = known_failure(expected_relation="risk_stays", expected_policy="FLAG_PROVENANCE")
    assert replay(row, by_claim(row, 0.2, 0.2), TWENTY).state is ReplayState.FAILS
    assert replay(row, by_claim(row, 0.7, 0.7), TWENTY).state is ReplayState.HOLDS


def test_with_too_few_risks_to_compare_by_the_decision_alone_counts_and_that_is_told() -> None:
    row = paraphrase()
    nine = Reference(risks=TWENTY.risks[:9])
    for risk, state in ((0.4, ReplayState.HOLDS), (0.6, ReplayState.FAILS)):
        found = replay(row, by_claim(row, 0.0, risk), nine)
        assert found.state is state
        assert {vote.relation for vote in found.votes} == {Finding.UNDECIDED}


def test_replays_that_differ_are_flaky_whatever_most_of_them_say() -> None:
    row = known_failure()
    victim = Written(lambda pair, call: 0.1 if pair.claim == row.original_claim else 0.3 if call == 3 else 0.9)
    found = replay(row, victim, TWENTY, replays=5)
    assert (found.state, found.passes, found.measured) == (ReplayState.FLAKY, 4, 5)
    # D = 2 * 4 * 1 / (5 * 4) = 0.4; pass^1 = 4/5; pass^2 = C(4,2) / C(5,2) = 6/10; pass^5 = 0.
    assert (found.disagreement, found.pass_hat(1), found.pass_hat(2), found.pass_hat(5)) == (0.4, 0.8, 0.6, 0.0)


def test_a_replay_that_was_not_measured_is_drawn_again_twice_at_most() -> None:
    row = known_failure()

    def victim(failing: int) -> Written:
        return Written(lambda pair, call: ScoreState.ERROR if call <= failing else 0.1 if "3" in pair.claim else 0.9)

    once = victim(2)
    assert replay(row, once, TWENTY, replays=3).state is ReplayState.HOLDS
    assert once.calls == 5
    assert replay(row, victim(3), TWENTY, replays=3).state is ReplayState.UNMEASURED


def test_an_outage_hides_no_disagreement_that_was_seen() -> None:
    row = known_failure()
    said = {1: 0.9, 2: 0.3}
    victim = Written(lambda pair, call: 0.1 if "3" in pair.claim else said.get(call, ScoreState.ERROR))
    assert replay(row, victim, TWENTY, replays=5).state is ReplayState.FLAKY


def test_each_replay_asks_about_all_open_rows_at_once_and_answers_in_their_order() -> None:
    rows = [known_failure("one"), paraphrase("two"), known_failure("six")]
    victim = Written(lambda pair, _: 0.1)
    found = replay_all(rows, victim, TWENTY, replays=4)
    assert victim.calls == 4
    assert [(one.attack_id, one.state) for one in found] == [
        ("one", ReplayState.FAILS),
        ("two", ReplayState.HOLDS),
        ("six", ReplayState.FAILS),
    ]


@pytest.mark.parametrize("field", ["expected_relation", "expected_policy"])
def test_an_unknown_demand_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match="sideways"):
        replay(known_failure(**{field: "sideways"}), Written(lambda *_: 0.1), NOTHING)


def test_no_replays_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        replay(known_failure(), Written(lambda *_: 0.1), NOTHING, replays=0)


LEVELS = 40


@given(
    ranks=st.lists(st.tuples(*[st.integers(0, LEVELS - 1)] * 4), min_size=1, max_size=6),
    calibrated=st.lists(st.integers(0, LEVELS - 1), min_size=10, max_size=30).filter(lambda some: len(set(some)) > 2),
    scale=st.lists(st.floats(-1e6, 1e6), min_size=LEVELS, max_size=LEVELS, unique=True).map(sorted),
)
def test_no_strictly_rising_change_of_the_scale_changes_a_finding_once_the_threshold_is_set_anew(
    ranks, calibrated, scale
) -> None:
    def findings(values):
        rows = [row for n in range(len(ranks)) for row in (known_failure(f"up{n}"), paraphrase(f"same{n}"))]
        risks = {}
        for (a, b, c, d), changes, keeps in zip(ranks, rows[::2], rows[1::2], strict=True):
            risks |= {changes.original_claim: a, changes.adversarial_claim: b}
            risks |= {keeps.original_claim: c, keeps.adversarial_claim: d}
        scores = [score_of(values[rank]) for rank in calibrated]
        cases = [
            Case(case_id=f"{n}", claim="c", evidence=("e",), label=Label.SUPPORTED, domain="d", source="s", group="g")
            for n in range(len(scores))
        ]
        how = Calibration(error=AttackGoal.FALSE_REJECTION, target_rate=0.2)
        tau = calibration.threshold(cases, scores, how).value
        victim = Written(lambda pair, _: values[risks[pair.claim]], tau)
        found = replay_all(rows, victim, reference(scores), replays=1)
        return [(one.state, vote.relation, vote.policy) for one in found for vote in one.votes]

    assert findings(scale) == findings([float(rank) for rank in range(LEVELS)])


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_risk_stays_in_one_direction_as_in_the_other(one: float, other: float) -> None:
    told = {relation_finding(Relation.STAYS, score_of(a), score_of(b), TWENTY) for a, b in [(one, other), (other, one)]}
    assert len(told) == 1


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_move_never_stays_where_a_smaller_one_does_not(one: float, two: float, three: float) -> None:
    low, middle, high = sorted((one, two, three))
    assert (TWENTY.between(low, middle) or 0.0) <= (TWENTY.between(low, high) or 0.0)


def test_the_reference_leaves_out_what_was_not_measured() -> None:
    scores = [score_of(0.3), score_of(ScoreState.ERROR), score_of(0.1)]
    assert reference(scores).risks == (0.1, 0.3)


def test_a_replay_says_in_how_many_replays_each_demand_was_met() -> None:
    row = known_failure()
    victim = Written(lambda pair, call: 0.1 if pair.claim == row.original_claim else 0.2 if call == 1 else 0.9)
    found = replay(row, victim, TWENTY, replays=2)
    assert found.finding(lambda vote: vote.relation) == (2, 2)
    assert found.finding(lambda vote: vote.policy) == (1, 2)


def test_a_pair_is_asked_about_with_its_own_evidence() -> None:
    row = known_failure(adversarial_evidence=("other",))
    seen: list[Pair] = []
    replay(row, Written(lambda pair, _: (seen.append(pair), 0.1)[1]), NOTHING, replays=1)
    assert [pair.evidence for pair in seen] == [row.source_evidence, ("other",)]
