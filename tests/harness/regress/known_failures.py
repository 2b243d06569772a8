"""Counterexamples written by hand, and victims of which every risk is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from confute.counterexample import Counterexample, Status
from confute.records import AttackGoal, Decision, Knowledge, Label, Mechanism, Pair, Score, ScoreState, Validity


def known_failure(name: str = "one", **changes: Any) -> Counterexample:
    """Return a supported claim turned into a false one, which a victim accepted."""
    made = Counterexample(
        attack_id=name,
        case_id=f"case-{name}",
        contract_digest="c" * 64,
        detector="word_overlap",
        detector_version="1",
        failure_family="content",
        failure_mechanism=Mechanism.QUANTITY,
        attack_objective=AttackGoal.FALSE_ACCEPTANCE,
        attacker_access=Knowledge.SCORE,
        oracle_label=Label.REFUTED,
        oracle_method="facts_closure",
        oracle_version="o" * 64,
        source_evidence=(f"The {name} is 3 metres long.",),
        original_claim=f"The {name} is 3 metres long.",
        original_label=Label.SUPPORTED,
        adversarial_claim=f"The {name} is 4 metres long.",
        adversarial_evidence=(f"The {name} is 3 metres long.",),
        pre_score=0.1,
        post_score=0.2,
        delta_score=0.1,
        threshold=0.5,
        attack_budget=8,
        queries_used=1,
        edit_distance_tokens=1,
        edit_distance_chars=1,
        passages_added=0,
        passages_removed=0,
        entities_preserved=False,
        relation_words_preserved=True,
        embedding_similarity_claims=None,
        embedding_similarity_before=None,
        embedding_similarity_after=None,
        validity=Validity.VALID,
        realism="within_human_edits",
        expected_relation="risk_rises",
        expected_policy="REVIEW_OR_REJECT",
        first_compromised_stage="threshold",
        first_failed_version="1",
        one_minimal=True,
        confirmed_runs=20,
        confirmed_wrong=20,
        status=Status.ACTIVE_REGRESSION,
    )
    return made.model_copy(update=changes)


def paraphrase(name: str = "two", **changes: Any) -> Counterexample:
    """Return a supported claim in other words, which a victim rejected."""
    return known_failure(
        name,
        failure_mechanism=Mechanism.PARAPHRASE,
        attack_objective=AttackGoal.FALSE_REJECTION,
        oracle_label=Label.SUPPORTED,
        adversarial_claim=f"The length of the {name} is 3 metres.",
        expected_relation="risk_stays",
        expected_policy="ACCEPT",
        **changes,
    )


class Written:
    """A victim that reads its risks off a function of the pair and the number of times that it was asked."""

    def __init__(self, risk: Callable[[Pair, int], float | ScoreState], threshold: float = 0.5) -> None:
        self._risk = risk
        self.threshold = threshold
        self.calls = 0

    def measure(self, pairs: Sequence[Pair]) -> tuple[Score, ...]:
        self.calls += 1
        return tuple(score_of(self._risk(pair, self.calls)) for pair in pairs)

    def decide(self, score: Score) -> Decision | None:
        if score.value is None:
            return None
        return Decision.ACCEPT if score.value <= self.threshold else Decision.REJECT


def score_of(risk: float | ScoreState) -> Score:
    if isinstance(risk, ScoreState):
        return Score(state=risk)
    return Score(state=ScoreState.MEASURED, value=risk)


def by_claim(row: Counterexample, pre: float | ScoreState, post: float | ScoreState) -> Written:
    """Return a victim with one risk for the original claim and one for the adversarial claim of a counterexample."""
    return Written(lambda pair, _: pre if pair.claim == row.original_claim else post)
