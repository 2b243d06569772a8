"""The command `confute policy`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from confute.harness.judging.form import Form

_CACHE = "~/.cache/confute"


def policy(  # noqa: PLR0913, PLR0917  one parameter for each option
    contract: Annotated[
        Path | None,
        typer.Argument(help="Contract that names the victim, YAML or JSON; without one, the built-in quick start."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims, one JSON object a line, for a contract that asks for them.")
    ] = None,
    max_false_acceptance: Annotated[
        float | None,
        typer.Option(
            help="Most claims without support to accept, a share.", min=0.0001, max=0.9999, show_default="0.05"
        ),
    ] = None,
    max_false_rejection: Annotated[
        float | None,
        typer.Option(help="Most supported claims to reject, a share.", min=0.0001, max=0.9999, show_default="0.01"),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            help="Share of the claims to choose on; the rest is measured.", min=0.01, max=0.99, show_default="0.5"
        ),
    ] = None,
    frozen: Annotated[
        Path | None,
        typer.Option(help="Measure this policy, which --save wrote, on claims of other sources; choose none."),
    ] = None,
    base_rate: Annotated[
        list[float] | None,
        typer.Option(
            help="Share of claims without support, for the load; repeatable.",
            min=0,
            max=1,
            show_default="0.01, 0.05, 0.2",
        ),
    ] = None,
    claims: Annotated[int, typer.Option(help="Claims that a load is told of, such as those of a day.", min=1)] = 1000,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE", show_default=_CACHE),
    ] = None,
    save: Annotated[Path | None, typer.Option(help="File for the frozen policy, JSON.")] = None,
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TABLE,
) -> None:
    """Choose when to accept, review and reject on calibration claims, and measure on others what that costs."""
    from confute import contract as contracts
    from confute.harness.cache_folder import cache_folder
    from confute.harness.files import write_text
    from confute.harness.judging.page import json_of, print_in
    from confute.harness.policy.choosing import Targets, read_policy
    from confute.harness.policy.page import page
    from confute.harness.policy.run import chosen_and_measured, frozen_and_measured
    from confute.harness.progress import shown_on_stderr
    from confute.harness.quickstart import quickstart

    declared = quickstart() if contract is None else contracts.load(contract)
    rates, folder = base_rate or [0.01, 0.05, 0.2], cache or cache_folder()
    choice = {"false_acceptance": max_false_acceptance, "false_rejection": max_false_rejection}
    if frozen is not None and (save or share or any(choice.values())):
        raise typer.BadParameter("a frozen policy is measured as it is; give --frozen alone", param_hint="--frozen")
    with shown_on_stderr() as progress:
        if frozen is not None:
            chosen = read_policy(frozen)
            found = frozen_and_measured(declared, data, folder, chosen, base_rates=rates, progress=progress)
        else:
            targets = Targets(**{name: value for name, value in choice.items() if value is not None})
            found = chosen_and_measured(
                declared, data, folder, targets, share=share or 0.5, base_rates=rates, progress=progress
            )
    if save is not None:
        write_text(save, found.chosen.model_dump_json(indent=2) + "\n")
    print_in(form, page(found, claims), partial(json_of, found))
