import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import FA, FR, attempt, case, drawn_run

from confute.errors import ReportError
from confute.harness.manifest import CaseSummary
from confute.harness.outcome import ItemOutcome, items, trace
from confute.harness.rates import Mark, product, rate
from confute.harness.stats.proportion import clopper_pearson, wilson
from confute.harness.summary import DirectionSummary, Evidence
from confute.records import Arm, Attempt, Label, Mechanism, Outcome, ScoreState, Validity

PARAPHRASE, ROLE_SWAP, TEMPORAL = Mechanism.PARAPHRASE, Mechanism.ROLE_SWAP, Mechanism.TEMPORAL
ACCEPTED, REJECTED = 0.2, 0.8


def one_item(*attempts: Attempt, label: Label = Label.SUPPORTED) -> ItemOutcome:
    return items([case("a", label)], attempts)[0]


def false_acceptance(cases: list[CaseSummary], attempts: list[Attempt]) -> DirectionSummary:
    return next(one for one in Evidence(cases, items(cases, attempts), attempts).by_direction() if one.goal is FA)


def before_and_after(case_id: str, before: float, after: float | ScoreState) -> list[Attempt]:
    return [
        attempt(case_id, FA, Arm.BASELINE, before),
        attempt(case_id, FA, Arm.SEARCH, after, mechanism=PARAPHRASE),
    ]


def test_a_detector_wrong_before_the_attack_is_not_an_induced_success() -> None:
    # Handed case i10: accept -> accept, reject -> accept, reject -> reject, reject -> nothing, all unsupported.
    cases = [case(name, Label.UNSUPPORTED) for name in "abcd"]
    attempts = [
        *before_and_after("a", ACCEPTED, ACCEPTED),
        *before_and_after("b", REJECTED, ACCEPTED),
        *before_and_after("c", REJECTED, REJECTED),
        *before_and_after("d", REJECTED, ScoreState.ERROR),
    ]
    attack = false_acceptance(cases, attempts).attack
    assert attack.baseline.numerator == 1
    assert (attack.asr_induced.numerator, attack.asr_induced.denominator) == (1, 2)
    assert (attack.asr_all.numerator, attack.asr_all.denominator) == (2, 3)
    assert attack.asr_all.errors == 1
    assert attack.asr_induced.errors == 1
    assert (attack.worst_case.numerator, attack.worst_case.denominator) == (2, 4)


def test_a_detector_error_after_the_edit_is_unmeasured() -> None:
    # i28
    found = trace([attempt("a", FA, Arm.SEARCH, ScoreState.ERROR)], FA)
    assert found.outcome is Outcome.ERROR
    assert found.queries_to_success is None


def test_what_was_never_measured_leaves_no_denominator_but_shows_in_the_worst_case() -> None:
    # d04: eight of ten outputs are empty, two resisted.
    found = rate(
        [Mark(str(index), Outcome.ERROR) for index in range(8)] + [Mark(str(8 + i), Outcome.RESISTED) for i in range(2)]
    )
    assert (found.numerator, found.denominator, found.value) == (0, 2, 0.0)
    assert found.coverage == pytest.approx(0.2)
    assert found.worst == pytest.approx(0.8)


@pytest.mark.parametrize("state", [ScoreState.ERROR, ScoreState.NO_EVIDENCE])
def test_a_case_without_a_measurement_is_in_no_rate(state: ScoreState) -> None:
    # d01 and d06: a score that is not a number arrives as a state.
    attack = false_acceptance([case("a", Label.UNSUPPORTED)], [attempt("a", FA, Arm.BASELINE, state)]).attack
    assert attack.baseline.value is None
    assert attack.baseline.errors + attack.baseline.no_evidence == 1


def test_nothing_counted_gives_no_share_and_no_interval() -> None:
    found = rate([])
    assert (found.value, found.low, found.high, found.gate_low, found.worst) == (None, None, None, None, None)


def test_a_rate_carries_the_shown_and_the_gated_interval() -> None:
    found = rate([Mark(str(i), Outcome.SUCCEEDED if i < 8 else Outcome.RESISTED) for i in range(10)])
    assert (found.low, found.high) == wilson(8, 10)
    assert (found.gate_low, found.gate_high) == clopper_pearson(8, 10, sides=1)


def test_items_of_one_source_widen_the_interval() -> None:
    marks = [Outcome.SUCCEEDED if index < 40 else Outcome.RESISTED for index in range(80)]
    alone = rate([Mark(str(index), outcome) for index, outcome in enumerate(marks)])
    shared = rate([Mark(str(index // 4), outcome) for index, outcome in enumerate(marks)])
    assert alone.low is not None
    assert shared.low is not None
    assert shared.low < alone.low
    assert shared.n_clusters == 20


def test_the_candidate_is_the_first_success() -> None:
    steps = [
        attempt("a", FA, Arm.SEARCH, REJECTED, step=0),
        attempt("a", FA, Arm.SEARCH, 0.4, step=1),
        attempt("a", FA, Arm.SEARCH, 0.1, step=2),
    ]
    found = trace(steps[::-1], FA)
    assert found.outcome is Outcome.SUCCEEDED
    assert found.candidate == steps[1]
    assert found.queries_to_success == 2


@pytest.mark.parametrize(("goal", "risks", "chosen"), [(FA, (0.9, 0.6, 0.7), 1), (FR, (0.1, 0.4, 0.2), 1)])
def test_without_success_the_candidate_is_the_one_closest_to_the_goal(
    goal: object, risks: tuple[float, ...], chosen: int
) -> None:
    direction = FA if goal is FA else FR
    steps = [attempt("a", direction, Arm.SEARCH, risk, step=step) for step, risk in enumerate(risks)]
    found = trace(steps, direction)
    assert found.outcome is Outcome.RESISTED
    assert found.candidate == steps[chosen]


def test_a_probe_never_counts_as_a_success() -> None:
    success = attempt("a", FA, Arm.SEARCH, ACCEPTED)
    found = trace([success.model_copy(update={"probe": True})], FA)
    assert trace([success], FA).outcome is Outcome.SUCCEEDED
    assert found.outcome is Outcome.UNKNOWN
    assert found.candidate is None


def test_only_invalid_proposals_leave_the_item_unknown_but_not_broken_within_any_budget() -> None:
    found = trace([attempt("a", FA, Arm.SEARCH, validity=Validity.INVALID, queries=0)], FA)
    assert found.outcome is Outcome.UNKNOWN
    assert found.within(64) is Outcome.RESISTED


def test_an_item_that_was_never_measured_leaves_the_success_curve() -> None:
    assert trace([attempt("a", FA, Arm.SEARCH, ScoreState.ERROR)], FA).within(64) is Outcome.ERROR


def test_a_success_counts_from_its_own_query_on() -> None:
    found = trace([attempt("a", FA, Arm.SEARCH, ACCEPTED, queries=4)], FA)
    assert [found.within(queries) for queries in (3, 4, 16)] == [
        Outcome.RESISTED,
        Outcome.SUCCEEDED,
        Outcome.SUCCEEDED,
    ]


def test_the_paired_control_is_the_draw_of_the_candidate_s_mechanism() -> None:
    item = one_item(
        attempt("a", FA, Arm.CONTROL, ACCEPTED, mechanism=ROLE_SWAP),
        attempt("a", FA, Arm.CONTROL, REJECTED, mechanism=TEMPORAL, step=1),
        attempt("a", FA, Arm.SEARCH, ACCEPTED, mechanism=TEMPORAL),
    )
    assert item.control(item.search) is Outcome.RESISTED
    assert item.induced(item.search, item.search.outcome) is Outcome.SUCCEEDED


def test_an_item_that_a_blind_draw_breaks_is_not_induced_but_is_in_the_worst_case() -> None:
    item = one_item(
        attempt("a", FA, Arm.CONTROL, ACCEPTED, mechanism=ROLE_SWAP),
        attempt("a", FA, Arm.SEARCH, REJECTED, mechanism=ROLE_SWAP),
    )
    assert item.induced(item.search, item.search.outcome) is None
    assert item.worst is Outcome.SUCCEEDED


def test_an_unmeasured_control_makes_the_induced_outcome_unmeasured() -> None:
    item = one_item(
        attempt("a", FA, Arm.CONTROL, ScoreState.ERROR, mechanism=ROLE_SWAP),
        attempt("a", FA, Arm.SEARCH, ACCEPTED, mechanism=ROLE_SWAP),
    )
    assert item.induced(item.search, item.search.outcome) is Outcome.ERROR


def test_the_control_of_a_paraphrase_is_the_item_itself() -> None:
    item = one_item(
        attempt("a", FR, Arm.BASELINE, ACCEPTED),
        attempt("a", FR, Arm.SEARCH, REJECTED, mechanism=PARAPHRASE),
    )
    assert item.control(item.search) is Outcome.RESISTED


def test_a_rightly_accepted_original_says_nothing_of_its_false_variants() -> None:
    # The baseline of a supported case is towards false rejection, so it is not the baseline of the other direction.
    item = one_item(
        attempt("a", FR, Arm.BASELINE, REJECTED), attempt("a", FA, Arm.SEARCH, REJECTED), label=Label.SUPPORTED
    )
    assert item.baseline is None
    assert item.worst is Outcome.RESISTED


def test_the_worst_case_counts_the_search_without_feedback() -> None:
    item = one_item(attempt("a", FA, Arm.SEARCH, REJECTED), attempt("a", FA, Arm.NO_FEEDBACK, ACCEPTED))
    assert item.worst is Outcome.SUCCEEDED


def test_minimising_and_confirming_enter_no_rate() -> None:
    attempts = [
        attempt("a", FA, Arm.SEARCH, REJECTED),
        attempt("a", FA, Arm.MINIMISE, ACCEPTED),
        attempt("a", FA, Arm.CONFIRM, ACCEPTED),
    ]
    attack = false_acceptance([case("a")], attempts).attack
    assert attack.asr_all.numerator == attack.worst_case.numerator == 0
    assert attack.validity.attempted == 1


def test_an_attempt_on_an_unknown_case_is_refused() -> None:
    with pytest.raises(ReportError, match="case_id"):
        items([case("a")], [attempt("b", FA, Arm.SEARCH, REJECTED)])


def test_validity_counts_every_proposal_and_every_reason() -> None:
    attempts = [
        attempt("a", FA, Arm.SEARCH, REJECTED, step=0),
        attempt("a", FA, Arm.SEARCH, step=1, validity=Validity.INVALID, reason="no_op"),
        attempt("a", FA, Arm.SEARCH, step=2, validity=Validity.INVALID, reason="no_op"),
        attempt("a", FA, Arm.SEARCH, step=3, validity=Validity.UNKNOWN, reason="hedged"),
        attempt("a", FA, Arm.SEARCH, ACCEPTED, step=4, probe=True),
    ]
    counts = false_acceptance([case("a")], attempts).attack.validity
    assert (counts.attempted, counts.valid, counts.invalid, counts.unknown) == (4, 1, 2, 1)
    assert (counts.rate.numerator, counts.rate.denominator) == (1, 4)
    assert list(counts.reasons.items()) == [("no_op", 2), ("hedged", 1)]


def test_potency_is_the_validity_rate_times_the_success_rate() -> None:
    # Validity 2 of 4, success 1 of 2: 1/4.
    attempts = [
        attempt("a", FA, Arm.SEARCH, ACCEPTED),
        attempt("b", FA, Arm.SEARCH, REJECTED),
        attempt("a", FA, Arm.SEARCH, step=1, validity=Validity.INVALID),
        attempt("b", FA, Arm.SEARCH, step=1, validity=Validity.UNKNOWN),
    ]
    potency = false_acceptance([case("a"), case("b")], attempts).potency
    assert potency.value == pytest.approx(0.25)
    assert potency.low is not None
    assert potency.high is not None
    assert potency.low <= 0.25 <= potency.high


def test_a_product_of_certain_rates_keeps_an_interval_of_some_width() -> None:
    # Wilson's lower end for 10 of 10 is 0.7225, squared.
    marks = [Mark(str(index), Outcome.SUCCEEDED) for index in range(10)]
    found = product(marks, marks, seed="x")
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.7225**2, abs=1e-4)


def test_the_product_of_nothing_is_none() -> None:
    found = product([], [], seed="x")
    assert (found.value, found.low, found.high) == (None, None, None)


@given(st.lists(st.tuples(st.sampled_from(Outcome), st.sampled_from("abcdefgh")), max_size=60))
def test_a_rate_loses_nothing_and_holds_its_share(drawn: list[tuple[Outcome, str]]) -> None:
    found = rate(Mark(group, outcome) for outcome, group in drawn)
    assert found.denominator + found.unmeasured == len(drawn)
    if found.value is None:
        assert found.low is None
        return
    assert found.low is not None
    assert found.high is not None
    assert found.worst is not None
    assert found.low - 1e-12 <= found.value <= found.high + 1e-12
    assert found.low < found.high
    assert found.worst >= found.value - 1e-12


@given(st.integers(0, 30))
def test_the_worst_case_is_never_below_what_the_search_broke(seed: int) -> None:
    manifest, attempts, _ = drawn_run(seed, n=8)
    for item in items(manifest.cases, attempts):
        if Outcome.SUCCEEDED in {item.search.outcome, item.baseline, *item.controls.values()}:
            assert item.worst is Outcome.SUCCEEDED
