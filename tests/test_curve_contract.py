"""The section `curve` of a contract: what it declares, what it leaves as it was, and what it refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute import contract
from confute.curve_plan import CurvePlan, Strategy
from confute.errors import ContractError
from confute.records import digest_of

ATTACK = "victim: {detector: word_overlap}\nobjective: {oracle: facts}\n"


def test_a_contract_without_a_curve_has_the_digest_that_it_had_before_there_were_curves():
    parsed = contract.parse(ATTACK)
    # The sections that contracts had before; the digest is of their canonical JSON and nothing else.
    sections = ("contract", "victim", "objective", "attacker", "validity_constraints", "evaluation")
    fields = {name: getattr(parsed, name) for name in sections}
    plain = {name: value if isinstance(value, int) else value.model_dump(mode="json") for name, value in fields.items()}
    assert parsed.digest == digest_of(plain)
    assert contract.parse(ATTACK + "curve: null\n").digest == parsed.digest


def test_a_curve_changes_the_digest_and_an_attacker_beside_it_too():
    texts = (ATTACK, ATTACK + "curve: {}\n", ATTACK + "curve: {}\nattacker: {}\n")
    parsed = [contract.parse(text) for text in texts]
    assert [one.attacks for one in parsed] == [True, False, True]
    assert len({one.digest for one in parsed}) == 3


def test_defaults_written_out_and_budgets_in_another_order_are_the_same_curve():
    written = "curve: {budgets: [all, 256, 4, 1, 64, 16, 4], toggles: {source_guard: true}, resamples: 10000}\n"
    assert contract.parse(ATTACK + written).digest == contract.parse(ATTACK + "curve: {}\n").digest


@given(
    budgets=st.lists(st.integers(1, 100_000), min_size=1, max_size=6),
    everything=st.booleans(),
    ranks=st.lists(st.integers(1, 100_000) | st.just("full"), unique=True, max_size=5),
    attacker=st.booleans(),
)
def test_a_curve_survives_being_written_and_read(budgets, everything, ranks, attacker):
    section = {"budgets": [*budgets, *(["all"] if everything else [])], "ranks": ranks}
    text = ATTACK + f"curve: {json.dumps(section)}\n" + ("attacker: {}\n" if attacker else "")
    parsed = contract.parse(text)
    again = contract.parse(parsed.model_dump_json())
    assert (again, again.digest, again.attacks) == (parsed, parsed.digest, attacker)
    assert list(parsed.curve.numbers) == sorted(set(budgets))


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{budgets: [1, x]}", "curve.budgets.1"),
        ("{budgets: [0]}", "greater than or equal to 1"),
        ("{budgets: [all]}", "at least one number"),
        ("{budgets: []}", "at least one number"),
        ("{ranks: [half]}", "curve.ranks.0"),
        ("{ranks: [1, 1]}", "ranks must name each one once"),
        ("{strategies: [energy_aware]}", "random, the baseline of ASR_induced"),
        ("{strategies: [random, same_domain]}", "energy_aware, the curve"),
        ("{toggles: {guard: false}}", "allowed: drop_null_directions, eligible_budget, honour_labels, source_guard"),
        ("{toggles: {source_guard: 0}}", "valid boolean"),
        ("{k: 3}", "allowed: ablate, budgets, passage_source, ranks, resamples, select, strategies, toggles"),
        ("{resamples: 3}", "greater than or equal to 100"),
        ("{select: ' '}", "must not be blank"),
    ],
)
def test_a_wrong_curve_is_told_by_line_and_field(section, said):
    with pytest.raises(ContractError) as caught:
        contract.parse(ATTACK + f"curve: {section}\n")
    assert said in str(caught.value)
    assert "contract:3:" in str(caught.value)


def test_constraints_on_edits_without_an_attacker_are_idle_and_refused():
    with pytest.raises(ContractError, match="add an attacker, or leave them out"):
        contract.parse(ATTACK + "validity_constraints: {max_edits: 2}\ncurve: {}\n")


def test_a_curve_is_safe_and_whole_by_default():
    plan = CurvePlan()
    assert plan.toggles.moved == ()
    assert (plan.budgets, plan.strategies) == ((1, 4, 16, 64, 256, "all"), tuple(Strategy))
