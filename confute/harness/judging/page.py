"""A page of lines and tables, on a terminal and as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from confute.harness.judging.form import Form
from confute.harness.render import words
from confute.harness.render.markdown import escaped, table
from confute.harness.render.terminal import plain_console, plain_table
from confute.records import Record

_ROWS_ON_A_TERMINAL = 15


class Part(NamedTuple):
    """A table with its title."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Page(NamedTuple):
    """A title, what to read first, what was measured, and the tables."""

    title: str
    warnings: tuple[str, ...]
    lines: tuple[str, ...]
    parts: tuple[Part, ...]


def markdown(page: Page) -> str:
    """Return a page as Markdown text; hostile text is escaped and made visible."""
    return "\n".join(_markdown_lines(page)) + "\n"


def print_in(
    form: Form,
    page: Page,
    as_json: Callable[[], str],
    most_rows: int | None = _ROWS_ON_A_TERMINAL,
    elsewhere: str = "in the report",
) -> None:
    """Print a page on standard output in one of its forms; `as_json` gives what it was made of, with its line's end."""
    if form is Form.TABLE:
        print_page(page, most_rows=most_rows, elsewhere=elsewhere)
    else:
        sys.stdout.write(as_json() if form is Form.JSON else markdown(page))


def json_of(record: Record) -> str:
    """Return a record as indented JSON with its line's end."""
    return record.model_dump_json(indent=2) + "\n"


def print_page(
    page: Page,
    console: Console | None = None,
    most_rows: int | None = _ROWS_ON_A_TERMINAL,
    elsewhere: str = "in the report",
) -> None:
    """Print a page to a console, by default standard output, with at most so many rows of a table, or all (None).

    `elsewhere` says where the rows are that are left out.
    """
    out = console or plain_console()
    out.print(Text(words.visible(page.title), style="bold"), soft_wrap=True)
    for warning in page.warnings:
        out.print(Text(f"! {words.visible(warning)}", style="yellow"), soft_wrap=True)
    for line in page.lines:
        out.print(Text(words.visible(line)), soft_wrap=True)
    for part in page.parts:
        if part.rows:
            drawn = plain_table(part.title, part.head)
            for row in part.rows[:most_rows]:
                drawn.add_row(*(Text(words.visible(cell)) for cell in row))
            out.print(drawn)
            if most_rows is not None and (left := len(part.rows) - most_rows) > 0:
                out.print(Text(f"and {left} more rows {elsewhere}", style="dim"))


def _markdown_lines(page: Page) -> Iterator[str]:
    yield f"# {escaped(page.title)}\n"
    yield from (f"- **{escaped(warning)}**" for warning in page.warnings)
    yield from (f"- {escaped(line)}" for line in page.lines)
    yield ""
    for part in page.parts:
        if part.rows:
            yield f"## {escaped(part.title)}\n"
            yield from table(part.head, (tuple(map(escaped, row)) for row in part.rows))
