"""The detector under test, and the frozen victim that counterexamples are put to."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from confute import contract as contracts
from confute.contract import AttackContract, Threshold, Victim
from confute.errors import VictimError
from confute.harness import run
from confute.harness.arena import Embedders
from confute.harness.cache_folder import cache_folder
from confute.harness.folders import RUN_ORDER
from confute.harness.policy.choosing import read_band
from confute.harness.policy.policy import Policy
from confute.harness.regress import subject
from confute.harness.regress.subject import Subject
from confute.testing.settings import Settings
from confute.victims import load
from confute.victims.detector import Detector

_THRESHOLD = 0.5


def detector_of(settings: Settings) -> Detector:
    """Return the detector that was named, by itself, by a contract, or by the run whose folder holds the corpus.

    Raises VictimError where none was, or where it cannot be built, and ContractError for the contract.
    """
    if settings.detector is not None:
        return load.load(_victim(settings, settings.detector), Embedders(_cache()).load)
    declared = _contract(settings)
    if declared is None:
        raise VictimError(
            "no detector was named",
            field="detector",
            allowed="--confute-detector or --confute-contract, in the ini file confute_detector or confute_contract",
            hint="or write a fixture `detector` of your own, in conftest.py",
        )
    return load.load(declared[0].victim, Embedders(_cache()).load)


def subject_of(settings: Settings, detector: Detector, case_ids: Collection[str]) -> Subject:
    """Freeze a detector under the threshold that was given, or as a contract sets it.

    A detector of a fixture is measured against --confute-threshold where no contract is given. Raises the errors of
    `confute.harness.regress.subject`.
    """
    declared = None if settings.detector is not None else _contract(settings)
    if declared is None:
        name = settings.detector or f"fixture:{type(detector).__name__}"
        return subject.of_victim(_victim(settings, name), _cache(), detector=detector)
    contract, data = declared
    return subject.of_contract(contract, data, _cache(), case_ids, detector=detector)


def band_of(settings: Settings, subject: Subject) -> Policy | None:
    """Return the review band of the policy that was given, if any; raises ReportError where it is of another victim."""
    if settings.policy is None:
        return None
    return read_band(settings.policy, subject.victim.manifest, "--confute-policy")


def _victim(settings: Settings, name: str) -> Victim:
    value = _THRESHOLD if settings.threshold is None else settings.threshold
    return Victim(detector=name, threshold=Threshold(value=value), higher_is_safer=settings.higher_is_safer)


def _contract(settings: Settings) -> tuple[AttackContract, Path | None] | None:
    """Return the contract that was given, else that of the run whose folder holds the corpus, with its claims."""
    if settings.contract is not None:
        return contracts.load(settings.contract), settings.data
    if settings.corpus is None or not (settings.corpus.parent / RUN_ORDER).is_file():
        return None
    if settings.threshold is not None:
        return None
    order = run.read_order(settings.corpus.parent)
    return order.contract, settings.data or (None if order.data is None else Path(order.data))


def _cache() -> Path:
    named = os.environ.get("CONFUTE_CACHE")
    return Path(named) if named else cache_folder()
