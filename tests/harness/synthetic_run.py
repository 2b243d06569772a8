"""Small runs written by hand, and larger ones drawn from a seed, for the tests of outcomes and reports."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from confute.contract import AttackContract, parse
from confute.counterexample import Counterexample, Status
from confute.harness.manifest import CalibrationSummary, CaseSummary, DatasetSummary, RunManifest, VictimSummary
from confute.records import (
    Arm,
    AttackGoal,
    Attempt,
    Decision,
    Edit,
    Knowledge,
    Label,
    Mechanism,
    Outcome,
    Replacement,
    Ruling,
    Score,
    ScoreState,
    Validity,
)

FA, FR = AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION
THRESHOLD = 0.5

CONTRACT: AttackContract = parse(
    "victim: {detector: word_overlap, threshold: {value: 0.5}}\n"
    "objective: {oracle: facts}\n"
    "attacker: {budgets: {victim_queries: 64}}\n"
)


def case(case_id: str, label: Label = Label.SUPPORTED, *, group: str | None = None, domain: str = "law") -> CaseSummary:
    return CaseSummary(case_id=case_id, domain=domain, source="made up", group=group or case_id, label=label)


def manifest(cases: Sequence[CaseSummary], **changes: Any) -> RunManifest:
    made = RunManifest(
        run_id="run-1",
        contract=CONTRACT,
        contract_digest=CONTRACT.digest,
        confute_version="0.1.0",
        victim=VictimSummary(
            digest="f" * 64,
            detector="word_overlap",
            version="1",
            threshold=THRESHOLD,
            threshold_source="calibrated",
            parts={"numpy": "2.0"},
            calibration=CalibrationSummary(n=100, k=5, error=FR, target_rate=0.05, set_digest="c" * 64),
        ),
        attacker_name="greedy",
        attacker_fingerprint="a" * 64,
        oracle_version="facts-1",
        dataset=DatasetSummary(name="made-up.jsonl", digest="d" * 64, rows=len(cases), dropped={}),
        cases=tuple(cases),
    )
    return made.model_copy(update=changes)


def edit(mechanism: Mechanism, text: str = "x") -> Edit:
    return Edit(
        mechanism=mechanism,
        slot="slot",
        replacements=(Replacement(start=0, end=1, text=text),),
        expected_label=Label.REFUTED,
    )


def attempt(
    case_id: str,
    goal: AttackGoal | None,
    arm: Arm,
    risk: float | ScoreState | None = None,
    *,
    step: int = 0,
    queries: int | None = None,
    mechanism: Mechanism | None = Mechanism.ROLE_SWAP,
    validity: Validity | None = Validity.VALID,
    reason: str = "ok",
    method: str = "closure",
    probe: bool = False,
    level: int | None = None,
    repeat: int = 0,
    label: Label | None = None,
) -> Attempt:
    """Return one step; `risk` is a score, a state in which nothing was measured, or None where nobody asked."""
    unruled = arm in {Arm.BASELINE, Arm.CANARY, Arm.LADDER} or probe
    score = _score(risk)
    decision = None
    if score is not None and score.value is not None:
        decision = Decision.ACCEPT if score.value <= THRESHOLD else Decision.REJECT
    ruling = None
    if not unruled and validity is not None:
        ruling = Ruling(validity=validity, label=label, reason=reason, method=method, oracle_version="facts-1")
    return Attempt(
        contract_digest=CONTRACT.digest,
        case_id=case_id,
        goal=goal,
        arm=arm,
        step=step,
        repeat=repeat,
        probe=probe,
        level=level,
        claim=f"claim of {case_id}",
        evidence=("evidence",),
        edits=() if unruled or mechanism is None else (edit(mechanism),),
        ruling=ruling,
        score=score,
        decision=decision,
        outcome=_outcome(goal, ruling, score, decision, probe=probe),
        queries=step + 1 if queries is None else queries,
    )


def _score(risk: float | ScoreState | None) -> Score | None:
    if risk is None:
        return None
    if isinstance(risk, ScoreState):
        return Score(state=risk, error_code="timeout" if risk is ScoreState.ERROR else None)
    return Score(state=ScoreState.MEASURED, value=risk)


def _outcome(
    goal: AttackGoal | None, ruling: Ruling | None, score: Score | None, decision: Decision | None, *, probe: bool
) -> Outcome | None:
    if score is not None and score.state is not ScoreState.MEASURED:
        return Outcome(score.state.value)
    if ruling is not None and ruling.validity is not Validity.VALID:
        return Outcome(ruling.validity.value)
    if goal is None or decision is None or probe:
        return None
    wrong = Decision.ACCEPT if goal is FA else Decision.REJECT
    return Outcome.SUCCEEDED if decision is wrong else Outcome.RESISTED


def canaries(first: float | ScoreState = 0.3, last: float | ScoreState | None = 0.3) -> list[Attempt]:
    opening = attempt("canary-0", None, Arm.CANARY, first)
    return [opening] if last is None else [opening, attempt("canary-0", None, Arm.CANARY, last, repeat=1)]


def counterexample(attack_id: str, **changes: Any) -> Counterexample:
    made = Counterexample(
        attack_id=attack_id,
        case_id="a",
        contract_digest=CONTRACT.digest,
        detector="word_overlap",
        detector_version="1",
        failure_family="content",
        failure_mechanism=Mechanism.TEMPORAL,
        attack_objective=FA,
        attacker_access=Knowledge.SCORE,
        oracle_label=Label.REFUTED,
        oracle_method="closure",
        oracle_version="facts-1",
        source_evidence=("The clinic opened in 2018.",),
        original_claim="The clinic opened in 2018.",
        original_label=Label.SUPPORTED,
        adversarial_claim="The clinic opened in 2019.",
        adversarial_evidence=("The clinic opened in 2018.",),
        pre_score=0.1,
        post_score=0.2,
        delta_score=0.1,
        threshold=THRESHOLD,
        attack_budget=64,
        queries_used=3,
        edit_distance_tokens=1,
        edit_distance_chars=1,
        passages_added=0,
        passages_removed=0,
        entities_preserved=True,
        relation_words_preserved=True,
        embedding_similarity_claims=0.98,
        embedding_similarity_before=0.9,
        embedding_similarity_after=0.9,
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


def drawn_run(seed: int, n: int = 40) -> tuple[RunManifest, list[Attempt], list[Counterexample]]:
    """Return a whole run over n cases, two to a source, with every arm, drawn from a seed."""
    random_ = random.Random(seed)
    cases = [
        case(
            f"case-{index}",
            Label.SUPPORTED if index % 3 else Label.UNSUPPORTED,
            group=f"source-{index // 2}",
            domain=("law", "medicine", "finance")[index % 3],
        )
        for index in range(n)
    ]
    attempts = canaries()[:1]
    for one in cases:
        attempts += _drawn_item(random_, one)
    attempts.append(canaries()[1])
    found = [one for one in attempts if one.arm is Arm.SEARCH and one.outcome is Outcome.SUCCEEDED]
    counterexamples = [
        counterexample(f"temporal-{index:04d}", case_id=one.case_id, edit_distance_tokens=1 + index % 3)
        for index, one in enumerate(found)
    ]
    return manifest(cases), attempts, counterexamples


def _drawn_item(random_: random.Random, one: CaseSummary) -> list[Attempt]:
    supported = one.label is Label.SUPPORTED
    base = round(random_.gauss(0.35 if supported else 0.7, 0.12), 3)
    steps = [attempt(one.case_id, FR if supported else FA, Arm.BASELINE, base)]
    steps += [
        attempt(one.case_id, FA, Arm.LADDER, round(random_.gauss(mean, 0.1), 3), level=level)
        for level, mean in ((0, 0.95), (2, 0.85), (3, 0.7))
        if supported
    ]
    steps += [
        attempt(one.case_id, FA, Arm.LADDER, round(random_.gauss(0.65, 0.1), 3), level=4, step=step)
        for step in range(4)
        if supported
    ]
    for mechanism in (Mechanism.ROLE_SWAP, Mechanism.TEMPORAL):
        risk = round(random_.gauss(0.62, 0.15), 3)
        steps.append(attempt(one.case_id, FA, Arm.CONTROL, risk, mechanism=mechanism))
    for arm, drift in ((Arm.SEARCH, 0.006), (Arm.NO_FEEDBACK, 0.001)):
        steps += _drawn_search(random_, one.case_id, FA, arm, drift)
        if supported:
            steps += _drawn_search(random_, one.case_id, FR, arm, drift)
    return steps


def _drawn_search(random_: random.Random, case_id: str, goal: AttackGoal, arm: Arm, drift: float) -> list[Attempt]:
    steps: list[Attempt] = []
    queries = 0
    for step in range(40):
        if random_.random() < 0.3:
            validity = random_.choice([Validity.INVALID, Validity.UNKNOWN])
            reason = random_.choice(["no_op", "entailed", "weakened_bound"])
            method = "constraints" if reason == "no_op" else "closure"
            steps.append(
                attempt(
                    case_id,
                    goal,
                    arm,
                    None,
                    step=step,
                    queries=queries,
                    validity=validity,
                    reason=reason,
                    method=method,
                )
            )
            continue
        queries += 1
        sign = -1 if goal is FA else 1
        risk = round(random_.gauss(0.5 - sign * 0.12 + sign * drift * queries, 0.05), 3)
        mechanism = random_.choice([Mechanism.ROLE_SWAP, Mechanism.TEMPORAL]) if goal is FA else Mechanism.PARAPHRASE
        steps.append(attempt(case_id, goal, arm, risk, step=step, queries=queries, mechanism=mechanism))
        if steps[-1].outcome is Outcome.SUCCEEDED:
            break
    return steps
