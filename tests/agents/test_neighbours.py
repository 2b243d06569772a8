"""Which untried move comes next, given the tried ones."""

from __future__ import annotations

from playing_field import make_edit, make_view

from confute.agents.drafts import Trial
from confute.agents.neighbours import Neighbours
from confute.records import Mechanism

YEARS = {
    year: make_edit("date", (3, 7, year), mechanism=Mechanism.TEMPORAL) for year in ("2011", "2099", "2098", "2012")
}
PRICE = make_edit("price", (8, 9, "5"))
VIEW = make_view("In 2010 4", [*YEARS.values(), PRICE])


def tried(year: str, loss: float | None, *, is_valid: bool = True) -> Trial:
    return Trial((YEARS[year],), is_valid, loss)


def test_a_move_is_expected_to_do_as_the_nearest_tried_one_did() -> None:
    neighbours = Neighbours(VIEW)
    # 2012 is 1 character from 2011 and 2 from 2099; 2098 is 1 from 2099 and 2 from 2011.
    neighbours.learn([tried("2011", 0.9), tried("2099", 0.1)])
    assert neighbours.ranked([YEARS["2012"], YEARS["2098"]]) == [YEARS["2098"], YEARS["2012"]]


def test_a_tried_move_of_the_same_kind_says_more_than_a_nearer_one_of_another() -> None:
    neighbours = Neighbours(VIEW)
    # The price is 2 characters from 2011, and so is 2099: but only 2011 is of the kind of 2099.
    neighbours.learn([Trial((PRICE,), True, 0.1), tried("2011", 0.9)])
    assert neighbours.ranked([YEARS["2099"], PRICE]) == [PRICE, YEARS["2099"]]


def test_of_two_tried_moves_as_near_the_better_counts() -> None:
    neighbours = Neighbours(make_view("In 2010 4", [*YEARS.values(), PRICE]))
    # 2012 is 1 character from 2011; 2098 is 2 from 2011 and, tried itself, 0 from itself.
    neighbours.learn([tried("2098", 0.5), tried("2011", 0.7), tried("2011", 0.2)])
    assert neighbours.ranked([YEARS["2098"], YEARS["2012"]]) == [YEARS["2012"], YEARS["2098"]]


def test_without_scores_the_order_stays() -> None:
    neighbours = Neighbours(VIEW)
    neighbours.learn([tried("2099", None), tried("2011", 0.1, is_valid=False)])
    assert neighbours.ranked([YEARS["2012"], PRICE, YEARS["2098"]]) == [YEARS["2012"], PRICE, YEARS["2098"]]
