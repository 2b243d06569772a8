from __future__ import annotations

import pytest

from confute.errors import JudgeError
from confute.harness.relations.judged import Bench, bench, judged
from confute.harness.relations.trials import Trial
from confute.oracles.relations.relation import Expected
from confute.records import Pair
from confute.verdicts import Verdict, VerdictState

S, R, N, E = VerdictState.SUCCEEDED, VerdictState.RESISTED, VerdictState.INCONCLUSIVE, VerdictState.ERROR


class Scripted:
    """Concludes what stands beside a claim."""

    family = "support"
    version = "1"

    def __init__(self, **states: VerdictState) -> None:
        self._states = states

    async def conclude(self, exhibit, *, repeat=0):
        return Verdict(family="support", version="1", state=self._states[exhibit.claim])


PAIRS = [(f"g{name}", Pair(claim=name, evidence=("e",))) for name in "abcd"]


def counts(rate):
    return rate.numerator, rate.denominator, rate.errors, rate.unknown


def test_another_template_must_keep_the_verdict_and_errors_and_silence_are_no_pass():
    own = Scripted(a=S, b=S, c=N, d=E)
    other = Scripted(a=S, b=R, c=N, d=S)
    p2, p3, _ = judged(Bench("j", own, other, Scripted(a=S, b=S, c=R, d=S)), PAIRS, ())
    assert counts(p2.violations) == (1, 2, 1, 1)
    assert counts(p3.violations) == (1, 3, 1, 0)  # c: nothing said, then RESISTED


def test_of_a_claim_and_its_denial_exactly_one_is_accepted():
    def denial(stated, denied):
        return Trial("P8", Expected.RISES, "g", *(Pair(claim=one, evidence=("e",)) for one in (stated, denied)))

    own = Scripted(yes=S, no=R, mute=N, broken=E)
    denials = [
        denial("yes", "no"),
        denial("yes", "yes"),
        denial("no", "no"),
        denial("yes", "mute"),
        denial("mute", "mute"),
    ]
    (p8,) = (
        one
        for one in judged(Bench("j", own, None, None), (), [*denials, denial("yes", "broken")])
        if one.row_id == "P8"
    )
    assert counts(p8.violations) == (2, 4, 1, 1)


def test_rules_ask_by_no_template():
    p2, p3, _ = judged(bench("rules", 0, None), (), ())
    assert p2.why_not == p3.why_not == "asks by no template"


def test_a_judge_that_always_says_yes_accepts_claim_and_denial():
    seat = bench("degenerate:always_yes", 0, None)
    trial = Trial(
        "P8", Expected.RISES, "g", Pair(claim="It rained.", evidence=("x",)), Pair(claim="It did not.", evidence=("x",))
    )
    assert counts(judged(seat, (), [trial])[-1].violations) == (1, 1, 0, 0)


@pytest.mark.parametrize("name", ["nobody", "degenerate:nobody", "absent.yaml"])
def test_a_judge_that_cannot_be_had_is_a_mistake_that_is_told(name):
    with pytest.raises(JudgeError):
        bench(name, 0, None)
