"""The one place where a candidate is let through to the victim."""

from __future__ import annotations

from collections.abc import Callable

from confute.contract import Budgets, ValidityConstraints
from confute.edits import applied
from confute.oracles import constraints
from confute.oracles.oracle import Oracle, Screened, Screening
from confute.records import Candidate, Case, Mechanism, Ruling, Validity

ORACLE_RAISED = "oracle_raised"
"""The reason of a step on which the oracle itself failed, before its message."""

_CONSTRAINTS_VERSION = "3"
_MAX_REASON = 200


class Gate:
    """The contract's free constraints and then the oracle, in the order of their cost."""

    def __init__(self, limits: ValidityConstraints, oracle: Oracle, budgets: Budgets | None = None) -> None:
        self._limits = limits
        self._budgets = budgets or Budgets()
        self._oracle = oracle

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the ruling on a candidate; an oracle that raises knows nothing of it.

        What an agent says of its candidate is checked too: `edits_do_not_give_claim` and `edits_do_not_give_evidence`
        where the edits do not amount to the candidate, `mechanism_misnamed` where a mechanism of the claim changes
        evidence or the reverse, `not_a_paraphrase` where edits that are said to keep the label do not.
        """
        return self._checked(case, candidate, lambda: Screened(self._oracle.rule(case, candidate))).ruling

    def screen(self, case: Case, candidate: Candidate) -> Screened:
        """Return what can be said of a candidate before the victim and any judge are asked, checked as by `rule`."""
        oracle = self._oracle
        if not isinstance(oracle, Screening):
            return Screened(self.rule(case, candidate))
        return self._checked(case, candidate, lambda: oracle.screen(case, candidate))

    def _checked(self, case: Case, candidate: Candidate, says: Callable[[], Screened]) -> Screened:
        refusal = self.refusal(case, candidate)
        if refusal is not None:
            return Screened(_ruling(Validity.INVALID, refusal, "constraints", _CONSTRAINTS_VERSION))
        try:
            screened = says()
        except Exception as error:
            told = f"{ORACLE_RAISED}:{type(error).__name__}: {error}"[:_MAX_REASON]
            return Screened(_ruling(Validity.UNKNOWN, told, "none", "none"))
        ruling = screened.ruling
        if ruling.validity is Validity.VALID and _keeps_label(candidate) and ruling.label is not case.label:
            return Screened(ruling.model_copy(update={"validity": Validity.INVALID, "reason": "not_a_paraphrase"}))
        return screened

    def refusal(self, case: Case, candidate: Candidate) -> str | None:
        """Return why the free checks refuse a candidate, or None where they do not."""
        misstated = _misstated(case, candidate)
        if misstated is not None:
            return misstated
        if candidate.evidence != case.evidence:
            return constraints.check_evidence(self._limits, self._budgets, case.pair, candidate.pair, candidate.edits)
        refused = constraints.check(self._limits, case.claim, candidate.claim, candidate.edits)
        return None if refused is None else refused.reason


def _misstated(case: Case, candidate: Candidate) -> str | None:
    start = candidate.model_copy(update={"edits": (), "claim": case.claim, "evidence": case.evidence})
    made = applied(start, candidate.edits)
    if made is None or made.claim != candidate.claim:
        return "edits_do_not_give_claim"
    if made.evidence != candidate.evidence:
        return "edits_do_not_give_evidence"
    misnamed = any(edit.mechanism.changes_evidence is not bool(edit.passages) for edit in candidate.edits)
    return "mechanism_misnamed" if misnamed else None


def _keeps_label(candidate: Candidate) -> bool:
    return all(edit.mechanism is Mechanism.PARAPHRASE for edit in candidate.edits)


def _ruling(validity: Validity, reason: str, method: str, version: str) -> Ruling:
    return Ruling(validity=validity, label=None, reason=reason, method=method, oracle_version=version)
