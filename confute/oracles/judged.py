"""An oracle on free text whose open cases go to a panel of judges; what they cannot settle stays unknown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from confute.judges.clamp import BUDGET_SPENT
from confute.judges.judge import Exhibit, Panel
from confute.oracles.oracle import Screened
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Ruling, Validity, digest_of
from confute.verdicts import Verdict, VerdictState

METHOD = "support_judges"
_OPEN = frozenset({"unrecognised_edit", "may_cancel", "label_not_recomputed"})
"""The reasons of the guards that say no more than that they do not recognise a change."""

PanelOf = Callable[[Case, AttackGoal], Panel]


class JudgedTextOracle:
    """Rules by the guards; a change of the claim that they do not recognise is put to judges of the family `support`.

    The guards' VALID and INVALID stand, and so does an UNKNOWN by which a guard found a reason for doubt. For a false
    acceptance a claim is VALID where the judges say that the evidence does not support it, and INVALID where they say
    that it does; for a false rejection the reverse. A conflict, an error, and judges that cannot tell leave it UNKNOWN,
    with the verdict's state as the reason. Each claim of a case is judged once, or anew where a budget refused it. A
    paraphrase is not put to them, since that a claim stays supported does not show that it says the same, unless the
    goal is a false rejection.
    """

    def __init__(self, guards: GuardedTextOracle, panel_of: PanelOf, version: str) -> None:
        """`panel_of` returns the panel of a case and goal, whose budget they share; `version` is that of the panels."""
        self.version = digest_of([guards.version, version])[:16]
        self._guards = guards
        self._panel_of = panel_of
        self._verdicts: dict[tuple[str, AttackGoal, str], Verdict] = {}

    def moves(self, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        """Return the edits that the guards vouch for."""
        return self._guards.moves(case, goal)

    def screen(self, case: Case, candidate: Candidate) -> Screened:
        """Return the ruling of the guards, open where it may be put to judges."""
        ruling = self._guards.rule(case, candidate)
        is_open = ruling.validity is Validity.UNKNOWN and ruling.reason in _OPEN and _may_be_judged(case, candidate)
        return Screened(ruling, is_open)

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the validity of a candidate and its recomputed label; what is open is put to judges."""
        screened = self.screen(case, candidate)
        return self._judged(case, candidate) if screened.is_open else screened.ruling

    def _judged(self, case: Case, candidate: Candidate) -> Ruling:
        verdict = self._verdict(case, candidate)
        label = _LABELS.get(verdict.state)
        serves = (label is Label.UNSUPPORTED) == (candidate.goal is AttackGoal.FALSE_ACCEPTANCE)
        validity = Validity.UNKNOWN if label is None else Validity.VALID if serves else Validity.INVALID
        said = verdict.code or verdict.state.value.lower()
        return Ruling(
            validity=validity,
            label=label,
            reason=f"judges:{said}" if label is None else f"judged_{label.value.lower()}",
            method=METHOD,
            oracle_version=self.version,
        )

    def _verdict(self, case: Case, candidate: Candidate) -> Verdict:
        key = (case.case_id, candidate.goal, candidate.claim)
        if key not in self._verdicts or self._verdicts[key].code == BUDGET_SPENT:
            exhibit = Exhibit(claim=candidate.claim, evidence=candidate.evidence)
            panel = self._panel_of(case, candidate.goal)
            self._verdicts[key] = asyncio.run(_concluded(panel, exhibit))
        return self._verdicts[key]


_LABELS = {VerdictState.SUCCEEDED: Label.SUPPORTED, VerdictState.RESISTED: Label.UNSUPPORTED}


async def _concluded(panel: Panel, exhibit: Exhibit) -> Verdict:
    return await panel.conclude(exhibit)


def _may_be_judged(case: Case, candidate: Candidate) -> bool:
    changed = candidate.evidence != case.evidence or not candidate.edits
    paraphrased = all(edit.mechanism is Mechanism.PARAPHRASE for edit in candidate.edits)
    return not changed and (candidate.goal is AttackGoal.FALSE_REJECTION or not paraphrased)
