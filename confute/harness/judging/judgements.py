"""What a panel said of each exhibit, in an append-only ledger, so that a stopped measurement asks nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from confute.harness.row_ledger import RowLedger
from confute.records import Record
from confute.verdicts import Verdict


class Key(NamedTuple):
    """What tells a judgement from every other of its measurement.

    `arm` names what was done to the exhibit or to the panel, empty for neither; `attempt` counts redraws of an error.
    """

    case_id: str
    arm: str
    repeat: int
    attempt: int


class Judgement(Record):
    """One verdict, with its votes as they were, and what it is a verdict on."""

    case_id: str
    arm: str = ""
    repeat: int = Field(default=0, ge=0)
    attempt: int = Field(default=0, ge=0)
    verdict: Verdict

    @property
    def key(self) -> Key:
        """What tells it from every other judgement."""
        return Key(self.case_id, self.arm, self.repeat, self.attempt)


JudgementLedger = RowLedger[Key, Judgement]


def open_judgements(path: Path) -> JudgementLedger:
    """Return the open ledger of judgements in a file; raises LedgerError where it is unreadable, or was altered."""
    return RowLedger(path, Judgement)


def last_answer(ledger: JudgementLedger, case_id: str) -> Judgement | None:
    """Return the last answer on a case as it is, in the family's own wording, if there is any."""
    found = None
    while (row := ledger.find(Key(case_id, "", 0, 0 if found is None else found.attempt + 1))) is not None:
        found = row
    return found
