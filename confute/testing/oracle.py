"""The conformance suite of an Oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from confute.edits import applied, unedited
from confute.errors import shown
from confute.oracles.oracle import Oracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Ruling, Validity
from confute.testing.hostile import HOSTILE

_FALSE = frozenset({Label.UNSUPPORTED, Label.REFUTED})


class OracleConformance:
    """What every Oracle must do; inherit it as `class TestMine(OracleConformance)` and say how one is made.

    `cases` returns a few labelled cases that the oracle can rule on, `moves` the edits that it vouches for: by default
    those of the oracle itself, where it offers any. At least one case needs a move.
    """

    def make_oracle(self) -> Oracle:
        """Return a new oracle."""
        raise NotImplementedError("give your suite a method make_oracle that returns your oracle")

    def cases(self) -> Sequence[Case]:
        """Return labelled cases that the oracle can rule on."""
        raise NotImplementedError("give your suite a method cases that returns a few labelled cases")

    def moves(self, oracle: Oracle, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        """Return the edits of a case whose outcome alone the oracle vouches for."""
        offers = getattr(oracle, "moves", None)
        return tuple(offers(case, goal)) if callable(offers) else ()

    def test_the_case_itself_is_no_candidate(self) -> None:
        """What equals its source, also but for case and white space, is INVALID."""
        oracle = self.make_oracle()
        for case in self.cases():
            for claim in (case.claim, f"  {case.claim}\n", case.claim.upper()):
                for goal in AttackGoal:
                    candidate = unedited(case, goal).model_copy(update={"claim": claim})
                    ruling = oracle.rule(case, candidate)
                    assert ruling.validity is Validity.INVALID, f"{ruling.validity} for the case itself: {shown(claim)}"

    def test_every_move_is_valid_with_the_label_that_it_declares(self) -> None:
        """What it offers it vouches for: each move alone is VALID, serves the goal, and has the declared label."""
        oracle, count = self.make_oracle(), 0
        for case, edit, candidate in self._candidates(oracle):
            ruling, count = oracle.rule(case, candidate), count + 1
            told = f"{edit.mechanism} {shown(candidate.claim)}"
            assert ruling.validity is Validity.VALID, f"{ruling.validity} ({ruling.reason}) for its own move {told}"
            assert ruling.label is edit.expected_label, f"{ruling.label}, declared {edit.expected_label}, for {told}"
        assert count, "no case has a move: give cases and moves with at least one"

    def test_a_valid_label_serves_the_goal(self) -> None:
        """VALID is UNSUPPORTED or REFUTED for a false acceptance, and SUPPORTED for a false rejection."""
        oracle = self.make_oracle()
        for case, candidate in self._both_goals(oracle):
            ruling = oracle.rule(case, candidate)
            if ruling.validity is Validity.VALID:
                serves = _FALSE if candidate.goal is AttackGoal.FALSE_ACCEPTANCE else {Label.SUPPORTED}
                assert ruling.label in serves, f"VALID as {ruling.label} for {candidate.goal}: {shown(candidate.claim)}"

    def test_a_label_is_recomputed_from_the_texts(self) -> None:
        """How a candidate says that it was made changes nothing: neither its edits nor the labels that they claim."""
        oracle = self.make_oracle()
        for case, edit, candidate in self._candidates(oracle):
            honest = oracle.rule(case, candidate)
            other = Label.SUPPORTED if edit.expected_label is not Label.SUPPORTED else Label.REFUTED
            lying = candidate.model_copy(update={"edits": (edit.model_copy(update={"expected_label": other}),)})
            found = oracle.rule(case, lying)
            assert (found.validity, found.label) == (honest.validity, honest.label), (
                f"{found.validity} {found.label} where the edit lies, {honest.validity} {honest.label} where it does "
                f"not, for {shown(candidate.claim)}"
            )

    def test_the_same_candidate_gets_the_same_ruling(self) -> None:
        """Neither another instance nor what was asked before changes a ruling, nor the moves or their order."""
        one, other = self.make_oracle(), self.make_oracle()
        made = [(case, candidate) for case, _, candidate in self._candidates(one)]
        again = [(case, candidate) for case, _, candidate in self._candidates(other)]
        assert made == again, "two oracles made alike offer other moves, or in another order"
        rulings = [one.rule(case, candidate) for case, candidate in made]
        backward = [other.rule(case, candidate) for case, candidate in reversed(made)][::-1]
        assert rulings == backward, "a ruling depends on what was asked before it"

    def test_a_ruling_says_how_it_came(self) -> None:
        """Reason, method and version are not blank, and nothing is VALID without a label."""
        oracle = self.make_oracle()
        for case, candidate in self._both_goals(oracle):
            ruling = oracle.rule(case, candidate)
            for name in ("reason", "method", "oracle_version"):
                assert str(getattr(ruling, name)).strip(), f"a ruling has a {name}"
            assert ruling.validity is not Validity.VALID or ruling.label is not None, "VALID without a label"

    def test_hostile_text_is_never_valid(self) -> None:
        """A claim that is no sentence is ruled on without an exception, and is not vouched for."""
        oracle = self.make_oracle()
        for case in self.cases():
            for name, text in HOSTILE.items():
                for goal in AttackGoal:
                    ruling = _borne(oracle, case, unedited(case, goal).model_copy(update={"claim": text}), name)
                    assert ruling.validity is not Validity.VALID, f"{name}: VALID as {ruling.label} for {goal}"

    def _candidates(self, oracle: Oracle) -> Iterator[tuple[Case, Edit, Candidate]]:
        for case in self.cases():
            for goal in AttackGoal:
                start = unedited(case, goal)
                for edit in self.moves(oracle, case, goal):
                    candidate = applied(start, (edit,))
                    assert candidate is not None, f"a move does not fit its own claim: {shown(case.claim)}"
                    yield case, edit, candidate

    def _both_goals(self, oracle: Oracle) -> Iterator[tuple[Case, Candidate]]:
        for case, _, candidate in self._candidates(oracle):
            yield from ((case, candidate.model_copy(update={"goal": goal})) for goal in AttackGoal)


def _borne(oracle: Oracle, case: Case, candidate: Candidate, name: str) -> Ruling:
    try:
        return oracle.rule(case, candidate)
    except Exception as error:
        raise AssertionError(f"{name}: raised {type(error).__name__}: {shown(str(error))}") from error
