"""The attacker as a run left it: what it is made of and what it learned, so that another run can use the very same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from confute.agents.experience import Lesson
from confute.contract import Attacker, FrozenAttacker
from confute.errors import ContractError, ReportError
from confute.harness.manifest import RunManifest
from confute.records import Record, digest_of

_MAX_BYTES = 10_000_000


class AttackerFile(Record):
    """A run's attacker: its strategy and version, the lessons that it learned, and the fingerprint over all of it."""

    strategy: str
    version: str
    fingerprint: str
    lessons: tuple[Lesson, ...]


def fingerprint_of(strategy_fingerprint: str, lessons: Sequence[Lesson]) -> str:
    """Return the fingerprint, SHA-256 in hex, of a strategy that has learned some lessons."""
    return digest_of([strategy_fingerprint, [lesson.model_dump(mode="json") for lesson in lessons]])


def left_by(attacker: Attacker, strategy_fingerprint: str, lessons: Sequence[Lesson]) -> AttackerFile:
    """Return the attacker as it is after a run; a strategy that learns nothing across cases is left as it was."""
    kept = tuple(lessons) if attacker.learns_across_cases else ()
    return AttackerFile(
        strategy=attacker.strategy,
        version=attacker.version,
        fingerprint=fingerprint_of(strategy_fingerprint, kept),
        lessons=kept,
    )


def thaw(attacker: Attacker, strategy_fingerprint: str) -> tuple[Lesson, ...]:
    """Return the lessons of a contract's frozen attacker; empty where the contract names none.

    Raises ContractError where the file cannot be read, or where the strategy, its source or the lessons are not those
    that were frozen.
    """
    if attacker.frozen is None:
        return ()
    found = _read(Path(attacker.frozen.file))
    now = fingerprint_of(strategy_fingerprint, found.lessons)
    if now != attacker.frozen.fingerprint:
        raise ContractError(
            "the attacker is not the one that was frozen: its strategy, version, source or lessons have changed",
            field="attacker.frozen.fingerprint",
            allowed=now,
            got=attacker.frozen.fingerprint,
            hint="freeze it anew by a development run; no held-out figure is given for a changed attacker",
        )
    return found.lessons


def check_still_frozen(manifest: RunManifest) -> None:
    """Raise ReportError where a run was made by another attacker than the one that its contract froze."""
    frozen: FrozenAttacker | None = manifest.contract.attacker.frozen
    if frozen is not None and manifest.frozen_attacker != frozen.fingerprint:
        raise ReportError(
            "the run's attacker is not the one that was frozen, so no figure of it is given",
            field="frozen_attacker",
            allowed=frozen.fingerprint,
            got=manifest.frozen_attacker,
            hint="attack anew with the frozen attacker",
        )


def _read(path: Path) -> AttackerFile:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"larger than {_MAX_BYTES} bytes")
        return AttackerFile.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = "not an attacker file" if isinstance(error, ValidationError) else str(error)
        raise ContractError(
            f"the frozen attacker cannot be read: {reason}",
            field="attacker.frozen.file",
            got=str(path),
            hint="give the attacker.json of a development run's folder",
        ) from error
