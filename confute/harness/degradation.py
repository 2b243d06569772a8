"""The Adversarial Degradation Curve: how a detector's ranking and decisions fare as the search for evidence grows."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import FiniteFloat

from confute.curve_plan import CurvePlan, Rank
from confute.harness.findings import Finding
from confute.harness.manifest import DatasetSummary, VictimSummary
from confute.harness.rates import Estimate, Rate
from confute.records import Record

BINS = 20
"""How many bins of equal width over [0, 1] a histogram of energies has."""


class Override(Record):
    """A field of the contract that an option of the command took the place of."""

    field: str
    declared: str
    given: str


class Share(Record):
    """A rate with its counts, and a 95 % cluster-bootstrap interval of it."""

    rate: Rate
    bootstrap: Estimate


class Depth(Record):
    """How deep by similarity the chosen sets stand among the eligible ones, from 1."""

    median: float
    p90: float
    deepest: int
    first: int


class Negatives(Record):
    """The claims with one kind of wrong evidence, against the same claims with their own.

    `budget` is K, None for what is not searched or searches all. Of `claims`, `mined` were given a set;
    `too_few_eligible` had fewer eligible sets than the budget, `ruled_supported` were given one that supports the claim
    in the oracle's word; `fallen_back` of the mined were given one at random, since nothing in the shortlist was
    eligible. `unchecked` of the mined are taken as unsupported since no oracle can tell. `gap` is the mean energy of
    these negatives minus that of the positives; `auc` the chance that a negative has the higher energy; `induced`
    counts the claims whose baseline negative was rightly rejected. `overlap` is the mass that the histograms of
    positives and negatives share.
    """

    name: str
    budget: int | None
    claims: int
    mined: int
    too_few_eligible: int
    ruled_supported: int
    fallen_back: int
    unchecked: int
    mean: FiniteFloat | None
    gap: Estimate
    auc: Estimate
    false_acceptance: Share
    induced: Share
    overlap: FiniteFloat | None
    histogram: tuple[int, ...]
    depth: Depth | None


class Drop(Record):
    """The largest fall of the AUC between neighbouring budgets; the interval does not know that it was chosen."""

    start: int
    stop: int
    fall: Estimate


class Monotony(Record):
    """Best-of-K never rises with K: `rises` of `compared` steps did, by more than rounding of the search.

    Steps are those of the claims that are measured at every finite budget.
    """

    compared: int
    rises: int
    largest: FiniteFloat


class RankCurve(Record):
    """The curve of one rank of the victim, on claims and shortlists that all ranks share.

    `lambda_adv` is minus the least-squares slope of the AUC on log2 K over the finite budgets; it and `largest_drop`
    rest on the `common_claims`, which are measured at every finite budget at which any claim is. `own_label_auc` tells
    SUPPORTED from other labels on each row's own evidence: support, where `auc` of foreign evidence is pairing. A
    strategy that the plan leaves out is None. `first_accepted_at` counts the claims by the least K whose set is falsely
    accepted. `meets_at` is the least search whose AUC interval reaches one half, None where none does.
    """

    rank: Rank
    victim: VictimSummary
    claims: int
    groups: int
    unmeasured: int
    positives_mean: FiniteFloat | None
    positives_histogram: tuple[int, ...]
    supported_acceptance: Share
    own_label_auc: Estimate
    own_labels: dict[str, int]
    baseline: Negatives
    same_domain: Negatives | None
    semantic_neighbour: Negatives | None
    points: tuple[Negatives, ...]
    common_claims: int
    lambda_adv: Estimate
    largest_drop: Drop | None
    monotony: Monotony
    first_accepted_at: dict[str, int]
    meets_at: str | None


def nothing_mined(curve: RankCurve) -> bool:
    """Tell whether no claim was given a set at any K."""
    return not any(point.mined for point in curve.points)


class PoolSummary(Record):
    """The evidence that was mined: distinct sets, their sources, and how many a claim may be given.

    In pairs of a claim and a set, `kept_apart` are those that share a passage or a named source though their groups
    differ, and `supporting` those whose set holds all passages of the claim's own or supports it in the oracle's word.
    """

    sets: int
    groups: int
    cases_without_evidence: int
    most_rows: int
    fewest_eligible: int
    most_eligible: int
    kept_apart: int
    supporting: int


class SourceSummary(Record):
    """How many groups all cases declare, how many sources they are once joined, and the most groups of one source."""

    declared: int
    joined: int
    largest: int


class Ablation(Record):
    """The curve of the last rank with one toggle moved away from the safe way to mine."""

    toggle: str
    pool: PoolSummary
    curve: RankCurve


class Degradation(Record):
    """The result of `confute curve`, made of its ledger alone; the same inputs give the same bytes.

    `contract_digest` is of the contract that was carried out, with the `overrides` of the command in it. `measured` of
    the `planned` points are in the ledger; a curve with a point missing is left out.
    """

    report: Literal["adversarial_degradation_curve"] = "adversarial_degradation_curve"
    schema_version: Literal[1] = 1
    curve_id: str
    contract_digest: str
    confute_version: str
    seed: int
    plan: CurvePlan
    overrides: tuple[Override, ...]
    planned: int
    measured: int
    dataset: DatasetSummary
    oracle: str
    sources: SourceSummary
    pool: PoolSummary
    curves: tuple[RankCurve, ...]
    ablations: tuple[Ablation, ...]
    warnings: tuple[Finding, ...]

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
