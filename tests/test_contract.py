"""The attack contract: what it accepts, what it refuses, and how it says so."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute import contract
from confute.contract import AttackContract, Attacker, Budgets, Objective, OracleChoice, Victim
from confute.errors import ContractError
from confute.records import AttackGoal, Mechanism

SMALLEST = """
victim: {detector: word_overlap}
objective: {oracle: facts}
"""


def test_the_smallest_contract_gets_the_documented_defaults():
    found = contract.parse(SMALLEST)
    assert found.attacker.budgets.victim_queries == 64
    assert found.attacker.capabilities == tuple(
        one for one in Mechanism if not (one.changes_evidence or one.frames_a_probe)
    )
    assert found.validity_constraints.max_edited_tokens == 2
    assert found.validity_constraints.max_edited_share == 0.15
    assert found.objective.attack_goal.goals == (AttackGoal.FALSE_ACCEPTANCE, AttackGoal.FALSE_REJECTION)


def test_yaml_json_and_written_out_defaults_have_one_digest():
    found = contract.parse(SMALLEST)
    assert contract.parse(json.dumps(found.model_dump(mode="json"))).digest == found.digest


def test_any_change_of_a_budget_changes_the_digest():
    found = contract.parse(SMALLEST)
    changed = contract.parse(SMALLEST + "attacker: {budgets: {victim_queries: 65}}")
    assert changed.digest != found.digest


def test_an_unknown_field_names_its_line_and_what_is_allowed():
    with pytest.raises(ContractError) as caught:
        contract.parse("victim:\n  detector: word_overlap\n  rankk: 3\nobjective: {oracle: facts}\n", name="a.yaml")
    message = str(caught.value)
    assert "a.yaml:3: victim.rankk" in message
    assert "allowed: calibration_version, detector, deterministic, embedder" in message


def test_a_missing_field_is_named_with_the_line_of_its_parent():
    with pytest.raises(ContractError, match=r"a\.yaml:2: objective\.oracle: Field required"):
        contract.parse("victim: {detector: word_overlap}\nobjective:\n  attack_goal: both\n", name="a.yaml")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (SMALLEST + "attacker: {budgets: {victim_queries: 0}}", "victim_queries"),
        (SMALLEST + "attacker: {budgets: {victim_queries: '64'}}", "victim_queries"),
        (SMALLEST + "attacker: {capabilities: []}", "at least one mechanism"),
        (SMALLEST + "attacker: {capabilities: [polarity, polarity]}", "each mechanism once"),
        (SMALLEST + "attacker: {knowledge: everything}", "attacker.knowledge"),
        (SMALLEST + "evaluation: {suite: held_out, frozen_attacker: false}", "held_out suite needs"),
        ("victim: {detector: x, rank: 0}\nobjective: {oracle: facts}", "victim.rank"),
        ("victim: {detector: x, threshold: {}}\nobjective: {oracle: facts}", "exactly one of value and calibrate"),
        ("victim: {detector: x, threshold: {value: .nan}}\nobjective: {oracle: facts}", "victim.threshold.value"),
        ("victim: {detector: x, segmentation: {unit: window}}\nobjective: {oracle: facts}", "window_tokens"),
        ("victim: {detector: ' '}\nobjective: {oracle: facts}", "must not be blank"),
        ("[1, 2]", "a contract is a mapping"),
        ("", "a contract is a mapping"),
        ("victim: {detector: [", "not YAML or JSON"),
        ("!!python/object/apply:os.system ['true']", "not YAML or JSON"),
        ("contract: 2\n" + SMALLEST, "contract"),
    ],
)
def test_what_is_not_allowed_is_refused_by_name(text, place):
    with pytest.raises(ContractError) as caught:
        contract.parse(text)
    assert place in str(caught.value)


def test_a_missing_file_is_an_error_and_not_a_traceback(tmp_path):
    with pytest.raises(ContractError, match="cannot be read"):
        contract.load(tmp_path / "none.yaml")


def test_the_schema_describes_every_part():
    schema = json.loads(contract.schema())
    assert set(schema["properties"]) == {
        "contract",
        "victim",
        "objective",
        "attacker",
        "validity_constraints",
        "evaluation",
        "curve",
        "authorized",
    }
    assert schema["additionalProperties"] is False


@given(
    queries=st.integers(1, 10_000),
    seconds=st.none() | st.floats(0.1, 1e6),
    oracle=st.sampled_from(OracleChoice),
)
def test_a_contract_survives_being_written_and_read(queries, seconds, oracle):
    original = AttackContract(
        victim=Victim(detector="word_overlap"),
        objective=Objective(oracle=oracle),
        attacker=Attacker(budgets=Budgets(victim_queries=queries, wall_clock_s=seconds)),
    )
    assert contract.parse(original.model_dump_json()) == original


def test_a_field_that_stands_twice_is_refused_where_yaml_would_take_the_last():
    with pytest.raises(ContractError, match=r"a\.yaml:2: victim: stands twice"):
        contract.parse("victim: {detector: a}\nvictim: {detector: b}\nobjective: {oracle: facts}\n", name="a.yaml")


def test_a_bomb_of_aliases_is_refused_without_being_written_out():
    # Ten levels of ten aliases each are 10^10 items; showing them would take longer than any test may.
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 11))
    with pytest.raises(ContractError) as caught:
        contract.parse(f"a0: &a0 [x]\n{levels}\nvictim: *a10\nobjective: {{oracle: facts}}\n")
    assert len(str(caught.value)) < 20_000


@pytest.mark.parametrize("seed", ["0x" + "f" * 20_000, "9" * 30])
def test_a_seed_of_thousands_of_digits_is_refused_by_name(seed):
    with pytest.raises(ContractError):
        contract.parse(SMALLEST + f"evaluation: {{seed: {seed}}}")


def test_echo_is_named_alone():
    only = f"{SMALLEST}attacker: {{capabilities: [echo]}}\n"
    assert contract.parse(only).attacker.capabilities == (Mechanism.ECHO,)
    with pytest.raises(ContractError, match="probe of provenance"):
        contract.parse(f"{SMALLEST}attacker: {{capabilities: [echo, inflation]}}\n")
