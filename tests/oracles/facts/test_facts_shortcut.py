"""The shortcut audit finds a planted surface cue and passes arms that have none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.errors import OracleError
from confute.oracles.shortcut import ShortcutStatus, audit


def test_arms_that_an_ending_tells_apart_are_a_shortcut() -> None:
    found = audit(["The dose is 4 mg.", "Paid 5 May."], ["The dose is 5 mg!!", "Paid 7 May!!"])
    assert found.status is ShortcutStatus.SHORTCUT
    assert found.accuracy == 1.0


def test_equal_arms_are_clear() -> None:
    texts = ["The dose is 4 mg.", "Paid 5 May.", "Ana left."]
    found = audit(texts, texts)
    assert (found.status, found.accuracy) == (ShortcutStatus.CLEAR, 0.5)


def test_a_word_in_half_of_one_arm_gives_three_quarters() -> None:
    # "not" in 2 of 4 edited and 0 of 4 faithful claims: (1 + 2/4) / 2; all else is balanced
    faithful = ["aa bb cc.", "aa bb dd.", "aa not cc.", "aa not dd."]
    edited = ["aa not cc.", "aa not dd.", "aa not cc.", "aa not dd."]
    found = audit(faithful, edited)
    assert found.accuracy == 0.75
    assert found.status is ShortcutStatus.CLEAR
    assert audit(faithful, edited, bound=0.7).status is ShortcutStatus.SHORTCUT


def test_a_length_cue_is_found_in_arms_of_unequal_size() -> None:
    found = audit(["a b c d e f"], ["a b", "c d", "e f"])
    assert found.accuracy == 1.0


def test_an_empty_arm_is_an_error() -> None:
    with pytest.raises(OracleError, match="both arms"):
        audit([], ["x"])


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_the_accuracy_is_between_a_half_and_one_and_does_not_depend_on_which_arm_is_which(one: Any, other: Any) -> None:
    found = audit(one, other)
    assert 0.5 <= found.accuracy <= 1
    assert found.accuracy == pytest.approx(audit(other, one).accuracy)
