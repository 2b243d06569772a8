"""Searches that know the victim's formula, and one that is told decisions alone."""

import numpy as np
import pytest
from playing_field import make_edit, make_view, number_grid, play, scored

from confute.agents.agent import Disclosure, Feedback
from confute.agents.boundary import Boundary
from confute.agents.expected import Expected
from confute.agents.greedy import Greedy
from confute.agents.informed import Informed
from confute.agents.random_search import RandomSearch
from confute.edits import applied
from confute.models.embedder import Vectors
from confute.records import AttackGoal, Decision, Knowledge, Mechanism, Pair, PassageChange, Validity
from confute.victims.cosine import NearestPassage
from confute.victims.energy import HallucinationEnergy
from confute.victims.overlap import WordOverlap

PASSAGES = ("Ana paid ten euros.", "Ben sold a car in May.", "The car was red and old.")


class LetterEmbedder:
    """A unit vector of letter counts, so that a formula has something to work on."""

    fingerprint = "letters"

    def embed(self, texts) -> Vectors:
        counts = np.array([[1.0 + text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True) if len(texts) else counts.reshape(0, 26)


def disclosed(claim, moves, detector, *, basis=(), goal=AttackGoal.FALSE_ACCEPTANCE, **configuration):
    view = make_view(claim, moves, knowledge=Knowledge.ALGORITHM, goal=goal)
    shown = Disclosure(
        description="d", configuration={"detector": detector, **configuration}, passages=PASSAGES, basis=basis
    )
    return view.model_copy(update={"disclosure": shown})


@pytest.mark.parametrize("rank", [1, 2, "full"])
def test_the_expected_energy_is_the_victims_own(rank):
    claim, moves = number_grid()
    view = disclosed(claim, moves, "hallucination_energy", rank=str(rank))
    case = Expected(LetterEmbedder()).of(view)
    candidate = applied(view.start, (moves[7],))
    victim = HallucinationEnergy(LetterEmbedder(), rank)
    assert case.risk_of((moves[7],)) == pytest.approx(
        victim.score([Pair(claim=candidate.claim, evidence=PASSAGES)])[0], abs=1e-6
    )


@pytest.mark.parametrize(
    ("detector", "victim"),
    [("nearest_passage", NearestPassage(LetterEmbedder())), ("word_overlap", WordOverlap())],
)
def test_other_built_in_formulas_are_worked_out_too(detector, victim):
    move = make_edit("a", (0, 3, "Ben"), mechanism=Mechanism.BINDING)
    view = disclosed("Ana paid ten euros.", [move], detector)
    case = Expected(LetterEmbedder()).of(view)
    expected = victim.score([Pair(claim="Ben paid ten euros.", evidence=PASSAGES)])[0]
    assert case.risk_of((move,)) == pytest.approx(expected, abs=1e-6)


def test_a_disclosed_basis_is_used_as_it_stands():
    axis = tuple(1.0 if i == 0 else 0.0 for i in range(26))
    move = make_edit("a", (0, 1, "a"))
    view = disclosed("b", [move], "hallucination_energy", basis=(axis,))
    case = Expected(LetterEmbedder()).of(view)
    # Letter counts plus one: `a` twice, 25 others once, so the share along the axis is 4 / (4 + 25).
    assert case.risk_of((move,)) == pytest.approx(1 - 4 / 29, abs=1e-6)


@pytest.mark.parametrize("detector", ["mine:Detector", "hallucination_energy"])
def test_nothing_is_expected_without_a_formula_or_an_embedder(detector):
    assert Expected(None).of(disclosed("b", [make_edit("a", (0, 1, "a"))], detector)) is None
    assert Expected(LetterEmbedder()).of(make_view("b", [make_edit("a", (0, 1, "a"))])) is None


def test_an_edit_of_evidence_has_no_expected_risk():
    edit = make_edit("added", mechanism=Mechanism.INFLATION).model_copy(
        update={"passages": (PassageChange(text="More."),)}
    )
    case = Expected(LetterEmbedder()).of(disclosed("b", [edit], "nearest_passage"))
    assert case.risk_of((edit,)) is None
    assert case.sorted([(edit,)]) == []


@pytest.mark.parametrize("goal", list(AttackGoal))
def test_the_first_query_goes_to_the_best_candidate_by_the_formula(goal):
    claim, _ = number_grid()
    words = tuple(f"{index} {word}" for index, word in enumerate(("eleven", "ten euros", "car", "zzz")))
    edits = [
        make_edit(f"{place}", (0, len(claim), word), mechanism=Mechanism.BINDING) for place, word in enumerate(words)
    ]
    view = disclosed(claim, edits, "word_overlap", goal=goal)
    sign = 1 if goal is AttackGoal.FALSE_ACCEPTANCE else -1
    risks = [sign * WordOverlap().score([Pair(claim=word, evidence=PASSAGES)])[0] for word in words]
    batches = play(Informed(Greedy(), Expected()), view, scored(lambda _: 0.0))
    assert batches[0][0].candidate.claim == words[int(np.argmin(risks))]


def test_what_was_tried_is_not_proposed_again_when_the_inner_search_takes_over():
    claim, moves = number_grid()
    view = disclosed(claim, moves, "word_overlap")
    claims = [
        one.candidate.claim
        for batch in play(Informed(Greedy(), Expected()), view, scored(lambda _: 0.5))
        for one in batch
    ]
    assert len(set(claims)) == len(claims) > len(moves)
    assert {applied(view.start, (move,)).claim for move in moves} <= set(claims)


def test_without_a_formula_the_inner_search_is_left_as_it_is():
    claim, moves = number_grid()
    view = make_view(claim, moves)
    known = play(Informed(RandomSearch(), Expected()), view, scored(lambda _: 0.5), 40)
    assert known == play(RandomSearch(), view, scored(lambda _: 0.5), 40)


def test_without_scores_probes_with_help_find_the_slot_nearest_to_the_boundary():
    # ACCEPT where the risk, the sum of how far the numbers are from ten less 3 for each passage of help, is at most 0.
    # Only slot 3 lies near: its number counts a tenth.
    claim, moves = number_grid()
    view = make_view(claim, moves, knowledge=Knowledge.DECISION, victim_queries=64)

    def judge(proposal):
        numbers = [int(word) for word in proposal.candidate.claim.split()[:4]]
        help_ = 3 * proposal.candidate.claim.count("Some evidence.")
        risk = sum((0.1 if slot == 3 else 20.0) * abs(n - 10) for slot, n in enumerate(numbers)) + 0.05 - help_
        decision = Decision.ACCEPT if risk <= 0 else Decision.REJECT
        return Feedback(validity=None if proposal.probe else Validity.VALID, reason="r", decision=decision, score=None)

    batches = play(Boundary(Greedy()), view, judge, 40)
    probes = [one for batch in batches for one in batch if one.probe]
    first_set = next(one for batch in batches for one in batch if len(one.candidate.edits) > 1 and not one.probe)
    assert 0 < len(probes) <= 16
    assert "slot-3" in {edit.slot for edit in first_set.candidate.edits}


def test_without_queries_to_spare_nothing_is_probed():
    claim, moves = number_grid()
    view = make_view(claim, moves, knowledge=Knowledge.DECISION, victim_queries=8)
    told = Feedback(validity=Validity.VALID, reason="r", decision=Decision.REJECT, score=None)
    assert play(Boundary(Greedy()), view, lambda _: told, 8) == play(Greedy(), view, lambda _: told, 8)


def test_companions_are_joined_to_the_best_moves_and_never_stand_alone():
    # Of the words that each claim has, three stand in the evidence with the move and the companion together, two with
    # the move alone: the pair is expected to be nearest, and the companion alone is no candidate.
    move = make_edit("a", (0, 3, "Ana"), mechanism=Mechanism.BINDING)
    companion = make_edit("b", (4, 8, "sold"), mechanism=Mechanism.PARAPHRASE)
    view = disclosed("Eva lost ten euros.", [move], "word_overlap").model_copy(update={"companions": (companion,)})
    batches = play(Informed(RandomSearch(), Expected()), view, scored(lambda _: 0.5), 2)
    claims = [one.candidate.claim for batch in batches for one in batch]
    assert claims[:2] == ["Ana sold ten euros.", "Ana lost ten euros."]
    assert "Eva sold ten euros." not in claims
