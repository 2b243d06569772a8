"""An oracle on free text: it offers guarded edits of a claim, and rules on any text that somebody made of one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from confute import text
from confute.edits import edited
from confute.oracles.text import changes, date_slots, name_slots, quantity_slots, word_slots
from confute.oracles.text.evidence import EvidenceGuards
from confute.oracles.text.findings import Effect, Family, Finding, Slot, Swap
from confute.oracles.text.source import Source, read
from confute.oracles.text.swaps import swaps
from confute.oracles.version import version_of
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Mechanism, Replacement, Ruling, Validity

METHOD = "guarded_text"
_FALSE_LABELS = (Label.UNSUPPORTED, Label.REFUTED)
_MAX_GROWTH = 4


@dataclass(frozen=True)
class _Reading:
    """A case as the guards read it."""

    slots: tuple[Slot, ...]
    swaps: tuple[Swap, ...]
    frames: tuple[changes.Frame, ...]


class GuardedTextOracle:
    """Rules on edited free text claims by guards, from the texts of source, candidate and evidence alone.

    A change that no guard recognises is UNKNOWN. The label of a case is taken as given. Each case is read once and
    kept; `cases` says how many there will be, and which words of their evidence are common. `support` gives, by case
    id, the places of all passages that support a claim, for the SUPPORTED cases of which that is known. Raises
    OracleError where the extra `text` is not installed.
    """

    def __init__(self, cases: Sequence[Case] = (), support: Mapping[str, Collection[int]] | None = None) -> None:
        self.version = version_of(__package__)
        self._reading = lru_cache(maxsize=max(256, len(cases)))(_read)
        self._evidence = EvidenceGuards(case.evidence for case in cases)
        self._support = support or {}

    def moves(self, case: Case, goal: AttackGoal) -> Sequence[Edit]:
        """Return the edits whose outcome alone is ruled VALID for the goal, in the order of the claim."""
        reading = self._reading(case)
        if reading is None:
            return ()
        return tuple(edit for edit in _proposed(case, reading) if self._is_valid(case, goal, edit))

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the validity of a candidate and its recomputed label.

        Each changed span is judged by the guards of the mechanism that it belongs to. UNKNOWN where a span is not
        recognised, where a guard cannot tell, or where two changes may undo each other.
        """
        if candidate.evidence != case.evidence:
            return self._rule_evidence(case, candidate)
        if text.fold(candidate.claim) == text.fold(case.claim):
            return _ruling(Validity.INVALID, case.label, "equal_after_normalisation")
        reading = self._reading(case)
        if reading is None or len(candidate.claim) > _MAX_GROWTH * (len(case.claim) + 100):
            return _ruling(Validity.UNKNOWN, None, "too_long")
        findings = _findings(reading, candidate.claim)
        if findings is None:
            return _ruling(Validity.UNKNOWN, None, "unrecognised_edit")
        return _decide(case.label, candidate.goal, findings)

    def _rule_evidence(self, case: Case, candidate: Candidate) -> Ruling:
        if candidate.claim != case.claim:
            return _ruling(Validity.UNKNOWN, None, "claim_and_evidence_changed")
        support = self._support.get(case.case_id, ()) if case.label is Label.SUPPORTED else ()
        effect, reason = self._evidence.judge(case.claim, case.evidence, candidate.evidence, support)
        if effect is Effect.SAME:
            return _kept_label(_kept(case.label), candidate.goal, reason)
        if effect is Effect.FALSE:
            return _kept_label(Label.UNSUPPORTED, candidate.goal, reason)
        return _ruling(Validity.UNKNOWN, None, reason)

    def audit(self, case: Case) -> Iterator[tuple[Edit, Ruling]]:
        """Yield every edit that the guards looked at for a false acceptance, with its ruling."""
        for edit in _proposed(case, self._reading(case) or _Reading((), (), ())):
            yield edit, self._ruled(case, AttackGoal.FALSE_ACCEPTANCE, edit)

    def _is_valid(self, case: Case, goal: AttackGoal, edit: Edit) -> bool:
        ruling = self._ruled(case, goal, edit)
        return ruling.validity is Validity.VALID and ruling.label == edit.expected_label

    def _ruled(self, case: Case, goal: AttackGoal, edit: Edit) -> Ruling:
        claim = edited(case.claim, (edit,)) or case.claim
        candidate = Candidate(case_id=case.case_id, goal=goal, edits=(edit,), claim=claim, evidence=case.evidence)
        return self.rule(case, candidate)


def _read(case: Case) -> _Reading | None:
    source = read(case)
    if source is None:
        return None
    slots, exchanges = _slots(source), swaps(source)
    return _Reading(slots, exchanges, changes.frames(case.claim, slots, exchanges))


def _slots(source: Source) -> tuple[Slot, ...]:
    dates = date_slots.slots(source)
    dated = tuple((slot.start, slot.end) for slot in dates)
    counted = quantity_slots.slots(source, dated)
    taken = (*dated, *((slot.start, slot.end) for slot in counted))
    found = (*dates, *counted, *name_slots.slots(source), *word_slots.slots(source, taken))
    return tuple(sorted(found, key=lambda slot: (slot.start - slot.end, slot.start, slot.name)))


def _proposed(case: Case, reading: _Reading) -> Iterator[Edit]:
    """Yield every offer of every slot and every exchange, as an edit."""
    for slot in sorted(reading.slots, key=lambda slot: (slot.start, slot.end, slot.name)):
        for offer in slot.offers:
            finding = slot.judge(offer)
            if finding is not None and offer != case.claim[slot.start : slot.end]:
                yield _edit(case, finding, slot.name, ((slot.start, slot.end, offer),))
    for swap in reading.swaps:
        parts = ((*swap.left, swap.new_left), (*swap.right, swap.new_right))
        yield _edit(case, swap.finding, swap.name, parts)


def _edit(case: Case, finding: Finding, slot: str, parts: Iterable[tuple[int, int, str]]) -> Edit:
    same = finding.effect is Effect.SAME
    return Edit(
        mechanism=Mechanism.PARAPHRASE if same else finding.mechanism,
        slot=slot,
        replacements=tuple(Replacement(start=start, end=end, text=new) for start, end, new in parts),
        expected_label=_kept(case.label) if same else Label.UNSUPPORTED,
    )


def _findings(reading: _Reading, claim: str) -> list[Finding] | None:
    frame = changes.nearest(reading.frames, tuple(word.text for word in text.spans(claim)))
    explained = changes.explain(frame, claim)
    if explained is None:
        return None
    findings = [finding for finding, _ in explained]
    return [*findings, frame.swap.finding] if frame.swap else findings


def _decide(label: Label, goal: AttackGoal, findings: list[Finding]) -> Ruling:
    unsure = [finding.reason for finding in findings if finding.effect is Effect.UNSURE]
    if unsure:
        return _ruling(Validity.UNKNOWN, None, unsure[0])
    if all(finding.effect is Effect.SAME for finding in findings):
        return _same_meaning(_kept(label), goal, findings)
    if label is not Label.SUPPORTED:
        return _ruling(Validity.UNKNOWN, None, "label_not_recomputed")
    changed = [finding for finding in findings if finding.effect is not Effect.SAME]
    false = [finding for finding in changed if finding.effect is Effect.FALSE]
    if goal is AttackGoal.FALSE_REJECTION:
        return _for_rejection(changed, false)
    if not false:
        return _ruling(Validity.INVALID, _label_of(changed), changed[0].reason)
    return _combined(changed, false)


def _same_meaning(label: Label, goal: AttackGoal, findings: list[Finding]) -> Ruling:
    return _kept_label(label, goal, findings[0].reason if findings else "same_words")


def _kept_label(label: Label, goal: AttackGoal, reason: str) -> Ruling:
    serves = (label in _FALSE_LABELS) == (goal is AttackGoal.FALSE_ACCEPTANCE)
    return _ruling(Validity.VALID if serves else Validity.INVALID, label, reason)


def _for_rejection(changed: list[Finding], false: list[Finding]) -> Ruling:
    if len(false) == 1 == len(changed):
        return _ruling(Validity.INVALID, Label.UNSUPPORTED, false[0].reason)
    if all(finding.effect is Effect.WEAKER for finding in changed):
        return _ruling(Validity.VALID, Label.SUPPORTED, changed[0].reason)
    return _ruling(Validity.UNKNOWN, None, changed[0].reason)


def _combined(changed: list[Finding], false: list[Finding]) -> Ruling:
    """Rule on several changes: new values add up, and at most one new name with them; all else may cancel out."""
    families = [finding.family for finding in false]
    alone = len(changed) == 1
    if sorted(families) == [Family.COMPLEMENT, Family.NEGATION]:
        return _ruling(Validity.INVALID, Label.SUPPORTED, "still_entailed")
    values = {Family.VALUE, Family.COMPLEMENT}
    values_and_a_name = set(families) <= values | {Family.NAME} and families.count(Family.NAME) <= 1
    if not alone and not (values_and_a_name and len(false) == len(changed)):
        return _ruling(Validity.UNKNOWN, None, "may_cancel")
    return _ruling(Validity.VALID, Label.UNSUPPORTED, false[0].reason)


def _label_of(changed: list[Finding]) -> Label | None:
    return Label.SUPPORTED if all(finding.effect is Effect.WEAKER for finding in changed) else None


def _kept(label: Label) -> Label:
    """Return a label that a paraphrase keeps; NEI is a kind of UNSUPPORTED."""
    return Label.UNSUPPORTED if label is Label.NEI else label


def _ruling(validity: Validity, label: Label | None, reason: str) -> Ruling:
    return Ruling(validity=validity, label=label, reason=reason, method=METHOD, oracle_version=version_of(__package__))
