"""A degradation curve on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from confute.harness.degradation import Degradation
from confute.harness.render import degradation_words as told
from confute.harness.render import words
from confute.harness.render.terminal import plain_console, plain_table


def print_degradation(result: Degradation, console: Console | None = None) -> None:
    """Print the result to a console, by default standard output."""
    out = console or plain_console()
    for part in _parts(result):
        out.print(part, soft_wrap=isinstance(part, Text))


def _parts(result: Degradation) -> Iterator[Text | RichTable]:
    yield Text(words.visible("; ".join(told.lines(result))))
    yield from (Text(f"! {words.visible(one.message)}", style="yellow") for one in result.warnings)
    for curve in result.curves:
        yield _drawn(told.brief_table(curve, result.pool))
        yield Text("\n".join(f"  {line}" for line in told.curve_lines(curve)), style="dim")
    if result.ablations:
        yield _drawn(told.ablation_table(result))


def _drawn(table: told.Table) -> RichTable:
    drawn = plain_table(table.title, table.head)
    for row in table.rows:
        drawn.add_row(*row)
    return drawn
