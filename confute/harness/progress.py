"""How far a run has come, shown on standard error: counts, rate and time left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text


class _RateColumn(TextColumn):
    def __init__(self) -> None:
        super().__init__("")

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


class Bar:
    """A progress bar with one line for each phase."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def begin(self, phase: str, total: int) -> None:
        """A phase of `total` units begins."""
        self._task = self._progress.add_task(phase, total=total)

    def say(self, message: str) -> None:
        """Print a line that stays above the bars."""
        self._progress.console.print(message, markup=False, highlight=False, soft_wrap=True)

    def advance(self, units: int) -> None:
        """Some units of the present phase are done."""
        if self._task is not None:
            self._progress.advance(self._task, units)


class Lines:
    """One plain line for each phase, for a log file; a phase that begins again as it did before is not told again."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def begin(self, phase: str, total: int) -> None:
        """A phase of `total` units begins."""
        line = phase if total == 1 else f"{phase}: {total}"
        if line not in self._told:
            self._told.add(line)
            self.say(line)

    def say(self, message: str) -> None:
        """Print a line."""
        print(message, file=sys.stderr, flush=True)

    def advance(self, units: int) -> None:
        """Some units of the present phase are done."""


@contextmanager
def shown_on_stderr() -> Iterator[Bar | Lines]:
    """Show progress as a bar on a terminal, and as plain lines elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines()
        return
    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        yield Bar(progress)
