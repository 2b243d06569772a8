"""A run's folder: what it was asked to do, its ledger, and the reports made of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from confute import contract as contracts
from confute.contract import AttackContract
from confute.counterexample import Counterexample
from confute.errors import LedgerError, ReportError
from confute.harness import arena as arenas
from confute.harness import arena_manifest
from confute.harness.archived import archived
from confute.harness.arena import Prepared
from confute.harness.asking import asking, spending_of
from confute.harness.campaign import Campaign, Progress
from confute.harness.expense import by_item
from confute.harness.files import write_text
from confute.harness.folders import RUN_MANIFEST, RUN_ORDER, not_reportable
from confute.harness.frozen_attacker import left_by
from confute.harness.ledger import Ledger
from confute.harness.manifest import RunManifest
from confute.harness.outcome import ItemOutcome, items
from confute.harness.render.formats import write_all
from confute.harness.report import Report, build
from confute.harness.run_lock import locked
from confute.records import Record
from confute.victims.calibration import CalibratedThreshold

LEDGER = "ledger.sqlite"
"""The ledger in the folder of a run."""

_COUNTEREXAMPLES = "counterexamples.jsonl"
_CALIBRATION = "calibration.json"
_ATTACKER = "attacker.json"
_ARCHIVE = "archive.json"
_ITEMS = "items.jsonl"


class Order(Record):
    """What a run was asked to do: its contract, and the claims file that it reads, if any."""

    contract: AttackContract
    data: str | None


def new_folder(root: Path, order: Order) -> Path:
    """Make a folder for a new run, named by the time and the contract, and write its order."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name = f"{stamp}-{order.contract.digest[:8]}"
    for suffix in ("", *(f"-{count}" for count in range(2, 1000))):
        folder = root / f"{name}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise LedgerError(f"{folder}: cannot be made: {error.strerror}") from error
        write_text(folder / RUN_ORDER, order.model_dump_json(indent=2))
        return folder
    raise LedgerError(f"{root}: too many runs of one second")


def read_order(folder: Path) -> Order:
    """Read what a run was asked to do.

    Raises LedgerError where the folder is not a run's.
    """
    try:
        value = json.loads((folder / RUN_ORDER).read_text(encoding="utf-8"))
        contract = contracts.parse(json.dumps(value["contract"]), name=str(folder / RUN_ORDER))
        return Order(contract=contract, data=value["data"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LedgerError(f"{folder}: not the folder of a run", hint="give the folder that `attack` named") from error


def prepare(order: Order, cache: Path | None, progress: Progress, resumed: Path | None = None) -> Prepared:
    """Build and freeze what an order needs; nothing is written but the vectors of the `cache` folder.

    A `resumed` run keeps the threshold that was calibrated at its first start.

    Raises the errors of `confute.harness.arena.prepare`.
    """
    data = None if order.data is None else Path(order.data)
    known = None if resumed is None else _calibration(resumed)
    return arenas.prepare(order.contract, data, cache, progress, known)


def carry_out(folder: Path, prepared: Prepared, progress: Progress) -> Report:
    """Take every step of a prepared run that its ledger does not hold yet, and write the reports.

    Raises LedgerError where the victim, the attacker, the oracle or the cases are not those of the ledger, and where
    another process is at work in the folder.
    """
    with locked(folder):
        return _carried_out(folder, prepared, progress)


def _carried_out(folder: Path, prepared: Prepared, progress: Progress) -> Report:
    manifest = arena_manifest.manifest(prepared, run_id=folder.name)
    with Ledger(folder / LEDGER) as ledger:
        ledger.identify(_identity(manifest))
        if (calibrated := prepared.arena.victim.manifest.calibration) is not None:
            write_text(folder / _CALIBRATION, calibrated.model_dump_json(indent=2))
        write_text(folder / RUN_MANIFEST, manifest.model_dump_json(indent=2))
        with asking(folder, prepared.arena) as model:
            campaign = Campaign(prepared.arena, ledger, progress, model)
            counterexamples = campaign.run()
    left = left_by(manifest.contract.attacker, prepared.strategy_fingerprint, campaign.lessons)
    write_text(folder / _ATTACKER, left.model_dump_json(indent=2))
    write_text(folder / _ARCHIVE, archived(counterexamples).model_dump_json(indent=2))
    write_text(folder / _COUNTEREXAMPLES, "".join(f"{one.model_dump_json()}\n" for one in counterexamples))
    spent = by_item(manifest.contract, outcomes_of(folder), spending_of(folder))
    write_text(folder / _ITEMS, "".join(f"{one.model_dump_json()}\n" for one in spent))
    report = report_of(folder)
    write_all(report, folder)
    return report


def report_of(folder: Path) -> Report:
    """Build the report of a run from its ledger alone, finished or not.

    Raises ReportError where the folder is no run's, or the run has not begun.
    """
    if not (folder / RUN_MANIFEST).is_file():
        raise not_reportable(folder)
    try:
        manifest = RunManifest.model_validate_json((folder / RUN_MANIFEST).read_text(encoding="utf-8"))
        lines = (folder / _COUNTEREXAMPLES).read_text(encoding="utf-8").split("\n") if _finished(folder) else []
        counterexamples = [Counterexample.model_validate_json(line) for line in lines if line]
    except (OSError, ValueError) as error:
        raise ReportError(
            f"{folder}: no run to report on: its manifest or counterexamples cannot be read",
            hint="start another one with `confute attack`",
        ) from error
    with Ledger(folder / LEDGER) as ledger:
        return build(manifest, ledger.attempts, counterexamples, spending_of(folder))


def outcomes_of(folder: Path) -> tuple[ItemOutcome, ...]:
    """Return what a run showed of each item, from its ledger.

    Raises ReportError where the folder is no run's.
    """
    try:
        manifest = RunManifest.model_validate_json((folder / RUN_MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise not_reportable(folder) from error
    with Ledger(folder / LEDGER) as ledger:
        return items(manifest.cases, ledger.attempts)


def ledger_digest(folder: Path) -> str:
    """Return the chain digest of a run's ledger, in hex."""
    with Ledger(folder / LEDGER) as ledger:
        return ledger.digest


def _calibration(folder: Path) -> CalibratedThreshold | None:
    path = folder / _CALIBRATION
    try:
        return CalibratedThreshold.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else None
    except (OSError, ValueError) as error:
        raise LedgerError(f"{path}: not a calibrated threshold", hint="start a new run") from error


def _finished(folder: Path) -> bool:
    return (folder / _COUNTEREXAMPLES).exists()


def _identity(manifest: RunManifest) -> dict[str, str]:
    return {
        "contract": manifest.contract_digest,
        "victim": manifest.victim.digest,
        "attacker": manifest.attacker_fingerprint,
        "oracle": manifest.oracle_version,
        "cases": manifest.dataset.digest,
        "confute": manifest.confute_version,
    }
