"""The victim as a run holds it: a detector with its threshold and its fingerprint, none of which changes any more."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any, cast

from pydantic import FiniteFloat

from confute.contract import Calibration, Segmentation, Victim
from confute.models.embedder import Embedder
from confute.models.load import DEFAULT as DEFAULT_EMBEDDER
from confute.records import Case, Decision, Pair, Record, Score, digest_of
from confute.victims import load
from confute.victims.calibration import CalibratedThreshold, check_disjoint, threshold
from confute.victims.detector import Detector
from confute.victims.energy import Rank
from confute.victims.isolation import IsolatedDetector, risk_of

_LIBRARIES = ("confute", "numpy", "nupunkt")
_RUNTIMES = {None: (), DEFAULT_EMBEDDER: ("onnxruntime", "tokenizers")}
_OTHER_RUNTIME = ("sentence-transformers", "torch")
_NOT_OF_SCORES: dict[str, Any] = {
    **dict.fromkeys(("threshold", "calibration", "calibration_version", "timeout_s", "deterministic"), True),
    "libraries": {"python": True},
}


class VictimManifest(Record):
    """Everything that a victim's scores and decisions depend on; its digest is the victim's fingerprint.

    `source_digest` is the SHA-256 of the module file of a user's own detector, `threshold` stands on the risk scale,
    and `calibration` is None where the contract gives the threshold as a number.
    """

    detector: str
    version: str
    source_digest: str | None
    embedder: str | None
    embedder_fingerprint: str | None
    rank: Rank | None
    segmentation: Segmentation
    higher_is_safer: bool
    deterministic: bool
    timeout_s: float
    threshold: FiniteFloat
    calibration: CalibratedThreshold | None
    calibration_version: str
    libraries: dict[str, str]

    @property
    def scoring_fingerprint(self) -> str:
        """SHA-256, in hex, of all that its scores depend on, whatever the threshold is."""
        return digest_of(self.model_dump(mode="json", exclude=_NOT_OF_SCORES))


class FrozenVictim:
    """A victim to ask: it measures pairs and decides on risks."""

    def __init__(self, detector: IsolatedDetector, manifest: VictimManifest) -> None:
        self._detector = detector
        self._manifest = manifest

    def measure(self, pairs: Sequence[Pair]) -> tuple[Score, ...]:
        """Return one Score a pair, in order; what cannot be measured is NO_EVIDENCE or ERROR, never an exception."""
        return self._detector.measure(pairs)

    def decide(self, score: Score) -> Decision | None:
        """Return ACCEPT iff risk <= threshold, so that a tie accepts; None where nothing was measured."""
        if score.value is None:
            return None
        return Decision.ACCEPT if score.value <= self.threshold else Decision.REJECT

    @property
    def threshold(self) -> float:
        """The threshold on the risk scale."""
        return self._manifest.threshold

    @property
    def manifest(self) -> VictimManifest:
        """What the fingerprint is made of."""
        return self._manifest

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of the manifest."""
        return digest_of(self._manifest.model_dump(mode="json"))


def freeze(  # noqa: PLR0913, PLR0917
    victim: Victim,
    detector: Detector,
    embedder: Embedder | None,
    calibration_cases: Sequence[Case],
    reported_cases: Sequence[Case],
    known: CalibratedThreshold | None = None,
) -> FrozenVictim:
    """Set the threshold of a detector, by number or on the calibration cases, and fix everything else of it.

    `victim.threshold.value` is a score on the detector's own scale, and is turned with the scores where higher is
    safer: ACCEPT iff score >= value then. Raises CalibrationError where no threshold can be set, or where a reported
    case shares a case or a source group with the calibration cases (`leaky_threshold`). A `known` calibration of an
    earlier start is taken as it is, since a victim that is not deterministic would give another one.
    """
    isolated = IsolatedDetector(detector, victim)
    if victim.threshold.value is not None:
        tau, calibrated = risk_of(victim.threshold.value, higher_is_safer=victim.higher_is_safer), None
    else:
        check_disjoint(calibration_cases, reported_cases)
        calibrated = known or _calibrated(isolated, calibration_cases, cast("Calibration", victim.threshold.calibrate))
        tau = calibrated.value
    return FrozenVictim(isolated, _manifest(victim, embedder, tau, calibrated))


def scoring_fingerprint(victim: Victim, embedder: Embedder | None) -> str:
    """Return the `scoring_fingerprint` of a loaded victim for which no threshold is set."""
    return _manifest(victim, embedder, 0.0, None).scoring_fingerprint


def _calibrated(detector: IsolatedDetector, cases: Sequence[Case], calibration: Calibration) -> CalibratedThreshold:
    return threshold(cases, detector.measure([case.pair for case in cases]), calibration)


def _manifest(
    victim: Victim, embedder: Embedder | None, tau: float, calibrated: CalibratedThreshold | None
) -> VictimManifest:
    source = load.own_source(victim)
    return VictimManifest(
        detector=victim.detector,
        version=victim.version,
        source_digest=None if source is None else hashlib.sha256(source).hexdigest(),
        embedder=load.embedder_name(victim),
        embedder_fingerprint=None if embedder is None else embedder.fingerprint,
        rank=load.rank_of(victim),
        segmentation=victim.segmentation,
        higher_is_safer=victim.higher_is_safer,
        deterministic=victim.deterministic,
        timeout_s=victim.timeout_s,
        threshold=tau,
        calibration=calibrated,
        calibration_version=victim.calibration_version,
        libraries=_libraries(load.embedder_name(victim)),
    )


def _libraries(embedder: str | None) -> dict[str, str]:
    installed = {"python": platform.python_version()}
    for name in (*_LIBRARIES, *_RUNTIMES.get(embedder, _OTHER_RUNTIME)):
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed
