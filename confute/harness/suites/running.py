"""Held-out suites and explorations attacked, each look written down before the victim is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from confute.contract import AttackContract
from confute.errors import CorpusError
from confute.harness import run
from confute.harness.files import write_text
from confute.harness.progress import Bar, Lines
from confute.harness.report import Report
from confute.harness.run_lock import locked
from confute.harness.suites.looks import Anchor, LookLog, begun, warnings
from confute.harness.suites.suite import Suite, read_suite
from confute.records import Record

SUITE_RUN = "suite-run.json"
_WAIT_S = 10.0


class SuiteRun(Record):
    """What a run's folder tells of the suite that it attacked: its digest, how often it was looked at, and warnings.

    `folder` is where the suite is, and `log` what the log of looks held once this one was written down.
    """

    suite: str
    folder: str
    log: Anchor
    kind: str
    suite_digest: str
    looks: int
    warnings: tuple[str, ...]

    def words(self) -> tuple[str, ...]:
        """Return what is printed beside the figures."""
        times = "time" if self.looks == 1 else "times"
        told = f"suite {self.suite} ({self.kind}), digest {self.suite_digest[:12]}: looked at {self.looks} {times}"
        return (told, *(f"! {warning}" for warning in self.warnings))


class Attacked(NamedTuple):
    """A suite that was attacked: the folder of the run, its report, and what is told of the suite."""

    folder: Path
    report: Report
    told: SuiteRun


def attack(suite: Suite, contract: AttackContract, runs: Path, cache: Path | None, progress: Bar | Lines) -> Attacked:
    """Attack the cases of a suite with its attacker, and write the look down, whatever comes of it.

    Raises ContractError where the attacker is not the one that was frozen, before anything is asked or written down,
    and what an attack raises.
    """
    order = run.Order(contract=contract, data=None if suite.data is None else str(suite.data.resolve()))
    prepared = run.prepare(order, cache, progress)
    folder = run.new_folder(runs, order)
    progress.say(f"run: {folder}")
    told = look_at(suite, folder.name)
    write_text(folder / SUITE_RUN, told.model_dump_json(indent=2))
    report = run.carry_out(folder, prepared, progress)
    finished(suite, folder)
    return Attacked(folder, report, told)


def with_victim_of(suite: Suite, other: AttackContract | None) -> AttackContract:
    """Return a suite's contract, its victim that of another contract, if any: all else stays frozen."""
    contract = suite.contract
    if other is None:
        return contract
    return contract.model_copy(update={"victim": other.victim, "authorized": other.authorized})


def look_at(suite: Suite, run_name: str) -> SuiteRun:
    """Write down that a run of a suite begins, and return what is to be told of its looks."""
    root = suite.folder.parent
    with locked(root, wait_s=_WAIT_S), LookLog(root) as log:
        log.add(suite, run_name)
        rows, anchor = log.rows, log.anchor
    return SuiteRun(
        suite=suite.name,
        folder=str(suite.folder.resolve()),
        log=anchor,
        kind=suite.manifest.kind,
        suite_digest=suite.manifest.digest,
        looks=len(begun(rows, suite)),
        warnings=warnings(rows, suite),
    )


def finished(suite: Suite, folder: Path) -> None:
    """Write down the digest of the ledger of a run of a suite that came to its end, unless it stands there already."""
    root, ledger = suite.folder.parent, run.ledger_digest(folder)
    with locked(root, wait_s=_WAIT_S), LookLog(root) as log:
        if not any((row.run, row.ledger) == (folder.name, ledger) for row in log.rows):
            log.add(suite, folder.name, ledger)


def suite_of(folder: Path) -> Suite | None:
    """Return the suite whose attack a run's folder holds, None where it attacked none.

    Raises CorpusError where that suite is not there any more as it was, or where the file about it is unreadable.
    """
    path = folder / SUITE_RUN
    if not path.exists():
        return None
    try:
        told = SuiteRun.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CorpusError("does not tell of which suite the run is", field=str(path), hint="restore it") from error
    suite = read_suite(Path(told.folder))
    if suite.manifest.digest != told.suite_digest:
        raise CorpusError(
            "is not the suite that the run attacks",
            field=told.folder,
            allowed=told.suite_digest,
            got=suite.manifest.digest,
            hint="restore it, so that the end of the run can be written down",
        )
    return suite


def refuse_shortened(root: Path, runs: Path) -> None:
    """Raise LedgerError where the log of looks has not the rows that were there when one of the runs began."""
    with LookLog(root) as log:
        for path in sorted(runs.glob(f"*/{SUITE_RUN}")):
            try:
                told = SuiteRun.model_validate_json(path.read_bytes())
            except (OSError, ValueError):
                continue
            if Path(told.folder).parent == root.resolve():
                log.refuse_without(told.log, str(path))


def told_of(folder: Path) -> tuple[str, ...]:
    """Return what a run's folder tells of the suite that it attacked; nothing where it attacked none."""
    try:
        return SuiteRun.model_validate_json((folder / SUITE_RUN).read_bytes()).words()
    except (OSError, ValueError):
        return ()
