"""What a curve was made of besides its rows: the contract, the frozen victims, the claims and the pool."""

from __future__ import annotations

from typing import Literal

from confute.contract import AttackContract
from confute.curve_plan import CurvePlan
from confute.harness.degradation import Override, PoolSummary, SourceSummary
from confute.harness.degradation_rows import Point, Variant, variants
from confute.harness.manifest import CaseSummary, DatasetSummary, VictimSummary
from confute.records import Record


class VariantSummary(Record):
    """One way to mine: the toggles that are off, its claims, how many sets they may be given, and a victim a rank."""

    moved: tuple[str, ...]
    claims: tuple[str, ...]
    pool: PoolSummary
    victims: tuple[VictimSummary, ...]


class CurveManifest(Record):
    """Everything besides the rows that a curve's page is made of; nothing in it depends on the clock.

    `contract` is the one that was carried out, with the `overrides` of the command in it; its plan names its ranks.
    `cases` are the labelled ones that have evidence, `attacked` counts those without it too; the group of each is its
    joined source.
    """

    kind: Literal["adversarial_degradation_curve"] = "adversarial_degradation_curve"
    curve_id: str
    contract: AttackContract
    contract_digest: str
    overrides: tuple[Override, ...]
    confute_version: str
    oracle_version: str
    dataset: DatasetSummary
    attacked: int
    sources: SourceSummary
    cases: tuple[CaseSummary, ...]
    variants: tuple[VariantSummary, ...]
    truncated_texts: int

    @property
    def plan(self) -> CurvePlan:
        """The contract's plan."""
        return self.contract.curve or CurvePlan()

    def parts(self) -> tuple[tuple[Variant, VariantSummary], ...]:
        """Return each way to mine with its summary: first the plan's own, then one for each toggle moved alone."""
        return tuple(zip(variants(self.plan), self.variants, strict=True))

    def points(self) -> tuple[Point, ...]:
        """Return every point of the sweep, in the order in which they are measured."""
        return tuple(
            point
            for variant in variants(self.plan)
            for rank in variant.ranks
            for point in variant.points(self.plan, rank)
        )
