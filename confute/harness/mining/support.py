"""Whether foreign evidence supports a claim, as far as an oracle can tell."""

from __future__ import annotations

from dataclasses import dataclass

from confute.oracles.oracle import Oracle
from confute.records import AttackGoal, Candidate, Case, Validity


@dataclass(frozen=True)
class Support:
    """An oracle that is asked of claims with other evidence.

    `knows_all` where it can tell of any evidence; guards on text can tell only where passages of the claim's are left.
    """

    oracle: Oracle
    knows_all: bool

    def word(self, case: Case, evidence: tuple[str, ...]) -> Validity:
        """Return the oracle's word on a claim with some evidence: INVALID where that evidence supports it."""
        candidate = Candidate(
            case_id=case.case_id,
            goal=AttackGoal.FALSE_ACCEPTANCE,
            edits=(),
            claim=case.claim,
            evidence=evidence,
        )
        return self.oracle.rule(case, candidate).validity
