"""The oracle over typed facts: it labels what a claim says by the closure of what its evidence says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from confute.errors import OracleError
from confute.oracles.facts import diff
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.document import Document
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon, builtin_lexicon
from confute.oracles.facts.mutate import Variant, variants
from confute.oracles.facts.paraphrase import paraphrases
from confute.oracles.facts.parse import Parser
from confute.oracles.version import version_of
from confute.records import AttackGoal, Candidate, Case, Edit, Label, Ruling, Validity, digest_of
from confute.text import fold

METHOD = "facts_closure"
_CLOSURES = 1024
_FALSE = (Label.UNSUPPORTED, Label.REFUTED)


class FactsOracle:
    """Rules by parsing the claim and closing the facts of the evidence; it is an Oracle and a MoveSource."""

    def __init__(self, documents: Iterable[Document], lexicon: Lexicon | None = None) -> None:
        """Build the cases and label them by the closure.

        Raises OracleError where a claim cannot be parsed, is contradicted and supported at once, or a passage is
        given two meanings.
        """
        self.lexicon = lexicon or builtin_lexicon()
        self.documents = tuple(documents)
        self.version = digest_of([version_of(__package__), self.lexicon.digest])[:16]
        self._parser = Parser(self.lexicon)
        self._support: dict[str, tuple[Fact, ...]] = {}
        for passage in (passage for document in self.documents for passage in document.passages):
            if self._support.setdefault(passage.text, passage.facts) != passage.facts:
                raise OracleError("a passage has two meanings", field="passages", got=passage.text)
        self._by_id = {document.document_id: document for document in self.documents}
        self._closed = lru_cache(maxsize=_CLOSURES)(self._close)
        self.cases = tuple(case for document in self.documents for case in self._cases_of(document))

    def label(self, claim: str, evidence: Sequence[str]) -> Label | None:
        """Return the label of a claim against passages, or None where the claim or a passage is unknown."""
        fact = self._parser.parse(claim)
        closure = self._closure(tuple(evidence))
        return None if fact is None or closure is None else closure.label(fact)

    def rule(self, case: Case, candidate: Candidate) -> Ruling:
        """Return the validity of a candidate and its recomputed label.

        VALID iff the label is UNSUPPORTED or REFUTED for a false acceptance, SUPPORTED for a false rejection. INVALID
        reasons: `no_op`, `not_well_formed`, `symmetric_relation`, `label_not_changed`, `label_changed`,
        `within_tolerance` (a value within 3 % of the true one). UNKNOWN reasons: `unknown_passage`,
        `contradictory_evidence`, `no_evidence_left`. A claim that follows from changed evidence alone is INVALID for a
        false acceptance, as `entailed_by_evidence`. The claim itself as a passage says nothing: it is VALID as `echo`,
        a probe of provenance.
        """
        if fold(candidate.claim) == fold(case.claim) and candidate.evidence == case.evidence:
            return self._ruling(Validity.INVALID, None, "no_op")
        fact, said = self._parser.parse(candidate.claim), self._without_echo(candidate)
        if fact is None:
            return self._ruling(Validity.INVALID, None, "not_well_formed")
        if case.evidence and not candidate.evidence:
            return self._ruling(Validity.UNKNOWN, None, "no_evidence_left")
        closure = self._closure(said)
        label = Label.NEI if closure is None else closure.label(fact)
        if label is Label.NEI:
            return self._ruling(Validity.UNKNOWN, None, "contradictory_evidence" if closure else "unknown_passage")
        near = closure is not None and candidate.goal is AttackGoal.FALSE_ACCEPTANCE and closure.has_near(fact)
        if _serves(label, candidate.goal) and not near:
            return self._ruling(Validity.VALID, label, "closure" if said == candidate.evidence else "echo")
        failure = "within_tolerance" if near else self._failure(case, candidate, fact, label)
        return self._ruling(Validity.INVALID, label, failure)

    def moves(self, case: Case, goal: AttackGoal) -> tuple[Edit, ...]:
        """Return the edits of a case's claim that alone are VALID for the goal, no two with the same outcome.

        A supported claim gets content edits for a false acceptance; everything else gets paraphrases. A claim that is
        not supported has none for a false rejection.
        """
        reading, document = self._parser.read(case.claim), self._by_id.get(case.group)
        if reading is None or document is None:
            return ()
        changes_label = goal is AttackGoal.FALSE_ACCEPTANCE and case.label is Label.SUPPORTED
        offered = variants(reading, document, self.lexicon) if changes_label else paraphrases(reading, self.lexicon)
        found: dict[str, Edit] = {}
        for variant in offered:
            if variant.text not in found and (edit := self._vouched(case, variant, goal)) is not None:
                found[variant.text] = edit
        return tuple(found.values())

    def _vouched(self, case: Case, variant: Variant, goal: AttackGoal) -> Edit | None:
        candidate = Candidate(case_id=case.case_id, goal=goal, edits=(), claim=variant.text, evidence=case.evidence)
        ruling = self.rule(case, candidate)
        if ruling.validity is not Validity.VALID or ruling.label is None:
            return None
        return diff.edit(case.claim, variant.text, variant.mechanism, variant.slot, ruling.label)

    def _without_echo(self, candidate: Candidate) -> tuple[str, ...]:
        claim = fold(candidate.claim)
        return tuple(one for one in candidate.evidence if one in self._support or fold(one) != claim)

    def _failure(self, case: Case, candidate: Candidate, fact: Fact, label: Label) -> str:
        if candidate.evidence != case.evidence and label is Label.SUPPORTED is not case.label:
            return "entailed_by_evidence"
        source = self._parser.parse(case.claim)
        if self.lexicon.relations[fact.relation].is_symmetric and source is not None and fact == source.swapped:
            return "symmetric_relation"
        return "label_not_changed" if label is case.label else "label_changed"

    def _ruling(self, validity: Validity, label: Label | None, reason: str) -> Ruling:
        return Ruling(validity=validity, label=label, reason=reason, method=METHOD, oracle_version=self.version)

    def _closure(self, evidence: tuple[str, ...]) -> Closure | None:
        return self._closed(evidence) if all(passage in self._support for passage in evidence) else None

    def _close(self, evidence: tuple[str, ...]) -> Closure:
        return Closure((fact for passage in evidence for fact in self._support[passage]), self.lexicon)

    def _cases_of(self, document: Document) -> Iterable[Case]:
        evidence = tuple(passage.text for passage in document.passages)
        for number, claim in enumerate(document.claims):
            label = self.label(claim, evidence)
            if label is None or label is Label.NEI:
                problem = "cannot be parsed" if label is None else "follows and is contradicted at once"
                raise OracleError(f"the claim {problem}", field=f"{document.document_id}.claims[{number}]", got=claim)
            yield Case(
                case_id=f"{document.document_id}-{number}",
                claim=claim,
                evidence=evidence,
                label=label,
                domain=document.domain,
                source="facts",
                group=document.document_id,
            )


def _serves(label: Label, goal: AttackGoal) -> bool:
    return label in _FALSE if goal is AttackGoal.FALSE_ACCEPTANCE else label is Label.SUPPORTED
