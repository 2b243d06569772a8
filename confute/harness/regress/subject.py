"""The victim that counterexamples are put to: from a contract, or a detector by name; with its reference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from confute.contract import AttackContract, Suite, Victim
from confute.harness.arena import Embedders, divided, gathered, marks
from confute.harness.authorization import check_authorized
from confute.harness.mining.sources import joined
from confute.harness.regress.relations import TOLERANCE, Reference, reference
from confute.oracles.facts.builtin import builtin
from confute.records import Case, digest_of
from confute.victims import load
from confute.victims.detector import Detector
from confute.victims.frozen import FrozenVictim, freeze

_REFERENCE_CASES = 128


class Subject(NamedTuple):
    """A frozen victim, and the risks by whose ranks its moves are told."""

    victim: FrozenVictim
    reference: Reference


def of_contract(  # noqa: PLR0913  one parameter for each thing that may be given
    contract: AttackContract,
    data: Path | None,
    cache: Path | None,
    case_ids: Collection[str],
    *,
    tolerance: float = TOLERANCE,
    detector: Detector | None = None,
) -> Subject:
    """Build and freeze the victim of a contract, its threshold set on calibration cases as an attack sets it.

    `case_ids` are the cases of the counterexamples: CalibrationError where one of them, or its source group, would set
    the threshold. A `detector` that is given stands in the place of the one that is named. Raises ContractError,
    DatasetError, VictimError and ModelError as an attack does.
    """
    embedders = Embedders(cache)
    detector = detector or load.load(contract.victim, embedders.load)
    check_authorized(contract, detector)
    calibrated: Sequence[Case] = ()
    reported: Sequence[Case] = ()
    if contract.victim.threshold.calibrate is not None:
        material = gathered(contract, data)
        material = replace(material, cases=joined(material.cases, marks(contract, material)).cases)
        calibrated, _ = divided(contract, material.cases)
        reported = [case for case in material.cases if case.case_id in case_ids]
    victim = freeze(contract.victim, detector, embedders.loaded, calibrated, reported)
    return Subject(victim, _reference(victim, calibrated, tolerance))


def of_victim(
    victim: Victim, cache: Path | None, *, tolerance: float = TOLERANCE, detector: Detector | None = None
) -> Subject:
    """Build and freeze a victim whose threshold is given as a number, on its own scale.

    A `detector` that is given stands in the place of the one that is named. Raises VictimError and ModelError where it
    cannot be had.
    """
    embedders = Embedders(cache)
    frozen = freeze(victim, detector or load.load(victim, embedders.load), embedders.loaded, (), ())
    return Subject(frozen, _reference(frozen, (), tolerance))


def _reference(victim: FrozenVictim, calibrated: Sequence[Case], tolerance: float) -> Reference:
    """Return the reference of a victim: its calibration cases, or claims of the built-in facts where it has none."""
    cases = calibrated or _known_claims()
    drawn = sorted(cases, key=lambda case: digest_of(case.case_id))[:_REFERENCE_CASES]
    return reference(victim.measure([case.pair for case in drawn]), tolerance)


@lru_cache(maxsize=1)
def _known_claims() -> tuple[Case, ...]:
    return builtin(0, Suite.DEVELOPMENT).cases
