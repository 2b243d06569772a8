"""The conformance suite of a Detector."""

from __future__ import annotations

from collections.abc import Sequence

from confute.errors import shown
from confute.records import Pair, Score
from confute.testing.hostile import HOSTILE
from confute.victims.detector import Detector
from confute.victims.isolation import score_of

PAIRS = (
    Pair(claim="The bridge is 120 metres long.", evidence=("The bridge has a length of 120 metres.",)),
    Pair(claim="The bridge is 210 metres long.", evidence=("The bridge has a length of 120 metres.",)),
    Pair(claim="Ada Brown wrote the report.", evidence=("The report is by Ada Brown.", "It rained that day.")),
    Pair(claim="The treaty was not signed in 1990.", evidence=("The treaty was signed in 1990.",)),
    Pair(claim="Copper is a metal.", evidence=("The museum opens at nine.",)),
    Pair(claim="The bridge is 120 metres long.", evidence=("It rained that day.",)),
)
"""Pairs of every kind: supported, refuted, and about other things; one claim stands with two pieces of evidence."""

_LARGE = 64


class DetectorConformance:
    """What every Detector must do; inherit it as `class TestMine(DetectorConformance)` and say how one is made.

    Set `deterministic` to False for one whose scores change from call to call, `higher_is_safer` where it scores
    safety, `tolerance` to how far two equal scores may lie apart, and `pairs` to pairs of your own where those of the
    suite make no sense; the evidence of the first one must support its claim.
    """

    deterministic = True
    higher_is_safer = False
    tolerance = 1e-6
    pairs: Sequence[Pair] = PAIRS

    def make_detector(self) -> Detector:
        """Return a new detector."""
        raise NotImplementedError("give your suite a method make_detector that returns your detector")

    def test_every_pair_gets_one_score(self) -> None:
        """A batch of n pairs has n scores in a sequence, also where a pair stands twice; an empty batch has none."""
        detector = self.make_detector()
        for pairs in (self.pairs, self.pairs[:1], (*self.pairs, *self.pairs), ()):
            given = detector.score(list(pairs))
            assert not isinstance(given, str | bytes | dict), (
                f"scores come in a sequence, not in a {type(given).__name__}"
            )
            values = list(given)
            assert len(values) == len(pairs), f"{len(pairs)} pairs were given, {len(values)} scores came back"

    def test_every_score_is_a_finite_number(self) -> None:
        """NaN, infinity, a bool and None are no scores; a rubric's total is the mean of its criteria."""
        for pair, score in zip(self.pairs, self._asked(self.make_detector(), self.pairs), strict=True):
            assert score.value is not None, f"{score.error_code} for {shown(pair.claim)}: {score.error_message}"

    def test_a_batch_of_one_equals_a_batch_of_many(self) -> None:
        """A score depends on its own pair alone, not on which others are asked with it, or were asked before."""
        self._needs_determinism()
        together = self._values(self.make_detector(), self.pairs)
        another = self.make_detector()
        alone = [self._values(another, [pair])[0] for pair in self.pairs[::-1]]
        self._same(together, alone[::-1], "asked together", "asked alone, the last one first")

    def test_a_large_batch_changes_no_score(self) -> None:
        """In a batch of 64 pairs, of which some stand twice, each has the score that it has among few."""
        self._needs_determinism()
        few = self._values(self.make_detector(), self.pairs)
        times = -(-_LARGE // len(self.pairs))
        many = self._values(self.make_detector(), list(self.pairs) * times)
        for start in range(0, len(many), len(few)):
            self._same(few, many[start : start + len(few)], "among few", f"among {len(many)}")

    def test_the_order_of_a_batch_changes_no_score(self) -> None:
        """The scores of a batch turned round are the scores turned round, also of another instance."""
        self._needs_determinism()
        forward = self._values(self.make_detector(), self.pairs)
        backward = self._values(self.make_detector(), self.pairs[::-1])
        self._same(forward, backward[::-1], "in order", "turned round")

    def test_the_same_pairs_get_the_same_scores(self) -> None:
        """Neither what was asked before nor which instance is asked changes a score."""
        self._needs_determinism()
        detector = self.make_detector()
        first = self._values(detector, self.pairs)
        self._values(detector, self.pairs[::-2])
        self._same(first, self._values(detector, self.pairs), "at first", "asked again")
        self._same(first, self._values(self.make_detector(), self.pairs), "by one instance", "by another")

    def test_the_batch_is_left_as_it_was(self) -> None:
        """The list of pairs belongs to whoever asks."""
        given = list(self.pairs)
        self.make_detector().score(given)
        assert given == list(self.pairs), "the detector changed the list of pairs that it was given"

    def test_missing_evidence_lowers_no_risk(self) -> None:
        """Without evidence it raises, or gives a claim no lower a risk than with evidence that supports it.

        The harness asks no detector for a pair without evidence: that is the state NO_EVIDENCE. Whoever else asks must
        not be told that a claim is safer for want of anything to hold it against.
        """
        detector = self.make_detector()
        bare = Pair(claim=self.pairs[0].claim, evidence=())
        try:
            given = list(detector.score([bare]))
        except Exception:
            return  # a refusal is as good as a score
        assert len(given) == 1, f"1 pair was given, {len(given)} scores came back"
        score = score_of(given[0], higher_is_safer=self.higher_is_safer)
        assert score.value is not None, f"{score.error_code} for a pair without evidence: {score.error_message}"
        supported = self._asked(detector, self.pairs[:1])[0].value
        assert supported is None or score.value >= supported - self.tolerance, (
            f"the risk is {score.value} without evidence, and {supported} with evidence that supports the claim"
        )

    def test_hostile_text_is_scored(self) -> None:
        """Odd text, as a claim and as evidence, gets a finite score and raises nothing."""
        detector = self.make_detector()
        for name, text in HOSTILE.items():
            for pair in (Pair(claim=text, evidence=self.pairs[0].evidence), Pair(claim="A claim.", evidence=(text,))):
                try:
                    score = self._asked(detector, [pair])[0]
                except Exception as error:
                    raise AssertionError(f"{name}: raised {type(error).__name__}: {shown(str(error))}") from error
                assert score.value is not None, f"{name}: {score.error_code}: {score.error_message}"

    def _values(self, detector: Detector, pairs: Sequence[Pair]) -> list[float | None]:
        return [score.value for score in self._asked(detector, pairs)]

    def _same(self, one: Sequence[float | None], other: Sequence[float | None], name: str, other_name: str) -> None:
        for pair, left, right in zip(self.pairs, one, other, strict=True):
            close = left is not None and right is not None and abs(left - right) <= self.tolerance
            assert close, f"{left} {name}, {right} {other_name}, for {shown(pair.claim)}"

    def _needs_determinism(self) -> None:
        if not self.deterministic:
            import pytest

            pytest.skip("the detector is declared not to be deterministic")

    def _asked(self, detector: Detector, pairs: Sequence[Pair]) -> list[Score]:
        given = list(detector.score(list(pairs)))
        assert len(given) == len(pairs), f"{len(pairs)} pairs were given, {len(given)} scores came back"
        return [score_of(value, higher_is_safer=self.higher_is_safer) for value in given]
