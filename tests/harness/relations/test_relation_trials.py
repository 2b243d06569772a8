from __future__ import annotations

import pytest
from relation_stage import stage

from confute.harness.relations.trials import MOST_PER_CASE, made
from confute.oracles.relations.oracle import RelationOracle
from confute.oracles.relations.relation import Expected, Instance, Relation
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
