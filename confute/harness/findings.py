"""What a reader must know before the figures: errors, and reasons for caution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from confute.contract import Suite
from confute.harness.drift import Canaries
from confute.harness.gate import ORACLE_RAISED
from confute.harness.left_out import rows_left_out
from confute.harness.manifest import RunManifest
from confute.harness.outcome import ItemOutcome, is_unjudged
from confute.harness.render.words import counted
from confute.harness.stats.cluster import FEW_CLUSTERS
from confute.oracles.shortcut import ShortcutStatus, audit
from confute.records import Arm, AttackGoal, Attempt, Mechanism, Record, ScoreState
from confute.victims.calibration import BINARY_SCORES

_MUCH_UNMEASURED = 0.05
_FEW_CALIBRATION_CASES = 60
_FEW_CLAIMS_TO_AUDIT = 20
_PROVENANCE_PROBE = (
    "Every figure is of a probe of provenance: the claim was added to its own evidence, which a score of containment "
    "must accept. A success shows that nothing asks where a passage comes from, and is no failure of containment."
)
_ATTACKER_ADAPTS = (
    "The attacker learned from case to case, so that its figures are for development: freeze it, and report on a "
    "held-out suite."
)
_ATTACKER_NOT_FROZEN = (
    "The contract does not name the attacker that a development run froze: that it was not tuned on this suite is not "
    "shown."
)
_UNJUDGED = (
    "Judges are asked only of what the victim decided wrongly: {} that it decided rightly and no guard recognised "
    "stand as unknown, so that validity rate and potency are lower bounds; an item with nothing better is resisted."
)
_NO_SUPPORT_TO_DELETE = (
    "Support deletion had no move: of no supported claim does the oracle know passages that support it, few enough for "
    "the budget of removals and others being left. A row of a claims file lists their places as `support`."
)


class Finding(Record):
    """A reason for caution: a stable code, and a sentence."""

    code: str
    message: str


@dataclass(frozen=True)
class Findings:
    """Errors counted by arm and code, and the warnings."""

    errors: dict[str, int]
    warnings: tuple[Finding, ...]


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
        *_about_the_attack(manifest, attempts, seen),
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


def _about_the_attack(manifest: RunManifest, attempts: Sequence[Attempt], seen: Canaries) -> list[Finding]:
    found = []
    attacker = manifest.contract.attacker
    if attacker.frozen is None and attacker.learns_across_cases:
        found.append(_finding("attacker_adapts", _ATTACKER_ADAPTS))
    elif attacker.frozen is None and manifest.contract.evaluation.suite is Suite.HELD_OUT:
        found.append(_finding("attacker_not_frozen", _ATTACKER_NOT_FROZEN))
    if unjudged := sum(one.arm is Arm.SEARCH and is_unjudged(one) for one in attempts):
        found.append(_finding("unjudged_proposals", _UNJUDGED.format(counted(unjudged, "proposal"))))
    if Mechanism.ECHO in manifest.contract.attacker.capabilities:
        found.append(_finding("provenance_probe", _PROVENANCE_PROBE))
    if seen.closed and _lacks_support_deletion(manifest, attempts):
        found.append(_finding("no_support_to_delete", _NO_SUPPORT_TO_DELETE))
    return found


def _lacks_support_deletion(manifest: RunManifest, attempts: Sequence[Attempt]) -> bool:
    """Tell whether support deletion was asked for and no item had it, as its control would show."""
    contract = manifest.contract
    asked = Mechanism.SUPPORT_DELETION in contract.attacker.capabilities
    drawn = (edit.mechanism for one in attempts if one.arm is Arm.CONTROL for edit in one.edits)
    return (
        asked
        and AttackGoal.FALSE_ACCEPTANCE in contract.objective.attack_goal.goals
        and Mechanism.SUPPORT_DELETION not in drawn
    )


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
    if (left_out := rows_left_out(manifest.dataset)) is not None:
        found.append(_finding("rows_dropped", left_out))
    if manifest.truncated_texts:
        message = f"Longer than the embedder reads, and cut: {counted(manifest.truncated_texts, 'text')}."
        found.append(_finding("truncated_texts", message))
    for goal in AttackGoal:
        groups = len({item.case.group for item in items if item.goal is goal})
        if 0 < groups < FEW_CLUSTERS:
            found.append(
                _finding(
                    "few_clusters", f"{_words(goal)}: only {counted(groups, 'independent source')}; intervals are wide."
                )
            )
    idle = len(manifest.cases) - len({item.case.case_id for item in items})
    if items and idle:
        found.append(
            _finding(
                "cases_without_moves", f"{idle} of {len(manifest.cases)} cases offered no move and stand unattacked."
            )
        )
    return found


def _finding(code: str, message: str) -> Finding:
    return Finding(code=code, message=message)


def _words(goal: AttackGoal) -> str:
    return goal.value.replace("_", " ").capitalize()
