from __future__ import annotations

import re

import pytest
from relation_stage import stage

from confute.contract import Suite
from confute.harness.relations.trials import FEWEST, MOST_PER_CASE, enough, made
from confute.oracles.relations.oracle import RelationOracle
from confute.oracles.relations.relation import Expected, Instance, Relation
from confute.oracles.relations.worlds import relation_facts
from confute.records import Label

MATERIAL = stage()
SCENES = MATERIAL.measured[:6]
ORACLE = RelationOracle(MATERIAL.lexicon)


def tried(transform):
    return made(Relation("X1", "x", "any", transform), SCENES, ORACLE, 0)


def instance(scene, claim=None, evidence=None, label=None, expected=Expected.INVARIANT):
    before = scene.situation
    after = before.model_copy(
        update={"claim": before.claim if claim is None else claim}
        | ({} if evidence is None else {"passages": evidence})
    )
    return Instance(before=before, after=after, expected=expected, label=label or scene.label)


def raises(scene, random):
    raise RuntimeError("no")
    yield


def leaves(scene, random):
    yield instance(scene, evidence=scene.situation.passages[::-1])
    raise SystemExit


def forever(scene, random):
    while True:
        yield None


@pytest.mark.parametrize(
    ("transform", "reason"),
    [
        (raises, "raised: RuntimeError"),
        (lambda scene, random: None, "raised: TypeError"),
        (lambda scene, random: 3, "raised: TypeError"),
        (lambda scene: iter(()), "raised: TypeError"),
        (lambda scene, random: iter([object(), "text"]), "no_instance"),
        (forever, "no_instance"),
        (lambda scene, random: iter([Instance.model_construct(before=1)]), "raised"),
        (lambda scene, random: iter([instance(scene, claim="\ud800\x00" * 50_000)]), "claim_not_read"),
        (lambda scene, random: iter([instance(scene, claim="")]), "claim_not_read"),
        (lambda scene, random: iter([instance(scene)]), "no_op"),
        (lambda scene, random: iter(()), "does_not_apply"),
    ],
)
def test_what_a_hostile_relation_does_is_counted_under_a_name_and_gives_no_trial(transform, reason):
    trials, summary = tried(transform)
    assert trials == ()
    assert summary.trials == 0
    assert all(one.startswith(reason) for one in summary.skipped)
    assert sum(summary.skipped.values()) >= len(SCENES)


def test_what_came_before_a_failure_is_kept():
    trials, summary = tried(leaves)
    assert len(trials) == len(SCENES)
    assert summary.skipped == {"raised: SystemExit": len(SCENES)}


def test_a_label_that_is_not_as_declared_is_skipped_and_never_passed():
    wrong = Label.UNSUPPORTED
    trials, summary = tried(
        lambda scene, random: iter([instance(scene, evidence=scene.situation.passages[::-1], label=wrong)])
    )
    kept = [one for one in SCENES if one.case.label is wrong]
    assert len(trials) == len(kept)
    assert summary.skipped["label_not_as_declared"] == len(SCENES) - len(kept)


def test_of_one_case_so_many_trials_are_kept():
    def many(scene, random):
        for _ in range(9):
            passages = list(scene.situation.passages)
            random.shuffle(passages)
            yield instance(scene, evidence=(*passages, passages[0]))

    trials, summary = tried(many)
    assert len(trials) == summary.trials == MOST_PER_CASE * len(SCENES)


def test_a_rare_row_is_tried_on_more_cases_until_it_has_enough():
    def rare(scene, random):
        if scene.claim in chosen:
            yield instance(scene, evidence=scene.situation.passages[::-1])

    rounds = MATERIAL.rounds
    assert len(rounds) > 3
    assert len({one.case.case_id for some in rounds for one in some}) == sum(map(len, rounds))
    chosen = {one.case.claim for some in rounds for one in some[:20] if len(one.case.evidence) > 1}
    trials, summary = enough(Relation("X1", "x", "any", rare), rounds, ORACLE, 0)
    first = sum(one.case.claim in chosen for one in rounds[0])
    # 20 claims of each round: one round is too few, two are enough, and a third one is not tried.
    assert first < FEWEST <= len(trials) == summary.trials
    assert summary.cases == len(rounds[0]) + len(rounds[1])
    assert summary.skipped["does_not_apply"] == summary.cases - len(trials)


def test_denied_claims_that_rest_on_another_date_are_on_neither_side():
    # Of a climb in 1922 no passage says that there was none in 1924.
    known = [one.case for some in MATERIAL.rounds for one in some] + list(MATERIAL.calibration)
    told = {case.claim for case in known if case.label is Label.SUPPORTED}
    left_out = {
        case.claim
        for world in (0, 1)
        for case in relation_facts(world, Suite.DEVELOPMENT).cases
        if case.label is Label.SUPPORTED
    } - told
    assert len(left_out) > 50
    assert [claim for claim in left_out if not re.search(r"\b(not|never|no)\b", claim)] == []
    assert any("scaled" in claim for claim in left_out)
