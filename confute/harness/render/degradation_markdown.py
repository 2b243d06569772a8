"""A degradation curve as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from confute.harness.degradation import Degradation
from confute.harness.render import degradation_words as told
from confute.harness.render.markdown import escaped, table


def degradation_markdown(result: Degradation) -> str:
    """Return the result as Markdown text; hostile text is escaped and made visible."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Degradation) -> Iterator[str]:
    yield "# Adversarial degradation curve\n"
    yield from (f"- {escaped(line)}" for line in told.lines(result))
    yield ""
    if result.warnings:
        yield "## Read this first\n"
        yield from (f"- `{one.code}`: {escaped(one.message)}" for one in result.warnings)
        yield ""
    for curve in result.curves:
        yield from _drawn(told.curve_table(curve, result.pool))
        yield from (f"- {escaped(line)}" for line in told.curve_lines(curve))
        yield ""
    if result.ablations:
        yield from _drawn(told.ablation_table(result))


def _drawn(drawn: told.Table) -> Iterator[str]:
    yield f"## {drawn.title.capitalize()}\n"
    yield from table(drawn.head, drawn.rows)
