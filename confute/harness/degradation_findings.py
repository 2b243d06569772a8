"""What has to be read before the figures of a curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from confute.harness.degradation import Ablation, PoolSummary, RankCurve, nothing_mined
from confute.harness.degradation_manifest import CurveManifest
from confute.harness.findings import Finding
from confute.harness.left_out import rows_left_out
from confute.harness.render.words import counted
from confute.harness.stats.cluster import FEW_CLUSTERS

_MOVED = {
    "source_guard": "evidence of a claim's own source passes for wrong evidence",
    "honour_labels": "every row is taken for a positive, REFUTED ones among them",
    "eligible_budget": "a claim's own set and its source's take places of K, and what is lacking is drawn at random",
    "drop_null_directions": "directions that the evidence does not have lower the energy",
}


def findings(
    manifest: CurveManifest, curves: Sequence[RankCurve], ablations: Sequence[Ablation], measured: int
) -> Iterator[Finding]:
    """Yield whatever bears on how the curves may be read: departures from the contract and the safe way first."""
    summary = manifest.variants[0].pool
    if measured < len(manifest.points()):
        message = (
            f"Unfinished: {measured} of {len(manifest.points())} points are measured; ranks with a gap are left out."
        )
        yield Finding(code="unfinished", message=message)
    for name in manifest.plan.toggles.moved:
        message = f"Not the safe way to mine: {name} is off, so that {_MOVED[name]}."
        yield Finding(code="toggles_moved", message=message)
    for one in manifest.overrides:
        message = f"Not as the contract declares: {one.field} is {one.given} (declared: {one.declared})."
        yield Finding(code="overridden", message=message)
    yield from _of_pool(summary, curves[0])
    yield from _of_texts(manifest, curves[0])
    yield from _of_curves(curves)
    yield from _of_search(curves, ablations)


def _of_pool(summary: PoolSummary, curve: RankCurve) -> Iterator[Finding]:
    if summary.sets == 1:
        yield Finding(code="one_set", message="All cases have one and the same evidence set, so no other can be given.")
    if summary.groups == 1:
        yield Finding(code="one_source", message="All evidence is of one source, so no set is foreign to any claim.")
    if nothing_mined(curve):
        message = (
            f"Nothing could be mined: no claim has an eligible set at any K (of {counted(summary.sets, 'set')}, "
            f"{summary.most_eligible} at most)."
        )
        yield Finding(code="nothing_eligible", message=message)
    for point in curve.points:
        if point.too_few_eligible:
            message = (
                f"K = {point.name}: {point.too_few_eligible} of {point.claims} claims have too few eligible sets "
                f"(of {summary.sets}) and are left out there."
            )
            yield Finding(code="too_few_eligible", message=message)
    if summary.cases_without_evidence:
        message = f"Without evidence, neither mined nor mined for: {counted(summary.cases_without_evidence, 'case')}."
        yield Finding(code="cases_without_evidence", message=message)
    if summary.most_rows == 1:
        message = "Every set is one passage: the lowest energy is the highest cosine, sign aside, so K adds little."
        yield Finding(code="one_passage_sets", message=message)


def _of_texts(manifest: CurveManifest, curve: RankCurve) -> Iterator[Finding]:
    if any(point.unchecked for point in curve.points):
        message = (
            "No oracle checked the mined sets for accidental support, but for sets that share passages with a claim's "
            "own: evidence of another source is taken as none."
        )
        yield Finding(code="support_unchecked", message=message)
    if manifest.truncated_texts:
        message = f"Longer than the embedder reads, and cut: {counted(manifest.truncated_texts, 'text')}."
        yield Finding(code="texts_cut", message=message)
    if (left_out := rows_left_out(manifest.dataset)) is not None:
        yield Finding(code="rows_dropped", message=left_out)


def _of_curves(curves: Sequence[RankCurve]) -> Iterator[Finding]:
    if curves[0].groups < FEW_CLUSTERS:
        message = f"Only {counted(curves[0].groups, 'independent source')}; intervals are wide."
        yield Finding(code="few_clusters", message=message)
    if curves[0].victim.threshold_source == "given":
        yield Finding(code="threshold_given", message="The threshold was given, not calibrated.")


def _of_search(curves: Sequence[RankCurve], ablations: Sequence[Ablation]) -> Iterator[Finding]:
    named = [(f"rank {one.rank}", one) for one in curves]
    named += [(f"without {one.toggle}, rank {one.curve.rank}", one.curve) for one in ablations]
    for name, one in named:
        if one.monotony.rises:
            message = (
                f"Best-of-K rose with K ({name}) in {one.monotony.rises} of {one.monotony.compared} steps: "
                "there the search is not what it claims to be."
            )
            yield Finding(code="best_of_k_rises", message=message)
        drawn = {point.name: point.fallen_back for point in one.points if point.fallen_back}
        if drawn:
            counts = ", ".join(f"K = {budget}: {count}" for budget, count in drawn.items())
            message = f"Drawn at random, since nothing in the shortlist was eligible ({name}): {counts} claims."
            yield Finding(code="fallen_back", message=message)
        if one.common_claims < one.claims:
            message = (
                f"The slope, the largest fall and the check of best-of-K ({name}) rest on the {one.common_claims} of "
                f"{one.claims} claims that are measured at every K."
            )
            yield Finding(code="some_claims_at_every_k", message=message)
