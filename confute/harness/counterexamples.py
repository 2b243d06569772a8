"""Confirmed failures written as executable regressions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from confute.contract import AttackContract, ValidityConstraints
from confute.harness.shrink import Shrunk
from confute.models.embedder import Embedder, Vectors
from confute.oracles.constraints import token_limit
from confute.records import (
    AttackGoal,
    Attempt,
    Case,
    Counterexample,
    Label,
    Mechanism,
    Status,
    Validity,
    digest_of,
    edit_size,
    evidence_size,
)
from confute.text import tokens

_HUMAN_EDITS = ValidityConstraints()
"""The default limits on size, which are those of human minimal edits."""

_NUMBER = re.compile(r"\d")


class CounterexampleWriter:
    """Turns shrunk and confirmed successes into records; an embedder adds similarity as a diagnostic."""

    def __init__(self, contract: AttackContract, threshold: float, embedder: Embedder | None) -> None:
        self._contract = contract
        self._threshold = threshold
        self._embedder = embedder

    def write(self, shrunk: Sequence[Shrunk], baselines: Mapping[str, Attempt]) -> tuple[Counterexample, ...]:
        """Return one record for every confirmed result, smallest first; `baselines` are the un-edited items by case."""
        confirmed = [one for one in shrunk if one.is_confirmed]
        similarities = self._similarities(confirmed)
        records = [
            self._record(one, baselines[one.found.item.case.case_id], similarity)
            for one, similarity in zip(confirmed, similarities, strict=True)
        ]
        return tuple(sorted(records, key=size_key))

    def _record(
        self, one: Shrunk, baseline: Attempt, similarity: tuple[float | None, float | None, float | None]
    ) -> Counterexample:
        case, view, ruling = one.found.item.case, one.found.item.view, one.ruling
        pre, post = _value(baseline), _value(one.replays[0])
        if post is None or ruling.label is None:
            raise ValueError("a confirmed success has a score and a label")
        mechanism = one.found.mechanism
        size = edit_size(case.claim, one.candidate.claim)
        added, removed = evidence_size(one.candidate.edits)
        changes_label = (case.label is Label.SUPPORTED) != (ruling.label is Label.SUPPORTED)
        pair = one.candidate.pair.model_dump(mode="json")
        identity = digest_of([self._contract.digest, view.goal, case.case_id, pair])
        return Counterexample(
            attack_id=f"{mechanism}-{identity[:12]}",
            case_id=case.case_id,
            contract_digest=self._contract.digest,
            detector=self._contract.victim.detector,
            detector_version=self._contract.victim.version,
            failure_family=_family(mechanism),
            failure_mechanism=mechanism,
            attack_objective=view.goal,
            attacker_access=self._contract.attacker.knowledge,
            oracle_label=ruling.label,
            oracle_method=ruling.method,
            oracle_version=ruling.oracle_version,
            source_evidence=case.evidence,
            original_claim=case.claim,
            original_label=case.label,
            adversarial_claim=one.candidate.claim,
            adversarial_evidence=one.candidate.evidence,
            pre_score=pre,
            post_score=post,
            delta_score=None if pre is None else post - pre,
            threshold=self._threshold,
            attack_budget=self._contract.attacker.budgets.victim_queries,
            queries_used=one.found.attempt.queries,
            edit_distance_tokens=size[0],
            edit_distance_chars=size[1],
            passages_added=added,
            passages_removed=removed,
            entities_preserved=_entities(case.claim) == _entities(one.candidate.claim),
            relation_words_preserved=_relation_words(case.claim) == _relation_words(one.candidate.claim),
            embedding_similarity_claims=similarity[0],
            embedding_similarity_before=similarity[1],
            embedding_similarity_after=similarity[2],
            validity=Validity.VALID,
            realism="evidence_edit" if mechanism.changes_evidence else _realism(case, size[0]),
            expected_relation="risk_rises" if changes_label else "risk_stays",
            expected_policy=_policy(mechanism, view.goal),
            first_compromised_stage=_stage(case.label, pre, post, changes_label=changes_label),
            first_failed_version=self._contract.victim.version,
            one_minimal=True,
            confirmed_runs=len(one.replays),
            confirmed_wrong=one.wrong,
            status=Status.ACTIVE_REGRESSION,
        )

    def _similarities(self, shrunk: Sequence[Shrunk]) -> list[tuple[float | None, float | None, float | None]]:
        if self._embedder is None:
            return [(None, None, None) for _ in shrunk]
        return [_similarity(one, self._embedder) for one in shrunk]


def _similarity(one: Shrunk, embedder: Embedder) -> tuple[float, float | None, float | None]:
    case, candidate = one.found.item.case, one.candidate
    vectors = embedder.embed([case.claim, candidate.claim, *case.evidence, *candidate.evidence])
    cosines = np.clip(vectors[:2] @ vectors.T, -1.0, 1.0)
    before, after = np.split(cosines[:, 2:], [len(case.evidence)], axis=1)
    return float(cosines[0, 1]), _highest(before[0]), _highest(after[1])


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


def _realism(case: Case, changed: int) -> str:
    return "within_human_edits" if changed <= token_limit(_HUMAN_EDITS, case.claim) else "beyond_human_edits"


def _stage(label: Label, pre: float | None, post: float, *, changes_label: bool) -> str:
    """Where the failure starts: in the score, which did not move the right way, or only at the threshold."""
    if pre is None:
        return "unknown"
    should_rise = changes_label and label is Label.SUPPORTED
    return "threshold" if not should_rise or post > pre else "score"
