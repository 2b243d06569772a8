"""What `confute attack` does besides one attack: an estimate of its cost, and every knowledge level side by side."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from confute.harness.run import Order

_INTERRUPTED = 130


class KnowledgeChoice(StrEnum):
    """One knowledge level, or all of them in turn."""

    DECISION = "decision"
    SCORE = "score"
    ALGORITHM = "algorithm"
    WHITE_BOX = "white_box"
    ALL = "all"


def at_level(order: Order, level: KnowledgeChoice | None) -> Order:
    """Return an order whose attacker knows as much as one level says, the contract's own where none is chosen."""
    from confute.harness import levels
    from confute.records import Knowledge

    if level is None:
        return order
    return order.model_copy(update={"contract": levels.at_level(order.contract, Knowledge(level.value))})


def print_estimate(order: Order) -> None:
    """Print what an attack may cost."""
    from confute.harness.estimate import estimate

    found = estimate(order.contract, None if order.data is None else Path(order.data))
    for line in found.words():
        typer.echo(line)


def attack_levels(order: Order, runs: Path, cache: Path) -> None:
    """Attack at every knowledge level on equal budgets, and print the curves side by side."""
    from confute.harness import levels, run
    from confute.harness.files import write_text
    from confute.harness.progress import shown_on_stderr
    from confute.records import Knowledge

    folders: dict[Knowledge, Path] = {}
    try:
        with shown_on_stderr() as progress:
            orders = {level: at_level(order, KnowledgeChoice(level.value)) for level in Knowledge}
            prepared = {level: run.prepare(leveled, cache, progress) for level, leveled in orders.items()}
            for level, leveled in orders.items():
                folders[level] = run.new_folder(runs, leveled)
                progress.say(f"{level}: {folders[level]}")
                run.carry_out(folders[level], prepared[level], progress)
    except KeyboardInterrupt:
        typer.echo("\nstopped; each level is a run of its own, and its folder keeps every step", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    found = levels.compare(
        {level: str(folder) for level, folder in folders.items()},
        {level: run.outcomes_of(folder) for level, folder in folders.items()},
        order.contract.attacker.budgets.victim_queries,
    )
    typer.echo(found.markdown(), nl=False)
    name = folders[Knowledge.WHITE_BOX].name
    write_text(runs / f"levels-{name}.md", found.markdown())
    write_text(runs / f"levels-{name}.json", found.model_dump_json(indent=2))
    typer.echo(f"\nlevels: {runs / f'levels-{name}.json'}")
