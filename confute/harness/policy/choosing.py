"""A policy chosen on calibration cases alone, by the two errors that it may make there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from confute.contract import Calibration
from confute.errors import CalibrationError, ReportError, problem_of
from confute.harness.policy.policy import Policy
from confute.records import AttackGoal, Case, Record, Score, digest_of
from confute.victims.calibration import CalibratedThreshold, threshold
from confute.victims.frozen import VictimManifest


class Targets(Record):
    """The most that a policy may err on calibration cases: unsupported claims accepted, supported ones rejected."""

    false_acceptance: float = Field(default=0.05, gt=0, lt=1)
    false_rejection: float = Field(default=0.01, gt=0, lt=1)


class Chosen(Record):
    """A frozen policy and what it rests on: its two ends as thresholds that keep one error rate each.

    `detector` and `version` name whom it is for, and `fingerprint` is all that its scores depend on, such as its code,
    its embedder, its rank and which way its scale goes; the policy is worth nothing for any other. `sources` are the
    digests of the marks of the sources that had a part in choosing it, their groups and their passages, so that it is
    never measured on them.
    """

    policy: Policy
    targets: Targets
    accept: CalibratedThreshold
    reject: CalibratedThreshold
    detector: str
    version: str
    fingerprint: str
    sources: tuple[str, ...]

    def others(self, cases: Sequence[Case], marks: Mapping[str, frozenset[str]]) -> tuple[Case, ...]:
        """Return the cases of all groups that share no mark with what chose it; `marks` go by case."""
        known = set(self.sources)
        met = {case.group for case in cases if not known.isdisjoint(map(digest_of, marks[case.case_id]))}
        return tuple(case for case in cases if case.group not in met)

    def refuse_other(self, detector: str, version: str, fingerprint: str, field: str) -> None:
        """Raise ReportError where a detector is not the one that the policy was chosen for, or scores otherwise."""
        if (detector, version) != (self.detector, self.version):
            raise ReportError(
                "the policy was chosen for another detector",
                field=field,
                allowed=f"{detector}, version {version}",
                got=f"{self.detector}, version {self.version}",
            )
        if fingerprint != self.fingerprint:
            raise ReportError(
                "the policy was chosen for other scores of this detector: its code, embedder, rank, scale, "
                "segmentation or libraries are not the same",
                field=field,
                allowed=fingerprint,
                got=self.fingerprint,
                hint="choose a policy anew with `confute policy --save FILE`",
            )

    @property
    def needs_no_review(self) -> bool:
        """Whether one threshold keeps both error rates, so that the band is empty."""
        return self.policy.low == self.policy.high


def choose(  # noqa: PLR0913  what is chosen by, and for whom
    cases: Sequence[Case],
    scores: Sequence[Score],
    targets: Targets,
    *,
    detector: str,
    version: str = "1",
    fingerprint: str,
    marks: Iterable[str],
) -> Chosen:
    """Return the policy with the narrowest review band that keeps both targets on the calibration cases.

    `low` is the highest threshold that accepts at most the target share of the claims that are not supported,
    `high` the lowest that rejects at most the target share of the supported ones, both exact order statistics;
    where `high` would lie below `low` it is raised to it, which rejects fewer still. `marks` tell the sources of
    the cases. Raises CalibrationError where either label has fewer than 10 measured cases, or all scores are the
    same.
    """
    accept = _threshold(cases, scores, AttackGoal.FALSE_ACCEPTANCE, targets.false_acceptance)
    reject = _threshold(cases, scores, AttackGoal.FALSE_REJECTION, targets.false_rejection)
    return Chosen(
        policy=Policy(low=accept.value, high=max(accept.value, reject.value)),
        targets=targets,
        accept=accept,
        reject=reject,
        detector=detector,
        version=version,
        fingerprint=fingerprint,
        sources=tuple(sorted(set(map(digest_of, marks)))),
    )


def read_policy(path: Path) -> Chosen:
    """Read a policy that `confute policy --save` wrote; raises ReportError where it is none."""
    try:
        return Chosen.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ReportError(
            f"{path}: not a policy: {problem_of(first)}",
            field=".".join(map(str, first["loc"])) or None,
            hint="write one with `confute policy --save FILE`",
        ) from error


def read_band(path: Path, victim: VictimManifest, field: str) -> Policy:
    """Read the review band of a saved policy for a victim.

    Raises ReportError where it is no policy, or of another detector, or of other scores of it.
    """
    chosen = read_policy(path)
    chosen.refuse_other(victim.detector, victim.version, victim.scoring_fingerprint, field)
    return chosen.policy


def _threshold(cases: Sequence[Case], scores: Sequence[Score], error: AttackGoal, target: float) -> CalibratedThreshold:
    try:
        return threshold(cases, scores, Calibration(error=error, target_rate=target))
    except CalibrationError as mistake:
        raise CalibrationError(
            f"no policy can be chosen: {mistake.problem}",
            field=mistake.field,
            allowed=mistake.allowed,
            got=mistake.got,
            hint="add labelled cases of both kinds, or raise --share",
        ) from mistake
