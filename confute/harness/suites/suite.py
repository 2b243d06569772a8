"""A suite on disk: a folder with a manifest, its cases, and the attacker that was frozen for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field

from confute.contract import AttackContract, FrozenAttacker, OracleChoice
from confute.counterexample import Counterexample
from confute.errors import CorpusError
from confute.harness.files import write_text
from confute.harness.regress.corpus import COUNTEREXAMPLES, Corpus, read_corpus
from confute.harness.suites.material import digest_of_file, material_of
from confute.harness.suites.traces import Seen, Traces, plain_marks, traces_of
from confute.records import Case, Record, digest_of

MANIFEST = "suite.json"
NEXT = "suite.next.json"
"""The manifest of a promotion that waits for its counterexamples to be written."""
CASES = "cases.jsonl"
ATTACKER = "attacker.json"
_MAX_BYTES = 64_000_000


class SuiteKind(StrEnum):
    """What a suite is for."""

    REGRESSION = "regression"
    HELD_OUT = "held_out"
    EXPLORATION = "exploration"


class Origin(Record):
    """Where a known failure is from: the run that found it, the held-out run that came first, its source and entities.

    `names_only` says that the names are known, so that the wording of templates counts for nothing.
    `exploration_suite` is the digest of the exploration whose run it was, the one suite that it may have something in
    common with; None where the run was of no exploration.
    """

    attack_id: str
    run_ledger: str
    held_out_suite: str
    held_out_ledger: str
    group: str
    entities: tuple[str, ...]
    names_only: bool
    exploration_suite: str | None = None


class SuiteManifest(Record):
    """What a suite is made of.

    `contract` is what its attack carries out, `attacker_digest` the SHA-256 of its `attacker.json` and `cases_digest`
    that of its cases; `left_out` counts those that shared an entity, a source or words with what was seen. A regression
    suite has `origins` instead, and its digest leaves statuses out.
    """

    suite: Literal[1] = 1
    kind: SuiteKind
    contract: AttackContract | None = None
    attacker_fingerprint: str | None = None
    attacker_digest: str | None = None
    cases_digest: str
    cases: int = Field(ge=0)
    left_out: int = Field(default=0, ge=0)
    allowed_entities: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of the manifest."""
        return digest_of(self.model_dump(mode="json"))


class Suite:
    """A suite that was read, each of its files the one that its manifest tells of."""

    def __init__(self, folder: Path, manifest: SuiteManifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def data(self) -> Path | None:
        """The file of its claims, None where its cases are the built-in facts."""
        path = self.folder / CASES
        return path if path.is_file() else None

    @property
    def contract(self) -> AttackContract:
        """What its attack carries out, the frozen attacker's file found from anywhere.

        Raises CorpusError for a regression suite, which is replayed.
        """
        found = self.manifest.contract
        if found is None:
            raise CorpusError("a regression suite is replayed, and attacks nothing", field=str(self.folder))
        if found.attacker.frozen is None:
            return found
        frozen = FrozenAttacker(
            file=str((self.folder / ATTACKER).resolve()), fingerprint=found.attacker.frozen.fingerprint
        )
        return found.model_copy(update={"attacker": found.attacker.model_copy(update={"frozen": frozen})})

    @property
    def corpus(self) -> Corpus[Counterexample]:
        """Its counterexamples. Raises CorpusError where there are none that can be read."""
        return read_corpus(self.folder / COUNTEREXAMPLES)

    def traces(self) -> Traces:
        """Return what its cases are about and where they are from."""
        if self.manifest.kind is SuiteKind.REGRESSION:
            return traces_of_failures(self.corpus.rows, self.manifest.origins)
        found = material_of(self.contract, self.data)
        return traces_of(found.cases, found.names, plain_marks())

    def seen(self, allowed: Iterable[str] = ()) -> Seen:
        """Return what others must have nothing in common with; `allowed` are names that both may name besides."""
        names = frozenset((*allowed, *self.manifest.allowed_entities))
        return Seen(f"the {self.manifest.kind} suite {self.folder}", self.traces(), names)


def failures_digest(rows: tuple[Counterexample, ...]) -> str:
    """Return the digest of known failures, whatever their statuses."""
    told = [row.model_dump(mode="json", exclude={"status", "mitigated_by", "reason"}) for row in rows]
    return digest_of(sorted(map(digest_of, told)))


def traces_of_failures(rows: tuple[Counterexample, ...], origins: tuple[Origin, ...]) -> Traces:
    """Return what known failures are about and where they are from."""
    known = {origin.attack_id: origin for origin in origins}
    found = Traces(frozenset(), frozenset(), frozenset())
    for row in rows:
        origin = known[row.attack_id]
        names = origin.entities if origin.names_only else None
        found = found.joined(traces_of(as_cases(row, origin.group), names, plain_marks()))
    return found


def as_cases(row: Counterexample, group: str) -> Iterator[Case]:
    """Yield the original and the adversarial side of a counterexample as cases of a source."""
    sides = (
        (row.original_claim, row.source_evidence, row.original_label),
        (row.adversarial_claim, row.adversarial_evidence, row.oracle_label),
    )
    for claim, evidence, label in sides:
        yield Case(case_id=row.case_id, claim=claim, evidence=evidence, label=label, domain="", source="", group=group)


def read_suite(folder: Path) -> Suite:
    """Read a suite, and check that its files are those that were frozen.

    Raises CorpusError where the folder is no suite's, or one of its files was altered.
    """
    try:
        _settle(folder)
        path = folder / MANIFEST
        if path.stat().st_size > _MAX_BYTES:
            raise CorpusError("is too large", field=str(path), allowed=f"{_MAX_BYTES} bytes")
        suite = Suite(folder, SuiteManifest.model_validate_json(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise CorpusError(
            "is no suite: its manifest cannot be read",
            field=str(folder),
            allowed=f"a folder that holds {MANIFEST}",
            hint="make one with `confute suite freeze`",
        ) from error
    _check(suite)
    return suite


def is_suite(folder: Path) -> bool:
    """Tell whether a folder is a suite's, also one whose first promotion was killed at its last step."""
    _settle(folder)
    return (folder / MANIFEST).exists()


def suites_in(root: Path) -> Iterator[Suite]:
    """Yield every suite of a folder of suites, by name. Raises CorpusError where one was altered."""
    folders = {path.parent for name in (MANIFEST, NEXT) for path in root.glob(f"*/{name}")}
    for folder in sorted(folders):
        if is_suite(folder):
            yield read_suite(folder)


def write_suite(folder: Path, manifest: SuiteManifest) -> Suite:
    """Write a suite's manifest, whole or not at all, and return the suite."""
    write_text(folder / MANIFEST, manifest.model_dump_json(indent=2))
    return Suite(folder, manifest)


def write_failures(
    folder: Path, old: Corpus[Counterexample] | None, rows: Sequence[Counterexample], manifest: SuiteManifest
) -> Suite:
    """Write known failures with their manifest, and return the suite; `old` are those that were read, if any.

    Whoever writes holds the folder from the read on. Raises CorpusError where the file is not the one that was read.

    A kill leaves the suite as it was, or as it is to be: the manifest is laid beside the old one, then the rows are
    replaced by one rename, and a manifest that waits for the rows that are there is put in its place by who comes next.
    """
    if old is not None:
        old.refuse_if_changed()
    write_text(folder / NEXT, manifest.model_dump_json(indent=2))
    write_text(folder / COUNTEREXAMPLES, "".join(f"{row.model_dump_json()}\n" for row in rows))
    _settle(folder)
    return Suite(folder, manifest)


def _settle(folder: Path) -> None:
    """End a promotion that was killed after its rows were written, if there is one."""
    waiting = folder / NEXT
    if not waiting.is_file():
        return
    try:
        fits = _tells_of(SuiteManifest.model_validate_json(waiting.read_bytes()), read_corpus(folder).rows)
    except (OSError, ValueError, CorpusError):
        return
    if fits:
        with suppress(FileNotFoundError):  # somebody else came first
            waiting.replace(folder / MANIFEST)


def _tells_of(manifest: SuiteManifest, rows: tuple[Counterexample, ...]) -> bool:
    ids = {origin.attack_id for origin in manifest.origins}
    return {row.attack_id for row in rows} == ids and failures_digest(rows) == manifest.cases_digest


def _check(suite: Suite) -> None:
    manifest = suite.manifest
    if manifest.kind is SuiteKind.REGRESSION:
        if not _tells_of(manifest, suite.corpus.rows):
            raise _altered(suite.folder / COUNTEREXAMPLES)
        return
    if (suite.data is None) is not (suite.contract.objective.oracle is OracleChoice.FACTS):
        raise _altered(suite.folder / CASES)
    if material_of(suite.contract, suite.data).digest != manifest.cases_digest:
        raise _altered(suite.folder / CASES)
    if manifest.attacker_digest is not None and digest_of_file(suite.folder / ATTACKER) != manifest.attacker_digest:
        raise _altered(suite.folder / ATTACKER)


def _altered(path: Path) -> CorpusError:
    return CorpusError(
        "is not what was frozen",
        field=str(path),
        hint="restore it, or freeze the suite anew: a suite that changes compares nothing",
    )
