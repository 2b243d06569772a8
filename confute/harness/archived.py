"""The archive of a run's counterexamples, as it is kept: the smallest of every kind."""

from __future__ import annotations

from collections.abc import Iterable

from confute.agents.archive import Archive, Elite
from confute.counterexample import Counterexample
from confute.records import Mechanism, Record


class Kept(Record):
    """A filled cell, mechanism x stage x edit size, with the identifier of its smallest counterexample."""

    mechanism: Mechanism
    stage: str
    size: str
    attack_id: str


class ArchiveFile(Record):
    """The filled cells, and how evenly the counterexamples lie in them, 0 to 1 (None with fewer than two cells)."""

    cells: tuple[Kept, ...]
    evenness: float | None


def archived(found: Iterable[Counterexample]) -> ArchiveFile:
    """Return the archive of confirmed counterexamples."""
    archive = Archive(_elite(one) for one in found)
    cells = tuple(
        Kept(mechanism=cell.mechanism, stage=cell.stage, size=cell.size, attack_id=elite.attack_id)
        for cell, elite in archive.elites
    )
    return ArchiveFile(cells=cells, evenness=archive.evenness)


def _elite(one: Counterexample) -> Elite:
    return Elite(
        attack_id=one.attack_id,
        mechanism=one.failure_mechanism,
        stage=one.first_compromised_stage,
        tokens=one.edit_distance_tokens,
        chars=one.edit_distance_chars,
        passages=one.passages_added + one.passages_removed,
    )
