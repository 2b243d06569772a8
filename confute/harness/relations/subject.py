"""A detector as relations measure it: its threshold frozen on calibration cases, and its tolerance learned on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from confute.contract import Calibration, Segmentation, SegmentationUnit, Threshold, Victim
from confute.errors import CalibrationError, VictimError
from confute.harness.control.asking import detector_of
from confute.harness.relations.remembering import RememberingEmbedder
from confute.harness.relations.scenes import Material
from confute.models.embedder import Embedder
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.paraphrase import paraphrases
from confute.oracles.relations.evidence_text import parser_of
from confute.records import Case, Decision, Pair, Record, Score
from confute.victims import load
from confute.victims.calibration import threshold
from confute.victims.detector import Detector
from confute.victims.energy import HallucinationEnergy
from confute.victims.frozen import FrozenVictim, freeze
from confute.victims.isolation import IsolatedDetector

ENERGY = "hallucination_energy"
MONOTONE = frozenset({"nearest_passage", "word_overlap"})
"""Detectors whose risk no added evidence can raise, by what they compute: a maximum, or a union, over passages."""

NATURAL: Mapping[str, float] = MappingProxyType({"grounding": 0.5})
"""Thresholds of detectors whose risk has a meaning: over 0.5 a number or an opposite contradicts the claim."""

RERUN_CASES = 64
_QUANTILE = 0.95
_SIBLINGS = 2

Embedders = Callable[[str], Embedder]


class Tolerance(Record):
    """How far a risk moves though nothing changed: the larger of two 95th percentiles of |ds|, on calibration cases.

    `siblings`: the same fact in another template; `reruns`: the same pair asked again. The two are not pooled, since
    their numbers would then decide. None where nothing was measured.
    """

    value: float
    siblings: float | None
    n_siblings: int
    reruns: float | None
    n_reruns: int


class Source(StrEnum):
    """Where a threshold comes from."""

    CALIBRATED = "calibrated"
    NATURAL = "the detector's own"
    CONTRACT = "of the contract"


class Cut(Record):
    """A threshold's source, and how many of the decided calibration cases it accepts.

    `is_blind` where it accepts every one of them or none: then no decision of the detector says anything.
    """

    source: Source
    accepted: int
    decided: int
    is_blind: bool


class Uncalibrated(NamedTuple):
    """A detector for which no threshold can be set, and why."""

    name: str
    error: CalibrationError


class Subject(NamedTuple):
    """A frozen detector; `bare` asks it without kept vectors, `at_rank` at another rank where it has one."""

    name: str
    declared: Victim
    victim: FrozenVictim
    bare: IsolatedDetector
    tolerance: Tolerance
    cut: Cut
    at_rank: Callable[[int], IsolatedDetector] | None

    @property
    def scores_support(self) -> bool:
        """Whether it is a detector that is known to score lack of support, not contradiction."""
        return self.declared.detector in {ENERGY, *MONOTONE}

    @property
    def adds_up(self) -> bool:
        """Whether added evidence cannot raise the risk, by what the detector computes."""
        full = self.declared.detector == ENERGY and self.declared.rank == "full"
        return full or self.declared.detector in MONOTONE


def declared(spec: str, timeout_s: float, *, higher_is_safer: bool = False) -> Victim:
    """Return the victim that a text names: a detector, with `@RANK` after the energy; each item of evidence a passage.

    Its threshold is the detector's own where it has one, else one to calibrate.

    Raises VictimError for a blank text and for a rank that is none.
    """
    if not spec.strip():
        raise VictimError("must not be blank", field="--detector", got=spec)
    name, mark, rank = spec.partition("@") if spec.startswith(f"{ENERGY}@") else (spec, "", "")
    if mark and rank != "full" and not (rank.isascii() and rank.isdigit() and int(rank) > 0):
        raise VictimError("no rank", field="--detector", allowed="full, or a whole number from 1", got=rank)
    return Victim(
        detector=name,
        rank=None if not mark else "full" if rank == "full" else int(rank),
        segmentation=Segmentation(unit=SegmentationUnit.PASSAGE),
        timeout_s=timeout_s,
        higher_is_safer=higher_is_safer,
        threshold=Threshold(value=NATURAL[name]) if name in NATURAL else Threshold(calibrate=Calibration()),
    )


def subject(  # noqa: PLR0913  what a detector is built from
    name: str, victim: Victim, material: Material, embedders: Embedders, *, fresh: Embedders, seed: int
) -> Subject:
    """Return a detector with its threshold and tolerance, both of calibration cases alone.

    `fresh` gives embedders that keep nothing, so that a rerun is one of the embedder too.

    Raises VictimError and ModelError where it cannot be built, CalibrationError where it cannot be calibrated.
    """
    remembered: dict[str, RememberingEmbedder] = {}

    def remembering(named: str) -> Embedder:
        return remembered.setdefault(named, RememberingEmbedder(embedders(named)))

    detector = _built(victim, remembering)
    embedder = next(iter(remembered.values()), None)
    cases, reported = material.calibration, [one.case for some in material.rounds for one in some]
    scores = IsolatedDetector(detector, victim).measure([case.pair for case in cases])
    calibrate = victim.threshold.calibrate
    known = None if calibrate is None else threshold(cases, scores, calibrate)
    frozen = freeze(victim, detector, embedder, cases, reported, known)
    bare = IsolatedDetector(_built(victim, fresh), victim)
    return Subject(
        name=name,
        declared=victim,
        victim=frozen,
        bare=bare,
        cut=_cut(name, frozen, scores),
        tolerance=_tolerance(frozen, bare, material.calibration, material.lexicon, seed),
        at_rank=None
        if embedder is None or victim.detector != ENERGY
        else lambda rank: IsolatedDetector(HallucinationEnergy(embedder, rank), victim),
    )


def _built(victim: Victim, embedders: Embedders) -> Detector:
    if victim.detector.startswith(("http://", "https://")) or " " in victim.detector.strip():
        return detector_of(victim.detector, victim.timeout_s)
    return load.load(victim, embedders)


def _cut(name: str, frozen: FrozenVictim, scores: Sequence[Score]) -> Cut:
    decisions = [decision for score in scores if (decision := frozen.decide(score)) is not None]
    given = Source.NATURAL if name in NATURAL else Source.CONTRACT
    return Cut(
        source=given if frozen.manifest.calibration is None else Source.CALIBRATED,
        accepted=decisions.count(Decision.ACCEPT),
        decided=len(decisions),
        is_blind=len(set(decisions)) == 1,
    )


def _tolerance(
    frozen: FrozenVictim, bare: IsolatedDetector, cases: Sequence[Case], lexicon: Lexicon, seed: int
) -> Tolerance:
    draw = random.Random(f"{seed}/relations/tolerance")  # noqa: S311  reproducible, no secret
    pairs, siblings = _siblings(cases, lexicon, draw)
    moved = _moves(frozen.measure(pairs), frozen.measure(siblings))
    again = [case.pair for case in draw.sample(list(cases), min(RERUN_CASES, len(cases)))]
    rerun = _moves(bare.measure(again), bare.measure(again))
    found = [_quantile(some) for some in (moved, rerun)]
    return Tolerance(
        value=max((one for one in found if one is not None), default=0.0),
        siblings=found[0],
        n_siblings=len(moved),
        reruns=found[1],
        n_reruns=len(rerun),
    )


def _siblings(cases: Sequence[Case], lexicon: Lexicon, draw: random.Random) -> tuple[list[Pair], list[Pair]]:
    """Return cases' pairs, and the same with the claim's fact in another template, up to two of each case."""
    pairs, siblings = [], []
    for case in cases:
        reading = parser_of(lexicon).read(case.claim)
        if reading is None:
            continue
        texts = {one.text for one in paraphrases(reading, lexicon) if one.slot == "relation"} - {case.claim}
        for text in draw.sample(sorted(texts), min(_SIBLINGS, len(texts))):
            pairs.append(case.pair)
            siblings.append(Pair(claim=text, evidence=case.evidence))
    return pairs, siblings


def _moves(before: Sequence[Score], after: Sequence[Score]) -> list[float]:
    both = zip(before, after, strict=True)
    return [abs(two.value - one.value) for one, two in both if one.value is not None and two.value is not None]


def _quantile(moves: Sequence[float]) -> float | None:
    return float(np.quantile(moves, _QUANTILE, method="higher")) if moves else None
