"""The levels side by side: the same items, the share broken within q queries, and whether more knowledge did worse."""

import pytest
import synthetic_run as made

from confute.harness.levels import at_level, compare
from confute.harness.outcome import ItemOutcome, Trace
from confute.records import AttackGoal, Knowledge, Outcome

FA = AttackGoal.FALSE_ACCEPTANCE


def outcomes(broken, count=12):
    def trace(number):
        won = number in broken
        attempt = made.attempt(f"c{number}", FA, made.Arm.SEARCH, 0.1).model_copy(
            update={"queries": broken.get(number, 16), "edits": (made.edit(made.Mechanism.QUANTITY),)}
        )
        return Trace(Outcome.SUCCEEDED if won else Outcome.RESISTED, attempt, broken.get(number, 16))

    return tuple(
        ItemOutcome(made.case(f"c{n}"), FA, None, {made.Mechanism.QUANTITY: Outcome.RESISTED}, trace(n), trace(n))
        for n in range(count)
    )


def levels(**broken):
    return compare({}, {Knowledge(name): outcomes(found) for name, found in broken.items()}, 16)


def test_each_level_is_read_off_at_the_same_budgets():
    found = levels(decision={0: 4}, score={0: 1, 1: 4, 2: 9})
    shares = {(one.level, one.queries): (one.success.numerator, one.induced.numerator) for one in found.points}
    assert shares == {
        (Knowledge.DECISION, 1): (0, 0),
        (Knowledge.SCORE, 1): (1, 1),
        (Knowledge.DECISION, 4): (1, 1),
        (Knowledge.SCORE, 4): (2, 2),
        (Knowledge.DECISION, 16): (1, 1),
        (Knowledge.SCORE, 16): (3, 3),
    }


def test_more_knowledge_that_did_worse_beyond_chance_is_told():
    # 7 items lost and none won: p = 2 / 2^7 = 0.0156.
    found = levels(score=dict.fromkeys(range(7), 4), algorithm={})
    (at_four, at_sixteen) = [one for one in found.points if one.is_worse]
    assert (at_four.lost, at_four.won, at_four.queries) == (7, 0, 4)
    assert at_four.p_value == pytest.approx(2 / 2**7)
    assert at_sixteen.level is Knowledge.ALGORITHM
    assert "algorithm did worse than the level below (7 items lost, 0 won, p = 0.016)" in found.warnings[0]
    assert "(worse)" in found.markdown()


def test_a_loss_that_chance_explains_and_a_gain_are_no_warning():
    # 5 lost and none won: p = 2 / 2^5 = 0.0625.
    assert levels(score=dict.fromkeys(range(5), 4), algorithm={}).warnings == ()
    found = levels(score={}, algorithm=dict.fromkeys(range(9), 4))
    assert found.warnings == ()
    assert "did worse at no budget" in found.markdown()


def test_a_level_is_set_in_the_contract_and_nothing_else():
    changed = at_level(made.CONTRACT, Knowledge.DECISION)
    assert changed.attacker.knowledge is Knowledge.DECISION
    assert at_level(changed, made.CONTRACT.attacker.knowledge) == made.CONTRACT
