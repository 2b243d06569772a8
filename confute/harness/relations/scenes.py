"""The cases that relations are tried on, and the cases of other sources that threshold and tolerance are learned on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from confute.contract import Suite
from confute.oracles.facts.document import Document
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.relations.relation import Scene
from confute.oracles.relations.worlds import relation_facts, sure_cases
from confute.records import Case
from confute.victims import calibration

WORLDS = 2
_CALIBRATION_SHARE = 0.5


class Named(NamedTuple):
    """A scene, its case, and the source document that it is clustered by."""

    case: Case
    scene: Scene


class Material(NamedTuple):
    """Calibration cases and the measured scenes; no source document is on both sides.

    `more` are rounds of further scenes of the measured documents, for rows that few cases fit.
    """

    calibration: tuple[Case, ...]
    measured: tuple[Named, ...]
    lexicon: Lexicon
    more: tuple[tuple[Named, ...], ...] = ()

    @property
    def rounds(self) -> tuple[tuple[Named, ...], ...]:
        """All rounds of scenes, the measured ones first."""
        return self.measured, *self.more


def built_in(seed: int, suite: Suite, per_document: int) -> Material:
    """Return facts of two seeds: half of the documents to calibrate on, some cases of each of the others.

    Denied claims that follow only since nothing happens twice are left out on both sides. `others` of a scene are the
    measured documents besides its own. Raises CalibrationError where one side is empty.
    """
    oracles = [relation_facts(seed + world, suite) for world in range(WORLDS)]
    cases = [case for oracle in oracles for case in sure_cases(oracle)]
    calibrated, rest = calibration.split(cases, _CALIBRATION_SHARE, seed)
    groups = {case.group for case in rest}
    documents = [one for oracle in oracles for one in oracle.documents if one.document_id in groups]
    lexicon = oracles[0].lexicon
    measured, *more = (
        tuple(Named(case, _scene(case, documents, lexicon)) for case in drawn)
        for drawn in _drawn(rest, per_document, seed)
    )
    return Material(tuple(calibrated), measured, lexicon, tuple(more))


def _drawn(cases: Sequence[Case], per_document: int, seed: int) -> list[list[Case]]:
    """Draw rounds of so many cases of each document, until none is left, each in the order of the cases."""
    place: dict[str, int] = {}
    taken: Counter[str] = Counter()
    shuffled = sorted(cases, key=lambda case: case.case_id)
    random.Random(f"{seed}/relations/cases").shuffle(shuffled)  # noqa: S311  reproducible, no secret
    for case in shuffled:
        place[case.case_id] = taken[case.group] // per_document
        taken[case.group] += 1
    return [[case for case in cases if place[case.case_id] == number] for number in range(max(place.values()) + 1)]


def _scene(case: Case, documents: Sequence[Document], lexicon: Lexicon) -> Scene:
    own = next(one for one in documents if one.document_id == case.group)
    return Scene(own, case.claim, case.label, lexicon, tuple(one for one in documents if one is not own))
