"""A failure that was found, shrunk and confirmed, as it is kept."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import FiniteFloat, model_validator

from confute.records import AttackGoal, Knowledge, Label, Mechanism, Record, Validity
from confute.text import is_blank


class Status(StrEnum):
    """Where a counterexample stands."""

    ACTIVE_REGRESSION = "ACTIVE_REGRESSION"
    MITIGATED = "MITIGATED"
    ACKNOWLEDGED_LIMITATION = "ACKNOWLEDGED_LIMITATION"


def check_reason(status: Status, reason: str | None) -> None:
    """Raise ValueError for an acknowledged limitation whose reason is missing, or shows nothing."""
    if status is Status.ACKNOWLEDGED_LIMITATION and (reason is None or is_blank(reason)):
        raise ValueError("an ACKNOWLEDGED_LIMITATION needs a reason")


class Mitigation(Record):
    """The victim under which a counterexample held for the first time: its detector, version and fingerprint."""

    detector: str
    version: str
    fingerprint: str


class Counterexample(Record):
    """A minimal, confirmed, oracle-valid input that a victim decides wrongly, kept as an executable regression.

    `mitigated_by` is what made it hold, for the status MITIGATED; `reason` is why it is accepted that it fails, for
    ACKNOWLEDGED_LIMITATION, which never stands without one.
    """

    attack_id: str
    case_id: str
    contract_digest: str
    detector: str
    detector_version: str
    failure_family: str
    failure_mechanism: Mechanism
    attack_objective: AttackGoal
    attacker_access: Knowledge
    oracle_label: Label
    oracle_method: str
    oracle_version: str
    source_evidence: tuple[str, ...]
    original_claim: str
    original_label: Label
    adversarial_claim: str
    adversarial_evidence: tuple[str, ...]
    pre_score: FiniteFloat | None
    post_score: FiniteFloat
    delta_score: FiniteFloat | None
    threshold: FiniteFloat
    attack_budget: int
    queries_used: int
    edit_distance_tokens: int
    edit_distance_chars: int
    passages_added: int
    passages_removed: int
    entities_preserved: bool
    relation_words_preserved: bool
    embedding_similarity_claims: FiniteFloat | None
    embedding_similarity_before: FiniteFloat | None
    embedding_similarity_after: FiniteFloat | None
    validity: Validity
    realism: str
    expected_relation: str
    expected_policy: str
    first_compromised_stage: str
    first_failed_version: str
    one_minimal: bool
    confirmed_runs: int
    confirmed_wrong: int
    status: Status
    mitigated_by: Mitigation | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _says_why_it_may_fail(self) -> Self:
        check_reason(self.status, self.reason)
        return self
