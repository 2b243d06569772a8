"""What the options of the command say: the rows, the detectors, the persona, and which rows fail a gate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from confute.contract import AttackContract, Suite
from confute.errors import CalibrationError, OracleError, VictimError
from confute.harness.campaign import Progress
from confute.harness.persona.load import load_suite
from confute.harness.relations.figures import RowFigures
from confute.harness.relations.own import load_relations
from confute.harness.relations.persona_rows import load_trials, persona_rows
from confute.harness.relations.run import Plan, Report
from confute.harness.relations.scenes import Material
from confute.harness.relations.subject import Subject, Uncalibrated, declared, subject
from confute.models.chat_load import load_chat
from confute.models.embedder import Embedder
from confute.models.load import load as load_embedder
from confute.oracles.relations.catalogue import ROWS
from confute.oracles.relations.relation import Relation

BUILT_IN = (
    "hallucination_energy@8",
    "hallucination_energy@full",
    "nearest_passage",
    "word_overlap",
    "grounding",
)
"""The detectors that are measured where none is named."""

CONTRACT = "contract"
_LEAST_MEASURED = 0.9


def plan(  # noqa: PLR0913  one parameter for each option
    rows: str | None, own: Sequence[str], *, seed: int, suite: Suite, contradiction: bool, judged_cases: int
) -> Plan:
    """Return the plan of a text such as `C1,E3`, all rows without one, and of a user's own relations.

    Raises OracleError for a row that is unknown and for a relation that cannot be had.
    """
    known = [row.row_id for row in ROWS]
    loaded: list[Relation] = []
    for spec in own:
        loaded += load_relations(spec, [*known, *(one.relation_id for one in loaded)])
    names = [*known, *(one.relation_id for one in loaded)]
    asked = names if rows is None else [part.strip() for part in rows.split(",") if part.strip()]
    unknown = [name for name in asked if name not in names]
    if unknown or not asked:
        raise OracleError(
            "no such row",
            field="--rows",
            allowed=", ".join(names),
            got=", ".join(unknown) or rows,
            hint="see docs/relations.md",
        )
    return Plan(tuple(name for name in names if name in asked), tuple(loaded), seed, suite, contradiction, judged_cases)


def subjects(  # noqa: PLR0913  what a detector is built from
    names: Sequence[str],
    contract: AttackContract | None,
    material: Material,
    *,
    seed: int,
    cache_folder: Path,
    timeout_s: float,
    higher_is_safer: bool,
    progress: Progress,
) -> list[Subject | Uncalibrated]:
    """Return the frozen detectors that are named, the contract's last; one that cannot be calibrated with the reason.

    Raises VictimError for a name that stands twice and for what `victims.load` refuses, CalibrationError where none of
    them can be calibrated.
    """
    if len(set(names)) < len(names):
        raise VictimError("stands twice", field="--detector", allowed="each detector once", got=", ".join(names))
    victims = {name: declared(name, timeout_s, higher_is_safer=higher_is_safer) for name in names}
    if contract is not None:
        victims[CONTRACT] = contract.victim

    @cache
    def embedder(name: str) -> Embedder:
        return load_embedder(name, cache=cache_folder)

    @cache
    def fresh(name: str) -> Embedder:
        return load_embedder(name)

    progress.begin("calibrate", len(victims))
    built: list[Subject | Uncalibrated] = []
    for name, victim in victims.items():
        try:
            built.append(subject(name, victim, material, embedder, fresh=fresh, seed=seed))
        except CalibrationError as error:
            built.append(Uncalibrated(name, error))
        progress.advance(1)
    failed = [one for one in built if isinstance(one, Uncalibrated)]
    if failed and len(failed) == len(built):
        raise _not_calibrated(failed)
    return built


def _not_calibrated(failed: Sequence[Uncalibrated]) -> CalibrationError:
    first = failed[0].error
    names = ", ".join(one.name for one in failed)
    return CalibrationError(f"{first.problem} ({names})", field=first.field, got=first.got, hint=first.hint)


def personas(file: Path, rows: Path | None, repeat: int, seed: int) -> tuple[RowFigures, ...]:
    """Ask a persona its declared rows, by default those of NAME_relations.yaml beside it, and return R1 to R8.

    Raises PersonaError for either file, ModelError where the model cannot be loaded.
    """
    persona = load_suite(file).persona
    trials = load_trials(rows or file.with_name(f"{file.stem}_relations.yaml"), persona)
    return persona_rows(persona, load_chat(persona.model), trials, repeat=repeat, seed=seed)


def over(report: Report, share: float) -> list[str]:
    """Return the rows of victims whose violations surely exceed a share: by the one-sided 95 % bound."""
    return [
        f"{one.row_id} {one.expected} of {one.victim}"
        for one in report.figures
        if one.violations.gate_low is not None and one.violations.gate_low > share
    ]


def undecided(report: Report, *, named: bool) -> list[str]:
    """Return what a gate cannot decide on: uncalibrated detectors, and rows with under 90 % of their trials measured.

    Where the rows were `named`, those of which nothing was measured count too.
    """
    short = [
        f"{one.row_id} {one.expected} of {one.victim} ({one.violations.denominator} of {one.trials} measured)"
        for one in report.figures
        if not one.is_probe and one.violations.denominator < _LEAST_MEASURED * one.trials
    ]
    measured = {one.row_id for one in report.figures if one.violations.denominator or one.is_probe}
    empty = [f"{row} (not measured)" for row in report.asked if named and row not in measured]
    return [f"{one.name} ({one.why_not})" for one in report.victims if one.why_not is not None] + short + empty
