"""The report of a run: one value, made from the manifest, the attempts and the counterexamples alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, FiniteFloat

from confute.contract import Budgets, Purpose, Suite
from confute.counterexample import Counterexample
from confute.errors import ReportError
from confute.harness.counterexamples import size_key
from confute.harness.curve import Curve, curve
from confute.harness.discrimination import Discrimination, Scores
from confute.harness.drift import Canaries, canaries, withheld
from confute.harness.expense import ArmExpense, Spending, by_arm
from confute.harness.findings import Finding, findings
from confute.harness.frozen_attacker import check_still_frozen
from confute.harness.manifest import DatasetSummary, RunManifest, VictimSummary
from confute.harness.outcome import items
from confute.harness.stages import Endings, StageCounts, endings, stages
from confute.harness.summary import DirectionSummary, DomainSummary, Evidence, MechanismSummary
from confute.models.surrogates import escaped
from confute.records import AttackGoal, Attempt, Knowledge, Mechanism, Record

_NOTHING_SPENT = Spending()


class AttackerSummary(Record):
    """Who attacked, and from how much knowledge."""

    name: str
    version: str
    strategy: str
    knowledge: Knowledge
    fingerprint: str


class OracleSummary(Record):
    """Which oracle decided what counts."""

    name: str
    version: str


class Report(Record):
    """A `red_team_report`; the same run gives the same bytes.

    `gates_withheld` names why no gate may be set on the figures; empty where one may. `held_out` repeats the
    directions on a held-out suite, and is None on any other.
    """

    report: Literal["red_team_report"] = "red_team_report"
    schema_version: Literal[1] = 1
    run_id: str
    contract_digest: str
    confute_version: str
    suite: Suite
    purpose: Purpose
    seed: int
    victim: VictimSummary
    attacker: AttackerSummary
    oracle: OracleSummary
    families: tuple[Mechanism, ...]
    budgets: Budgets
    dataset: DatasetSummary
    cases: int = Field(ge=0)
    cases_attacked: int = Field(ge=0)
    groups: int = Field(ge=0)
    attempted: int = Field(ge=0)
    valid: int = Field(ge=0)
    validity_rate: FiniteFloat | None
    discrimination: tuple[Discrimination, ...]
    directions: tuple[DirectionSummary, ...]
    held_out: tuple[DirectionSummary, ...] | None
    curves: tuple[Curve, ...]
    by_mechanism: tuple[MechanismSummary, ...]
    by_domain: tuple[DomainSummary, ...]
    ladder: tuple[Discrimination, ...]
    stages: StageCounts
    endings: Endings
    expense: tuple[ArmExpense, ...]
    canaries: Canaries
    finished: bool
    gates_withheld: tuple[str, ...]
    errors: dict[str, int]
    warnings: tuple[Finding, ...]
    regression_ids: tuple[str, ...]
    counterexamples: tuple[Counterexample, ...]

    def to_json(self) -> str:
        """Return the report as JSON text; a lone surrogate is written as its escape, so that it is valid UTF-8."""
        written = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False)
        return escaped(written) + "\n"


def build(
    manifest: RunManifest,
    attempts: Sequence[Attempt],
    counterexamples: Sequence[Counterexample],
    spending: Spending = _NOTHING_SPENT,
) -> Report:
    """Make the report of a run, finished or not; `spending` is what its attacker's model and its judges were asked.

    Raises ReportError where the attempts or counterexamples are of another contract or of a case not attacked, or the
    attacker is not the one that the contract froze.
    """
    _check(manifest, attempts, counterexamples)
    check_still_frozen(manifest)
    contract = manifest.contract
    outcomes = items(manifest.cases, attempts)
    evidence = Evidence(manifest.cases, outcomes, attempts)
    scores = Scores(manifest.cases, attempts)
    seen = canaries(attempts)
    directions = evidence.by_direction()
    attempted = sum(one.attack.validity.attempted for one in directions)
    valid = sum(one.attack.validity.valid for one in directions)
    smallest = tuple(sorted(counterexamples, key=size_key))
    found = findings(manifest, attempts, outcomes, seen)
    return Report(
        run_id=manifest.run_id,
        contract_digest=manifest.contract_digest,
        confute_version=manifest.confute_version,
        suite=contract.evaluation.suite,
        purpose=contract.evaluation.purpose,
        seed=contract.evaluation.seed,
        victim=manifest.victim,
        attacker=AttackerSummary(
            name=manifest.attacker_name,
            version=contract.attacker.version,
            strategy=contract.attacker.strategy,
            knowledge=contract.attacker.knowledge,
            fingerprint=manifest.attacker_fingerprint,
        ),
        oracle=OracleSummary(name=contract.objective.oracle, version=manifest.oracle_version),
        families=contract.attacker.capabilities,
        budgets=contract.attacker.budgets,
        dataset=manifest.dataset,
        cases=len(manifest.cases),
        cases_attacked=len({item.case.case_id for item in outcomes}),
        groups=len({case.group for case in manifest.cases}),
        attempted=attempted,
        valid=valid,
        validity_rate=valid / attempted if attempted else None,
        discrimination=(scores.baseline(), scores.under_attack(outcomes)),
        directions=directions,
        held_out=directions if contract.evaluation.suite is Suite.HELD_OUT else None,
        curves=tuple(
            curve(
                goal,
                outcomes,
                shown=manifest.budgets_shown,
                budget=contract.attacker.budgets.victim_queries,
                finished=seen.closed,
            )
            for goal in AttackGoal
        ),
        by_mechanism=evidence.by_mechanism(),
        by_domain=evidence.by_domain(),
        ladder=scores.ladder(),
        stages=stages(attempts, smallest),
        endings=endings(manifest, attempts),
        expense=by_arm(contract, outcomes, attempts, spending),
        canaries=seen,
        finished=seen.closed,
        gates_withheld=withheld(seen, contract),
        errors=found.errors,
        warnings=found.warnings,
        regression_ids=tuple(one.attack_id for one in smallest),
        counterexamples=smallest,
    )


def _check(manifest: RunManifest, attempts: Sequence[Attempt], counterexamples: Sequence[Counterexample]) -> None:
    digests = {one.contract_digest for one in attempts} | {one.contract_digest for one in counterexamples}
    if digests - {manifest.contract_digest}:
        raise ReportError(
            "some steps are of another contract",
            field="contract_digest",
            allowed=manifest.contract_digest,
            got=sorted(digests - {manifest.contract_digest})[0],
            hint="figures of two contracts are never pooled: report on each run by itself",
        )
