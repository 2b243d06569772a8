"""The commands `confute judge validate`, `stability`, `redteam` and `prevalence`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from confute.harness.judging.bench import Measured, Seated
    from confute.harness.judging.gates import Limits
    from confute.harness.progress import Bar, Lines
    from confute.judges.families import Family
    from confute.models.chat import ModelSpec

_GATE_FAILED = 1
_INTERRUPTED = 130
_MODEL = "model"
_FILES = {".yaml", ".yml", ".json"}

judge_app = typer.Typer(no_args_is_help=True, help="Measure a judge before it is believed.")


class Provider(StrEnum):
    """Where a model is asked."""

    OPENAI = "openai"
    LITELLM = "litellm"
    LOCAL = "local"


FamilyName = Annotated[
    str, typer.Argument(help="A built-in family, or the path of a family's YAML file.", metavar="FAMILY")
]
Cases = Annotated[Path, typer.Option(help="Labelled cases, one JSON object a line.")]
Judge = Annotated[
    str, typer.Option(help="Who judges: model, rules, or degenerate:NAME, a broken judge to test the bench.")
]
Model = Annotated[str | None, typer.Option(help="Name of the model to ask, or a YAML file of its specification.")]
ModelProvider = Annotated[Provider, typer.Option(help="Whose protocol the endpoint speaks.")]
BaseUrl = Annotated[str | None, typer.Option(help="Base URL of an OpenAI-compatible endpoint.")]
ApiKeyEnv = Annotated[str | None, typer.Option(help="Environment variable that holds the key.")]
Temperature = Annotated[float, typer.Option(help="Temperature at which the model is asked.", min=0)]
Cache = Annotated[Path | None, typer.Option(help="Folder in which the model's responses are kept.")]
Runs = Annotated[Path, typer.Option(help="Folder for the measurements' folders.")]
Concurrency = Annotated[int, typer.Option(help="Cases that are judged at once.", min=1)]
Redraws = Annotated[int, typer.Option(help="Times that a failed verdict is asked for again.", min=0)]
Seed = Annotated[int, typer.Option(help="Seed of judges, draws and resamples.", min=0)]
MinCoverage = Annotated[float, typer.Option(help="Least share of cases that must be measured.", min=0, max=1)]
Printed = Annotated[Form, typer.Option("--format", help="What to print.")]


@judge_app.command()
def validate(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    judge: Judge = _MODEL,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    cache: Cache = None,
    runs: Runs = Path("runs"),
    concurrency: Concurrency = 8,
    redraws: Redraws = 0,
    seed: Seed = 0,
    max_fabrication: Annotated[
        float, typer.Option(help="Ceiling of fabrication, in each direction.", min=0, max=1)
    ] = 0.25,
    min_recall: Annotated[float, typer.Option(help="Floor of recall, in each direction.", min=0, max=1)] = 0.5,
    max_abstain: Annotated[float, typer.Option(help="Ceiling of the abstain rate.", min=0, max=1)] = 0.4,
    max_error: Annotated[float, typer.Option(help="Ceiling of the error rate.", min=0, max=1)] = 0.2,
    min_coverage: MinCoverage = 0.9,
    min_twins: Annotated[
        float, typer.Option(help="Floor of the share of twins with both sides right.", min=0, max=1)
    ] = 0.4,
    form: Printed = Form.TABLE,
) -> None:
    """Measure how right a judge is on held-out cases, in both directions, and hold it against gates.

    Gates are one-sided 95 % bounds, so that few cases show little. The same command goes on with a stopped measurement.
    """
    from confute.harness.judging import bench as benches
    from confute.harness.judging.cases import read_cases
    from confute.harness.judging.gates import Limits

    declared = _family(family)
    spec = _spec(model, provider, base_url, api_key_env)
    seated = _seated(judge, spec, declared, temperature=temperature, seed=seed, cache=cache, wordings=False)
    read = read_cases(cases, declared.name)
    limits = Limits(
        max_fabrication=max_fabrication,
        min_recall=min_recall,
        max_abstain=max_abstain,
        max_error=max_error,
        min_coverage=min_coverage,
        min_twins=min_twins,
    )
    with _shown() as progress:
        bench = benches.Bench(seated, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = _run(benches.validate(bench, read))
    _finish(measured, limits, form)


@judge_app.command()
def stability(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    judge: Judge = _MODEL,
    k: Annotated[int, typer.Option("-k", "--repeats", help="Times that each case is judged.", min=2)] = 10,
    wordings: Annotated[
        bool, typer.Option("--wordings", help="Ask in every paraphrase and order of options as well.")
    ] = False,
    sprt: Annotated[
        bool, typer.Option("--sprt", help="Stop each case as soon as a sequential test answers, at most at 51.")
    ] = False,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    cache: Cache = None,
    runs: Runs = Path("runs"),
    concurrency: Concurrency = 8,
    redraws: Redraws = 2,
    seed: Seed = 0,
    min_coverage: MinCoverage = 0.9,
    form: Printed = Form.TABLE,
) -> None:
    """Measure how far a judge's verdict on the same text depends on the draw and on the wording of the question."""
    from confute.harness.judging import bench as benches
    from confute.harness.judging.cases import read_cases
    from confute.harness.judging.gates import Limits
    from confute.harness.stats.sequential import Sprt

    declared = _family(family)
    spec = _spec(model, provider, base_url, api_key_env)
    seated = _seated(judge, spec, declared, temperature=temperature, seed=seed, cache=cache, wordings=wordings)
    read = read_cases(cases, declared.name)
    with _shown() as progress:
        bench = benches.Bench(seated, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = _run(benches.measure_stability(bench, read, repeats=k, plan=Sprt() if sprt else None))
    _finish(measured, Limits(min_coverage=min_coverage), form)


@judge_app.command()
def redteam(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    injections: Annotated[Path, typer.Option(help="Strings to put into the judged text, one JSON object a line.")],
    judge: Judge = _MODEL,
    per_string: Annotated[int, typer.Option(help="Cases that each string is tried on.", min=1)] = 2,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    cache: Cache = None,
    runs: Runs = Path("runs"),
    concurrency: Concurrency = 8,
    redraws: Redraws = 0,
    seed: Seed = 0,
    max_changed: Annotated[
        float, typer.Option(help="Ceiling of the share of verdicts that strings change.", min=0, max=1)
    ] = 0.2,
    min_coverage: MinCoverage = 0.9,
    form: Printed = Form.TABLE,
) -> None:
    """Measure how often a string in the judged text changes the verdict, by kind and position of the string."""
    from confute.harness.judging import bench as benches
    from confute.harness.judging.cases import read_cases
    from confute.harness.judging.gates import Limits
    from confute.harness.judging.injections import read_injections

    declared = _family(family)
    spec = _spec(model, provider, base_url, api_key_env)
    seated = _seated(judge, spec, declared, temperature=temperature, seed=seed, cache=cache, wordings=False)
    read, strings = read_cases(cases, declared.name), read_injections(injections)
    with _shown() as progress:
        bench = benches.Bench(seated, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = _run(benches.measure_redteam(bench, read, strings, per_string=per_string))
    _finish(measured, Limits(min_coverage=min_coverage, max_changed=max_changed), form)


@judge_app.command()
def prevalence(
    count: Annotated[int, typer.Argument(help="Replies that the judge called succeeded.", min=0)],
    of: Annotated[int, typer.Argument(help="Replies on which it concluded.", min=0)],
    validation: Annotated[
        Path | None, typer.Option(help="Report or folder of the judge's validation, which measured its errors.")
    ] = None,
    sensitivity: Annotated[float | None, typer.Option(help="Known sensitivity.", min=0, max=1)] = None,
    specificity: Annotated[float | None, typer.Option(help="Known specificity.", min=0, max=1)] = None,
) -> None:
    """Correct a rate that a judge measured for the judge's own errors, with an interval, or say why that cannot be."""
    from confute.harness.judging.correction import by_known_rates, by_validation
    from confute.harness.judging.page import print_page
    from confute.harness.judging.prevalence_page import prevalence_page

    if count > of:
        raise typer.BadParameter(f"{count} of {of} is no share", param_hint="COUNT")
    if validation is not None and sensitivity is None and specificity is None:
        found = by_validation(count, of, validation)
    elif validation is None and sensitivity is not None and specificity is not None:
        found = by_known_rates(count, of, sensitivity, specificity)
    else:
        raise typer.BadParameter("give --validation alone, or both --sensitivity and --specificity")
    print_page(prevalence_page(count, of, found))
    if found.reason is not None:
        raise typer.Exit(_GATE_FAILED)


def _family(name: str) -> Family:
    from confute.judges.families import load_family

    return load_family(name)


def _spec(model: str | None, provider: Provider, base_url: str | None, api_key_env: str | None) -> ModelSpec | None:
    from confute.harness.judging.panels import read_spec
    from confute.models.chat import ModelSpec

    if model is None:
        return None
    if Path(model).suffix in _FILES:
        if base_url is not None or api_key_env is not None:
            raise typer.BadParameter("a specification holds its own base URL and key; give the file alone")
        return read_spec(Path(model))
    if not model.strip():
        raise typer.BadParameter("must not be blank", param_hint="--model")
    return ModelSpec(provider=provider.value, model=model, base_url=base_url, api_key_env=api_key_env)


def _seated(  # noqa: PLR0913  what decides who judges
    judge: str,
    spec: ModelSpec | None,
    family: Family,
    *,
    temperature: float,
    seed: int,
    cache: Path | None,
    wordings: bool,
) -> Seated:
    from confute.harness.judging.panels import seat_model, seat_without_model
    from confute.judges.question import JudgeSettings

    if judge == _MODEL:
        if spec is None:
            raise typer.BadParameter("a judge that asks a model needs --model")
        settings = JudgeSettings(temperature=temperature, seed=seed)
        return seat_model(spec, family, settings=settings, cache=cache, wordings=wordings)
    if spec is not None or wordings:
        raise typer.BadParameter("--model and --wordings are for --judge model alone")
    return seat_without_model(judge, family, seed=seed)


def _run(work: Coroutine[Any, Any, Measured]) -> Measured:
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        typer.echo("\nstopped; every verdict is kept: give the same command again to go on", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _shown() -> AbstractContextManager[Bar | Lines]:
    from confute.harness.progress import shown_on_stderr

    return shown_on_stderr()


def _finish(measured: Measured, limits: Limits, form: Form) -> None:
    from confute.harness.judging.page import markdown, print_page
    from confute.harness.judging.report import report

    made = report(measured, limits)
    if form is Form.TABLE:
        print_page(made.page())
        typer.echo(f"\nreport: {measured.folder / 'report.md'}\nvotes: {measured.folder / 'votes.jsonl'}")
    else:
        sys.stdout.write(made.to_json() if form is Form.JSON else markdown(made.page()))
    if form is Form.JSON:
        for warning in made.result.expense.warnings:
            typer.echo(f"! {warning}", err=True)
    if made.failed:
        typer.echo(f"failed gates: {', '.join(made.failed)}", err=True)
        raise typer.Exit(_GATE_FAILED)
