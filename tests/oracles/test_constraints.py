"""The free checks before the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import ValidityConstraints
from confute.edits import edit_size
from confute.oracles.constraints import check, token_limit
from confute.oracles.surface import skeleton
from confute.records import Edit, Label, Mechanism, Replacement

DEFAULT = ValidityConstraints()


def reason(source: str, candidate: str, constraints: ValidityConstraints = DEFAULT) -> str | None:
    refusal = check(constraints, source, candidate, ())
    return None if refusal is None else refusal.reason


def paraphrase(start: int, end: int, text: str) -> Edit:
    replacement = Replacement(start=start, end=end, text=text)
    return Edit(mechanism=Mechanism.PARAPHRASE, slot="s", replacements=(replacement,), expected_label=Label.SUPPORTED)


@pytest.mark.parametrize(
    ("source", "candidate"),
    [
        ("The dose is 5 mg.", "The dose is \uff15 mg."),  # i02
        ("The caf\u00e9 opens at 8.", "The cafe\u0301 opens at 8."),  # i03
        ("Paul left.", "\u0420aul left."),  # Cyrillic capital er
        ("Paul left.", "Pa\u200bul left."),  # zero-width space
        ("The same.", "The same."),
    ],
)
def test_a_look_alike_is_the_same_claim(source: str, candidate: str) -> None:
    assert reason(source, candidate) == "equal_after_normalisation"


@pytest.mark.parametrize(
    ("source", "candidate"),
    [
        ("Revenue was 120 million.", "revenue  was 120 Million."),  # i05
        ("Two valve failed.", "Two valves failed."),  # i38
        ("The battery, failed.", "The batteries failed."),
        ("He left.", "He left!"),
    ],
)
def test_case_spacing_punctuation_and_plurals_are_surface(source: str, candidate: str) -> None:
    assert reason(source, candidate) == "surface_only"


def test_a_sign_is_not_surface() -> None:
    assert reason("Change was 5 points.", "Change was -5 points.") is None


def test_the_share_is_rounded_down_and_the_refusal_says_how_far() -> None:
    # i08: floor(0.2 * 8) = 1 token may change, 3 do.
    limits = ValidityConstraints(max_edited_tokens=None, max_edited_share=0.2)
    original = "one two three four five six seven eight"
    refusal = check(limits, original, "ONE TWO THREE four five six seven eight", ())
    assert refusal is not None
    assert (refusal.reason, refusal.token_edits, refusal.limit) == ("over_budget", 3, 1)


def test_both_sizes_are_measured_in_their_own_unit() -> None:
    # i09: one word of the claim changes, by one inserted character.
    assert edit_size("Paid on 5 May.", "Paid on 15 May.") == (1, 1)
    refusal = check(ValidityConstraints(max_edited_chars=1), "Paid on 5 May.", "Paid on 215 May.", ())
    assert refusal is not None
    assert (refusal.reason, refusal.token_edits, refusal.char_edits) == ("over_budget_chars", 1, 2)


def test_the_larger_of_the_two_limits_holds() -> None:
    assert token_limit(ValidityConstraints(max_edited_tokens=2, max_edited_share=0.15), "a " * 40) == 6
    assert token_limit(ValidityConstraints(max_edited_tokens=2, max_edited_share=0.15), "a b c") == 2


def test_a_paraphrase_is_not_bounded_in_size() -> None:
    source, words = "It costs ten dollars today.", "a sum that comes to ten whole dollars"
    candidate = f"It costs {words} today."
    assert reason(source, candidate) == "over_budget"
    assert check(DEFAULT, source, candidate, (paraphrase(9, 20, words),)) is None


def test_more_edits_than_the_contract_allows_are_refused() -> None:
    edits = tuple(paraphrase(place, place + 1, "x") for place in range(4))
    refusal = check(DEFAULT, "abcd words", "xxxx words", edits)
    assert refusal is not None
    assert (refusal.reason, refusal.limit) == ("too_many_edits", 3)


@given(st.text(alphabet=st.characters(codec=None), max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_checks(source: str, candidate: str) -> None:
    assert reason(source, source) == "equal_after_normalisation"
    check(DEFAULT, source, candidate, ())
    assert skeleton(skeleton(source)) == skeleton(source)
