"""The conformance suite of a Judge."""

from __future__ import annotations

import asyncio
import re

from confute.errors import shown
from confute.judges.clamp import clamp
from confute.judges.judge import Exhibit, Judge
from confute.judges.quote import quoted
from confute.testing.hostile import HOSTILE
from confute.verdicts import Direction, Vote, VoteState

_SHA_256 = re.compile(r"[0-9a-f]{64}")
_EVERY_FIELD = ("reply", "prompt", "claim", "truth", "falsehood", "persona", "secret")


class JudgeConformance:
    """What every Judge must do; inherit it as `class TestMine(JudgeConformance)` and say how one is made.

    `fires_on` and `abstains_on` return exhibits with one known right vote each. Give `make_changed` for a judge with a
    template, a model or settings, and `make_failing` for one with a model: without them those checks are skipped. Set
    `deterministic` to False for a judge that may vote otherwise when asked again.
    """

    deterministic = True

    def make_judge(self) -> Judge:
        """Return a new judge."""
        raise NotImplementedError("give your suite a method make_judge that returns your judge")

    def fires_on(self) -> Exhibit:
        """Return an exhibit that shows what the judge looks for."""
        raise NotImplementedError("give your suite a method fires_on that returns an exhibit on which it must fire")

    def abstains_on(self) -> Exhibit:
        """Return an exhibit that has content, and does not show what the judge looks for."""
        raise NotImplementedError("give your suite a method abstains_on that returns one on which it must abstain")

    def make_changed(self) -> Judge | None:
        """Return the judge with another template, model or setting; None where it has none."""
        return None

    def make_failing(self) -> Judge | None:
        """Return the judge on a model that fails, by an outage or an unreadable answer; None where it asks none."""
        return None

    def test_it_says_who_it_is(self) -> None:
        """Name and label are not blank, the direction is one of two, the version is a SHA-256 in hex."""
        judge = self.make_judge()
        assert judge.name.strip(), "a judge has a name"
        assert judge.label.strip(), "a judge has a label"
        assert isinstance(judge.direction, Direction), f"no direction: {shown(judge.direction)}"
        assert _SHA_256.fullmatch(judge.version), f"a version is a SHA-256 in hex, not {shown(judge.version)}"

    def test_its_version_stays_with_what_it_is_made_of(self) -> None:
        """Two judges made alike have one version, so that their figures may be pooled."""
        assert self.make_judge().version == self.make_judge().version, "two judges made alike have two versions"

    def test_its_version_changes_with_its_template_model_or_settings(self) -> None:
        """Figures of two versions are never pooled, so what may vote otherwise is another version."""
        changed = self._given(self.make_changed(), "make_changed")
        assert changed.version != self.make_judge().version, "what was changed is not in the version"

    def test_it_fires_on_what_it_looks_for(self) -> None:
        """It tells the exhibit that shows what it looks for."""
        vote = self._ask(self.fires_on())
        assert vote.state is VoteState.FIRED, f"{vote.state} {vote.code or ''} on what it looks for: {vote.reason}"

    def test_it_abstains_on_what_it_does_not_look_for(self) -> None:
        """It never says the opposite of what it looks for: it abstains."""
        vote = self._ask(self.abstains_on())
        assert vote.state is VoteState.ABSTAIN, (
            f"{vote.state} {vote.code or ''} on what does not show it: {vote.reason}"
        )

    def test_it_keeps_its_direction_and_label(self) -> None:
        """A vote bears the judge's own name, version, direction and label; the clamp takes any other back."""
        judge = self.make_judge()
        for exhibit in (self.fires_on(), self.abstains_on()):
            vote = _vote_of(judge, exhibit)
            assert clamp(vote, judge) == vote, f"off contract: {vote.direction} {vote.label} by {vote.judge}"
            assert vote.version == judge.version, "a vote bears the version of its judge"

    def test_it_never_fires_on_nothing(self) -> None:
        """An empty exhibit is an ERROR or an abstention: there is no default verdict."""
        vote = self._ask(Exhibit())
        assert vote.state is not VoteState.FIRED, "it fired on an exhibit that holds nothing"

    def test_a_failure_is_an_error_and_no_verdict(self) -> None:
        """Where its model fails it votes ERROR with a code, raises nothing, and neither fires nor abstains."""
        vote = _vote_of(self._given(self.make_failing(), "make_failing"), self.fires_on())
        assert vote.state is VoteState.ERROR, f"its model failed, and it votes {vote.state}"
        assert vote.code, "an ERROR has a code that says what failed"

    def test_a_quote_stands_in_what_was_judged(self) -> None:
        """What it quotes when it fires is found in the exhibit."""
        exhibit = self.fires_on()
        vote = self._ask(exhibit)
        shown_texts = (*(getattr(exhibit, name) for name in _EVERY_FIELD), *exhibit.evidence)
        texts = (*shown_texts, *exhibit.capabilities, *(turn.content for turn in exhibit.turns))
        assert vote.quote is None or quoted(vote.quote, texts), f"quotes what is not there: {shown(vote.quote)}"

    def test_a_vote_tells_its_repeat(self) -> None:
        """The vote of repeat 3 is told apart from that of repeat 0."""
        assert [_vote_of(self.make_judge(), self.fires_on(), one).repeat for one in (0, 3)] == [0, 3]

    def test_the_same_exhibit_gets_the_same_vote(self) -> None:
        """Neither another instance nor what was judged before changes a vote."""
        if not self.deterministic:
            _skip("the judge is declared not to be deterministic")
        first, judge = self._ask(self.fires_on()), self.make_judge()
        _vote_of(judge, self.abstains_on())
        again = _vote_of(judge, self.fires_on())
        assert (first.state, first.label) == (again.state, again.label), f"{first.state} at first, {again.state} after"

    def test_hostile_text_gets_a_vote(self) -> None:
        """Odd text in every field gets a vote within the contract, and raises nothing."""
        judge = self.make_judge()
        for name, text in HOSTILE.items():
            fields = dict.fromkeys(_EVERY_FIELD, text)
            try:
                vote = _vote_of(judge, Exhibit(**fields, evidence=(text,), capabilities=(text,)))
            except AssertionError:
                raise
            except Exception as error:
                raise AssertionError(f"{name}: raised {type(error).__name__}: {shown(str(error))}") from error
            assert clamp(vote, judge) == vote, f"{name}: off contract: {vote.direction} {vote.label} by {vote.judge}"

    def _ask(self, exhibit: Exhibit) -> Vote:
        return _vote_of(self.make_judge(), exhibit)

    def _given(self, judge: Judge | None, method: str) -> Judge:
        if judge is None:
            _skip(f"the suite has no {method}")
        assert judge is not None
        return judge


def _vote_of(judge: Judge, exhibit: Exhibit, repeat: int = 0) -> Vote:
    vote = asyncio.run(_awaited(judge, exhibit, repeat))
    assert isinstance(vote, Vote), f"a judge returns a Vote, not {shown(vote)}"
    return vote


async def _awaited(judge: Judge, exhibit: Exhibit, repeat: int) -> Vote:
    return await judge.judge(exhibit, repeat=repeat)


def _skip(why: str) -> None:
    import pytest

    pytest.skip(why)
