"""Rows that work on the support graph: delete the only support, one of two, or what supports nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from confute.oracles.facts.fact import Fact
from confute.oracles.relations.evidence_text import changed, claimed, label_of, reworded
from confute.oracles.relations.relation import Expected, Instance, Relation, Said, Scene, Situation
from confute.records import Label


def _sole_support_deleted(scene: Scene, _random: Random) -> Iterator[Instance]:
    for place in _decisive(scene):
        rest = _without(scene.situation.passages, place)
        if rest:
            yield changed(scene, rest, Expected.RISES, Label.UNSUPPORTED)


def _one_of_two_deleted(scene: Scene, _random: Random) -> Iterator[Instance]:
    """Say the supporting fact a second time in other words, before; then delete the first saying."""
    claim, passages = claimed(scene), scene.situation.passages
    if claim is None:
        return
    for place in _decisive(scene):
        for fact in passages[place].says:
            if isinstance(fact, Fact) and (second := _second_saying(fact, scene)) is not None:
                before = Situation(claim=scene.claim, passages=(*passages, second))
                after = Situation(claim=scene.claim, passages=(*_without(passages, place), second))
                if label_of(claim, after.passages, scene.lexicon) is Label.SUPPORTED:
                    yield Instance(before=before, after=after, expected=Expected.INVARIANT, label=Label.SUPPORTED)


def _tail_dropped(scene: Scene, _random: Random) -> Iterator[Instance]:
    """Drop the longest run of last passages without which the claim still follows."""
    claim, passages = claimed(scene), scene.situation.passages
    if claim is None or scene.label is not Label.SUPPORTED:
        return
    for count in range(1, len(passages)):
        if label_of(claim, passages[:count], scene.lexicon) is Label.SUPPORTED:
            yield changed(scene, passages[:count], Expected.INVARIANT)
            return


def _decisive(scene: Scene) -> Iterator[int]:
    """Yield the places of the passages without which a supported claim no longer follows, nor its opposite."""
    claim, passages = claimed(scene), scene.situation.passages
    if claim is None or scene.label is not Label.SUPPORTED:
        return
    for place in range(len(passages)):
        if label_of(claim, _without(passages, place), scene.lexicon) is Label.UNSUPPORTED:
            yield place


def _second_saying(fact: Fact, scene: Scene) -> Said | None:
    written = next(iter(reworded(fact, scene.lexicon)), None)
    if written is None or written.text == scene.claim:
        return None
    return Said(text=written.text, says=(fact,))


def _without(passages: Sequence[Said], place: int) -> tuple[Said, ...]:
    return (*passages[:place], *passages[place + 1 :])


E5 = Relation(
    "E5", "delete the sole support", "a supported claim with one decisive passage of several", _sole_support_deleted
)
E6 = Relation(
    "E6",
    "delete one of two supports",
    "a supported claim whose decisive fact has a second wording",
    _one_of_two_deleted,
)
E14 = Relation(
    "E14",
    "drop the tail that supports nothing",
    "a supported claim that follows from the first passages",
    _tail_dropped,
)
