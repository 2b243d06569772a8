from __future__ import annotations

from confute.oracles.relations.catalogue import RELATIONS, ROWS, Needs


def test_all_78_rows_stand_in_order():
    expected = [
        f"{letter}{n}" for letter, last in (("C", 42), ("E", 18), ("P", 10), ("R", 8)) for n in range(1, last + 1)
    ]
    assert [row.row_id for row in ROWS] == expected


def test_every_row_says_what_it_changes_what_must_follow_and_when():
    assert all(row.title and row.direction and row.precondition for row in ROWS)


def test_every_row_that_changes_a_case_has_a_transform_and_no_other_has_one_but_the_complement():
    assert {row.row_id for row in ROWS if row.needs is Needs.CASE} == set(RELATIONS) - {"P8"}


def test_a_transform_stands_under_its_own_name():
    assert all(name == relation.relation_id for name, relation in RELATIONS.items())
