"""A saved policy in the place of the threshold: what its routes catch, and for whom it counts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from known_failures import Written, by_claim, known_failure, paraphrase

from confute.cli import main
from confute.contract import Threshold, Victim
from confute.harness.policy.choosing import Targets, choose
from confute.harness.policy.policy import Policy, Route
from confute.harness.regress.relations import Reference
from confute.harness.regress.replay import ReplayState, replay
from confute.harness.regress.subject import of_victim
from confute.records import Case, Label, Score, ScoreState

BY = Reference(risks=tuple(n / 100 for n in range(100)))
BAND = Policy(low=0.4, high=0.9)


@pytest.mark.parametrize(
    ("post", "route", "state"),
    [
        (0.4, Route.ACCEPT, ReplayState.FAILS),  # a tie takes the milder route
        (0.6, Route.REVIEW, ReplayState.HOLDS),
        (0.95, Route.REJECT, ReplayState.HOLDS),
    ],
)
def test_a_false_claim_is_caught_by_review_as_by_rejection(post, route, state) -> None:
    row = known_failure()
    victim = by_claim(row, 0.1, post)
    victim.threshold = 0.99  # by the threshold alone every one would be accepted
    done = replay(row, victim, BY, replays=1, band=BAND)
    assert (done.state, done.votes[0].route, done.votes[0].original_route) == (state, route, Route.ACCEPT)
    assert replay(row, victim, BY, replays=1).state is ReplayState.FAILS


@pytest.mark.parametrize(("risk", "state"), [(0.39, ReplayState.HOLDS), (0.45, ReplayState.FAILS)])
def test_a_claim_that_is_to_be_accepted_is_not_where_it_is_reviewed(risk, state) -> None:
    row = paraphrase()
    assert replay(row, by_claim(row, 0.38, risk), BY, replays=1, band=BAND).state is state


def test_what_is_not_measured_has_no_route() -> None:
    row = known_failure()
    done = replay(row, Written(lambda *_: ScoreState.ERROR), BY, replays=1, band=BAND)
    assert done.state is ReplayState.UNMEASURED
    assert {vote.route for vote in done.votes} == {None}


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a policy of `theirs:check`: supported claims have risks to 0.38, unsupported ones from 0.2."""
    cases, scores = [], []
    for n in range(20):
        for label, risk in ((Label.SUPPORTED, n / 50), (Label.UNSUPPORTED, 0.2 + n / 50)):
            name = f"{label}-{n}"
            cases.append(Case(case_id=name, claim="c", evidence=("e",), label=label, domain="", source="", group=name))
            scores.append(Score(state=ScoreState.MEASURED, value=risk))
    (tmp_path / "theirs.py").write_text(
        "def check(pairs):\n    return [0.3 if '4' in p.claim else 0.1 for p in pairs]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    victim = of_victim(Victim(detector="theirs:check", threshold=Threshold(value=0.5)), None).victim
    chosen = choose(
        cases,
        scores,
        Targets(false_acceptance=0.06, false_rejection=0.06),
        detector="theirs:check",
        fingerprint=victim.manifest.scoring_fingerprint,
        marks=[case.group for case in cases],
    )
    assert chosen.policy.low < 0.3 < chosen.policy.high
    (tmp_path / "policy.json").write_text(chosen.model_dump_json())
    (tmp_path / "corpus.jsonl").write_text(known_failure().model_dump_json())
    return tmp_path / "policy.json"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--detector", "theirs:check"), 1, "1 still fails"),
        (("--detector", "theirs:check", "--policy", "policy.json"), 0, "what is reviewed between them is not accepted"),
        (("--detector", "word_overlap", "--policy", "policy.json"), 2, "the policy was chosen for another detector"),
        (("--detector", "theirs:check", "--policy", "corpus.jsonl"), 2, "not a policy"),
        (
            ("--detector", "theirs:check", "--higher-is-safer", "--policy", "policy.json"),
            2,
            "chosen for other scores of this detector",
        ),
    ],
)
def test_a_policy_counts_for_the_detector_that_it_was_chosen_for(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments, code, said
) -> None:
    monkeypatch.chdir(policy.parent)
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    monkeypatch.setattr(sys, "argv", ["confute", "regress", "corpus.jsonl", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (int(ended.value.code or 0), said in told.out + told.err) == (code, True), told
    assert json.loads(policy.read_text())["detector"] == "theirs:check"
