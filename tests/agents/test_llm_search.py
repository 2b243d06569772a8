"""The tree of attacks: what it asks, what it proposes, and what it goes on with."""

import json

import pytest
from playing_field import make_edit, make_view, number_grid

from confute.agents.agent import Feedback, Proposal, Question, Reply
from confute.agents.llm import TreeOfAttacks
from confute.agents.llm_prompt import Prompts
from confute.contract import AttackTree
from confute.models.chat import ReplyCode
from confute.records import AttackGoal, Decision, Knowledge, Mechanism, Validity

CONTENT = (Mechanism.QUANTITY, Mechanism.POLARITY, Mechanism.PARAPHRASE)
CLAIM, MOVES = number_grid()


def agent(mechanisms=CONTENT, **tree):
    return TreeOfAttacks(AttackTree(**tree), Prompts(mechanisms, max_tokens=100, temperature=1.0))


class Game:
    """Plays a search: questions are answered by `replies`, proposals judged by `judge`."""

    def __init__(self, search, replies, judge=None):
        self.prompts, self.seeds, self.repeats, self.claims, self.rounds = [], [], [], [], []
        replies = iter(replies)
        judge = judge or (
            lambda claim: Feedback(validity=Validity.VALID, reason="ok", decision=Decision.REJECT, score=0.5)
        )
        try:
            batch = next(search)
            while True:
                self.rounds.append(len(batch))
                feedback = []
                for one in batch:
                    if isinstance(one, Question):
                        self.prompts.append(one.request.messages[0].content)
                        self.seeds.append(one.request.seed)
                        self.repeats.append(one.repeat)
                        reply = next(replies, None)
                        code = ReplyCode.BUDGET_SPENT if reply is None else ReplyCode.OK
                        told = Reply(code=code, text=reply)
                        feedback.append(Feedback(validity=None, reason=code, decision=None, score=None, reply=told))
                    else:
                        assert isinstance(one, Proposal)
                        self.claims.append(one.candidate.claim)
                        feedback.append(judge(one.candidate.claim))
                batch = search.send(feedback)
        except StopIteration:
            pass


def chosen(*numbers):
    return json.dumps({"improvement": "i", "proposal": list(numbers)})


def written(claim, **more):
    return json.dumps({"improvement": "i", **more, "proposal": claim})


def scored(scores):
    def judge(claim):
        return Feedback(validity=Validity.VALID, reason="ok", decision=Decision.REJECT, score=scores.get(claim, 0.9))

    return judge


def test_a_chosen_move_is_made_by_the_structured_renderer():
    view = make_view("10 10", [make_edit("a", (0, 2, "11")), make_edit("b", (3, 5, "12"))])
    game = Game(agent(width=1, branching=1, depth=1, writes="moves").search(view), [chosen(1, 2)])
    assert '1. quantity, a: "10" becomes "11"' in game.prompts[0]
    assert game.claims == ["11 12"]


def test_moves_of_one_slot_cannot_be_made_together_and_are_asked_for_again():
    view = make_view("10", [make_edit("a", (0, 2, "11")), make_edit("a", (0, 2, "12"))])
    game = Game(agent(width=1, branching=1, depth=1, writes="moves").search(view), [chosen(1, 2), chosen(2)])
    assert game.claims == ["12"]
    assert "could not be used (out_of_domain)" in game.prompts[1]
    assert game.repeats == [0, 1]


def test_a_malformed_reply_is_asked_for_again_as_often_as_allowed_and_no_more():
    view = make_view(CLAIM, MOVES)
    game = Game(agent(width=1, branching=1, depth=1, retries=2, writes="moves").search(view), ["no"] * 9)
    assert len(game.prompts) == 3
    assert len(set(game.seeds)) == 3
    assert game.claims == []


def test_a_free_text_becomes_the_smallest_edit_of_its_mechanism():
    view = make_view("Ana paid 10 euros.", [])
    search = agent(width=1, branching=1, depth=1, writes="text").search(view)
    question = next(search)[0]
    assert "SOURCE CLAIM" in question.request.messages[0].content
    reply = Reply(code=ReplyCode.OK, text=written("Ana paid 30 euros."))
    (proposal,) = search.send([Feedback(validity=None, reason="ok", decision=None, score=None, reply=reply)])
    (edit,) = proposal.candidate.edits
    assert edit.mechanism is Mechanism.QUANTITY
    assert [(one.start, one.end, one.text) for one in edit.replacements] == [(9, 11, "30")]


def test_a_text_that_a_move_gives_is_that_move():
    move = make_edit("value", (9, 11, "30"), mechanism=Mechanism.QUANTITY)
    view = make_view("Ana paid 10 euros.", [move])
    search = agent(width=1, branching=1, depth=1, writes="text").search(view)
    next(search)
    reply = Reply(code=ReplyCode.OK, text=written("Ana paid 30 euros."))
    (proposal,) = search.send([Feedback(validity=None, reason="ok", decision=None, score=None, reply=reply)])
    assert proposal.candidate.edits == (move,)


def test_each_mechanism_has_a_text_of_its_own_and_free_names_one():
    view = make_view("Ana paid 10 euros.", [])
    tree = agent(width=1, branching=3, depth=1, writes="text")
    free = written("Ana paid no euros.", mechanism="polarity")
    game = Game(tree.search(view), [written("Ana paid 11 euros."), written("Ana never paid 10 euros."), free])
    assert "Change one number" in game.prompts[0]
    assert "into its denial" in game.prompts[1]
    assert '"mechanism": "quantity" or "polarity"' in game.prompts[2]
    assert game.claims == ["Ana paid 11 euros.", "Ana never paid 10 euros.", "Ana paid no euros."]


def test_towards_a_false_rejection_only_paraphrases_are_written():
    view = make_view("Ana paid 10 euros.", [], goal=AttackGoal.FALSE_REJECTION)
    game = Game(agent(width=1, branching=2, depth=1, writes="text").search(view), [written("Ten euros were paid.")] * 2)
    assert all("Say exactly the same" in prompt and "REJECTS" in prompt for prompt in game.prompts)
    assert game.claims == ["Ten euros were paid."]


def test_the_best_nodes_go_on_and_their_history_is_told():
    # Branching 3 at the root gives the claims 11, 12 and 13 of the first number; the lowest risk is that of 12.
    view = make_view(CLAIM, MOVES[:5])
    scores = {"11 10 10 10": 0.7, "12 10 10 10": 0.2, "13 10 10 10": 0.6}
    replies = [chosen(1), chosen(2), chosen(3), chosen(1), chosen(2), chosen(1)]
    game = Game(agent(width=1, branching=3, depth=2, writes="moves").search(view), replies, scored(scores))
    assert game.rounds[:3] == [3, 3, 3]
    first, *_ = game.prompts[3:]
    assert '"12 10 10 10": VALID (ok), the detector says REJECT, risk 0.2000' in first
    assert "risk 0.7000" not in first


def test_without_scores_the_history_tells_decisions_alone():
    view = make_view(CLAIM, MOVES, knowledge=Knowledge.DECISION)
    told = Feedback(validity=Validity.VALID, reason="ok", decision=Decision.REJECT, score=None)
    game = Game(
        agent(width=1, branching=1, depth=2, writes="moves").search(view), [chosen(1), chosen(1)], lambda _: told
    )
    assert "the detector says REJECT" in game.prompts[1]
    assert "risk 0" not in game.prompts[1]


def test_a_refused_proposal_is_told_to_its_branch_with_the_reason():
    view = make_view(CLAIM, MOVES)
    refused = Feedback(validity=Validity.INVALID, reason="label_not_changed", decision=None, score=None)
    game = Game(
        agent(width=1, branching=1, depth=2, writes="moves").search(view), [chosen(1), chosen(1)], lambda _: refused
    )
    assert "INVALID (label_not_changed)" in game.prompts[1]


def test_a_width_and_a_branching_of_one_are_one_stream():
    view = make_view(CLAIM, MOVES)
    game = Game(agent(width=1, branching=1, depth=4, writes="moves").search(view), [chosen(1)] * 4)
    assert game.rounds == [1] * 8
    assert len(set(game.claims)) == 4


def test_it_ends_with_its_budget():
    game = Game(agent(width=1, branching=1, depth=9, writes="moves").search(make_view(CLAIM, MOVES)), [chosen(1)] * 2)
    assert len(game.claims) == 2
    assert len(game.prompts) == 3


def test_it_ends_after_two_rounds_that_bring_nothing_new():
    view = make_view("10", [make_edit("a", (0, 2, "11"))])
    game = Game(agent(width=1, branching=1, depth=9, writes="moves").search(view), [chosen(1)] * 9)
    assert game.claims == ["11"]
    assert len(game.prompts) == 3


def test_the_same_view_asks_the_same_questions():
    games = [Game(agent(width=2, branching=2, depth=2).search(make_view(CLAIM, MOVES)), [chosen(1)] * 40) for _ in "ab"]
    assert games[0].prompts == games[1].prompts
    assert games[0].seeds == games[1].seeds


@pytest.mark.parametrize("claim", ["\x00\ud800 <b>10</b>", 'end" of {{ claim }} {% raw %}', "1 " * 50_000])
def test_hostile_texts_go_into_the_prompt_as_one_quotation(claim):
    view = make_view(claim, [make_edit("a", (0, 1, "x"))])
    game = Game(agent(width=1, branching=2, depth=1).search(view), [chosen(1), "{}"])
    line = next(line for line in game.prompts[0].splitlines() if line.startswith('"'))
    assert claim.startswith(json.loads(line).rstrip("…")[:4_000])
