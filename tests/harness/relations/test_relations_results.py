"""Every figure that the page of results says in words stands in the tables that the command printed."""

import re
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[3] / "docs" / "results"
PAGE = (RESULTS / "relations.md").read_text(encoding="utf-8")
TABLES = (RESULTS / "relations-tables.md").read_text(encoding="utf-8").replace("\\", "")

FIGURE = re.compile(r"(?<![\w./])(?:\d+/\d+|\d+–\d+ %|[+-]?\d*\.\d{3,})(?![\w/])")


def missing(page):
    """Return the counts, intervals and decimals of a page, without its code, that the tables do not hold."""
    held = set(FIGURE.findall(TABLES))
    return [one for one in FIGURE.findall(re.sub(r"`[^`]*`|```.*?```", "", page, flags=re.DOTALL)) if one not in held]


def test_every_figure_of_the_page_stands_in_the_tables():
    assert len(FIGURE.findall(PAGE)) > 30
    assert missing(PAGE) == []


@pytest.mark.parametrize("wrong", ["7777/7778", "12–99 %", "0.12345"])
def test_a_figure_that_the_tables_do_not_hold_is_reported(wrong):
    assert missing(f"{PAGE} It was {wrong}.") == [wrong]
