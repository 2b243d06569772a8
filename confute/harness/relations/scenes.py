"""The cases that relations are tried on, and the cases of other sources that threshold and tolerance are learned on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from confute.contract import Suite
from confute.oracles.facts.document import Document
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.relations.relation import Scene
from confute.oracles.relations.worlds import relation_facts
from confute.records import Case
from confute.victims import calibration

WORLDS = 2
_CALIBRATION_SHARE = 0.5


class Named(NamedTuple):
    """A scene, its case, and the source document that it is clustered by."""

    case: Case
    scene: Scene


class Material(NamedTuple):
    """Calibration cases and the measured scenes; no source document is on both sides."""

    calibration: tuple[Case, ...]
    measured: tuple[Named, ...]
    lexicon: Lexicon


def built_in(seed: int, suite: Suite, per_document: int) -> Material:
    """Return facts of two seeds: half of the documents to calibrate on, some cases of each of the others.

    `others` of a scene are the measured documents besides its own. Raises CalibrationError where one side is empty.
    """
    oracles = [relation_facts(seed + world, suite) for world in range(WORLDS)]
    cases = [case for oracle in oracles for case in oracle.cases]
    calibrated, rest = calibration.split(cases, _CALIBRATION_SHARE, seed)
    groups = {case.group for case in rest}
    documents = [one for oracle in oracles for one in oracle.documents if one.document_id in groups]
    drawn = _drawn(rest, per_document, seed)
    lexicon = oracles[0].lexicon
    return Material(tuple(calibrated), tuple(Named(case, _scene(case, documents, lexicon)) for case in drawn), lexicon)


def _drawn(cases: Sequence[Case], per_document: int, seed: int) -> list[Case]:
    """Draw so many cases of each document, and return them in their order."""
    taken: dict[str, list[Case]] = {}
    shuffled = sorted(cases, key=lambda case: case.case_id)
    random.Random(f"{seed}/relations/cases").shuffle(shuffled)  # noqa: S311  reproducible, no secret
    for case in shuffled:
        if len(of_document := taken.setdefault(case.group, [])) < per_document:
            of_document.append(case)
    chosen = {case.case_id for some in taken.values() for case in some}
    return [case for case in cases if case.case_id in chosen]


def _scene(case: Case, documents: Sequence[Document], lexicon: Lexicon) -> Scene:
    own = next(one for one in documents if one.document_id == case.group)
    return Scene(own, case.claim, case.label, lexicon, tuple(one for one in documents if one is not own))
