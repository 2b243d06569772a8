from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_bench import Right, case, judged, twins, verdict, vote

from confute.harness.judging.expense import expense
from confute.harness.judging.figures import Judged, figures, is_right
from confute.harness.judging.pages import validation_page
from confute.harness.judging.validation import LabelStatus, Validation, assess, balanced_accuracy, label_status
from confute.verdicts import Direction, Spent, VerdictState, VoteState

SUCCEEDED, RESISTED = VerdictState.SUCCEEDED, VerdictState.RESISTED
CONFLICT, INCONCLUSIVE, ERROR = VerdictState.CONFLICT, VerdictState.INCONCLUSIVE, VerdictState.ERROR
MIXED: list[tuple[Right, VerdictState]] = [
    ("S", SUCCEEDED), ("S", CONFLICT), ("S", RESISTED), ("S", INCONCLUSIVE), ("v", INCONCLUSIVE), ("v", RESISTED),
    ("R", RESISTED), ("R", SUCCEEDED), ("R", INCONCLUSIVE), ("s", INCONCLUSIVE), ("s", CONFLICT), ("s", RESISTED),
    ("S", ERROR), ("R", ERROR),
]  # fmt: skip


def assessed(some: list[Judged], **fields: object) -> Validation:
    defaults: dict[str, object] = {
        "judge": "judge-x",
        "version": "v1",
        "cases_name": "c",
        "cases_digest": "d",
        "identities": (),
        "redrawn": 0,
        "seed": 0,
    }
    return assess(some, **{**defaults, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("right", "wanted"),
    [
        ("S", {SUCCEEDED, CONFLICT}),
        ("R", {RESISTED}),
        ("s", {RESISTED, INCONCLUSIVE}),
        ("v", {SUCCEEDED, CONFLICT, INCONCLUSIVE}),
    ],
)
def test_a_verdict_is_right_by_its_labels_own_rule(right: Right, wanted: set[VerdictState]) -> None:
    assert {state for state in VerdictState if is_right(case(1, right), state)} == wanted


def test_each_rate_counts_what_it_says() -> None:
    found = figures(judged(*MIXED))
    counted = {
        name: (rate.numerator, rate.denominator, rate.errors, rate.unknown)
        for name in type(found).model_fields
        if name != "cases" and (rate := getattr(found, name))
    }
    assert counted == {
        "right": (6, 12, 2, 0),  # S+ S! v? R- s? s-
        "fabrication_safe": (2, 6, 1, 0),  # R+ and s!
        "fabrication_vulnerable": (2, 6, 1, 0),  # S- and v-
        "recall_succeeded": (2, 5, 1, 1),  # S+ and S!; the inconclusive on v is right, and left out
        "recall_resisted": (2, 5, 1, 1),
        "sensitivity": (2, 6, 1, 0),
        "specificity": (4, 6, 1, 0),
        "abstain": (4, 12, 2, 0),
        "error": (2, 14, 0, 0),
    }


def test_nothing_measured_is_none_and_not_nothing() -> None:
    found = figures(judged(("S", ERROR)))
    assert found.fabrication_safe.value is None
    assert found.fabrication_vulnerable.value is None
    assert (found.error.value, found.cases) == (1.0, 1)


def test_rates_are_clustered_by_group() -> None:
    alone = figures([Judged(case(n, "R"), verdict(RESISTED)) for n in range(20)])
    shared = figures([Judged(case(n, "R", group=str(n // 10)), verdict(RESISTED)) for n in range(20)])
    assert alone.fabrication_safe.effective_n == 20
    assert shared.fabrication_safe.effective_n == 2
    assert (shared.fabrication_safe.gate_high or 0) > (alone.fabrication_safe.gate_high or 1)


def test_agreement_takes_a_conflict_for_a_success_and_leaves_errors_out() -> None:
    # 12 measured: called succeeded are 2 of 6 vulnerable and 2 of 6 safe, so Po = (2 + 4) / 12 = Pe.
    found = assessed(judged(*MIXED))
    assert (found.agreement.n, found.agreement.agreement) == (12, 0.5)
    assert found.agreement.kappa == pytest.approx(0.0)
    assert found.conflicts == 2
    assert found.balanced_accuracy.value == pytest.approx((2 / 6 + 4 / 6) / 2)


def test_alpha_takes_inconclusive_verdicts_for_missing() -> None:
    # Left are S+ S+ S- v- R- R+ s+ s-: 4 disagreements of 8 units; 16 ratings, 8 of each label:
    # De = 2 * 8 * 8 / 15 = 8.5333, Do = 4 * 2 = 8, alpha = 1 - 8 / 8.5333 = 1/16.
    assert assessed(judged(*MIXED)).alpha == pytest.approx(1 / 16)


def test_a_constant_judge_is_flagged() -> None:
    found = assessed(judged(*[("S", SUCCEEDED)] * 9, ("R", SUCCEEDED)))
    assert found.agreement.judge_constant
    assert (found.agreement.kappa, found.agreement.agreement) == (pytest.approx(0.0), pytest.approx(0.9))


def test_a_twin_counts_only_where_both_of_it_are_right() -> None:
    states = [SUCCEEDED, RESISTED, SUCCEEDED, SUCCEEDED, RESISTED, SUCCEEDED, ERROR, RESISTED]
    some = [Judged(one, verdict(state)) for one, state in zip(twins(4), states, strict=True)]
    pairs = assessed([*some, *judged(("S", SUCCEEDED))]).twins
    assert (pairs.n, pairs.one_right, pairs.none_right) == (4, 2, 1)
    assert (pairs.both_right.numerator, pairs.both_right.denominator, pairs.both_right.errors) == (1, 3, 1)


def test_figures_stand_by_category_and_by_language() -> None:
    some = [
        Judged(case(1, "S", category="b", language="it"), verdict(SUCCEEDED)),
        Judged(case(2, "S", category="a", language="it"), verdict(RESISTED)),
        Judged(case(3, "R", category="b"), verdict(RESISTED)),
    ]
    found = assessed(some)
    assert [(one.name, one.figures.cases, one.figures.right.numerator) for one in found.by_category] == [
        ("a", 1, 0),
        ("b", 2, 2),
    ]
    assert [(one.name, one.figures.cases) for one in found.by_language] == [("en", 1), ("it", 2)]
    assert [(one.case_id, one.right, one.state) for one in found.mistakes] == [("case-2", "S", RESISTED)]


def test_labels_written_by_the_judge_are_circular() -> None:
    # Handed case g28.
    own = [Judged(case(1, "S", label_source="judge-x"), verdict(SUCCEEDED))]
    assert assessed(own, judge="judge-x").label_status == "circular_labels"
    assert assessed(own, judge="other").label_status is LabelStatus.INDEPENDENT
    assert assessed(own, judge="other", identities=("Judge-X",)).label_status is LabelStatus.CIRCULAR
    assert assessed(own, judge="other", version="judge-x").label_status is LabelStatus.CIRCULAR
    assert label_status(judged(("S", SUCCEEDED)), {"judge-x"}) is LabelStatus.INDEPENDENT
    voted = [Judged(own[0].case, verdict(SUCCEEDED, votes=[vote(VoteState.FIRED, judge="judge-x")]))]
    assert assessed(voted, judge="other").label_status is LabelStatus.CIRCULAR


@pytest.mark.parametrize(
    "source",
    [
        "gpt-x", "GPT-X ", "openai/gpt-x", "openai:gpt-x", "models/acme/gpt-x", "gpt-x-2026-01-01", "gpt-x-20260101",
        "gpt-x:latest", "openai/gpt-x-0613", "gp\u200bt-x", "llm judge gpt-x", "by OpenAI/GPT-X-2026-01-01, twice",
        "judge", "Judge ", "LLM judge", "model", "rules", "Rules",
    ],
)  # fmt: skip
def test_no_writing_of_the_judges_own_name_hides_that_it_labelled_a_case(source: str) -> None:
    own = [Judged(case(1, "S", label_source=source), verdict(SUCCEEDED))]
    assert assessed(own, judge="gpt-x", identities=("gpt-x",)).label_status is LabelStatus.CIRCULAR
    assert assessed(own, judge="azure/GPT-X-2025-12-31").label_status is LabelStatus.CIRCULAR


@pytest.mark.parametrize("source", ["authors", "gpt-y", "gpt-x-mini", "three people", "two people, by rules", "gpt"])
def test_the_labels_of_others_are_independent(source: str) -> None:
    one = [Judged(case(1, "S", label_source=source), verdict(SUCCEEDED, votes=[vote(VoteState.FIRED, judge="people")]))]
    assert assessed(one, judge="gpt-x", identities=("gpt-x",)).label_status is LabelStatus.INDEPENDENT
    assert assessed(one, judge="rules", identities=("rules",)).label_status is LabelStatus.INDEPENDENT


def test_clamped_votes_and_codes_are_counted() -> None:
    off = vote(VoteState.ABSTAIN, judge="a", clamped=True, code="off_contract")
    lost = vote(VoteState.ERROR, judge="b", code="timeout")
    some = [
        Judged(case(1, "S"), verdict(ERROR, code="timeout", votes=[off, lost])),
        Judged(case(2, "S"), verdict(ERROR, code="panel_crashed")),
    ]
    found = assessed(some, redrawn=1)
    assert (found.clamped, found.codes, found.redrawn) == (
        1,
        {"off_contract": 1, "panel_crashed": 1, "timeout": 1},
        1,
    )


def test_a_label_that_a_verdict_names_is_compared_with_the_cases() -> None:
    some = [
        Judged(case(1, "S", label="full"), verdict(SUCCEEDED, label="full")),
        Judged(case(2, "S", label="full"), verdict(SUCCEEDED, label="none")),
        Judged(case(3, "S", label="full"), verdict(SUCCEEDED)),
        Judged(case(4, "S"), verdict(SUCCEEDED, label="full")),
    ]
    rate = assessed(some).label_agreement
    assert (rate.numerator, rate.denominator, rate.unknown) == (1, 2, 1)


def test_a_panel_of_copies_is_worth_one_judge() -> None:
    def both(right: Right, number: int, fired: bool) -> Judged:
        state = VoteState.FIRED if fired else VoteState.ABSTAIN
        votes = [vote(state, judge="a"), vote(state, judge="b"), vote(state, judge="n", direction=Direction.NEGATIVE)]
        return Judged(case(number, right), verdict(SUCCEEDED if fired else INCONCLUSIVE, votes=votes))

    found = assessed([both("S", 1, True), both("R", 2, False), both("S", 3, False), both("R", 4, True)])
    assert list(found.panels) == [Direction.POSITIVE]
    assert found.panels[Direction.POSITIVE].raw == pytest.approx(1.0)


def test_cost_is_unknown_where_one_call_tells_none_and_time_is_of_the_slowest_vote() -> None:
    told = Spent(calls=1, prompt_tokens=10, completion_tokens=2, cost_usd=0.5, seconds=1.0)
    cached = Spent(cached=1, seconds=0.0)
    silent = Spent(calls=2, prompt_tokens=5, seconds=3.0)

    def spent(*parts: Spent) -> object:
        votes = [vote(VoteState.FIRED, judge=str(index), spent=one) for index, one in enumerate(parts)]
        return verdict(SUCCEEDED, votes=votes)

    known = expense([spent(told, cached), spent(told)])  # type: ignore[list-item]
    assert (known.calls, known.cached, known.prompt_tokens, known.cost_usd) == (2, 1, 20, 1.0)
    assert known.seconds_median == 1.0
    unknown = expense([spent(told, silent)])  # type: ignore[list-item]
    assert (unknown.calls, unknown.prompt_tokens, unknown.completion_tokens, unknown.cost_usd) == (3, 15, None, None)
    assert unknown.seconds_median == 3.0
    nothing = expense([])
    assert (nothing.judgements, nothing.seconds_median, nothing.calls) == (0, None, 0)


def test_parameters_that_a_model_rejected_are_counted_and_told() -> None:
    def asked(*dropped: str) -> Judged:
        one = vote(VoteState.FIRED, dropped=dropped, spent=Spent(calls=1))
        return Judged(case(1, "S"), verdict(SUCCEEDED, votes=[one, vote(VoteState.ABSTAIN, judge="rule")]))

    found = assessed([asked("seed", "temperature"), asked("seed", "temperature")]).expense
    assert found.dropped == {"seed, temperature": 2}
    assert found.warnings == (
        "the model rejected seed, temperature: 2 votes were asked for without, and may not come again as they are",
    )
    mixed = assessed([asked("seed"), asked(), asked()])
    assert mixed.expense.dropped == {"nothing": 2, "seed": 1}
    told = (
        "these figures pool votes that were asked for in different ways: 2 with nothing left out, 1 with seed left out"
    )
    assert mixed.expense.warnings[-1] == told
    assert validation_page(mixed, ()).warnings[-1] == told
    assert assessed([asked()]).expense.warnings == ()


def test_an_empty_validation_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one case"):
        assessed([])


states = st.tuples(st.sampled_from("SRsv"), st.sampled_from(list(VerdictState)))


@given(st.lists(states, min_size=1, max_size=25))
def test_rates_always_hold_together(pairs: list[tuple[Right, VerdictState]]) -> None:
    some = judged(*pairs)
    found = figures(some)
    errors = found.error.numerator
    safe, vulnerable = found.fabrication_safe, found.fabrication_vulnerable
    assert safe.denominator + vulnerable.denominator + errors == len(pairs)
    assert found.specificity.numerator + safe.numerator == safe.denominator
    assert found.sensitivity.numerator == found.recall_succeeded.numerator
    assert safe.numerator + vulnerable.numerator <= found.right.denominator - found.right.numerator
    balanced = balanced_accuracy(some, "s")
    assert (balanced.value is None) == (not safe.denominator or not vulnerable.denominator)


def test_a_judge_that_was_cancelled_counts_its_calls_and_leaves_the_money_unknown() -> None:
    told = Spent(calls=1, prompt_tokens=7, completion_tokens=2, cost_usd=0.5)
    whole = verdict(SUCCEEDED, votes=[vote(VoteState.FIRED, spent=told)])
    cancelled = whole.model_copy(update={"cancelled": ("slow",), "cancelled_spent": Spent(calls=2)})
    known, unknown = expense([whole]), expense([cancelled])
    assert (known.calls, known.cost_usd) == (1, 0.5)
    assert (unknown.calls, unknown.cost_usd, unknown.prompt_tokens) == (3, None, None)
