"""A curve before its first point: the claims, the pool of their evidence, and a frozen victim for each rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

import numpy as np

from confute.contract import AttackContract, OracleChoice
from confute.curve_plan import CurvePlan, Rank, Toggles
from confute.errors import ContractError, DatasetError, shown
from confute.harness import arena
from confute.harness.arena import Embedders, Material
from confute.harness.arena_manifest import victim_summary
from confute.harness.campaign import Progress
from confute.harness.degradation import Override, PoolSummary, SourceSummary
from confute.harness.degradation_manifest import CurveManifest, VariantSummary
from confute.harness.degradation_measure import Frozen
from confute.harness.degradation_rows import Variant, variants
from confute.harness.manifest import CaseSummary
from confute.harness.mining.miner import Miner
from confute.harness.mining.null_directions import NullDirectionsEnergy
from confute.harness.mining.pool import Pool, pool
from confute.harness.mining.sources import Joined, joined
from confute.harness.mining.support import Support
from confute.models.embedder import TruncatingEmbedder
from confute.records import Case, Label, digest_of
from confute.victims import load as victims
from confute.victims.calibration import check_enough
from confute.victims.detector import Detector
from confute.victims.frozen import FrozenVictim, freeze
from confute.victims.segmentation import passages

_ENERGY = "hallucination_energy"
_SELECT = "curve.select"
_SHOWN = 3


@dataclass(frozen=True)
class Prepared:
    """A curve with everything frozen, before its first point."""

    manifest: CurveManifest
    labelled: tuple[Case, ...]
    pool: Pool
    support: Support
    ways: tuple[Frozen, ...]


def prepare(
    contract: AttackContract,
    overrides: Sequence[Override],
    data: Path | None,
    cache: Path | None,
    progress: Progress,
) -> Prepared:
    """Read the claims, gather their evidence, and freeze a victim for each rank; nothing is written.

    Groups that share a source are joined first, so that calibration cases share none with the claims and the pool.
    Raises ContractError where the contract declares no curve, the victim is not `hallucination_energy` or the oracle
    and the file do not go together, DatasetError where no claim is left or a threshold would be set for nothing, since
    all evidence to mine is of one source, VictimError where the threshold cannot be set
    or a vector cannot be used, ModelError where the embedder cannot be had.
    """
    contract, plan = _planned(contract)
    progress.begin("prepare", 1)
    gathered = arena.gathered(contract, data)
    marks = arena.marks(contract, gathered)
    sources = joined(gathered.cases, marks)
    _check_several_sources(contract, sources.cases, "")
    halves = arena.divided(contract, sources.cases)
    _check_several_sources(contract, halves[1], " outside the calibration half")
    calibrated, attacked = (_selected(half, plan.select) for half in halves)
    if not calibrated and not attacked:
        raise _nothing_selected(gathered.cases, plan.select, overrides)
    if (how := contract.victim.threshold.calibrate) is not None:
        check_enough(calibrated, how)
    embedder = Embedders(cache).load(victims.embedder_name(contract.victim) or "")
    declared = {case.case_id: case for case in gathered.cases}
    foreign = [declared[case.case_id] for case in halves[1]]
    labelled = tuple(case for case in attacked if any(passage.strip() for passage in case.evidence))
    bench = _Bench(
        contract=contract,
        plan=plan,
        sources=sources,
        declared=declared,
        calibrated=calibrated,
        attacked=attacked,
        labelled=labelled,
        pool=pool(foreign, contract.victim.segmentation, embedder, marks),
        groups=len(_sources_of_evidence(contract, halves[1])),
        support=Support(gathered.oracle, knows_all=contract.objective.oracle is OracleChoice.FACTS),
        embedder=embedder,
    )
    ways = tuple(bench.frozen(variant) for variant in variants(plan))
    progress.advance(1)
    return Prepared(
        manifest=_manifest(bench, ways, overrides, gathered),
        labelled=labelled,
        pool=bench.pool,
        support=bench.support,
        ways=ways,
    )


@dataclass(frozen=True)
class _Bench:
    """What all ways to mine share.

    Groups are those of joined sources, but for the `declared` cases, by case id, and the pool: mining keeps a set from
    a claim for what the two share themselves, not for what they share by way of others.
    """

    contract: AttackContract
    plan: CurvePlan
    sources: Joined
    declared: Mapping[str, Case]
    calibrated: tuple[Case, ...]
    attacked: tuple[Case, ...]
    labelled: tuple[Case, ...]
    pool: Pool
    groups: int
    support: Support
    embedder: TruncatingEmbedder

    def frozen(self, variant: Variant) -> Frozen:
        claims = self._claims(variant.toggles)
        miner = Miner(
            [self.declared[case.case_id] for case in claims],
            self.embedder.embed([case.claim for case in claims]),
            self.pool,
            toggles=variant.toggles,
            seed=self.contract.evaluation.seed,
            support=self.support,
        )
        made = {rank: self._victim(rank, variant.toggles) for rank in variant.ranks}
        return Frozen(variant=variant, claims=claims, miner=miner, victims=made)

    def _claims(self, toggles: Toggles) -> tuple[Case, ...]:
        claims = tuple(case for case in self.labelled if case.label is Label.SUPPORTED or not toggles.honour_labels)
        if not claims:
            raise DatasetError(
                "no claim is labelled SUPPORTED and has evidence, so there is no positive to tell negatives from",
                field="label" if self.plan.select is None else _SELECT,
                got=f"{len(self.attacked)} cases",
                hint="give a file with SUPPORTED rows outside the calibration half",
            )
        return claims

    def _victim(self, rank: Rank, toggles: Toggles) -> FrozenVictim:
        victim = self.contract.victim.model_copy(update={"rank": rank})
        detector: Detector = (
            victims.load(victim, lambda _: self.embedder)
            if toggles.drop_null_directions
            else NullDirectionsEnergy(self.embedder, rank)
        )
        return freeze(victim, detector, self.embedder, self.calibrated, self.attacked)


def _planned(contract: AttackContract) -> tuple[AttackContract, CurvePlan]:
    """Return a contract whose plan names its ranks. Raises ContractError where it declares no curve of this victim."""
    if contract.curve is None:
        raise ContractError(
            "the contract declares no curve",
            field="curve",
            hint="add `curve: {budgets: [1, 4, 16, 64, 256, all]}`, or run `confute attack`",
        )
    if contract.victim.detector != _ENERGY:
        raise ContractError(
            "the curve sweeps the rank and the evidence of one detector",
            field="victim.detector",
            allowed=_ENERGY,
            got=contract.victim.detector,
        )
    ranks = contract.curve.ranks or (victims.rank_of(contract.victim) or "full",)
    plan = contract.curve.model_copy(update={"ranks": ranks})
    return contract.model_copy(update={"curve": plan}), plan


def _check_several_sources(contract: AttackContract, cases: Sequence[Case], where: str) -> None:
    if contract.victim.threshold.calibrate is not None and len(_sources_of_evidence(contract, cases)) == 1:
        raise DatasetError(
            f"nothing could be mined: all evidence{where} is of one source, so that no set is foreign to any claim",
            field="group",
            allowed="evidence of several sources; groups that share a passage or a named source are one",
            got=f"{len(cases)} cases",
            hint="give other claims, or victim.threshold.value to see these with their own evidence alone",
        )


def _sources_of_evidence(contract: AttackContract, cases: Sequence[Case]) -> set[str]:
    return {case.group for case in cases if passages(case.evidence, contract.victim.segmentation)}


def _selected(cases: Sequence[Case], pattern: str | None) -> tuple[Case, ...]:
    return tuple(case for case in cases if pattern is None or fnmatchcase(case.case_id, pattern))


def _nothing_selected(cases: Sequence[Case], pattern: str | None, overrides: Sequence[Override]) -> DatasetError:
    given = any(one.field == _SELECT for one in overrides)
    alike = ", ".join(shown(case.case_id) for case in cases[:_SHOWN])
    return DatasetError(
        f"no id matches {shown(pattern)}; ids look like {alike}",
        field="--select" if given else _SELECT,
        allowed="a glob: * stands for any characters, ? for one",
    )


def _manifest(
    bench: _Bench, ways: Sequence[Frozen], overrides: Sequence[Override], gathered: Material
) -> CurveManifest:
    contract, software = bench.contract, version("confute")
    named = [contract.digest, [one.model_dump() for one in overrides], gathered.source.digest, software]
    return CurveManifest(
        curve_id=digest_of(named)[:16],
        contract=contract,
        contract_digest=contract.digest,
        overrides=tuple(overrides),
        confute_version=software,
        oracle_version=gathered.version,
        dataset=gathered.source,
        attacked=len(bench.attacked),
        sources=SourceSummary(
            declared=bench.sources.declared,
            joined=len({case.group for case in bench.sources.cases}),
            largest=bench.sources.largest,
        ),
        cases=tuple(
            CaseSummary(
                case_id=case.case_id, domain=case.domain, source=case.source, group=case.group, label=case.label
            )
            for case in bench.labelled
        ),
        variants=tuple(_variant_summary(way, bench) for way in ways),
        truncated_texts=arena.truncated(contract.victim, bench.attacked, bench.embedder),
    )


def _variant_summary(way: Frozen, bench: _Bench) -> VariantSummary:
    made, kept = bench.pool, way.miner.kept
    return VariantSummary(
        moved=way.variant.toggles.moved,
        claims=tuple(case.case_id for case in way.claims),
        pool=PoolSummary(
            sets=len(made.sets),
            groups=bench.groups,
            cases_without_evidence=made.without_evidence,
            most_rows=int(np.diff(made.offsets).max()),
            fewest_eligible=int(way.miner.eligible.min()),
            most_eligible=int(way.miner.eligible.max()),
            kept_apart=kept.shared,
            supporting=int(kept.supporting.counts.sum()),
        ),
        victims=tuple(victim_summary(way.victims[rank]) for rank in way.variant.ranks),
    )
