from __future__ import annotations

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
