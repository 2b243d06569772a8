"""The commands `confute contract schema` and `confute contract check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

contract_app = typer.Typer(no_args_is_help=True, help="Print the contract's JSON Schema, or check a contract.")


@contract_app.command("schema")
def contract_schema(
    against_persona: Annotated[
        bool, typer.Option("--persona", help="That of a contract whose victim is a persona.")
    ] = False,
) -> None:
    """Print the JSON Schema of an attack contract."""
    from confute import contract, persona_plan

    typer.echo(persona_plan.schema() if against_persona else contract.schema())


@contract_app.command("check")
def contract_check(file: Annotated[Path, typer.Argument(help="Attack contract, YAML or JSON.")]) -> None:
    """Check a contract, and print its digest."""
    from confute import contract, persona_plan

    found = persona_plan.load(file) if persona_plan.attacks_a_persona(file) else contract.load(file)
    typer.echo(f"{file}: valid, digest {found.digest}")
