"""A curve's folder: every point in its ledger, and the result made of that ledger alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from confute.errors import LedgerError, ReportError
from confute.harness.campaign import Progress
from confute.harness.degradation import Ablation, Degradation, RankCurve
from confute.harness.degradation_curve import rank_curve
from confute.harness.degradation_findings import findings
from confute.harness.degradation_manifest import CurveManifest, VariantSummary
from confute.harness.degradation_measure import Measurer
from confute.harness.degradation_prepare import Prepared
from confute.harness.degradation_rows import PointLedger, Variant, opened
from confute.harness.files import write_text
from confute.harness.folders import CURVE_MANIFEST
from confute.harness.run_lock import locked
from confute.records import digest_of

_LEDGER = "ledger.sqlite"


def carry_out(folder: Path, prepared: Prepared, progress: Progress) -> Degradation:
    """Measure every point that the folder's ledger does not hold yet, and return the result that is made of it.

    Raises LedgerError where the ledger is of other parts, or cannot be written.
    """
    manifest = prepared.manifest
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(f"{folder}: cannot be made: {error.strerror}") from error
    with locked(folder), opened(folder / _LEDGER) as ledger:
        ledger.chain.identify(_identity(manifest))
        write_text(folder / CURVE_MANIFEST, manifest.model_dump_json(indent=2))
        measurer = Measurer(
            contract_digest=manifest.contract_digest,
            plan=manifest.plan,
            labelled=prepared.labelled,
            pool=prepared.pool,
            support=prepared.support,
            ledger=ledger,
            progress=progress,
        )
        for way in prepared.ways:
            measurer.measure(way)
    return result_of(folder)


def is_curve(folder: Path) -> bool:
    """Tell whether a folder is a curve's."""
    return (folder / CURVE_MANIFEST).is_file()


def result_of(folder: Path) -> Degradation:
    """Build the result of a curve from its ledger and manifest alone, finished or not.

    Raises ReportError where no rank is measured whole, LedgerError where the ledger was altered.
    """
    try:
        manifest = CurveManifest.model_validate_json((folder / CURVE_MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{folder}: no curve to report on", hint="make one with `confute curve`") from error
    with opened(folder / _LEDGER) as ledger:
        (variant, summary), *ablated = manifest.parts()
        curves = tuple(_curves(manifest, variant, summary, ledger))
        ablations = tuple(
            Ablation(toggle=other.toggles.moved[0], pool=about.pool, curve=curve)
            for other, about in ablated
            for curve in _curves(manifest, other, about, ledger)
        )
        points = manifest.points()
        measured = sum(point in ledger for point in points)
    if not curves:
        raise ReportError(
            f"{folder}: no rank is measured whole yet",
            got=f"{measured} of {len(points)} points",
            hint="go on with it: give the same `confute curve` command again",
        )
    return Degradation(
        curve_id=manifest.curve_id,
        contract_digest=manifest.contract_digest,
        confute_version=manifest.confute_version,
        seed=manifest.contract.evaluation.seed,
        plan=manifest.plan,
        overrides=manifest.overrides,
        planned=len(points),
        measured=measured,
        dataset=manifest.dataset,
        oracle=manifest.contract.objective.oracle,
        sources=manifest.sources,
        pool=summary.pool,
        curves=curves,
        ablations=ablations,
        warnings=tuple(findings(manifest, curves, ablations, measured)),
    )


def ledger_digest(folder: Path) -> str:
    """Return the chain digest of a curve's ledger, in hex."""
    with opened(folder / _LEDGER) as ledger:
        return ledger.chain.digest


def _identity(manifest: CurveManifest) -> dict[str, str]:
    return {
        "contract": manifest.contract_digest,
        "victims": digest_of([victim.digest for one in manifest.variants for victim in one.victims]),
        "oracle": manifest.oracle_version,
        "cases": manifest.dataset.digest,
        "confute": manifest.confute_version,
    }


def _curves(
    manifest: CurveManifest, variant: Variant, summary: VariantSummary, ledger: PointLedger
) -> Iterator[RankCurve]:
    """Yield the curve of each rank whose points are all measured."""
    for rank, victim in zip(variant.ranks, summary.victims, strict=True):
        points = variant.points(manifest.plan, rank)
        if all(point in ledger for point in points):
            yield rank_curve(manifest, summary.claims, victim, {point: ledger.rows(point) for point in points})
