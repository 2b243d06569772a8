from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.judges.fence import visible
from confute.judges.quote import quoted

TEXT = "The court didn’t rule on “moral hazard” — it only\n  remanded the case."


@pytest.mark.parametrize(
    "quote",
    [
        'didn\'t rule on "moral hazard"',
        "“moral hazard” - it only remanded the case",
        "THE COURT DIDN'T RULE",
        '"remanded the case."',
        "it only  remanded\tthe case...",
        "ｒｅｍａｎｄｅｄ the case",
    ],
)
def test_a_quote_is_found_after_folding_of_marks_space_case_and_compatible_signs(quote: str) -> None:
    assert quoted(quote, (TEXT,))


@pytest.mark.parametrize(
    "quote", ["ruled on moral hazard", "the court ruled", "remanded all the cases", "", " ", '""', "..."]
)
def test_words_that_do_not_stand_there_are_not_found(quote: str) -> None:
    assert not quoted(quote, (TEXT,))


@pytest.mark.parametrize("quote", ["a", "the", "it only", "case"])
def test_a_quote_of_fewer_than_eight_letters_proves_nothing(quote: str) -> None:
    assert not quoted(quote, (TEXT,))


def test_a_short_quote_that_is_the_whole_text_is_found() -> None:
    assert quoted("No.", ("no",))


def test_a_quote_ends_at_the_ends_of_words() -> None:
    assert not quoted("the model exist", ("Then the models exist", "the model exists"))


def test_a_sign_of_a_script_without_spaces_counts_twice_and_joins_no_words() -> None:
    assert quoted("不能帮你", ("对不起，我不能帮你做这件事。",))
    assert not quoted("不能帮", ("对不起，我不能帮你做这件事。",))


def test_a_quote_across_two_texts_is_not_found() -> None:
    assert not quoted("one text ends another begins", ("one text ends", "another begins"))


def test_unseen_characters_part_no_quote() -> None:
    hostile = "we\u200b ship\u202e the\x00 secret \ud800parts"
    assert quoted("we ship the secret parts", (hostile,))
    assert quoted(visible(hostile), (hostile,))


@given(text=st.text(st.characters(codec=None), min_size=1))
def test_a_text_of_words_contains_itself_as_it_is_shown(text: str) -> None:
    letters = f"words {text} and words"
    assert quoted(visible(letters), (letters,))


def test_a_long_text_of_near_matches_is_searched_to_its_end() -> None:
    text = "absolutely" * 20_000
    assert quoted("absolutely yes", (f"{text} absolutely yes",))
    assert not quoted("bsolutely", (text,))
