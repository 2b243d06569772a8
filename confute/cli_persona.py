"""The command `confute persona`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from confute.cli_judging import say_how_to_mend
from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from confute.judges.judge import Panel

_COVERS_TOO_LITTLE = 1
_INTERRUPTED = 130
_RULES = "rules"
_RULE_PANEL = "rule-panel"
_FAMILY = "capability_disclosure"


def persona(  # noqa: PLR0913, PLR0917  one parameter for each option
    file: Annotated[Path, typer.Argument(help="Persona, YAML.", metavar="PERSONA")],
    repeat: Annotated[int, typer.Option(help="Runs of each probe.", min=1, max=999)] = 10,
    judge: Annotated[
        str,
        typer.Option(
            help="Who labels disclosure: rules, the probe's own; rule-panel, the family's; or a YAML file of a model."
        ),
    ] = _RULES,
    judge_repeats: Annotated[
        int,
        typer.Option(help="Times that each conversation is judged, to tell the judge's flake apart.", min=1, max=999),
    ] = 1,
    k: Annotated[int, typer.Option("-k", help="The k of pass@k and pass^k.", min=1)] = 3,
    only: Annotated[str | None, typer.Option(help="Probes to run, a glob on their ids, such as 'it-*'.")] = None,
    redraws: Annotated[int, typer.Option(help="Times that a failed call is asked for again.", min=0)] = 1,
    min_coverage: Annotated[float, typer.Option(help="Least share of runs that must complete.", min=0, max=1)] = 0.9,
    concurrency: Annotated[int, typer.Option(help="Conversations at once.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the first run; run i is asked with seed + i.", min=0)] = 0,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for the judge's responses; the persona is always asked.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Folder for the runs' folders.")] = Path("runs"),
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TABLE,
) -> None:
    """Put a persona to its probes again and again, and report what passes, what flakes, and what it discloses.

    Every check must first tell its own samples rightly. The same command, also with more repeats, goes on with a
    stopped run. A run that covers too little ends with exit code 1.
    """
    from confute.harness.judging.page import print_in
    from confute.harness.persona.load import load_suite
    from confute.harness.persona.report import report
    from confute.harness.persona.run import Plan, measure
    from confute.harness.progress import shown_on_stderr
    from confute.models.chat_load import load_chat

    if judge in {_RULES, _RULE_PANEL} and judge_repeats > 1:
        raise typer.BadParameter("rules never differ from themselves; give a model", param_hint="--judge-repeats")
    suite = load_suite(file, only=only)
    model = load_chat(suite.persona.model)
    plan = Plan(repeat=repeat, judge_repeats=judge_repeats, redraws=redraws, concurrency=concurrency, seed=seed)
    panel = None if judge == _RULES else _panel(judge, seed, cache)
    with shown_on_stderr() as progress:
        try:
            measured = asyncio.run(measure(suite, model, panel, plan, runs, progress))
        except KeyboardInterrupt:
            typer.echo("\nstopped; every conversation is kept: give the same command again to go on", err=True)
            raise typer.Exit(_INTERRUPTED) from None
    made = report(measured, k=k, min_coverage=min_coverage)
    print_in(form, made.page(), made.to_json)
    if form is Form.TABLE:
        typer.echo(f"\nreport: {measured.folder / 'report.md'}\ntranscripts: {measured.folder / 'transcripts.jsonl'}")
    say_how_to_mend(made.failures)
    if not made.covers_enough:
        typer.echo(f"covers {made.suite.covered} of {made.suite.planned} runs, too few", err=True)
        raise typer.Exit(_COVERS_TOO_LITTLE)


def _panel(judge: str, seed: int, cache: Path | None) -> Panel:
    from confute.harness.judging.panels import read_spec
    from confute.judges.families import build_panel
    from confute.judges.question import JudgeSettings
    from confute.judges.rules.panel import build_rule_panel
    from confute.models.chat_load import load_chat

    if judge == _RULE_PANEL:
        return build_rule_panel(_FAMILY)
    declared = read_spec(Path(judge))
    settings = JudgeSettings(seed=seed)
    if declared.temperature is not None:
        settings = settings.model_copy(update={"temperature": declared.temperature})
    return build_panel(_FAMILY, load_chat(declared, cache=cache), settings=settings)
