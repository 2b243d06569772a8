"""Which arm the bandit pulls, from what earlier cases taught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from playing_field import Judge, make_edit, make_view, play, scored

from confute.agents.agent import Feedback, Proposal, View
from confute.agents.bandit import Bandit
from confute.agents.experience import Lesson, arm_of
from confute.records import Decision, Edit, Mechanism, Validity

# Two arms of six moves each: a number and a name.
CLAIM = "10 cats met Ann"
NUMBERS = tuple(make_edit("value", (0, 2, str(20 + step))) for step in range(6))
NAMES = tuple(
    make_edit("subject", (12, 15, name), mechanism=Mechanism.BINDING) for name in ("Bo", "Cy", "Di", "Ed", "Flo", "Gus")
)


def view_with(*lessons: Lesson, seed: int = 0) -> View:
    view = make_view(CLAIM, NUMBERS + NAMES, max_edits=1, seed=seed)
    return view.model_copy(update={"experience": lessons})


def lesson(edit: Edit, pulls: int, wins: int) -> Lesson:
    mechanism, surface = arm_of([edit])
    return Lesson(mechanism=mechanism, surface=surface, pulls=pulls, wins=wins)


def pulled(view: View, count: int, judge: Judge | None = None) -> list[Mechanism]:
    batches = play(Bandit(), view, judge or scored(lambda _: 0.5), at_most=count)
    return [one.candidate.edits[0].mechanism for batch in batches for one in batch]


def test_it_asks_one_query_at_a_time_and_every_candidate_once() -> None:
    batches = play(Bandit(), view_with(), scored(lambda _: 0.5))
    assert [len(batch) for batch in batches] == [1] * 12
    assert len({batch[0].candidate.claim for batch in batches}) == 12


def test_every_arm_is_pulled_before_an_arm_is_pulled_again() -> None:
    for seed in range(20):
        assert set(pulled(view_with(seed=seed), 2)) == {Mechanism.QUANTITY, Mechanism.BINDING}


def test_an_arm_that_won_comes_before_an_arm_that_never_did() -> None:
    # Beta(91, 11) against Beta(1, 101): a draw of the first is below 0.5 with probability under 1e-12, and a draw of
    # the second above it with 2^-101, so that the six names come first whatever the seed.
    taught = (lesson(NAMES[0], 100, 90), lesson(NUMBERS[0], 100, 0))
    for seed in range(20):
        assert pulled(view_with(*taught, seed=seed), 6) == [Mechanism.BINDING] * 6


def test_an_arm_is_drawn_as_often_as_it_is_likely_to_be_the_best() -> None:
    # Uniform against uniform, Beta(1, 1) each but for the forced pulls: with one lost pull each, both arms are drawn
    # first alike; 200 seeds give 100 +- 7, and 4 standard deviations are 28.
    taught = (lesson(NAMES[0], 1, 0), lesson(NUMBERS[0], 1, 0))
    first = Counter(pulled(view_with(*taught, seed=seed), 1)[0] for seed in range(200))
    assert abs(first[Mechanism.BINDING] - 100) < 28


def test_what_it_lost_on_the_case_counts_against_an_arm() -> None:
    # The names won 3 of 4 times elsewhere; where every pull of this case loses, their share falls, and the numbers,
    # of which nothing is known but one lost pull, get their turn before the names are used up in some of 50 searches.
    taught = (lesson(NAMES[0], 4, 3), lesson(NUMBERS[0], 1, 0))
    orders = [pulled(view_with(*taught, seed=seed), 6) for seed in range(50)]
    assert any(Mechanism.QUANTITY in order for order in orders)
    assert sum(order[0] is Mechanism.BINDING for order in orders) > 35


def test_a_candidate_that_the_oracle_refuses_is_no_pull() -> None:
    def judge(proposal: Proposal) -> Feedback:
        is_name = proposal.candidate.edits[0].mechanism is Mechanism.BINDING
        validity = Validity.INVALID if is_name else Validity.VALID
        return Feedback(validity=validity, reason="test", decision=None if is_name else Decision.REJECT, score=None)

    # Refused names stay an arm that was never pulled, and so is forced again and again until none is left.
    order = pulled(view_with(lesson(NUMBERS[0], 1, 0)), 12, judge)
    assert order == [Mechanism.BINDING] * 6 + [Mechanism.QUANTITY] * 6


def test_within_an_arm_the_scores_decide() -> None:
    # Of the numbers 20 to 25, each higher one has a lower loss; the text distance to what was tried does not tell, the
    # order among untried moves is by the model: only that the same seed gives the same search can be derived.
    def claims(seed: int) -> Sequence[str]:
        batches = play(Bandit(), view_with(seed=seed), scored(lambda one: -len(one.claim)))
        return [batch[0].candidate.claim for batch in batches]

    assert claims(3) == claims(3)
    assert claims(3) != claims(4)
