"""Rows that leave what the evidence says as it is: another order, a copy, another cut of the same text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from confute.oracles.relations.evidence_text import changed
from confute.oracles.relations.relation import Expected, Instance, Relation, Said, Scene


def _reordered(scene: Scene, random: Random) -> Iterator[Instance]:
    passages = list(scene.situation.passages)
    shuffled = random.sample(passages, len(passages))
    if shuffled == passages:
        shuffled = [*passages[1:], *passages[:1]]
    if shuffled != passages:
        yield changed(scene, shuffled, Expected.INVARIANT)


def _duplicated(scene: Scene, random: Random) -> Iterator[Instance]:
    passages = scene.situation.passages
    if passages:
        yield changed(scene, (*passages, random.choice(passages)), Expected.INVARIANT)


def _resegmented(scene: Scene, _random: Random) -> Iterator[Instance]:
    """Yield the same sentences as one passage, as a passage each, and as windows of two that overlap by one."""
    passages = scene.situation.passages
    sentences = [one for passage in passages for one in _sentences(passage)]
    windows = [_joined(pair) for pair in pairwise(sentences)]
    for cut in ((_joined(passages),), tuple(sentences), tuple(windows)):
        if cut and cut != passages:
            yield changed(scene, cut, Expected.INVARIANT)


def _sentences(passage: Said) -> Iterator[Said]:
    """Yield the sentences of a passage, one for each fact that it says; the whole where they do not pair up."""
    parts = [f"{part}." for part in passage.text.removesuffix(".").split(". ")]
    if len(parts) != len(passage.says):
        yield passage
        return
    for text, fact in zip(parts, passage.says, strict=True):
        yield Said(text=text, says=(fact,))


def _joined(passages: tuple[Said, ...]) -> Said:
    return Said(text=" ".join(one.text for one in passages), says=tuple(fact for one in passages for fact in one.says))


E1 = Relation("E1", "reorder passages", "at least two different passages", _reordered)
E2 = Relation("E2", "duplicate a passage", "at least one passage", _duplicated)
E12 = Relation("E12", "whole, sentence and window segmentation", "more than one sentence of evidence", _resegmented)
