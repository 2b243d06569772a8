"""Relations measured: instances made once, and every victim asked about all of them in batches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from confute.contract import Suite
from confute.errors import ReportError
from confute.harness.campaign import Progress
from confute.harness.relations.figures import RowFigures, Step, figures, not_applicable
from confute.harness.relations.judged import Bench, judged
from confute.harness.relations.pipeline import PIPELINE
from confute.harness.relations.scenes import Material
from confute.harness.relations.subject import Cut, Subject, Tolerance, Uncalibrated
from confute.harness.relations.trials import Made, Trial, enough
from confute.harness.stats.comparisons import holm
from confute.oracles.relations.catalogue import RELATIONS, ROWS, Needs
from confute.oracles.relations.oracle import RelationOracle
from confute.oracles.relations.relation import Expected, Relation
from confute.records import Record

GROUNDING = "grounding"
_COMPLEMENT = "P8"


class VictimSummary(Record):
    """A victim of the report: its frozen threshold, its tolerance, and its fingerprint; a judge has a name alone.

    `cut` says where the threshold comes from and whether it decides anything; `why_not` why the detector could not be
    calibrated, and then it was not asked.
    """

    name: str
    kind: str
    threshold: float | None = None
    cut: Cut | None = None
    tolerance: Tolerance | None = None
    why_not: str | None = None
    fingerprint: str | None = None


class Report(Record):
    """What every row showed of every victim, the trials that were made and skipped, and what it rests on.

    `asked` are the rows of the run, in their order; `scenes` counts the measured cases, `documents` their sources.
    """

    confute_version: str
    seed: int
    suite: str
    scenes: int
    documents: int
    calibration_cases: int
    asked: tuple[str, ...]
    made: tuple[Made, ...]
    victims: tuple[VictimSummary, ...]
    figures: tuple[RowFigures, ...]


class Plan(NamedTuple):
    """What is measured: the rows by name, a user's own relations, and whether own detectors score contradiction."""

    rows: tuple[str, ...]
    own: tuple[Relation, ...]
    seed: int
    suite: Suite
    contradiction: bool = False
    judged_cases: int = 40

    @property
    def asks_detectors(self) -> bool:
        """Whether some row is measured on a detector."""
        return any(needs_of(name) in {Needs.CASE, Needs.DETECTOR} for name in self.rows)

    @property
    def relations(self) -> dict[str, Relation]:
        """The relations that change a case, by name, in the order of the rows."""
        known = dict(RELATIONS) | {one.relation_id: one for one in self.own}
        return {name: known[name] for name in self.rows if name in known}


def measure(  # noqa: PLR0913, PLR0917  what a run is made of
    plan: Plan,
    material: Material,
    subjects: Sequence[Subject | Uncalibrated],
    judge: Bench | None,
    personas: Sequence[RowFigures],
    progress: Progress,
) -> Report:
    """Return what the rows of a plan show of detectors and a judge, with the persona's rows as they were measured."""
    oracle = RelationOracle(material.lexicon)
    progress.begin("instances", len(plan.relations))
    trials: list[Trial] = []
    summaries: list[Made] = []
    for relation in plan.relations.values():
        found, summary = enough(relation, material.rounds, oracle, plan.seed)
        trials += found
        summaries.append(summary)
        progress.advance(1)
    progress.begin("victims", len(subjects))
    rows: list[RowFigures] = []
    for subject in (one for one in subjects if isinstance(one, Subject)):
        rows += _adjusted(_detector_rows(plan, material, subject, trials))
        progress.advance(1)
    if judge is not None:
        rows += [one for one in _judge_rows(plan, material, judge, trials) if one.row_id in plan.rows]
    rows += [one for one in personas if one.row_id in plan.rows]
    return Report(
        confute_version=version("confute"),
        seed=plan.seed,
        suite=plan.suite.value,
        scenes=len(material.measured),
        documents=len({one.case.group for one in material.measured}),
        calibration_cases=len(material.calibration),
        asked=plan.rows,
        made=tuple(summaries),
        victims=(
            *(_summary(one) for one in subjects),
            *([] if judge is None else [VictimSummary(name=judge.name, kind="judge")]),
            *(VictimSummary(name=name, kind="persona") for name in sorted({one.victim for one in personas})),
        ),
        figures=tuple(sorted(rows, key=lambda one: plan.rows.index(one.row_id))),
    )


def _summary(subject: Subject | Uncalibrated) -> VictimSummary:
    if isinstance(subject, Uncalibrated):
        return VictimSummary(name=subject.name, kind="detector", why_not=subject.error.problem)
    return VictimSummary(
        name=subject.name,
        kind="detector",
        threshold=subject.victim.threshold,
        cut=subject.cut,
        tolerance=subject.tolerance,
        fingerprint=subject.victim.fingerprint,
    )


def _detector_rows(plan: Plan, material: Material, subject: Subject, trials: Sequence[Trial]) -> list[RowFigures]:
    asked = [trial for trial in trials if trial.row_id != _COMPLEMENT and _why_not(trial.row_id, subject, plan) is None]
    pairs = [pair for trial in asked for pair in (trial.before, trial.after)]
    scores = iter(subject.victim.measure(pairs))
    decide = subject.victim.decide
    by_arm: dict[tuple[str, Expected], list[Step]] = {}
    for trial in asked:
        before, after = next(scores), next(scores)
        step = Step(trial, before, after, (decide(before), decide(after)))
        by_arm.setdefault((trial.row_id, trial.expected), []).append(step)
    found = [figures(*_named(arm, subject), steps, subject.tolerance.value) for arm, steps in by_arm.items()]
    found += [PIPELINE[name](subject, material, plan.seed) for name in plan.rows if name in PIPELINE]
    for name in plan.relations:
        if (why := _why_not(name, subject, plan)) is not None:
            found.append(not_applicable(name, subject.name, why))
        elif name != _COMPLEMENT and name not in {row for row, _ in by_arm}:
            found.append(not_applicable(name, subject.name, "no instance of any case"))
    return found


def _named(arm: tuple[str, Expected], subject: Subject) -> tuple[str, str, Expected]:
    return arm[0], subject.name, arm[1]


def _why_not(row_id: str, subject: Subject, plan: Plan) -> str | None:
    """Return why a row does not hold of a detector, by what it computes; None where it does."""
    if row_id == "E15" and not subject.adds_up:
        return "does not add up evidence by what it computes"
    contradicts = subject.declared.detector == GROUNDING or (plan.contradiction and not subject.scores_support)
    if row_id == "E18" and not contradicts:
        return "scores support, so that it rightly rejects what is unrelated"
    return None


def _adjusted(rows: Sequence[RowFigures]) -> list[RowFigures]:
    """Return rows with Holm's adjusted p values over one victim's invariances."""
    tested = [one.p_value for one in rows if one.p_value is not None]
    adjusted = iter(holm([min(1.0, max(0.0, value)) for value in tested]))
    return [one if one.p_value is None else one.model_copy(update={"adjusted": next(adjusted)}) for one in rows]


def _judge_rows(plan: Plan, material: Material, judge: Bench, trials: Sequence[Trial]) -> tuple[RowFigures, ...]:
    draw = random.Random(f"{plan.seed}/relations/judge")  # noqa: S311  reproducible, no secret
    drawn = draw.sample(list(material.measured), min(plan.judged_cases, len(material.measured)))
    denials = [trial for trial in trials if trial.row_id == _COMPLEMENT]
    denials = draw.sample(denials, min(plan.judged_cases, len(denials)))
    return judged(judge, [(one.case.group, one.case.pair) for one in drawn], denials)


def write(report: Report, markdown: str, folder: Path) -> None:
    """Write a report to a folder, which is made, as `relations.json` and `relations.md`.

    Raises ReportError where they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = report.model_dump_json(indent=2) + "\n"
        (folder / "relations.json").write_text(text, encoding="utf-8", errors="replace")
        (folder / "relations.md").write_text(markdown, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReportError(f"cannot be written: {error.strerror or error}", field=str(folder)) from error


def needs_of(row_id: str) -> Needs:
    """Return what a row is measured with; a user's own relation needs cases."""
    return next((row.needs for row in ROWS if row.row_id == row_id), Needs.CASE)
