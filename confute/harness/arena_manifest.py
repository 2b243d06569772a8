"""What a report keeps of an arena: the contract, the cases, and the victim as it was frozen."""

from __future__ import annotations

from importlib.metadata import version

from confute.harness.arena import Prepared
from confute.harness.frozen_attacker import fingerprint_of
from confute.harness.manifest import CalibrationSummary, CaseSummary, RunManifest, VictimSummary
from confute.victims.frozen import FrozenVictim


def manifest(prepared: Prepared, run_id: str) -> RunManifest:
    """Return what a report has to know of an arena besides the attempts."""
    arena = prepared.arena
    return RunManifest(
        run_id=run_id,
        contract=arena.contract,
        contract_digest=arena.contract.digest,
        confute_version=version("confute"),
        victim=victim_summary(arena.victim),
        attacker_name=arena.contract.attacker.strategy,
        attacker_fingerprint=prepared.attacker_fingerprint,
        frozen_attacker=None
        if arena.contract.attacker.frozen is None
        else fingerprint_of(prepared.strategy_fingerprint, arena.experience),
        oracle_version=prepared.oracle_version,
        dataset=prepared.source,
        truncated_texts=prepared.truncated_texts,
        cases=tuple(
            CaseSummary(
                case_id=case.case_id, domain=case.domain, source=case.source, group=case.group, label=case.label
            )
            for case in arena.cases
        ),
    )


def victim_summary(victim: FrozenVictim) -> VictimSummary:
    """Return what a report shows of a frozen victim."""
    found = victim.manifest
    parts = {name: str(value) for name, value in found.model_dump(mode="json", exclude={"calibration"}).items()}
    return VictimSummary(
        digest=victim.fingerprint,
        detector=found.detector,
        version=found.version,
        threshold=found.threshold,
        threshold_source="given" if found.calibration is None else "calibrated",
        parts=parts,
        calibration=None
        if found.calibration is None
        else CalibrationSummary(
            n=found.calibration.n,
            k=found.calibration.k,
            unmeasured=found.calibration.unmeasured,
            warnings=found.calibration.warnings,
            error=found.calibration.error,
            target_rate=found.calibration.target_rate,
            set_digest=found.calibration.set_digest,
        ),
    )
