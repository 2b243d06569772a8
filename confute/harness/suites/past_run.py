"""A finished run as a suite looks back on it: its manifest, its attacker and its failures, all from its files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from confute.contract import AttackContract
from confute.counterexample import Counterexample
from confute.errors import CorpusError
from confute.harness import run
from confute.harness.folders import RUN_MANIFEST
from confute.harness.frozen_attacker import AttackerFile
from confute.harness.ledger import Ledger
from confute.harness.manifest import RunManifest
from confute.harness.regress.corpus import COUNTEREXAMPLES
from confute.harness.suites.material import Material, material_of
from confute.harness.suites.suite import ATTACKER
from confute.records import Arm, Attempt, Outcome, Pair


class PastRun(NamedTuple):
    """A finished run: its folder, its claims file, its manifest, and the attacker that it left, as text."""

    folder: Path
    data: Path | None
    manifest: RunManifest
    attacker: AttackerFile
    attacker_text: str

    @property
    def contract(self) -> AttackContract:
        """What it carried out."""
        return self.manifest.contract

    @property
    def attacker_digest(self) -> str:
        """The SHA-256, in hex, of the file of its attacker."""
        return hashlib.sha256(self.attacker_text.encode()).hexdigest()

    def material(self) -> Material:
        """Return the cases that it knew. Raises CorpusError where they are not there any more as it knew them."""
        found = material_of(self.contract, self.data)
        if found.digest != self.manifest.dataset.digest:
            raise CorpusError(
                "the cases of the run are not there any more, so nothing can be compared with them",
                field=str(self.data or self.folder),
                allowed=self.manifest.dataset.digest,
                got=found.digest,
            )
        return found

    def confirmed(self) -> frozenset[tuple[str, Pair]]:
        """Return the cases and pairs that its ledger holds a confirmed failure of. Raises LedgerError where altered."""
        with Ledger(self.folder / run.LEDGER) as ledger:
            return frozenset((one.case_id, _pair(one)) for one in ledger.attempts if _is_confirmation(one))


def read_past_run(folder: Path) -> PastRun:
    """Read a finished run. Raises CorpusError where the folder is none of a run that ended."""
    try:
        order = run.read_order(folder)
        manifest = RunManifest.model_validate_json((folder / RUN_MANIFEST).read_bytes())
        told = (folder / ATTACKER).read_text(encoding="utf-8")
        attacker = AttackerFile.model_validate_json(told)
        ended = (folder / COUNTEREXAMPLES).is_file()
    except (OSError, ValueError) as error:
        raise _unfinished(folder) from error
    if not ended:
        raise _unfinished(folder)
    return PastRun(folder, None if order.data is None else Path(order.data), manifest, attacker, told)


def is_of(past: PastRun, row: Counterexample, confirmed: frozenset[tuple[str, Pair]]) -> bool:
    """Tell whether a counterexample is one that the run's ledger holds."""
    pair = Pair(claim=row.adversarial_claim, evidence=row.adversarial_evidence)
    return row.contract_digest == past.manifest.contract_digest and (row.case_id, pair) in confirmed


def _is_confirmation(one: Attempt) -> bool:
    return one.arm is Arm.CONFIRM and one.outcome is Outcome.SUCCEEDED


def _pair(one: Attempt) -> Pair:
    return Pair(claim=one.claim, evidence=one.evidence)


def _unfinished(folder: Path) -> CorpusError:
    return CorpusError(
        "is no finished run",
        field=str(folder),
        allowed=f"a folder of `confute attack` with its {RUN_MANIFEST}, {ATTACKER} and {COUNTEREXAMPLES}",
        hint="attack first, or go on with `confute attack --resume`",
    )
