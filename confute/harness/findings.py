"""What a reader must know before the figures: drift, what was counted at each stage, and reasons for caution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from confute.contract import AttackContract
from confute.harness.gate import ORACLE_RAISED
from confute.harness.manifest import DatasetSummary, RunManifest
from confute.harness.outcome import ItemOutcome
from confute.harness.search import AGENT_RAISED
from confute.harness.stats.cluster import FEW_CLUSTERS
from confute.oracles.shortcut import ShortcutStatus, audit
from confute.records import Arm, AttackGoal, Attempt, Counterexample, Mechanism, Outcome, Record, ScoreState, Validity
from confute.victims.calibration import BINARY_SCORES
from confute.victims.canaries import drifted

_MUCH_UNMEASURED = 0.05
_FEW_CALIBRATION_CASES = 60
_FEW_CLAIMS_TO_AUDIT = 20


class Canaries(Record):
    """Fixed pairs scored first and last: `drifted` is None where none was measured at either time.

    One that was measured at one time alone has changed.
    """

    n: int = Field(ge=0)
    compared: int = Field(ge=0)
    changed: int = Field(ge=0)
    drifted: bool | None
    closed: bool


class StageCounts(Record):
    """How many proposals of the search came how far; the last two count items, shrunk to the end and confirmed."""

    probes: int = Field(ge=0)
    proposed: int = Field(ge=0)
    refused_by_constraints: int = Field(ge=0)
    ruled_invalid: int = Field(ge=0)
    ruled_unknown: int = Field(ge=0)
    ruled_valid: int = Field(ge=0)
    measured: int = Field(ge=0)
    decided_wrongly: int = Field(ge=0)
    minimised: int = Field(ge=0)
    confirmed: int = Field(ge=0)


class Endings(Record):
    """How the searches of both arms ended, and what they asked the victim: a repeated claim is not charged again."""

    search: dict[str, int]
    no_feedback: dict[str, int]
    queries_requested: int = Field(ge=0)
    queries_charged: int = Field(ge=0)


class Finding(Record):
    """A reason for caution: a stable code, and a sentence."""

    code: str
    message: str


@dataclass(frozen=True)
class Findings:
    """Errors counted by arm and code, and the warnings."""

    errors: dict[str, int]
    warnings: tuple[Finding, ...]


def canaries(attempts: Sequence[Attempt]) -> Canaries:
    """Compare the canaries' first scores with their last."""
    scores = {
        repeat: {one.case_id: one.score for one in attempts if one.arm is Arm.CANARY and one.repeat == repeat}
        for repeat in (0, 1)
    }
    pairs = [(first, scores[1].get(name)) for name, first in scores[0].items()]
    known = [(first, last) for first, last in pairs if first is not None and last is not None]
    compared = [pair for pair in known if any(score.state is ScoreState.MEASURED for score in pair)]
    changed = len(drifted([first for first, _ in compared], [last for _, last in compared]))
    return Canaries(
        n=len(scores[0]),
        compared=len(compared),
        changed=changed,
        drifted=changed > 0 if compared else None,
        closed=bool(scores[0]) and scores[0].keys() == scores[1].keys(),
    )


def withheld(seen: Canaries, contract: AttackContract) -> tuple[str, ...]:
    """Return why no gate may be set on a run's figures; drift cannot be told from the noise of a noisy victim."""
    reasons: list[str] = []
    if not seen.closed:
        reasons.append("run_unfinished")
    elif seen.drifted is None:
        reasons.append("canaries_unmeasured")
    if seen.drifted:
        reasons.append("victim_drifted" if contract.victim.deterministic else "canaries_noisy")
    if Mechanism.ECHO in contract.attacker.capabilities:
        reasons.append("provenance_probe")
    return tuple(reasons)


def stages(attempts: Sequence[Attempt], counterexamples: Sequence[Counterexample]) -> StageCounts:
    """Count how far the proposals of the search came."""
    search = [one for one in attempts if one.arm is Arm.SEARCH]
    proposals = [(one, one.ruling) for one in search if not one.probe and one.ruling is not None]
    free = [one for one, ruling in proposals if ruling.method == "constraints"]
    ruled = Counter(ruling.validity for _, ruling in proposals if ruling.method != "constraints")
    measured = [one for one, _ in proposals if one.score is not None and one.score.state is ScoreState.MEASURED]
    return StageCounts(
        probes=sum(one.probe for one in search),
        proposed=len(proposals),
        refused_by_constraints=len(free),
        ruled_invalid=ruled[Validity.INVALID],
        ruled_unknown=ruled[Validity.UNKNOWN],
        ruled_valid=ruled[Validity.VALID],
        measured=len(measured),
        decided_wrongly=sum(one.outcome is Outcome.SUCCEEDED for one in measured),
        minimised=len({(one.case_id, one.goal) for one in attempts if one.arm is Arm.CONFIRM}),
        confirmed=len(counterexamples),
    )


def endings(manifest: RunManifest, attempts: Sequence[Attempt]) -> Endings:
    """Tell how each search ended: `succeeded`, `budget_exhausted`, `agent_error` or `no_move_left`."""
    searches: dict[tuple[Arm, str, AttackGoal | None], list[Attempt]] = {}
    for one in attempts:
        if one.arm in {Arm.SEARCH, Arm.NO_FEEDBACK}:
            searches.setdefault((one.arm, one.case_id, one.goal), []).append(one)
    ended = {
        arm: dict(sorted(Counter(_ending(manifest, steps) for key, steps in searches.items() if key[0] is arm).items()))
        for arm in (Arm.SEARCH, Arm.NO_FEEDBACK)
    }
    asked = [one for steps in searches.values() for one in steps if one.score is not None]
    return Endings(
        search=ended[Arm.SEARCH],
        no_feedback=ended[Arm.NO_FEEDBACK],
        queries_requested=len(asked),
        queries_charged=sum(steps[-1].queries for steps in searches.values()),
    )


def _ending(manifest: RunManifest, steps: Sequence[Attempt]) -> str:
    budgets = manifest.contract.attacker.budgets
    if any(one.outcome is Outcome.SUCCEEDED for one in steps):
        return "succeeded"
    if any(one.score is not None and one.score.error_code == AGENT_RAISED for one in steps):
        return "agent_error"
    spent = steps[-1].queries >= budgets.victim_queries or len(steps) >= (budgets.attacker_calls or math.inf)
    return "budget_exhausted" if spent else "no_move_left"


def findings(
    manifest: RunManifest, attempts: Sequence[Attempt], items: Sequence[ItemOutcome], seen: Canaries
) -> Findings:
    """Return every reason for caution, the gravest first."""
    errors = Counter(
        f"{one.arm}:{one.score.error_code or one.score.state}"
        for one in attempts
        if one.score is not None and one.score.state is not ScoreState.MEASURED
    )
    unruled = [one for one in attempts if one.ruling is not None and one.ruling.reason.startswith(ORACLE_RAISED)]
    if unruled:
        errors[ORACLE_RAISED] = len(unruled)
    warnings = [
        *_about_the_run(seen, items, deterministic=manifest.contract.victim.deterministic),
        *_about_the_attack(manifest),
        *_about_measurement(attempts),
        *_about_the_edits(attempts),
        *_about_the_oracle(len(unruled)),
        *_about_the_threshold(manifest),
        *_about_the_cases(manifest, items),
    ]
    return Findings(errors=dict(sorted(errors.items())), warnings=tuple(warnings))


def _about_the_run(seen: Canaries, items: Sequence[ItemOutcome], *, deterministic: bool) -> list[Finding]:
    found = []
    if seen.drifted:
        told = f"{seen.changed} of {seen.compared} canaries were scored differently at the end: "
        found.append(
            _finding("victim_drifted", f"{told}the figures are not those of one victim, and no gate may use them.")
            if deterministic
            else _finding(
                "canaries_noisy", f"{told}the victim is noisy, so drift is not ruled out, and no gate is set."
            )
        )
    if not seen.closed:
        found.append(_finding("run_unfinished", "The run has not ended: figures are of the steps taken so far."))
    elif seen.drifted is None:
        found.append(_finding("canaries_unmeasured", "No canary was measured: drift cannot be ruled out."))
    if not items:
        found.append(_finding("nothing_attacked", "No case offered a move that the oracle vouches for."))
    return found


def _about_the_attack(manifest: RunManifest) -> list[Finding]:
    if Mechanism.ECHO not in manifest.contract.attacker.capabilities:
        return []
    message = (
        "Every figure is of a probe of provenance: the claim was added to its own evidence, which a score of "
        "containment must accept. A success shows that nothing asks where a passage comes from, and is no failure of "
        "containment."
    )
    return [_finding("provenance_probe", message)]


def _about_measurement(attempts: Sequence[Attempt]) -> list[Finding]:
    scores = [one.score for one in attempts if one.score is not None]
    failed = sum(score.state is ScoreState.ERROR for score in scores)
    values = {score.value for score in scores if score.value is not None}
    found = []
    if failed:
        advice = (
            " They are many: read each rate with its worst case." if failed > _MUCH_UNMEASURED * len(scores) else ""
        )
        message = f"{failed} of {len(scores)} measurements failed and stand in no denominator.{advice}"
        found.append(_finding("victim_errors", message))
    if len(values) == 1:
        found.append(_finding("constant_scores", "Every measured score is the same: the victim tells nothing apart."))
    if len(values) == 2:
        found.append(
            _finding("binary_scores", "Only two scores were seen: the AUC is that of one decision, not of a ranking.")
        )
    return found


def _about_the_oracle(failed: int) -> list[Finding]:
    return (
        [_finding("oracle_errors", f"The oracle failed on {failed} steps, which count as unknown.")] if failed else []
    )


def _about_the_edits(attempts: Sequence[Attempt]) -> list[Finding]:
    """Warn where a rule over one surface feature, blind to the evidence, tells blind edits from faithful claims."""
    arms = {
        arm: sorted({one.claim for one in attempts if one.arm is arm and one.goal is goal and not _is_of_evidence(one)})
        for arm, goal in ((Arm.BASELINE, AttackGoal.FALSE_REJECTION), (Arm.CONTROL, AttackGoal.FALSE_ACCEPTANCE))
    }
    if min(map(len, arms.values())) < _FEW_CLAIMS_TO_AUDIT:
        return []
    found = audit(arms[Arm.BASELINE], arms[Arm.CONTROL])
    if found.status is ShortcutStatus.CLEAR:
        return []
    told = f"{found.feature}: a rule on it alone tells edited from faithful claims at {found.accuracy:.0%} accuracy"
    return [_finding("shortcut", f"{told}, so a victim may have caught the feature and not the change.")]


def _is_of_evidence(attempt: Attempt) -> bool:
    return any(edit.mechanism.changes_evidence for edit in attempt.edits)


def _about_the_threshold(manifest: RunManifest) -> list[Finding]:
    calibration = manifest.victim.calibration
    if manifest.victim.threshold_source == "given":
        return [_finding("threshold_given", "The threshold was given, not calibrated: its error rate was not set.")]
    if calibration is None:
        return []
    found = []
    if calibration.n < _FEW_CALIBRATION_CASES:
        found.append(_finding("few_calibration_cases", f"The threshold rests on {calibration.n} calibration cases."))
    if calibration.unmeasured:
        message = f"{calibration.unmeasured} calibration cases could not be measured and were left out."
        found.append(_finding("calibration_unmeasured", message))
    if calibration.k == 0:
        found.append(
            _finding("accepts_nothing", "The threshold lies below every calibration risk: nothing is accepted.")
        )
    if BINARY_SCORES in calibration.warnings:
        message = "The calibration scores take two values: the threshold is the lower one, not a tuned number."
        found.append(_finding("binary_calibration", message))
    return found


def _about_the_cases(manifest: RunManifest, items: Sequence[ItemOutcome]) -> list[Finding]:
    found = []
    dropped = sum(manifest.dataset.dropped.values())
    if dropped:
        reasons = ", ".join(_dropped(manifest.dataset, reason) for reason in sorted(manifest.dataset.dropped))
        found.append(_finding("rows_dropped", f"{dropped} of {manifest.dataset.rows} rows were left out: {reasons}."))
    if manifest.truncated_texts:
        message = f"{manifest.truncated_texts} claims and passages are longer than the embedder reads."
        found.append(_finding("truncated_texts", message))
    for goal in AttackGoal:
        groups = len({item.case.group for item in items if item.goal is goal})
        if 0 < groups < FEW_CLUSTERS:
            found.append(
                _finding("few_clusters", f"{_words(goal)}: only {groups} independent sources; intervals are wide.")
            )
    idle = len(manifest.cases) - len({item.case.case_id for item in items})
    if items and idle:
        found.append(
            _finding(
                "cases_without_moves", f"{idle} of {len(manifest.cases)} cases offered no move and stand unattacked."
            )
        )
    return found


def _dropped(dataset: DatasetSummary, reason: str) -> str:
    line = dataset.first_lines.get(reason)
    return f"{reason} {dataset.dropped[reason]}" + ("" if line is None else f" (first on line {line})")


def _finding(code: str, message: str) -> Finding:
    return Finding(code=code, message=message)


def _words(goal: AttackGoal) -> str:
    return goal.value.replace("_", " ").capitalize()
