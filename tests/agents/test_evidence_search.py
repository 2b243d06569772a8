"""Searches and shrinking over sets of changes of evidence."""

import pytest
from playing_field import make_edit, make_view, play, scored

from confute.agents.beam import Beam
from confute.agents.drafts import Drafts
from confute.agents.greedy import Greedy
from confute.agents.minimise import minimise
from confute.agents.random_search import RandomSearch
from confute.edits import applied
from confute.records import Edit, Knowledge, Label, Mechanism, PassageChange

CLAIM = "Ana paid Ben."
# Passage k brings the risk down by k + 1; twelve of them.
MOVES = tuple(
    Edit(
        mechanism=Mechanism.INFLATION,
        slot="added",
        replacements=(),
        passages=(PassageChange(text=f"p{k}"),),
        expected_label=Label.UNSUPPORTED,
    )
    for k in range(12)
)


def view(moves=MOVES, additions=None, **changes):
    made = make_view(CLAIM, moves, **changes)
    return made.model_copy(update={"max_additions": additions})


def risk(candidate):
    return 100.0 - sum(int(passage[1:]) + 1 for passage in candidate.evidence if passage.startswith("p"))


def proposals(agent, given, at_most=200):
    return [one.candidate for batch in play(agent, given, scored(risk), at_most) for one in batch]


@pytest.mark.parametrize("agent", [Greedy(), Beam()])
def test_the_best_set_within_the_budget_is_found(agent):
    # The four best of twelve are 12 + 11 + 10 + 9 = 42.
    tried = proposals(agent, view(max_edits=4), at_most=300)
    assert min(map(risk, tried)) == 58.0


def test_greedy_grows_the_best_set_within_sixty_four_queries():
    assert min(map(risk, proposals(Greedy(), view(max_edits=4), at_most=64))) == 58.0


@pytest.mark.parametrize("agent", [Greedy(), Beam(), RandomSearch()])
def test_no_candidate_adds_more_than_the_view_allows(agent):
    tried = proposals(agent, view(additions=2, max_edits=4))
    assert {len(one.evidence) - 1 for one in tried} == {1, 2}
    assert len({one.pair for one in tried}) == len(tried)


def test_without_scores_greedy_still_tries_sets():
    hidden = [
        one.candidate
        for batch in play(
            Greedy(),
            view(max_edits=4, knowledge=Knowledge.DECISION),
            lambda proposal: scored(risk)(proposal).model_copy(update={"score": None}),
            200,
        )
        for one in batch
    ]
    assert max(len(one.edits) for one in hidden) == 4


def test_a_draft_changes_the_claim_or_the_evidence_and_never_both():
    claim_move = make_edit("name", (0, 3, "Eva"), mechanism=Mechanism.BINDING)
    drafts = Drafts(view((*MOVES, claim_move)))
    assert drafts.draft((MOVES[0], claim_move)) is None
    assert drafts.draft((claim_move,)) is not None
    assert drafts.draft((MOVES[0],)) is not None


def test_two_moves_with_one_outcome_are_tried_once():
    twin = MOVES[0].model_copy(update={"mechanism": Mechanism.DISTRACTOR})
    drafts = Drafts(view((MOVES[0], twin)))
    assert [drafts.draft((one,)) is None for one in (MOVES[0], twin)] == [False, True]


def shrunk(found, interesting, moves=()):
    generator = minimise(view().start, found, moves)
    try:
        candidate = next(generator)
        while True:
            candidate = generator.send(interesting(candidate))
    except StopIteration as stop:
        return stop.value


def test_shrinking_keeps_the_passages_that_are_needed_and_drops_every_other():
    copies = MOVES[0].model_copy(update={"passages": MOVES[0].passages * 4})
    found = applied(view().start, (copies, *MOVES[3:6]))

    def interesting(candidate):
        return candidate.evidence.count("p0") >= 2 and "p4" in candidate.evidence

    assert shrunk(found, interesting).evidence == ("Some evidence.", "p0", "p0", "p4")


def test_a_smaller_single_change_takes_the_place_of_a_set():
    found = applied(view().start, MOVES[3:6])

    def interesting(candidate):
        return len(candidate.evidence) > 3 or "p1" in candidate.evidence

    assert shrunk(found, interesting, MOVES[:3]).edits == (MOVES[1],)
