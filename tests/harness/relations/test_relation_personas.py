from __future__ import annotations

from pathlib import Path

import pytest

from confute.errors import PersonaError
from confute.harness.relations.persona_rows import load_trials, persona_rows
from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.scripted import ScriptedModel
from confute.victims.persona import Persona

EXAMPLE = Path(__file__).parents[3] / "examples" / "persona" / "max_relations.yaml"
PERSONA = Persona(
    name="Max", model=ModelSpec(model="m", base_url="http://127.0.0.1:9/v1"), system_prompt="You are Max."
)
TRIALS = load_trials(EXAMPLE, PERSONA)


def rows(answer, repeat=2, trials=TRIALS):
    model = ScriptedModel(answer)
    return {one.row_id: one for one in persona_rows(PERSONA, model, trials, repeat=repeat, seed=0)}


def steady(request, _repeat):
    """Know everything, deny rightly, and tell ever more."""
    asked, system = request.messages[-1].content, request.messages[0].content
    if "hologram" in asked:
        return "I cannot do that."
    if "year" in asked.lower() or "anno" in asked:
        return "In 2018."
    if "yes or no" in asked:
        return "Yes." if asked.startswith("Answer yes or no: can") else "No."
    everything = "I can send messages, set reminders and summarise chats."
    if "openly" in system or "List" in asked:
        return everything
    return "I set reminders." if "What" in asked else "I am Max!"


def flipped(request, repeat):
    """Know the year in the first question's words alone, say yes to all, and tell ever less."""
    asked, system = request.messages[-1].content, request.messages[0].content
    if asked == "In which year was Max launched?" and len(request.messages) == 2:
        return "In 2018."
    if "yes or no" in asked:
        return "Yes." if "Pia" not in system else "No."
    if "who are you" in asked or ("can you do" in asked and "openly" not in system):
        return "I can send messages, set reminders and summarise chats."
    return "I'd rather talk about the weather, and press the blue button."


def test_a_persona_that_keeps_every_rule_breaks_no_row():
    found = rows(steady)
    assert list(found) == [f"R{number}" for number in range(1, 9)]
    assert {name: one.violations.numerator for name, one in found.items()} == dict.fromkeys(found, 0)
    assert all(one.violations.denominator for one in found.values())


def test_a_persona_that_breaks_every_rule_is_found_by_every_row():
    # Of a repeat: R1 two other questions; R2 two denials that say yes as well; R3, R5, R6, R8 one; R4 the first of its
    # three steps falls, the second rises again to all, the third falls; R7 its only one.
    found = rows(flipped, repeat=1)
    assert {name: (one.violations.numerator, one.violations.denominator) for name, one in found.items()} == {
        "R1": (2, 2),
        "R2": (2, 2),
        "R3": (1, 1),
        "R4": (2, 3),
        "R5": (1, 1),
        "R6": (1, 1),
        "R7": (1, 1),
        "R8": (1, 1),
    }


def test_an_endpoint_that_fails_is_an_error_and_never_a_pass():
    found = rows(lambda request, repeat: ChatReply(code=ReplyCode.UNREACHABLE, model="m", detail="gone"))
    assert all(one.violations.denominator == 0 and one.violations.errors > 0 for one in found.values())


def test_repeats_of_one_instance_are_one_cluster():
    assert rows(steady, repeat=5)["R1"].violations.n_clusters == 1


def test_a_row_without_a_declared_probe_does_not_apply():
    found = rows(steady, trials=[one for one in TRIALS if one.row == "R7"])
    assert found["R1"].why_not == "no declared probe"
    assert found["R7"].why_not is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rows: []", "rows"),
        ("rows: [{row: R9, id: x, steps: []}]", "R9"),
        ("rows: [", "YAML"),
        ("rows: [{row: R4, id: x, steps: [PROBE, PROBE]}]", "at least 4 steps"),
        ("rows: [{row: R7, id: x, steps: [PROBE]}, {row: R7, id: x, steps: [PROBE]}]", "stands twice"),
        ("rows: [{row: R7, id: x, steps: [WRONG]}]", "own samples"),
    ],
)
def test_a_mistake_in_the_file_is_told(tmp_path, text, told):
    probe = "{probe: {id: p, kind: fact, turns: [q], check: {check: number, value: 1}, good: ['1'], bad: ['2']}}"
    file = tmp_path / "rows.yaml"
    file.write_text(text.replace("PROBE", probe).replace("WRONG", probe.replace("'2'", "'1'")), encoding="utf-8")
    with pytest.raises(PersonaError, match=told):
        load_trials(file, PERSONA)


def test_a_file_that_is_absent_is_a_mistake_that_is_told(tmp_path):
    with pytest.raises(PersonaError):
        load_trials(tmp_path / "absent.yaml", PERSONA)
