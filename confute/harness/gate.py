"""The one place where a candidate is let through to the victim."""

from __future__ import annotations

from confute.contract import ValidityConstraints
from confute.oracles import constraints
from confute.oracles.oracle import Oracle
from confute.records import Candidate, Case, Mechanism, Ruling, Validity, edited

ORACLE_RAISED = "oracle_raised"
"""The reason of a step on which the oracle itself failed, before its message."""

_CONSTRAINTS_VERSION = "1"
_MAX_REASON = 200


class Gate:
    """The contract's free constraints and then the oracle, in the order of their cost."""

    def __init__(self, limits: ValidityConstraints, oracle: Oracle) -> None:
        self._limits = limits
        self._oracle = oracle

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the ruling on a candidate; an oracle that raises knows nothing of it.

        What an agent says of its candidate is checked too: `edits_do_not_give_claim` where the edits do not amount to
        the claim, `not_a_paraphrase` where edits that are said to keep the label do not.
        """
        if edited(case.claim, candidate.edits) != candidate.claim:
            return _ruling(Validity.INVALID, "edits_do_not_give_claim", "constraints", _CONSTRAINTS_VERSION)
        refusal = constraints.check(self._limits, case.claim, candidate.claim, candidate.edits)
        if refusal is not None:
            return _ruling(Validity.INVALID, refusal.reason, "constraints", _CONSTRAINTS_VERSION)
        try:
            ruling = self._oracle.rule(case, candidate)
        except Exception as error:
            told = f"{ORACLE_RAISED}:{type(error).__name__}: {error}"[:_MAX_REASON]
            return _ruling(Validity.UNKNOWN, told, "none", "none")
        if ruling.validity is Validity.VALID and _keeps_label(candidate) and ruling.label is not case.label:
            return ruling.model_copy(update={"validity": Validity.INVALID, "reason": "not_a_paraphrase"})
        return ruling


def _keeps_label(candidate: Candidate) -> bool:
    return all(edit.mechanism is Mechanism.PARAPHRASE for edit in candidate.edits)


def _ruling(validity: Validity, reason: str, method: str, version: str) -> Ruling:
    return Ruling(validity=validity, label=None, reason=reason, method=method, oracle_version=version)
