"""The commands `confute suite freeze`, `run`, `promote` and `looks`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from confute.contract import AttackContract
    from confute.harness.suites.suite import Suite

_NOT_AS_EXPECTED = 1
_INTERRUPTED = 130

suite_app = typer.Typer(
    no_args_is_help=True,
    help="Keep known failures, held-out cases and explorations apart, and count who looked at which.",
)


class Kind(StrEnum):
    """The kinds of suites that are frozen; a regression suite is made by `promote`."""

    HELD_OUT = "held-out"
    EXPLORATION = "exploration"


@suite_app.command("freeze")
def freeze(  # noqa: PLR0913, PLR0917  one parameter for each option
    folder: Annotated[Path, typer.Argument(help="Folder of the new suite, such as suites/held-out.", metavar="SUITE")],
    attacker: Annotated[Path, typer.Option(help="Development run whose attacker is frozen.", metavar="RUN")],
    kind: Annotated[Kind, typer.Option(help="What the suite is for.")] = Kind.HELD_OUT,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims that the run did not see, for a run on a claims file.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the cases.", min=0, show_default="the run's")] = None,
    max_cases: Annotated[
        int | None, typer.Option(help="Most cases to attack.", min=1, show_default="the run's")
    ] = None,
    mechanisms: Annotated[
        str, typer.Option(help="For an exploration: mechanisms that the run had none of, with commas.")
    ] = "",
    allow_entity: Annotated[
        list[str] | None, typer.Option(help="A name that any text may name; repeat it for more.", metavar="NAME")
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave claims out that have something in common, and count them.")
    ] = False,
) -> None:
    """Freeze a suite for the attacker that a development run left.

    Refused, with the culprits named, where a case has an entity, a source or eight words in a row in common with
    another suite of the same folder, or a held-out one with the run's cases.
    """
    from confute.harness.suites.freezing import Wanted
    from confute.harness.suites.freezing import freeze as frozen
    from confute.harness.suites.past_run import read_past_run
    from confute.harness.suites.suite import SuiteKind

    wanted = Wanted(
        kind=SuiteKind(kind.name.lower()),
        data=data,
        seed=seed,
        max_cases=max_cases,
        mechanisms=tuple(name.strip() for name in mechanisms.split(",") if name.strip()),
        allowed_entities=tuple(allow_entity or ()),
        leave_out=leave_out,
    )
    _print_suite(frozen(folder, read_past_run(attacker), wanted))


@suite_app.command("run")
def run(
    folder: Annotated[Path, typer.Argument(help="Folder of the suite.", metavar="SUITE")],
    contract: Annotated[
        Path | None,
        typer.Option(help="Contract whose victim is asked; all else stays frozen.", show_default="the suite's"),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="For a regression suite: labelled claims on which the contract sets its threshold."),
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder for the runs' folders.")] = Path("runs"),
    cache: Annotated[Path | None, typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE")] = None,
) -> None:
    """Run a suite, and write the look down: a held-out suite is a test once.

    A held-out suite or an exploration is attacked; a regression suite is replayed, and ends with exit code 1 where not
    all is as expected.
    """
    from confute import contract as contracts
    from confute.harness.cache_folder import cache_folder
    from confute.harness.suites.suite import SuiteKind, read_suite

    suite = read_suite(folder)
    other = None if contract is None else contracts.load(contract)
    cache = cache or cache_folder()
    if suite.manifest.kind is not SuiteKind.REGRESSION:
        if data is not None:
            raise typer.BadParameter("a frozen suite has its own cases", param_hint="--data")
        _attack(suite, other, runs, cache)
        return
    if other is None:
        raise typer.BadParameter("a regression suite needs the contract of a victim", param_hint="--contract")
    from confute.harness.judging.page import print_page
    from confute.harness.regress import page, regression, subject
    from confute.harness.suites.running import look_at

    corpus = suite.corpus
    asked = subject.of_contract(other, data, cache, {row.case_id for row in corpus.rows})
    told = look_at(suite, "-")
    found = regression.regress(corpus, asked)
    print_page(page.page(found), most_rows=None)
    _say(told.words())
    if not found.is_as_expected:
        raise typer.Exit(_NOT_AS_EXPECTED)


@suite_app.command("promote")
def promote(
    attacked: Annotated[Path, typer.Argument(help="Run whose counterexamples come in.", metavar="RUN")],
    folder: Annotated[Path, typer.Argument(help="Folder of the regression suite; made if need be.", metavar="SUITE")],
    held_out: Annotated[Path, typer.Option(help="Finished run of a held-out suite beside it.", metavar="RUN")],
    only: Annotated[
        list[str] | None, typer.Option("--id", help="Counterexample; repeat it for more.", show_default="all")
    ] = None,
) -> None:
    """Take a run's counterexamples into the regression suite, once a held-out run of its attacker came first."""
    from confute.harness.suites.past_run import read_past_run
    from confute.harness.suites.promoting import promote as promoted

    found = promoted(read_past_run(attacked), folder, held_out, only or None)
    typer.echo(f"{found.added} counterexamples came in, {found.known} were there already")
    _print_suite(found.suite)


@suite_app.command("looks")
def looks(
    root: Annotated[Path, typer.Argument(help="Folder of the suites.", metavar="SUITES")] = Path("suites"),
    runs: Annotated[
        Path, typer.Option(help="Folder of the runs, each of which tells what the log held when it began.")
    ] = Path("runs"),
) -> None:
    """Print which suites were looked at, when and how often, and which held-out ones are no test any more.

    Refused where rows of the log are gone that a run, or the file beside the log, tells of.
    """
    from confute.errors import CorpusError
    from confute.harness.judging.page import print_page
    from confute.harness.suites.looks import looks_in, page
    from confute.harness.suites.running import refuse_shortened
    from confute.harness.suites.suite import suites_in

    rows = looks_in(root)
    if not rows:
        raise CorpusError("holds no log of looks", field=str(root), hint="the first `confute suite run` starts one")
    refuse_shortened(root, runs)
    print_page(page(rows, tuple(suites_in(root))), most_rows=None)


def print_looks(folder: Path) -> None:
    """Print, beside a run's report, what is to be told of the suite that it attacked, if any."""
    from confute.harness.suites.running import told_of

    _say(told_of(folder))


def _attack(suite: Suite, other: AttackContract | None, runs: Path, cache: Path) -> None:
    from confute.harness import run as runs_of
    from confute.harness.progress import shown_on_stderr
    from confute.harness.render.terminal import print_report
    from confute.harness.suites.running import attack, with_victim_of

    try:
        with shown_on_stderr() as progress:
            done = attack(suite, with_victim_of(suite, other), runs, cache, progress)
    except KeyboardInterrupt:
        typer.echo("\nstopped; the look is written down all the same", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    print_report(done.report)
    _say(done.told.words())
    typer.echo(f"\nreport: {done.folder / 'report.html'}\nledger: {runs_of.ledger_digest(done.folder)}")


def _print_suite(suite: Suite) -> None:
    manifest = suite.manifest
    left_out = f", {manifest.left_out} left out" if manifest.left_out else ""
    typer.echo(
        f"{suite.folder}: {manifest.kind} suite of {manifest.cases} cases{left_out}, digest {manifest.digest[:12]}"
    )
    if manifest.attacker_fingerprint is not None:
        typer.echo(f"attacker {manifest.attacker_fingerprint[:12]} is frozen")


def _say(lines: tuple[str, ...]) -> None:
    for line in lines:
        typer.echo(line)
