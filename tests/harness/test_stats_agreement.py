from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from confute.harness.stats.agreement import agreement, krippendorff_alpha

pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)
tables = st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=3), min_size=2, max_size=20)


def test_kappa_is_undefined_where_both_raters_give_one_label() -> None:
    # Handed case g16.
    found = agreement([1, 1, 1, 1], [1, 1, 1, 1])
    assert (found.kappa, found.ac1, found.agreement, found.reason) == (None, None, 1.0, "constant_labels")
    assert found.judge_constant
    assert "NaN" not in found.model_dump_json()


def test_a_constant_judge_has_a_kappa_of_nothing_and_is_flagged() -> None:
    # g17: Po = .9 and Pe = .9 * 1 + .1 * 0 = .9.
    found = agreement([1] * 9 + [0], [1] * 10)
    assert found.kappa == pytest.approx(0.0)
    assert found.agreement == pytest.approx(0.9)
    assert found.judge_constant
    assert found.reason is None


def test_no_ratings_have_no_agreement() -> None:
    found = agreement([], [])
    assert (found.n, found.agreement, found.kappa, found.reason) == (0, None, None, "no_ratings")
    assert not found.judge_constant


def test_raters_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        agreement([1, 0], [1])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        agreement([], [1])


def test_the_two_answers_to_fifty_grants_agree_as_published() -> None:
    # Cohen's kappa of 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: Po = .7, Pe = .5 * .6 + .5 * .4 = .5, kappa = .4.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert agreement(first, second).kappa == pytest.approx(0.4)


def test_ac1_stays_high_where_kappa_falls_below_nothing() -> None:
    # Gwet 2008: 118 both +, 5 and 2 apart, 0 both -. Mean shares of + (123 + 120) / 250 = .972;
    # Pe = 2 * .972 * .028 = .054432, Po = .944, AC1 = (.944 - .054432) / (1 - .054432) = .9408; kappa is -.0234.
    found = agreement("+" * 123 + "-" * 2, "+" * 118 + "-" * 5 + "+" * 2)
    assert found.ac1 == pytest.approx(0.9408, abs=5e-5)
    assert found.kappa == pytest.approx(-0.0234, abs=5e-5)


@given(pairs)
def test_kappa_agrees_with_statsmodels(rated: list[tuple[str, str]]) -> None:
    found = agreement([left for left, _ in rated], [right for _, right in rated])
    if found.kappa is None:
        assert len({label for pair in rated for label in pair}) == 1
        return
    table = np.zeros((3, 3))
    for left, right in rated:
        table["abc".index(left), "abc".index(right)] += 1
    with np.errstate(divide="ignore", invalid="ignore"):
        assert found.kappa == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)


def test_alpha_of_the_example_with_missing_values_is_the_published_one() -> None:
    # Krippendorff's example of 3 coders and 15 units with missing values: nominal alpha .691.
    coders = ["*****34121133*3", "1*213343*******", "**21344*21133*4"]
    units = [[None if mark == "*" else mark for mark in unit] for unit in zip(*coders, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.691, abs=5e-4)


def test_alpha_is_undefined_for_a_constant_rating_and_without_pairs() -> None:
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) is None
    assert krippendorff_alpha([["a", None], [None, "b"]]) is None
    assert krippendorff_alpha([]) is None


@given(tables)
def test_alpha_agrees_with_the_krippendorff_package(units: list[list[str | None]]) -> None:
    found = krippendorff_alpha(units)
    paired = [[label for label in unit if label is not None] for unit in units]
    labels = {label for unit in paired if len(unit) > 1 for label in unit}
    if len(labels) < 2:
        assert found is None
        return
    coded = np.asarray([[np.nan if label is None else "abc".index(label) for label in unit] for unit in units]).T
    expected = krippendorff.alpha(coded, level_of_measurement="nominal")
    assert found == pytest.approx(expected, abs=1e-9)
