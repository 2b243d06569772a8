"""The command `confute curve`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from confute.harness.degradation import Degradation

_OF_THE_CONTRACT = "the contract's"
_INTERRUPTED = 130
_TOGGLES = ("source_guard", "honour_labels", "eligible_budget", "drop_null_directions")


class CurveFormat(StrEnum):
    """The forms in which a degradation curve is printed."""

    TABLE = "table"
    JSON = "json"
    MD = "md"
    HTML = "html"


def curve(  # noqa: PLR0913, PLR0917  one parameter for each option
    contract: Annotated[
        Path | None,
        typer.Argument(
            help="Attack contract, YAML or JSON; without one, and without --data, the built-in quick start."
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims, one JSON object a line, for a contract that asks for them.")
    ] = None,
    budgets: Annotated[
        str | None,
        typer.Option(
            help="Budgets K, such as 1,4,16,64,256,all: sets among which one is chosen.",
            show_default=_OF_THE_CONTRACT,
        ),
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(help="Ranks of the victim, such as 1,2,4,8,full.", show_default=_OF_THE_CONTRACT)
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(help="Claims to take, a glob on their ids, such as '*:l'.", show_default=_OF_THE_CONTRACT),
    ] = None,
    ablate: Annotated[
        bool | None,
        typer.Option(
            "--ablate/--no-ablate",
            help="Show what each toggle does, one at a time.",
            show_default=_OF_THE_CONTRACT,
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Toggles to move off, with commas or repeated: {', '.join(_TOGGLES)}.",
            metavar="TOGGLES",
            show_default=_OF_THE_CONTRACT,
        ),
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder for the curves' folders.")] = Path("runs"),
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE", show_default="~/.cache/confute"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw.", min=0, show_default=_OF_THE_CONTRACT)] = None,
    max_cases: Annotated[
        int | None,
        typer.Option(
            help="Most cases to draw; the pool holds their evidence alone.", min=1, show_default=_OF_THE_CONTRACT
        ),
    ] = None,
    form: Annotated[CurveFormat, typer.Option("--format", help="What to print.")] = CurveFormat.TABLE,
) -> None:
    """Search ever more foreign evidence for the same claims, and report how the detector degrades.

    The contract's section `curve` declares the sweep; options take the place of its fields and are told in the result.
    The same command goes on with a curve that was stopped.
    """
    from confute import contract as contracts
    from confute.harness import degradation_prepare, degradation_run
    from confute.harness.cache_folder import cache_folder
    from confute.harness.degradation_options import overridden
    from confute.harness.progress import shown_on_stderr
    from confute.harness.quickstart import quickstart_curve
    from confute.harness.render.degradation_html import write_degradation

    declared = quickstart_curve() if contract is None else contracts.load(contract)
    carried_out, overrides = overridden(
        declared,
        budgets=budgets,
        ranks=ranks,
        select=select,
        ablate=ablate,
        without=without or [],
        seed=seed,
        max_cases=max_cases,
    )
    folder = None
    try:
        with shown_on_stderr() as progress:
            prepared = degradation_prepare.prepare(carried_out, overrides, data, cache or cache_folder(), progress)
            folder = runs / f"curve-{prepared.manifest.curve_id}"
            progress.say(f"curve: {folder}")
            result = degradation_run.carry_out(folder, prepared, progress)
    except KeyboardInterrupt:
        kept = "there is nothing to go on with" if folder is None else "give the same command again to go on"
        typer.echo(f"\nstopped; every measured point is kept: {kept}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    write_degradation(result, folder)
    print_curve(result, form)
    if form is CurveFormat.TABLE:
        typer.echo(f"\ncurve: {folder / 'curve.html'}\nledger: {degradation_run.ledger_digest(folder)}")


def print_curve(result: Degradation, form: CurveFormat) -> None:
    """Print a curve in one of its forms."""
    from confute.harness.render.degradation_html import written
    from confute.harness.render.degradation_terminal import print_degradation

    if form is CurveFormat.TABLE:
        print_degradation(result)
    else:
        sys.stdout.write(written(result, form.value))
