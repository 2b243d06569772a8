"""Whether foreign evidence supports a claim, as far as an oracle can tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from confute.oracles.oracle import Oracle
from confute.records import AttackGoal, Candidate, Case, Validity


@dataclass(frozen=True)
class Support:
    """An oracle that is asked of claims with other evidence.

    `knows_all` where it can tell of any evidence; guards on text can tell only where passages of the claim's are left.
    Each word is asked for once, since the ranks of a curve share most of their sets.
    """

    oracle: Oracle
    knows_all: bool
    _words: dict[tuple[str, tuple[str, ...]], Validity] = field(default_factory=dict, init=False, repr=False)

    def word(self, case: Case, evidence: tuple[str, ...]) -> Validity:
        """Return the oracle's word on a claim with some evidence: INVALID where that evidence supports it."""
        asked = (case.case_id, evidence)
        if asked not in self._words:
            self._words[asked] = self._asked(case, evidence)
        return self._words[asked]

    def _asked(self, case: Case, evidence: tuple[str, ...]) -> Validity:
        candidate = Candidate(
            case_id=case.case_id,
            goal=AttackGoal.FALSE_ACCEPTANCE,
            edits=(),
            claim=case.claim,
            evidence=evidence,
        )
        return self.oracle.rule(case, candidate).validity
