"""`confute curve`: claims frozen, one victim a rank with its threshold set first, then every budget from one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

import numpy as np

from confute.contract import AttackContract
from confute.errors import ContractError, DatasetError
from confute.harness import arena
from confute.harness.arena import Embedders, Material
from confute.harness.campaign import Progress
from confute.harness.degradation import Ablation, Degradation, PoolSummary, RankCurve, Settings
from confute.harness.degradation_curve import Materials, Measurement
from confute.harness.findings import Finding
from confute.harness.manifest import DatasetSummary
from confute.harness.mining.miner import Draw, Found, Miner, Toggles
from confute.harness.mining.null_directions import NullDirectionsEnergy
from confute.harness.mining.pool import Pool, pool
from confute.harness.stats.cluster import FEW_CLUSTERS
from confute.records import Case, Label, digest_of
from confute.victims import load as victims
from confute.victims.detector import Detector
from confute.victims.energy import Rank
from confute.victims.frozen import FrozenVictim, freeze

_ENERGY = "hallucination_energy"


def run(
    contract: AttackContract, data: Path | None, cache: Path | None, settings: Settings, progress: Progress
) -> Degradation:
    """Sweep the budgets of evidence mining against a victim that is frozen first.

    Calibration cases share no source group with the claims and the pool. Raises ContractError where the victim is not
    `hallucination_energy` or the oracle and the file do not go together, DatasetError where no claim is left,
    VictimError where the threshold cannot be set, ModelError where the embedder cannot be had.
    """
    _check(contract)
    ranks = settings.ranks or (victims.rank_of(contract.victim) or "full",)
    settings = settings.model_copy(update={"ranks": ranks, "budgets": tuple(sorted(set(settings.budgets)))})
    progress.begin("prepare", 1)
    gathered = arena.gathered(contract, data)
    made = _material(contract, settings, gathered, cache, progress)
    progress.advance(1)
    curves, summary = _curves(made, ranks, settings.toggles)
    ablations = tuple(_ablations(made, ranks[-1])) if settings.ablate else ()
    return Degradation(
        curve_id=digest_of([contract.digest, settings.model_dump(mode="json"), gathered.source.digest])[:16],
        contract_digest=contract.digest,
        confute_version=version("confute"),
        seed=contract.evaluation.seed,
        settings=settings,
        dataset=gathered.source,
        oracle=contract.objective.oracle,
        pool=summary,
        curves=curves,
        ablations=ablations,
        warnings=(*_findings(made, curves, summary), *_dropped(gathered.source)),
    )


def _check(contract: AttackContract) -> None:
    if contract.victim.detector != _ENERGY:
        raise ContractError(
            "the curve sweeps the rank and the evidence of one detector",
            field="victim.detector",
            allowed=_ENERGY,
            got=contract.victim.detector,
        )


def _material(
    contract: AttackContract, settings: Settings, gathered: Material, cache: Path | None, progress: Progress
) -> Materials:
    calibrated, attacked = arena.divided(contract, gathered.cases)
    embedder = Embedders(cache).load(victims.embedder_name(contract.victim) or "")
    return Materials(
        contract=contract,
        settings=settings,
        calibrated=_selected(calibrated, settings.select),
        attacked=_selected(attacked, settings.select),
        pool=pool(attacked, contract.victim.segmentation, embedder),
        embedder=embedder,
        oracle=gathered.oracle,
        progress=progress,
    )


def _selected(cases: Sequence[Case], pattern: str | None) -> tuple[Case, ...]:
    return tuple(case for case in cases if pattern is None or fnmatchcase(case.case_id, pattern))


def _ablations(made: Materials, rank: Rank) -> Iterator[Ablation]:
    for name in Toggles.model_fields:
        (curve,), summary = _curves(made, (rank,), Toggles(**{name: False}))
        yield Ablation(toggle=name, pool=summary, curve=curve)


def _curves(made: Materials, ranks: Sequence[Rank], toggles: Toggles) -> tuple[tuple[RankCurve, ...], PoolSummary]:
    claims = tuple(case for case in made.labelled if case.label is Label.SUPPORTED or not toggles.honour_labels)
    if not claims:
        raise DatasetError(
            "no claim is labelled SUPPORTED and has evidence, so there is no positive to tell negatives from",
            field="label" if made.settings.select is None else "--select",
            got=f"{len(made.attacked)} cases",
            hint="give a file with SUPPORTED rows outside the calibration half",
        )
    victim = made.contract.victim
    miner = Miner(
        claims,
        made.embedder.embed([case.claim for case in claims]),
        made.pool,
        victim.segmentation,
        toggles=toggles,
        seed=made.contract.evaluation.seed,
    )
    made.progress.begin("mine", 1)
    sweeps = miner.sweep(ranks, made.settings.budgets)
    draws = {draw: Found(miner.drawn(draw), np.zeros(len(claims), dtype=np.intp)) for draw in Draw}
    made.progress.advance(1)
    made.progress.begin("measure", len(ranks))
    curves = []
    for sweep in sweeps:
        curves.append(Measurement(made, claims, _frozen(made, sweep.rank, toggles), sweep, draws).curve())
        made.progress.advance(1)
    return tuple(curves), _pool_summary(made.pool, miner)


def _frozen(made: Materials, rank: Rank, toggles: Toggles) -> FrozenVictim:
    victim = made.contract.victim.model_copy(update={"rank": rank})
    detector: Detector = (
        victims.load(victim, lambda _: made.embedder)
        if toggles.drop_null_directions
        else NullDirectionsEnergy(made.embedder, rank)
    )
    return freeze(victim, detector, made.embedder, made.calibrated, made.attacked)


def _pool_summary(made: Pool, miner: Miner) -> PoolSummary:
    return PoolSummary(
        sets=len(made.sets),
        groups=len({group for one in made.sets for group in one.groups}),
        cases_without_evidence=made.without_evidence,
        most_rows=int(np.diff(made.offsets).max()),
        fewest_eligible=int(miner.eligible.min()),
        most_eligible=int(miner.eligible.max()),
    )


def _dropped(source: DatasetSummary) -> Iterator[Finding]:
    if source.dropped:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(source.dropped.items()))
        yield Finding(code="rows_dropped", message=f"Of {source.rows} rows some were left out: {reasons}.")


def _findings(made: Materials, curves: Sequence[RankCurve], summary: PoolSummary) -> Iterator[Finding]:
    curve = curves[0]
    moved = made.settings.toggles.moved
    if moved:
        yield Finding(code="toggles_moved", message=f"Not the safe way to mine; moved: {', '.join(moved)}.")
    if summary.groups == 1:
        yield Finding(code="one_source", message="All evidence is of one source, so no set is foreign to any claim.")
    for point in curve.points:
        if point.too_few_eligible:
            message = (
                f"K = {point.name}: {point.too_few_eligible} of {point.claims} claims have too few eligible sets "
                f"(of {summary.sets}) and are left out there."
            )
            yield Finding(code="too_few_eligible", message=message)
    if summary.cases_without_evidence:
        message = f"{summary.cases_without_evidence} cases have no evidence: neither mined nor mined for."
        yield Finding(code="cases_without_evidence", message=message)
    if summary.most_rows == 1:
        message = "Every set is one passage: the lowest energy is the highest cosine, sign aside, so K adds little."
        yield Finding(code="one_passage_sets", message=message)
    if any(point.unchecked for point in curve.points):
        message = (
            "No oracle checked the mined sets for accidental support; evidence of another source is taken as none."
        )
        yield Finding(code="support_unchecked", message=message)
    cut = arena.truncated(made.contract.victim, made.attacked, made.embedder)
    if cut:
        yield Finding(code="texts_cut", message=f"Longer than the embedder reads, and cut: {cut} texts.")
    if curve.groups < FEW_CLUSTERS:
        yield Finding(code="few_clusters", message=f"Only {curve.groups} independent sources; intervals are wide.")
    if curve.victim.threshold_source == "given":
        yield Finding(code="threshold_given", message="The threshold was given, not calibrated.")
    if any(one.monotony.rises for one in curves):
        yield Finding(code="best_of_k_rises", message="Best-of-K rose with K: the search is not what it claims to be.")
