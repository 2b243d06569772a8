"""Searches in lockstep: budgets, broken agents, and what is written of each step."""

import pytest
from payments import edit, frozen, paid, view_of

from confute.agents.agent import Proposal
from confute.contract import Budgets, ValidityConstraints, Victim
from confute.errors import LedgerError
from confute.harness import controls
from confute.harness.gate import Gate
from confute.harness.ledger import Ledger
from confute.harness.recorder import Recorder, Step, outcome_of
from confute.harness.search import Item, Searches
from confute.oracles.oracle import Screened
from confute.records import (
    Arm,
    Decision,
    Knowledge,
    Label,
    Mechanism,
    Outcome,
    Ruling,
    Score,
    ScoreState,
    Validity,
)

CASE = paid("Ana paid 10 euros", "Ana paid 10 euros to Ben.")
VICTIM = Victim(detector="test:detector", threshold={"value": 10.0})


def number(value):
    return edit(9, 11, str(value))


class NumbersAreExact:
    def rule(self, case, candidate):
        label = Label.SUPPORTED if "10" in candidate.claim else Label.REFUTED
        if "13" in candidate.claim:
            raise RuntimeError("unlucky")
        validity = Validity.VALID if label is Label.REFUTED else Validity.INVALID
        return Ruling(validity=validity, label=label, reason="number", method="test", oracle_version="1")


class RiskByNumber:
    """The risk is the claim's number; ACCEPT at 10 or less."""

    def __init__(self):
        self.asked = []

    def score(self, pairs):
        self.asked += [pair.claim for pair in pairs]
        return [float(pair.claim.split()[2]) for pair in pairs]


class Scripted:
    def __init__(self, *batches):
        self.batches = batches
        self.feedback = []

    def search(self, view):
        for batch in self.batches:
            self.feedback.append((yield [Proposal(candidate=controls.candidate_of(view, (one,))) for one in batch]))


class Raises:
    def search(self, view):
        yield []
        raise ZeroDivisionError("agent bug")


@pytest.fixture
def detector():
    return RiskByNumber()


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "l") as opened:
        yield opened


class JudgesOddNumbers(NumbersAreExact):
    """Leaves odd numbers to judges, who find them false."""

    def __init__(self, order):
        self.order = order

    def screen(self, case, candidate):
        if int(candidate.claim.split()[2]) % 2 == 0:
            return Screened(super().rule(case, candidate))
        ruling = Ruling(validity=Validity.UNKNOWN, label=None, reason="odd", method="test", oracle_version="1")
        return Screened(ruling, is_open=True)

    def rule(self, case, candidate):
        self.order.append(f"judged {candidate.claim.split()[2]}")
        return super().rule(case, candidate)


def run(detector, ledger, agent, queries=64, knowledge=Knowledge.SCORE, oracle=None, arm=Arm.SEARCH):
    view = view_of(CASE, queries=queries, knowledge=knowledge)
    searches = Searches(
        Gate(ValidityConstraints(), oracle or NumbersAreExact()),
        Recorder("digest", frozen(VICTIM, detector, CASE), ledger),
        Budgets(victim_queries=queries),
        lambda units: None,
    )
    (result,) = searches.run(agent, [Item(case=CASE, view=view)], arm)
    return result


def test_judges_come_after_the_victim_and_only_where_it_was_fooled(ledger):
    order = []

    class Watched(RiskByNumber):
        def score(self, pairs):
            order.extend(f"asked {pair.claim.split()[2]}" for pair in pairs)
            return super().score(pairs)

    agent = Scripted([number(21), number(5), number(22)], [number(4)])
    result = run(Watched(), ledger, agent, oracle=JudgesOddNumbers(order))
    assert order == ["asked 21", "asked 5", "asked 22", "judged 5"]
    assert (result.status, result.queries, result.success.claim) == ("succeeded", 3, "Ana paid 5 euros")
    assert [one.outcome for one in ledger.attempts] == [Outcome.UNKNOWN, Outcome.SUCCEEDED, Outcome.RESISTED]


@pytest.mark.parametrize("knowledge", [Knowledge.DECISION, Knowledge.SCORE])
def test_what_waits_for_judges_is_told_as_the_level_allows(detector, ledger, knowledge):
    agent = Scripted([number(21)], [number(23)])
    run(detector, ledger, agent, knowledge=knowledge, oracle=JudgesOddNumbers([]))
    (told,) = agent.feedback[0]
    assert (told.validity, told.reason, told.is_open, told.decision) == (Validity.UNKNOWN, "odd", True, Decision.REJECT)
    assert told.score == (21.0 if knowledge is Knowledge.SCORE else None)


def test_what_judges_refuse_fooled_the_victim_for_nothing(detector, ledger):
    class JudgesSayTrue(JudgesOddNumbers):
        def rule(self, case, candidate):
            ruling = super().rule(case, candidate)
            return ruling.model_copy(update={"validity": Validity.INVALID, "label": Label.SUPPORTED, "reason": "true"})

    agent = Scripted([number(5)], [number(20)], [number(30)])
    result = run(detector, ledger, agent, oracle=JudgesSayTrue([]))
    assert (result.status, result.success, result.queries) == ("finished", None, 3)
    (told,) = agent.feedback[0]
    assert (told.validity, told.is_open, told.decision) == (Validity.INVALID, False, Decision.ACCEPT)


def test_a_search_without_feedback_learns_of_the_oracle_alone(detector, ledger):
    # 5 fools the victim and its judges refuse it: neither may be told.
    class JudgesSayTrue(JudgesOddNumbers):
        def rule(self, case, candidate):
            return super().rule(case, candidate).model_copy(update={"validity": Validity.INVALID})

    agent = Scripted([number(5), number(21), number(20), number(10)], [number(30)])
    run(detector, ledger, agent, oracle=JudgesSayTrue([]), arm=Arm.NO_FEEDBACK)
    assert {(one.decision, one.score) for one in agent.feedback[0]} == {(None, None)}
    assert [(one.validity, one.is_open) for one in agent.feedback[0]] == [
        (Validity.UNKNOWN, True),
        (Validity.UNKNOWN, True),
        (Validity.VALID, False),
        (Validity.INVALID, False),
    ]
    assert len(detector.asked) == 4


def test_a_resumed_search_asks_its_judges_again_so_that_their_budget_comes_out_the_same(detector, ledger):
    agent = [number(21), number(5)]
    run(detector, ledger, Scripted(agent), oracle=JudgesOddNumbers([]))
    asked, order = list(detector.asked), []
    run(detector, ledger, Scripted(agent), oracle=JudgesOddNumbers(order))
    assert (detector.asked, order) == (asked, ["judged 5"])


def test_a_search_ends_with_its_first_success_and_the_queries_it_took(detector, ledger):
    result = run(detector, ledger, Scripted([number(30), number(20)], [number(5)], [number(4)]))
    assert (result.status, result.queries, result.success.claim) == ("succeeded", 3, "Ana paid 5 euros")
    assert [attempt.outcome for attempt in ledger.attempts] == [Outcome.RESISTED, Outcome.RESISTED, Outcome.SUCCEEDED]


def test_an_invalid_proposal_never_reaches_the_victim(detector, ledger):
    result = run(detector, ledger, Scripted([number(10), number("010"), number(20)]))
    assert detector.asked == ["Ana paid 20 euros"]
    assert result.queries == 1
    assert [attempt.queries for attempt in ledger.attempts] == [0, 0, 1]


def test_a_batch_is_cut_exactly_at_the_budget_and_the_agent_learns_it(detector, ledger):
    # i12: a budget of 3 with 10 candidates; what was measured is kept.
    agent = Scripted([number(value) for value in range(20, 30)])
    result = run(detector, ledger, agent, queries=3)
    assert (result.status, result.queries, len(ledger.attempts)) == ("budget_exhausted:victim_queries", 3, 3)
    assert len(detector.asked) == 3


def test_an_agent_at_level_decision_gets_no_score(detector, ledger):
    agent = Scripted([number(20)], [number(30)])
    run(detector, ledger, agent, knowledge=Knowledge.DECISION)
    assert [(one.score, one.decision) for one in agent.feedback[0]] == [(None, Decision.REJECT)]


def test_an_agent_that_raises_ends_its_own_search_as_an_error(detector, ledger):
    result = run(detector, ledger, Raises())
    assert result.status == "agent_error"
    (attempt,) = ledger.attempts
    assert attempt.outcome is Outcome.ERROR
    assert attempt.score.error_message == "ZeroDivisionError: agent bug"


def test_an_agent_that_only_idles_is_stopped(detector, ledger):
    class Idle:
        def search(self, view):
            while True:
                yield []

    assert run(detector, ledger, Idle()).status == "fruitless"


def test_an_oracle_that_raises_makes_the_step_unknown_and_never_a_success(detector, ledger):
    # d18: neither a success nor a failure of the attack.
    run(detector, ledger, Scripted([number(13)]))
    (attempt,) = ledger.attempts
    assert (attempt.outcome, attempt.ruling.reason) == (Outcome.UNKNOWN, "oracle_raised:RuntimeError: unlucky")
    assert detector.asked == []


def test_a_repeated_claim_is_not_charged_twice(detector, ledger):
    result = run(detector, ledger, Scripted([number(20)], [number(20)], [number(30)]), queries=2)
    assert (result.status, result.queries, result.requested) == ("finished", 2, 3)


def test_a_step_that_the_ledger_holds_is_not_measured_again(detector, ledger):
    run(detector, ledger, Scripted([number(20), number(5)]))
    asked = list(detector.asked)
    again = run(detector, ledger, Scripted([number(20), number(5)]))
    assert detector.asked == asked
    assert again.status == "succeeded"


def test_a_ledger_of_another_search_is_refused(detector, ledger):
    run(detector, ledger, Scripted([number(20)]))
    with pytest.raises(LedgerError, match="another step in this one's place"):
        run(detector, ledger, Scripted([number(30)]))


@pytest.mark.parametrize(
    ("state", "decision", "label", "expected"),
    [
        (ScoreState.MEASURED, Decision.ACCEPT, Label.SUPPORTED, Outcome.RESISTED),
        (ScoreState.MEASURED, Decision.ACCEPT, Label.UNSUPPORTED, Outcome.SUCCEEDED),
        (ScoreState.MEASURED, Decision.REJECT, Label.SUPPORTED, Outcome.SUCCEEDED),
        (ScoreState.MEASURED, Decision.REJECT, Label.REFUTED, Outcome.RESISTED),
        (ScoreState.ERROR, None, Label.REFUTED, Outcome.ERROR),
        (ScoreState.NO_EVIDENCE, None, Label.REFUTED, Outcome.NO_EVIDENCE),
        (ScoreState.MEASURED, Decision.ACCEPT, None, None),
    ],
)
def test_an_outcome_follows_from_label_and_decision_and_no_outage_is_one(state, decision, label, expected):
    value = 0.5 if state is ScoreState.MEASURED else None
    assert outcome_of(None, Score(state=state, value=value), decision, label) is expected


def test_a_case_without_evidence_is_recorded_as_such(ledger, detector):
    bare = CASE.model_copy(update={"evidence": ()})
    (attempt,) = Recorder("digest", frozen(VICTIM, detector, CASE), ledger).record(controls.baselines([bare]))
    assert (attempt.outcome, attempt.decision) == (Outcome.NO_EVIDENCE, None)


def test_repeats_are_measured_each_on_their_own(detector, ledger):
    steps = [
        Step(case_id="c", goal=None, arm=Arm.CONFIRM, index=0, pair=CASE.pair, label=None, repeat=repeat)
        for repeat in range(3)
    ]
    Recorder("digest", frozen(VICTIM, detector, CASE), ledger).record(steps)
    assert len(detector.asked) == 3


def test_an_agent_that_misstates_its_edits_is_refused(detector, ledger):
    class Liar:
        def search(self, view):
            honest = controls.candidate_of(view, (number(5),))
            yield [Proposal(candidate=honest.model_copy(update={"claim": "Ana paid 4 euros"}))]

    run(detector, ledger, Liar())
    assert [one.ruling.reason for one in ledger.attempts] == ["edits_do_not_give_claim"]
    assert detector.asked == []


def test_a_change_of_content_cannot_pass_as_a_paraphrase(detector, ledger):
    run(detector, ledger, Scripted([number(5).model_copy(update={"mechanism": Mechanism.PARAPHRASE})]))
    assert [one.ruling.reason for one in ledger.attempts] == ["not_a_paraphrase"]
    assert detector.asked == []
