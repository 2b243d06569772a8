"""Counterexamples promoted into the regression suite, once a held-out run of the frozen attacker came first."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from confute.counterexample import Counterexample
from confute.errors import CorpusError
from confute.harness import run
from confute.harness.frozen_attacker import check_still_frozen
from confute.harness.regress.corpus import COUNTEREXAMPLES, Corpus, read_corpus
from confute.harness.run_lock import locked
from confute.harness.suites.looks import looks_in
from confute.harness.suites.past_run import PastRun, is_of, read_past_run
from confute.harness.suites.suite import (
    Origin,
    Suite,
    SuiteKind,
    SuiteManifest,
    as_cases,
    failures_digest,
    is_suite,
    read_suite,
    suites_in,
    traces_of_failures,
    write_failures,
)
from confute.harness.suites.traces import plain_marks, refuse_shared, traces_of

_HINT = "choose others with --id: what was held out stays unseen, and what is explored is not yet known"


class Promoted(NamedTuple):
    """A regression suite with what came in: how many counterexamples are new, and how many it had."""

    suite: Suite
    added: int
    known: int


class _HeldOut(NamedTuple):
    suite: Suite
    ledger: str


def promote(past: PastRun, folder: Path, held_out_run: Path, ids: Collection[str] | None = None) -> Promoted:
    """Add counterexamples of a finished run to the regression suite of a folder, which is made where there is none.

    By files and digests alone: the attacker that the run left is the one that a held-out suite beside it was frozen
    for, the log of looks holds the finished run of that suite with the digest of its ledger, and each counterexample
    is confirmed in the run's own ledger. Raises CorpusError where one of that does not hold, for an identifier that
    the run has none of, and where one has an entity, a source or eight words in a row in common with another suite of
    the folder, save the exploration whose run it was found by: it is one of that suite's own cases; LedgerError where
    another process writes to the suite.
    """
    held = _held_out(folder.parent, held_out_run)
    if past.attacker_digest != held.suite.manifest.attacker_digest:
        raise CorpusError(
            "the attacker that this run left is not the one that was frozen for the held-out run",
            field=str(past.folder),
            allowed=held.suite.manifest.attacker_fingerprint,
            got=past.attacker.fingerprint,
            hint="freeze a held-out suite for it with `confute suite freeze`, and run that first",
        )
    rows = _chosen(past, ids)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        return _added(past, rows, folder, held)


def _added(past: PastRun, rows: tuple[Counterexample, ...], folder: Path, held: _HeldOut) -> Promoted:
    suite = read_suite(folder) if is_suite(folder) else None
    if suite is not None and suite.manifest.kind is not SuiteKind.REGRESSION:
        raise CorpusError("is no regression suite", field=str(folder), got=suite.manifest.kind.value)
    old = None if suite is None else suite.corpus
    before = () if old is None else old.rows
    known = {row.attack_id for row in before}
    new = tuple(row for row in rows if row.attack_id not in known)
    origins = _origins(past, new, held, folder.parent)
    _refuse_seen(folder, new, origins)
    kept = () if suite is None else suite.manifest.origins
    made = _write(folder, old, (*before, *new), (*kept, *origins))
    return Promoted(made, len(new), len(rows) - len(new))


def _held_out(root: Path, folder: Path) -> _HeldOut:
    past = read_past_run(folder)
    ledger = run.ledger_digest(folder)
    looks = [look for look in looks_in(root) if look.ledger == ledger and look.kind is SuiteKind.HELD_OUT]
    found = [one for one in suites_in(root) if looks and one.manifest.digest == looks[-1].suite_digest]
    if not found:
        raise CorpusError(
            "is no finished run of a held-out suite",
            field=str(folder),
            allowed=f"a run that stands in the log of looks of {root}, unaltered",
            hint="attack a held-out suite with `confute suite run` first",
        )
    suite = found[0]
    check_still_frozen(past.manifest)
    expected = (suite.manifest.attacker_fingerprint, suite.manifest.cases_digest)
    if (past.manifest.frozen_attacker, past.manifest.dataset.digest) != expected:
        raise CorpusError("was made with another attacker or on other cases than its suite", field=str(folder))
    return _HeldOut(suite, ledger)


def _chosen(past: PastRun, ids: Collection[str] | None) -> tuple[Counterexample, ...]:
    rows = read_corpus(past.folder).rows
    missing = sorted(set(ids or ()) - {row.attack_id for row in rows})
    if missing:
        raise CorpusError("is not among the run's", field="--id", allowed=str(past.folder), got=missing[0])
    chosen = tuple(row for row in rows if ids is None or row.attack_id in ids)
    confirmed = past.confirmed()
    foreign = next((row for row in chosen if not is_of(past, row, confirmed)), None)
    if foreign is not None:
        raise CorpusError(
            "is not confirmed in the ledger of the run", field=f"{past.folder / COUNTEREXAMPLES}: {foreign.attack_id}"
        )
    return chosen


def _origins(past: PastRun, rows: tuple[Counterexample, ...], held: _HeldOut, root: Path) -> tuple[Origin, ...]:
    groups = {case.case_id: case.group for case in past.manifest.cases}
    names = past.material().names
    ledger = run.ledger_digest(past.folder)
    explored = _explored(root, ledger)
    return tuple(
        Origin(
            attack_id=row.attack_id,
            run_ledger=ledger,
            held_out_suite=held.suite.manifest.digest,
            held_out_ledger=held.ledger,
            group=groups[row.case_id],
            entities=tuple(sorted(traces_of(as_cases(row, groups[row.case_id]), names, plain_marks()).entities)),
            names_only=names is not None,
            exploration_suite=explored,
        )
        for row in rows
    )


def _explored(root: Path, ledger: str) -> str | None:
    """Return the digest of the exploration that a run was of, as the log of looks tells by the run's ledger."""
    looks = [look for look in looks_in(root) if look.ledger == ledger and look.kind is SuiteKind.EXPLORATION]
    return looks[-1].suite_digest if looks else None


def _refuse_seen(folder: Path, rows: tuple[Counterexample, ...], origins: tuple[Origin, ...]) -> None:
    for other in suites_in(folder.parent):
        if other.folder.resolve() == folder.resolve():
            continue
        foreign = {origin.attack_id for origin in origins if origin.exploration_suite != other.manifest.digest}
        mine = traces_of_failures(tuple(row for row in rows if row.attack_id in foreign), origins)
        refuse_shared(str(folder), mine, other.seen(), _HINT)


def _write(
    folder: Path,
    old: Corpus[Counterexample] | None,
    rows: tuple[Counterexample, ...],
    origins: tuple[Origin, ...],
) -> Suite:
    manifest = SuiteManifest(
        kind=SuiteKind.REGRESSION, cases_digest=failures_digest(rows), cases=len(rows), origins=origins
    )
    return write_failures(folder, old, rows, manifest)
