"""What `confute attack` does where the contract's victim is a persona."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from confute.persona_plan import PersonaContract

_TELLS_NOTHING = 1
_INTERRUPTED = 130


def attack_persona(  # noqa: PLR0913  one parameter for each option
    file: Path,
    *,
    runs: Path,
    cache: Path | None,
    seed: int | None,
    max_cases: int | None,
    knowledge: str | None,
    estimate: bool,
) -> None:
    """Attack a persona, or print what that may cost; the same command goes on with a stopped run.

    An attack in which no probe gave a verdict ends with exit code 1.
    """
    from confute.harness.judging.page import print_page
    from confute.harness.persona.attack.cost import most_of
    from confute.harness.persona.attack.report import next_steps, report
    from confute.harness.persona.attack.run import COUNTEREXAMPLES, attack, prepare
    from confute.harness.progress import shown_on_stderr

    contract = _contract(file, seed, max_cases, knowledge)
    prepared = prepare(contract, file.parent, cache)
    if estimate:
        for line in most_of(prepared).words():
            typer.echo(line)
        return
    try:
        with shown_on_stderr() as progress:
            attacked = attack(prepared, runs, progress)
    except KeyboardInterrupt:
        typer.echo("\nstopped; every conversation is kept: give the same command again to go on", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    made = report(attacked)
    print_page(made.page())
    folder = attacked.folder
    typer.echo(f"\nreport: {folder / 'report.md'}\ncounterexamples: {folder / COUNTEREXAMPLES}\nledger: {made.ledger}")
    for line in next_steps(made.failures):
        typer.echo(line, err=True)
    if not made.has_verdicts:
        typer.echo("no probe gave a verdict", err=True)
        raise typer.Exit(_TELLS_NOTHING)


def print_persona_attack(folder: Path, form: str) -> None:
    """Print the report of an attack on a persona again, made anew from its ledger."""
    from confute.harness.judging.page import print_in
    from confute.harness.persona.attack.report import report_of

    if form not in set(Form):
        raise typer.BadParameter(f"an attack on a persona is printed as {', '.join(Form)}, not as {form}")
    made = report_of(folder)
    print_in(Form(form), made.page(), made.to_json)


def refuse_to_resume(folder: Path) -> None:
    """Say how a run against a persona goes on, which is not by `--resume`."""
    from confute.harness.persona.attack.run import is_persona_attack

    if is_persona_attack(folder):
        raise typer.BadParameter("a run against a persona goes on by the command that began it", param_hint="--resume")


def _contract(file: Path, seed: int | None, max_cases: int | None, knowledge: str | None) -> PersonaContract:
    from pydantic import ValidationError

    from confute.persona_plan import PersonaEvaluation, load

    contract = load(file)
    given = {k: v for k, v in {"seed": seed, "max_cases": max_cases}.items() if v is not None}
    try:
        evaluation = PersonaEvaluation.model_validate({**contract.evaluation.model_dump(), **given})
    except ValidationError as error:
        (first, *_) = error.errors()
        raise typer.BadParameter(first["msg"], param_hint=f"--{first['loc'][0]}".replace("_", "-")) from error
    attacker = contract.attacker
    if knowledge is not None:
        if knowledge in {"all", "white_box"}:
            raise typer.BadParameter("a persona is attacked at decision, score or algorithm", param_hint="--knowledge")
        attacker = type(attacker).model_validate({**attacker.model_dump(exclude_unset=True), "knowledge": knowledge})
    return contract.model_copy(update={"evaluation": evaluation, "attacker": attacker})
