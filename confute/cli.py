"""The command line: `confute attack` and `report`, and the commands of the other files."""

from __future__ import annotations

import io
import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confute.cli_attack import KnowledgeChoice
from confute.cli_contract import contract_app
from confute.cli_control import control
from confute.cli_curve import CurveFormat, curve, print_curve
from confute.cli_judge import judge_app
from confute.cli_model import model_app
from confute.cli_persona import persona
from confute.cli_policy import policy
from confute.cli_regress import regress
from confute.cli_relations import relations
from confute.cli_suite import print_looks, suite_app

if TYPE_CHECKING:
    from confute.contract import AttackContract
    from confute.harness.run import Order

_OF_THE_CONTRACT = "the contract's"
_CACHE = "~/.cache/confute"
_USER_MISTAKE = 2
_INTERRUPTED = 130

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(contract_app, name="contract")
app.add_typer(judge_app, name="judge")
app.add_typer(model_app, name="model")
app.add_typer(suite_app, name="suite")
app.command()(curve)
app.command()(control)
app.command()(persona)
app.command()(relations)
app.command()(policy)
app.command()(regress)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"confute {version('confute')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and stop.")
    ] = False,
) -> None:
    """Find the smallest valid change that your hallucination detector fails to notice, and prove it.

    Measure judges by a language model before they are believed, and put personas to their probes again and again.
    """


class ReportFormat(StrEnum):
    """The forms in which a report is printed."""

    TABLE = "table"
    JSON = "json"
    MD = "md"
    CSV = "csv"
    HTML = "html"


def main() -> None:
    """Run the command line; a user's mistake is one message and exit code 2, never a traceback."""
    from confute.errors import ConfuteError

    _outlive_readers()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters than a claim has
    try:
        app()
    except ConfuteError as error:
        typer.echo(f"confute: {error}", err=True)
        sys.exit(_USER_MISTAKE)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


class _Outlet(io.FileIO):
    """Drops what comes when nobody reads any more, as behind `| head`, so that the exit code stays the verdict's."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def _outlive_readers() -> None:
    if sys.stdout is not sys.__stdout__ or not isinstance(sys.stdout, io.TextIOWrapper):
        return  # somebody else took it over, such as a test
    sys.stdout.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Outlet(sys.stdout.fileno(), "wb", closefd=False)),
        encoding=sys.stdout.encoding,
        line_buffering=sys.stdout.line_buffering,
    )


@app.command()
def attack(  # noqa: PLR0913, PLR0917  one parameter for each option
    contract: Annotated[
        Path | None,
        typer.Argument(
            help="Attack contract, YAML or JSON; without one, and without --data, the built-in quick start."
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims, one JSON object a line, for a contract that asks for them.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder for the runs' folders.")] = Path("runs"),
    resume: Annotated[Path | None, typer.Option(help="Folder of an interrupted run to go on with.")] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE", show_default=_CACHE),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw.", min=0, show_default=_OF_THE_CONTRACT)] = None,
    max_cases: Annotated[
        int | None, typer.Option(help="Most cases to attack.", min=1, show_default=_OF_THE_CONTRACT)
    ] = None,
    knowledge: Annotated[
        KnowledgeChoice | None,
        typer.Option(
            help="What the attacker knows; all: every level in turn, side by side.", show_default=_OF_THE_CONTRACT
        ),
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print what the attack may cost in calls, tokens and money, and stop.")
    ] = False,
) -> None:
    """Attack a frozen detector, or a persona, and report what an oracle proves.

    A contract whose victim names a `persona` frames its probes until it fails; its runs go on by the same command.
    """
    from confute import cli_attack
    from confute.cli_persona_attack import attack_persona, refuse_to_resume
    from confute.persona_plan import attacks_a_persona

    if contract is not None and resume is None and attacks_a_persona(contract):
        if data is not None:
            raise typer.BadParameter("a contract against a persona names its probes itself", param_hint="--data")
        level = None if knowledge is None else knowledge.value
        attack_persona(
            contract, runs=runs, cache=cache, seed=seed, max_cases=max_cases, knowledge=level, estimate=estimate
        )
        return
    from confute.harness import run
    from confute.harness.cache_folder import cache_folder
    from confute.harness.progress import shown_on_stderr
    from confute.harness.render.terminal import print_report
    from confute.harness.suites.running import finished, suite_of

    if resume is not None:
        refuse_to_resume(resume)
        _refuse_with_resume(contract=contract, data=data, seed=seed, max_cases=max_cases, knowledge=knowledge)
        order = run.read_order(resume)
    else:
        order = _order(contract, data, seed, max_cases)
    every_level = knowledge is KnowledgeChoice.ALL
    order = order if every_level else cli_attack.at_level(order, knowledge)
    if estimate:
        cli_attack.print_estimate(order)
        return
    if every_level:
        cli_attack.attack_levels(order, runs, cache or cache_folder())
        return
    folder = resume
    suite = None if resume is None else suite_of(resume)
    try:
        with shown_on_stderr() as progress:
            prepared = run.prepare(order, cache or cache_folder(), progress, resumed=resume)
            folder = folder or run.new_folder(runs, order)
            progress.say(f"run: {folder}")
            report = run.carry_out(folder, prepared, progress)
            if suite is not None:
                finished(suite, folder)
    except KeyboardInterrupt:
        typer.echo(_how_to_go_on(folder), err=True)
        raise typer.Exit(_INTERRUPTED) from None
    print_report(report)
    print_looks(folder)
    typer.echo(f"\nreport: {folder / 'report.html'}\nledger: {run.ledger_digest(folder)}")


@app.command()
def report(
    folder: Annotated[
        Path, typer.Argument(help="Folder of a run, also against a persona, or of a curve.", metavar="RUN")
    ],
    form: Annotated[ReportFormat, typer.Option("--format", help="What to print; a curve has no csv.")] = (
        ReportFormat.TABLE
    ),
) -> None:
    """Print the report of a run or of a curve, finished or not, made anew from its ledger.

    An attack on a persona must have ended.
    """
    from confute.cli_persona_attack import print_persona_attack
    from confute.harness import degradation_run, run
    from confute.harness.persona.attack.run import is_persona_attack
    from confute.harness.render.formats import rendered
    from confute.harness.render.terminal import print_report

    if degradation_run.is_curve(folder):
        print_curve(degradation_run.result_of(folder), _curve_format(form))
        return
    if is_persona_attack(folder):
        print_persona_attack(folder, form.value)
        return
    made = run.report_of(folder)
    if form is ReportFormat.TABLE:
        print_report(made)
        print_looks(folder)
    else:
        sys.stdout.write(rendered(made, form.value))


def _order(file: Path | None, data: Path | None, seed: int | None, max_cases: int | None) -> Order:
    from confute import contract
    from confute.harness.quickstart import quickstart
    from confute.harness.run import Order

    chosen = quickstart() if file is None else contract.load(file)
    chosen = _with_evaluation(chosen, {"seed": seed, "max_cases": max_cases})
    return Order(contract=chosen, data=None if data is None else str(data.resolve()))


def _with_evaluation(contract: AttackContract, changes: dict[str, int | None]) -> AttackContract:
    given = {name: value for name, value in changes.items() if value is not None}
    return contract.model_copy(update={"evaluation": contract.evaluation.model_copy(update=given)})


def _curve_format(form: ReportFormat) -> CurveFormat:
    try:
        return CurveFormat(form.value)
    except ValueError:
        raise typer.BadParameter(f"a curve is printed as {', '.join(CurveFormat)}, not as {form.value}") from None


def _how_to_go_on(folder: Path | None) -> str:
    if folder is None:
        return "\nstopped before the first step; there is nothing to go on with"
    return f"\nstopped; every measured step is kept. Go on with: confute attack --resume {folder}"


def _refuse_with_resume(**options: object) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise typer.BadParameter(f"a resumed run keeps its own {', '.join(given)}; give --resume alone")
