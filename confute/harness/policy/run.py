"""A policy of a contract's detector on labelled claims: chosen on some source groups, measured on all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from confute.contract import AttackContract
from confute.errors import ReportError
from confute.harness.arena import Embedders, gathered, marks
from confute.harness.authorization import check_authorized
from confute.harness.campaign import Progress
from confute.harness.mining.sources import joined
from confute.harness.policy.choosing import Chosen, Targets, choose
from confute.harness.policy.measuring import Measured, measure
from confute.records import Case
from confute.victims import load as victims
from confute.victims.calibration import check_disjoint, split
from confute.victims.frozen import scoring_fingerprint
from confute.victims.isolation import IsolatedDetector

FALSE_REJECTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""The bounds on false rejection whose costs are shown."""


class Asked(NamedTuple):
    """A contract's detector behind its wall, and the labelled claims with their sources joined.

    `fingerprint` is what its scores depend on, `marks` tell the sources of each case as it was given.
    """

    detector: IsolatedDetector
    fingerprint: str
    cases: tuple[Case, ...]
    marks: Mapping[str, frozenset[str]]


def asked_of(contract: AttackContract, data: Path | None, cache: Path | None) -> Asked:
    """Return the detector of a contract, and its claims, with one group for all that share a source.

    Raises the errors of `confute.harness.arena.prepare`.
    """
    material = gathered(contract, data)
    embedders = Embedders(cache)
    detector = victims.load(contract.victim, embedders.load)
    check_authorized(contract, detector)
    told = marks(contract, material)
    return Asked(
        detector=IsolatedDetector(detector, contract.victim),
        fingerprint=scoring_fingerprint(contract.victim, embedders.loaded),
        cases=joined(material.cases, told).cases,
        marks={case.case_id: told.of(case) for case in material.cases},
    )


def chosen_and_measured(  # noqa: PLR0913  one parameter for each option
    contract: AttackContract,
    data: Path | None,
    cache: Path | None,
    targets: Targets,
    *,
    share: float,
    base_rates: Sequence[float],
    progress: Progress,
) -> Measured:
    """Return the policy of a contract's victim, and what it does on claims of other sources.

    Raises the errors of `asked_of`, and CalibrationError where no policy can be chosen.
    """
    progress.begin("calibrate", 1)
    asked = asked_of(contract, data, cache)
    calibration, rest = split(asked.cases, share, contract.evaluation.seed)
    check_disjoint(calibration, rest)
    known = asked.detector.measure([case.pair for case in calibration])

    def at(false_rejection: float) -> Chosen:
        wanted = targets.model_copy(update={"false_rejection": false_rejection})
        return choose(
            calibration,
            known,
            wanted,
            detector=contract.victim.detector,
            version=contract.victim.version,
            fingerprint=asked.fingerprint,
            marks=[mark for case in calibration for mark in asked.marks[case.case_id]],
        )

    chosen, alternatives = at(targets.false_rejection), [at(target) for target in FALSE_REJECTIONS]
    progress.advance(1)
    progress.begin("measure", 1)
    scores = asked.detector.measure([case.pair for case in rest])
    progress.advance(1)
    return measure(chosen, alternatives, rest, scores, base_rates=base_rates, seed=contract.evaluation.seed)


def frozen_and_measured(  # noqa: PLR0913  one parameter for each option
    contract: AttackContract,
    data: Path | None,
    cache: Path | None,
    chosen: Chosen,
    *,
    base_rates: Sequence[float],
    progress: Progress,
) -> Measured:
    """Return what a frozen policy does on the claims of all sources that had no part in choosing it.

    Raises the errors of `asked_of`, and ReportError where the policy is of another detector or version, or of other
    scores of it, or where all claims are of sources that chose it.
    """
    progress.begin("measure", 1)
    asked = asked_of(contract, data, cache)
    chosen.refuse_other(contract.victim.detector, contract.victim.version, asked.fingerprint, "--frozen")
    rest = chosen.others(asked.cases, asked.marks)
    if not rest:
        raise ReportError(
            "every claim is of a source that chose the policy", field="--frozen", hint="give other claims"
        )
    scores = asked.detector.measure([case.pair for case in rest])
    progress.advance(1)
    return measure(chosen, (), rest, scores, base_rates=base_rates, seed=contract.evaluation.seed)
