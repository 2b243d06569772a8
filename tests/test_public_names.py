from __future__ import annotations

import asyncio

import pytest

import confute


def test_public_names_are_sorted_and_unique() -> None:
    assert sorted(set(confute.__all__)) == confute.__all__


@pytest.mark.parametrize("name", confute.__all__)
def test_a_public_name_resolves_and_says_what_it_is(name: str) -> None:
    assert getattr(confute, name).__doc__


def test_every_public_name_is_offered_to_completion() -> None:
    assert set(confute.__all__) <= set(dir(confute))


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="NoSuchName"):
        _ = confute.NoSuchName


def test_a_judge_a_model_and_a_persona_can_be_made_by_public_names_alone() -> None:
    answer = '{"reason": "so", "quote": "It rained.", "verdict": "yes"}'
    panel = confute.build_panel(confute.load_family("support"), confute.ScriptedModel([answer] * 2))
    exhibit = confute.Exhibit(claim="It rained.", evidence=("It rained.",))
    assert asyncio.run(panel.conclude(exhibit)).state is confute.VerdictState.CONFLICT
    rules = confute.build_rule_panel("misinformation")
    refused = asyncio.run(rules.conclude(confute.Exhibit(prompt="When?", reply="I cannot help with that.")))
    assert refused.state is confute.VerdictState.RESISTED
    spec = confute.ModelSpec(model="m", base_url="http://127.0.0.1:9/v1")
    assert confute.load_chat(spec).fingerprint
    assert confute.Persona(name="Ada", model=spec, system_prompt="You are Ada.").tools == ()
