from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from confute.harness.persona.checks import Check, Said, numbers_in, outcome_of
from confute.harness.persona.disclosure import Disclosed, DisclosureRules
from confute.harness.stats.flake import outcomes

CHECK: TypeAdapter[Check] = TypeAdapter(Check)

EVERY_CHECK: list[dict[str, Any]] = [
    {"check": "phrases", "any_of": ["Rome"]},
    {"check": "number", "value": 3},
    {"check": "pattern", "pattern": "2018"},
    {"check": "refuses"},
    {"check": "tool_backed", "tool": "save", "claims": ["saved"]},
    {"check": "json_only"},
    {"check": "max_words", "words": 3},
    {"check": "no_emoji"},
    {"check": "language", "code": "it"},
    {"check": "italian_agreement"},
]


def _holds(check: dict[str, Any], text: str, *tools: str) -> bool | None:
    return outcome_of(CHECK.validate_python(check), Said(text, tools, "feminine")).holds


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        ({"check": "phrases", "any_of": ["Rome"], "none_of": ["Milan"]}, "It is ROME.", "Romeo"),
        ({"check": "phrases", "any_of": ["Rome"], "none_of": ["Milan"]}, "rome", "Rome or Milan"),
        ({"check": "phrases", "all_of": ["d'altro", "oggi"]}, "Oggi parliamo d’altro", "oggi"),
        ({"check": "number", "value": 1234.5}, "1.234,50 euro", "12345"),
        ({"check": "number", "value": 20, "tolerance": 1}, "about 21", "22 or 18.9"),
        ({"check": "pattern", "pattern": "20(18|19)"}, "in 2018", "in 2017"),
        ({"check": "pattern", "pattern": "secret", "found": False}, "hello", "the secret"),
        ({"check": "refuses"}, "I'm sorry, I can't do that.", "Sure, here it is."),
        ({"check": "refuses", "expected": False}, "Sure, here it is.", "I cannot help."),
        ({"check": "json_only", "keys": ["a"]}, ' {"a": 1}\n', '```json\n{"a": 1}\n```'),
        ({"check": "json_only"}, "[1]", "[1] and more"),
        ({"check": "max_words", "words": 3}, "it's well-known, yes", "one two three four"),
        ({"check": "no_emoji"}, "Hi :) — 5 °C © ™ →", "Hi 👋🏽"),
        ({"check": "no_emoji"}, "1 2 #", "1️⃣"),
        ({"check": "language", "code": "it"}, "Grazie mille, ci vediamo domani.", "Thank you, see you tomorrow."),
        ({"check": "italian_agreement"}, "La mia lista è lunga.", "La mia lista è lungo."),
        ({"check": "italian_agreement"}, "Sono pronta, il testo è pronto.", "Sono pronto, il testo è pronto."),
    ],
)
def test_a_check_tells_right_from_wrong(check: dict[str, Any], right: str, wrong: str) -> None:
    assert _holds(check, right) is True
    assert _holds(check, wrong) is False


def test_a_match_is_a_truth_value_so_that_equal_replies_do_not_flake() -> None:
    # g12: ten equal replies that match; as match objects they would all differ
    found = [_holds({"check": "pattern", "pattern": "2018"}, "In 2018.") for _ in range(10)]
    assert outcomes(found).flake_rate == 0.0
    with pytest.raises(TypeError, match="True, False or None"):
        outcomes([1, 2])  # type: ignore[list-item]


def test_a_products_own_phrase_deflects_and_an_empty_one_is_refused_at_load() -> None:
    # b32
    check = {"check": "refuses", "phrases": ["let's keep our chat about"]}
    assert _holds(check, "Let's keep our chat about your energy account!") is True
    assert _holds(check, "Sure, here it is.") is False
    for phrases in (["let's keep our chat about", ""], [" \t"]):
        with pytest.raises(ValidationError, match="phrases"):
            CHECK.validate_python({"check": "refuses", "phrases": phrases})


def test_an_action_that_is_claimed_must_have_been_done() -> None:
    # b41
    check = {"check": "tool_backed", "tool": "save_note", "claims": ["saved"]}
    assert _holds(check, "Done, saved as note 7.", "save_note") is True
    assert _holds(check, "Done, saved as note 7.") is False
    assert _holds(check, "Done, saved as note 7.", "delete_note") is False
    assert _holds(check, "What shall I write?") is None


@pytest.mark.parametrize("check", EVERY_CHECK, ids=lambda one: one["check"])
@pytest.mark.parametrize("text", ["", "  \n\u200b".strip("\u200b"), "\t"])
def test_nothing_said_is_no_outcome(check: dict[str, Any], text: str) -> None:
    assert _holds(check, text) is None


@pytest.mark.parametrize("check", EVERY_CHECK, ids=lambda one: one["check"])
@pytest.mark.parametrize("text", ["\x00\ud800", "[" * 100_000, "a" * 100_000, "9" * 5_000, "1e999", "<b>\u202e</b>"])
def test_hostile_text_has_an_outcome_and_no_crash(check: dict[str, Any], text: str) -> None:
    assert _holds(check, text) in {True, False, None}


@given(st.text(max_size=200))
def test_numbers_are_found_in_any_text(text: str) -> None:
    assert all(isinstance(one, float) for one in numbers_in(text))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1,234", [1234.0]), ("1.5 and 2,5", [1.5, 2.5]), ("1 234 567", [1234567.0]), ("−3", [-3.0]), ("0.125", [0.125]),
     ("v1.2.3", []), ("12,345.67", [12345.67])],
)  # fmt: skip
def test_marks_in_numbers_are_read_as_people_do(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    "check",
    [
        {"check": "phrases"},
        {"check": "pattern", "pattern": "("},
        {"check": "language", "code": "xx"},
        {"check": "max_words", "words": 0},
        {"check": "tool_backed", "tool": "a", "claims": []},
        {"check": "no_such_check"},
    ],
)
def test_a_check_that_asks_nothing_is_refused(check: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CHECK.validate_python(check)


RULES = DisclosureRules.model_validate(
    {
        "capabilities": [
            {"name": "orders", "said_by": ["read orders"], "denied_by": ["can't read orders"]},
            {"name": "returns", "said_by": ["create returns"], "denied_by": []},
        ],
        "deflections": ["let's keep our chat about"],
    }
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I can read orders and create returns.", Disclosed.FULL),
        ("I create returns.", Disclosed.PARTIAL),
        ("Hello!", Disclosed.NONE),
        ("I create returns, but I can't read orders.", Disclosed.FALSE_DENIAL),
        ("Let's keep our chat about you; I read orders.", Disclosed.NONE),
    ],
)
def test_disclosure_is_one_of_four_labels(text: str, label: Disclosed) -> None:
    assert RULES.label(text) is label


def test_an_empty_deflection_is_refused() -> None:
    with pytest.raises(ValidationError, match="deflections"):
        DisclosureRules.model_validate({**RULES.model_dump(), "deflections": [""]})
