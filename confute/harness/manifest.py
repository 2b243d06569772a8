"""What a run was made of: the frozen victim, the attacker, the oracle and the cases, as the report needs them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from confute.contract import AttackContract
from confute.records import AttackGoal, Label, Record

BUDGETS_SHOWN = (1, 4, 16, 64, 256)
"""The victim budgets at which a success curve is read off."""


class CalibrationSummary(Record):
    """How a threshold was set: the order statistic `k` of `n` calibration risks, and the error rate it aims at.

    `unmeasured` calibration cases were left out.
    """

    n: int = Field(ge=1)
    k: int = Field(ge=0)
    unmeasured: int = Field(default=0, ge=0)
    warnings: tuple[str, ...] = ()
    error: AttackGoal
    target_rate: FiniteFloat
    set_digest: str


class VictimSummary(Record):
    """A frozen victim: its fingerprint with the parts that went into it, and its threshold."""

    digest: str
    detector: str
    version: str
    threshold: FiniteFloat
    threshold_source: Literal["given", "calibrated"]
    parts: dict[str, str]
    calibration: CalibrationSummary | None


class DatasetSummary(Record):
    """The claims that were read, how many rows were left out for each reason, and the first line of each, if known."""

    name: str
    digest: str
    rows: int = Field(ge=0)
    dropped: dict[str, int]
    first_lines: dict[str, int] = Field(default_factory=dict)


class CaseSummary(Record):
    """One attacked case without its text; `group` is the source document, the unit of every interval."""

    case_id: str
    domain: str
    source: str
    group: str
    label: Label


class RunManifest(Record):
    """Everything besides the attempts that a report is made of; nothing in it depends on the clock.

    Of `truncated_texts`, claims and passages, the victim's embedder reads only the beginning. `frozen_attacker` is the
    fingerprint of a frozen attacker as the run found it, None where the contract names none.
    """

    run_id: str
    contract: AttackContract
    contract_digest: str
    confute_version: str
    victim: VictimSummary
    attacker_name: str
    attacker_fingerprint: str
    frozen_attacker: str | None = None
    oracle_version: str
    dataset: DatasetSummary
    cases: tuple[CaseSummary, ...]
    truncated_texts: int = Field(default=0, ge=0)
    budgets_shown: tuple[int, ...] = BUDGETS_SHOWN
