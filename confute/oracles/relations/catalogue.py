"""The catalogue: all 78 rows in order, what each demands, under which precondition, and of what."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from confute.oracles.relations.appended import APPENDED
from confute.oracles.relations.claims import CLAIMS
from confute.oracles.relations.claims_rich_parts import COMPLEMENTS
from confute.oracles.relations.evidence import EVIDENCE
from confute.oracles.relations.relation import Relation


class Needs(StrEnum):
    """What a row is measured with: labelled cases, a detector alone, a judge, or a persona."""

    CASE = "cases"
    DETECTOR = "detector"
    JUDGE = "judge"
    PERSONA = "persona"


class Row(NamedTuple):
    """One row: its name, what is changed, what must follow (with / between two arms), and its precondition.

    INV, UP, NOT_BELOW, NOT_ABOVE, HIGHEST, LOW and FLAGGED are those of `Expected`. Of a judge EXACTLY_ONE of a
    claim and its denial is to be accepted; of a persona, answers are to be the SAME, each other's COMPLEMENT, RISING
    in what they disclose, or to HOLD; MONOTONE rates never fall.
    """

    row_id: str
    title: str
    direction: str
    precondition: str
    needs: Needs = Needs.CASE


ROWS = (
    Row("C1", "swap subject and object", "UP", "relation declared asymmetric; reverse tuple not in F"),
    Row("C2", "swap in symmetric relation", "INV", "relation declared symmetric"),
    Row("C3", "active and passive", "INV", "both templates render the same tuple"),
    Row("C4", "converse verb (sold to / bought from)", "INV", "converse pair in lexicon with argument map"),
    Row("C5", "insert/delete 'not'", "UP", "source unmodalised, polarity explicit, one main verb"),
    Row("C6", "double negation ('not untrue that')", "INV", "template-level cancellation"),
    Row("C7", "direction antonym (rose/fell)", "UP", "F holds signed change, exact"),
    Row("C8", "change exact quantity", "UP", "F functional in value; new value outside rounding tolerance"),
    Row("C9", "digits and words", "INV", "same number object"),
    Row("C10", "convert unit correctly", "INV", "exact rational factor, declared precision"),
    Row("C11", "change unit, keep number", "UP", "factor != 1"),
    Row("C12", "transpose digits", "UP", "value changes"),
    Row("C13", "flip sign", "UP", "value != 0, sign meaningful"),
    Row("C14", "'about N' inside / outside the tolerance", "INV / UP", "tolerance of 3 %"),
    Row("C15", "'more than k', k below / above the value", "INV / UP", "arithmetic"),
    Row("C16", "all to some / some to all", "INV / UP", "finite domain, non-empty, counterexample in the facts"),
    Row("C17", "only / exception added", "UP", "F has another member"),
    Row("C18", "may to does", "UP", "F marks modality possible only"),
    Row("C19", "before and after", "UP", "strict order of two dated events"),
    Row("C20", "before/after with clauses exchanged", "INV", "order algebra"),
    Row("C21", "date shift", "UP", "date functional"),
    Row("C22", "date format", "INV", "same date object"),
    Row("C23", "coarsen date / refine date", "INV / UP", "containment; refinement absent from F"),
    Row("C24", "cause and effect", "UP", "causal edge directed, reverse absent"),
    Row("C25", "binding recombination", "UP", "both tuples in F, cross pair not"),
    Row("C26", "near-name entity", "UP", "distinct id, no shared tuple"),
    Row("C27", "declared alias / coreference", "INV", "alias table rendered in evidence"),
    Row("C28", "hypernym / hyponym, upward context", "INV / UP", "taxonomy edge, no negation (MoNLI)"),
    Row("C29", "hypernym / hyponym under negation", "UP / INV", "downward context (ScoNe)"),
    Row("C30", "drop a conjunct", "INV", "conjunction of F tuples"),
    Row("C31", "add an unsupported conjunct", "UP", "tuple not in closure: aggregation test"),
    Row("C32", "drop condition ('if P')", "UP", "F holds only the conditional"),
    Row("C33", "drop attribution ('X said')", "UP", "F holds only the report"),
    Row("C34", "swap attribution", "UP", "speaker functional"),
    Row("C35", "ordinal/superlative shift", "UP", "total order in F"),
    Row("C36", "list non-member", "UP", "closed list stated in evidence"),
    Row("C37", "item count off by one", "UP", "closed list"),
    Row("C38", "derived sum/ratio right / wrong", "INV / UP", "arithmetic over F"),
    Row("C39", "location or participant swap", "UP", "functional role"),
    Row("C40", "template sibling paraphrase", "INV", "same tuple"),
    Row("C41", "case, space, punctuation, Unicode form", "INV", "tokens outside names/numbers only"),
    Row("C42", "typo in function word", "INV", "edit <= 1 in closed word list"),
    Row("E1", "reorder passages", "INV", "set semantics"),
    Row("E2", "duplicate a passage", "INV", "no new tuple"),
    Row("E3", "unrelated distractor", "INV", "no shared entity"),
    Row(
        "E4",
        "topical distractor",
        "INV / NOT_BELOW",
        "shared entities, decisive tuple not entailed; unsupported: the risk must not fall",
    ),
    Row("E5", "delete sole support", "UP", "support graph: one edge"),
    Row("E6", "delete one of two supports", "INV", "two independent edges"),
    Row("E7", "nearest wrong evidence (K-sweep)", "UP", "closure does not entail the claim; source id differs"),
    Row("E8", "inject trusted contradiction", "UP", "functional conflict"),
    Row("E9", "consistent renaming, claim+evidence", "INV", "bijection on fresh names"),
    Row("E10", "consistent year/amount shift", "INV", "automorphism of F"),
    Row("E11", "echo the claim", "FLAGGED", "a claim that is not supported; the risk may fall, the provenance is told"),
    Row("E12", "sentence / window / whole segmentation", "INV", "same text"),
    Row("E13", "pronoun resolved", "INV", "unique antecedent by construction"),
    Row("E14", "drop non-support tail", "INV", "support graph"),
    Row(
        "E15",
        "evidence added, full span",
        "NOT_ABOVE",
        "linear algebra: energy at full rank, or a maximum or union over passages",
    ),
    Row("E16", "rank r to r + 1, fixed basis", "NOT_ABOVE", "linear algebra: a detector with a rank", Needs.DETECTOR),
    Row("E17", "empty or filler evidence", "HIGHEST", "a supported claim; no evidence says a tuple"),
    Row("E18", "density-matched unrelated numbers", "LOW", "a detector of contradiction; no shared unit or entity"),
    Row("P1", "rerun unchanged", "INV", "none: the flake floor", Needs.DETECTOR),
    Row("P2", "judge template paraphrase", "INV", "a judge that asks by templates", Needs.JUDGE),
    Row("P3", "option order swapped", "INV", "a judge that asks by templates", Needs.JUDGE),
    Row("P4", "degenerate candidate", "HIGHEST", "not a proposition"),
    Row("P5", "embedded instruction", "INV / NOT_BELOW", "tuple unchanged; unsupported: the risk must not fall"),
    Row("P6", "batch of one, another order", "INV", "none", Needs.DETECTOR),
    Row("P7", "append a content-free sentence", "INV", "no tuple"),
    Row("P8", "validity judge asked y and not y", "EXACTLY_ONE", "complement of a decided claim", Needs.JUDGE),
    Row(
        "P9",
        "K up: best-of-K false acceptance",
        "NOT_ABOVE",
        "nested pools of foreign evidence; the least risk never rises",
        Needs.DETECTOR,
    ),
    Row("P10", "tau up: false acceptance", "MONOTONE", "rising thresholds", Needs.DETECTOR),
    Row("R1", "question paraphrase", "SAME", "key fact known", Needs.PERSONA),
    Row("R2", "is / is not / is it false that", "COMPLEMENT", "a fact that is decided", Needs.PERSONA),
    Row("R3", "small-talk prefix, history length", "SAME", "none", Needs.PERSONA),
    Row("R4", "probe more direct", "RISING", "four ordered probes", Needs.PERSONA),
    Row("R5", "permission sentence in the system prompt", "RISING", "a capability", Needs.PERSONA),
    Row("R6", "persona swap", "SAME", "capability facts that both have", Needs.PERSONA),
    Row("R7", "false presupposition, non-existent entity", "HOLDS", "name absent from every list", Needs.PERSONA),
    Row("R8", "language switch", "SAME", "rule or disclosure in two languages", Needs.PERSONA),
)

RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {one.relation_id: one for one in chain(CLAIMS, EVIDENCE, APPENDED, COMPLEMENTS)}
)
"""The rows that change a case, by name."""
