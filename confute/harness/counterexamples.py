"""Confirmed failures written as executable regressions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from confute.contract import AttackContract, ValidityConstraints
from confute.counterexample import Counterexample, Status
from confute.edits import edit_size, evidence_size
from confute.harness.shrink import Shrunk
from confute.models.embedder import Embedder, Vectors
from confute.oracles.constraints import token_limit
from confute.records import AttackGoal, Attempt, Candidate, Case, Label, Mechanism, Validity, digest_of
from confute.text import tokens

_HUMAN_EDITS = ValidityConstraints()
"""The default limits on size, which are those of human minimal edits."""

_NUMBER = re.compile(r"\d")


class Similarity(NamedTuple):
    """Cosines of the two claims, and of each with its nearest passage; None without an embedder or a passage."""

    claims: float | None = None
    before: float | None = None
    after: float | None = None


class CounterexampleWriter:
    """Turns shrunk and confirmed successes into records; an embedder adds similarity as a diagnostic."""

    def __init__(self, contract: AttackContract, threshold: float, embedder: Embedder | None) -> None:
        self._digest = contract.digest
        self._of_contract = _of_contract(contract, threshold)
        self._embedder = embedder

    def write(self, shrunk: Sequence[Shrunk], baselines: Mapping[str, Attempt]) -> tuple[Counterexample, ...]:
        """Return one record for every confirmed result, smallest first; `baselines` are the un-edited items by case."""
        confirmed = [one for one in shrunk if one.is_confirmed]
        records = [self._record(one, baselines[one.found.item.case.case_id]) for one in confirmed]
        return tuple(sorted(records, key=size_key))

    def _record(self, one: Shrunk, baseline: Attempt) -> Counterexample:
        case, view, ruling = one.found.item.case, one.found.item.view, one.ruling
        pre, post = _value(baseline), _value(one.replays[0])
        if post is None or ruling.label is None:
            raise ValueError("a confirmed success has a score and a label")
        mechanism = one.found.mechanism
        changes_label = (case.label is Label.SUPPORTED) != (ruling.label is Label.SUPPORTED)
        pair = one.candidate.pair.model_dump(mode="json")
        identity = digest_of([self._digest, view.goal, case.case_id, pair])
        similarity = Similarity() if self._embedder is None else _similarity(one, self._embedder)
        return Counterexample(
            **self._of_contract,
            **_texts(case, one.candidate),
            attack_id=f"{mechanism}-{identity[:12]}",
            failure_family=_family(mechanism),
            failure_mechanism=mechanism,
            attack_objective=view.goal,
            oracle_label=ruling.label,
            oracle_method=ruling.method,
            oracle_version=ruling.oracle_version,
            pre_score=pre,
            post_score=post,
            delta_score=None if pre is None else post - pre,
            queries_used=one.found.attempt.queries,
            embedding_similarity_claims=similarity.claims,
            embedding_similarity_before=similarity.before,
            embedding_similarity_after=similarity.after,
            validity=Validity.VALID,
            realism="evidence_edit" if mechanism.changes_evidence else _realism(case, one.candidate),
            expected_relation="risk_rises" if changes_label else "risk_stays",
            expected_policy=_policy(mechanism, view.goal),
            first_compromised_stage=_stage(case.label, pre, post, changes_label=changes_label),
            one_minimal=True,
            confirmed_runs=len(one.replays),
            confirmed_wrong=one.wrong,
            status=Status.ACTIVE_REGRESSION,
        )


def _of_contract(contract: AttackContract, threshold: float) -> dict[str, Any]:
    """Return the fields that all records of a run share."""
    return {
        "contract_digest": contract.digest,
        "detector": contract.victim.detector,
        "detector_version": contract.victim.version,
        "first_failed_version": contract.victim.version,
        "attacker_access": contract.attacker.knowledge,
        "attack_budget": contract.attacker.budgets.victim_queries,
        "threshold": threshold,
    }


def _texts(case: Case, candidate: Candidate) -> dict[str, Any]:
    """Return the fields that tell what was changed, and how far."""
    tokens_changed, characters_changed = edit_size(case.claim, candidate.claim)
    added, removed = evidence_size(candidate.edits)
    return {
        "case_id": case.case_id,
        "source_evidence": case.evidence,
        "original_claim": case.claim,
        "original_label": case.label,
        "adversarial_claim": candidate.claim,
        "adversarial_evidence": candidate.evidence,
        "edit_distance_tokens": tokens_changed,
        "edit_distance_chars": characters_changed,
        "passages_added": added,
        "passages_removed": removed,
        "entities_preserved": _entities(case.claim) == _entities(candidate.claim),
        "relation_words_preserved": _relation_words(case.claim) == _relation_words(candidate.claim),
    }


def _similarity(one: Shrunk, embedder: Embedder) -> Similarity:
    case, candidate = one.found.item.case, one.candidate
    vectors = embedder.embed([case.claim, candidate.claim, *case.evidence, *candidate.evidence])
    cosines = np.clip(vectors[:2] @ vectors.T, -1.0, 1.0)
    before, after = np.split(cosines[:, 2:], [len(case.evidence)], axis=1)
    return Similarity(float(cosines[0, 1]), _highest(before[0]), _highest(after[1]))


def _highest(cosines: Vectors) -> float | None:
    return float(cosines.max()) if cosines.size else None


def _value(attempt: Attempt) -> float | None:
    return attempt.score.value if attempt.score else None


def _entities(claim: str) -> Counter[str]:
    words = tokens(claim)
    return Counter(word for index, word in enumerate(words) if (index and word[:1].isupper()) or _NUMBER.search(word))


def _relation_words(claim: str) -> Counter[str]:
    return Counter(word for word in tokens(claim) if word.isalpha() and word.islower())


def size_key(counterexample: Counterexample) -> tuple[int, int, int, str]:
    """Return the order of counterexamples, smallest first."""
    passages = counterexample.passages_added + counterexample.passages_removed
    return (
        counterexample.edit_distance_tokens,
        counterexample.edit_distance_chars,
        passages,
        counterexample.attack_id,
    )


def _family(mechanism: Mechanism) -> str:
    """Return what a failure shows; an echo is accepted for want of provenance, not of containment."""
    if mechanism is Mechanism.ECHO:
        return "provenance_probe"
    if mechanism.changes_evidence:
        return "evidence"
    return "wording" if mechanism is Mechanism.PARAPHRASE else "content"


def _policy(mechanism: Mechanism, goal: AttackGoal) -> str:
    if mechanism is Mechanism.ECHO:
        return "FLAG_PROVENANCE"
    return "REVIEW_OR_REJECT" if goal is AttackGoal.FALSE_ACCEPTANCE else "ACCEPT"


def _realism(case: Case, candidate: Candidate) -> str:
    changed, _ = edit_size(case.claim, candidate.claim)
    return "within_human_edits" if changed <= token_limit(_HUMAN_EDITS, case.claim) else "beyond_human_edits"


def _stage(label: Label, pre: float | None, post: float, *, changes_label: bool) -> str:
    """Where the failure starts: in the score, which did not move the right way, or only at the threshold."""
    if pre is None:
        return "unknown"
    should_rise = changes_label and label is Label.SUPPORTED
    return "threshold" if not should_rise or post > pre else "score"
