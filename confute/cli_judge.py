"""The commands `confute judge validate`, `stability`, `redteam` and `prevalence`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from confute.cli_judging import (
    GATE_FAILED,
    MODEL,
    Provider,
    carried_out,
    family_of,
    finish,
    seated,
    settings_of,
    shown,
    spec_of,
)
from confute.harness.judging.form import Form

judge_app = typer.Typer(no_args_is_help=True, help="Measure a judge, by a model or by rules, before it is believed.")

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
MaxTokens = Annotated[int, typer.Option(help="Longest answer of the model, in tokens.", min=1)]
Timeout = Annotated[
    float | None, typer.Option(help="Seconds to wait for one answer of the model.", min=0.001, show_default="60")
]
Cache = Annotated[Path | None, typer.Option(help="Folder in which the model's responses are kept.")]
Runs = Annotated[Path, typer.Option(help="Folder for the measurements' folders.")]
Concurrency = Annotated[int, typer.Option(help="Cases judged at once, and calls of the model at once.", min=1)]
Redraws = Annotated[int, typer.Option(help="Times that a failed verdict is asked for again.", min=0)]
Seed = Annotated[int, typer.Option(help="Seed of judges, draws and resamples.", min=0)]
MinCoverage = Annotated[float, typer.Option(help="Least share of cases that must be measured.", min=0, max=1)]
Printed = Annotated[Form, typer.Option("--format", help="What to print.")]


@judge_app.command()
def validate(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    judge: Judge = MODEL,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 400,
    timeout: Timeout = None,
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

    declared = family_of(family)
    spec = spec_of(
        model, provider, base_url=base_url, api_key_env=api_key_env, timeout=timeout, concurrency=concurrency
    )
    settings = settings_of(temperature, max_tokens, seed)
    who = seated(judge, spec, declared, settings=settings, cache=cache)
    read = read_cases(cases, declared.name)
    limits = Limits(
        max_fabrication=max_fabrication,
        min_recall=min_recall,
        max_abstain=max_abstain,
        max_error=max_error,
        min_coverage=min_coverage,
        min_twins=min_twins,
    )
    with shown() as progress:
        bench = benches.Bench(who, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = carried_out(benches.validate(bench, read))
    finish(measured, limits, form)


@judge_app.command()
def stability(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    judge: Judge = MODEL,
    k: Annotated[int, typer.Option("-k", "--repeats", help="Times that each case is judged.", min=2)] = 10,
    wordings: Annotated[
        bool,
        typer.Option(
            "--wordings", help="Ask in every paraphrase and order of options as well; for --judge model alone."
        ),
    ] = False,
    sprt: Annotated[
        bool, typer.Option("--sprt", help="Stop each case as soon as a sequential test answers, at most at 51.")
    ] = False,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 400,
    timeout: Timeout = None,
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

    declared = family_of(family)
    spec = spec_of(
        model, provider, base_url=base_url, api_key_env=api_key_env, timeout=timeout, concurrency=concurrency
    )
    settings = settings_of(temperature, max_tokens, seed)
    who = seated(judge, spec, declared, settings=settings, cache=cache, wordings=wordings)
    read = read_cases(cases, declared.name)
    with shown() as progress:
        bench = benches.Bench(who, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = carried_out(benches.measure_stability(bench, read, repeats=k, plan=Sprt() if sprt else None))
    finish(measured, Limits(min_coverage=min_coverage), form)


@judge_app.command()
def redteam(  # noqa: PLR0913, PLR0917  one parameter for each option
    family: FamilyName,
    cases: Cases,
    injections: Annotated[Path, typer.Option(help="Strings to put into the judged text, one JSON object a line.")],
    judge: Judge = MODEL,
    per_string: Annotated[int, typer.Option(help="Cases that each string is tried on.", min=1)] = 2,
    model: Model = None,
    provider: ModelProvider = Provider.OPENAI,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 400,
    timeout: Timeout = None,
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

    declared = family_of(family)
    spec = spec_of(
        model, provider, base_url=base_url, api_key_env=api_key_env, timeout=timeout, concurrency=concurrency
    )
    settings = settings_of(temperature, max_tokens, seed)
    who = seated(judge, spec, declared, settings=settings, cache=cache)
    read, strings = read_cases(cases, declared.name), read_injections(injections)
    with shown() as progress:
        bench = benches.Bench(who, runs, progress, concurrency=concurrency, redraws=redraws, seed=seed)
        measured = carried_out(benches.measure_redteam(bench, read, strings, per_string=per_string))
    finish(measured, Limits(min_coverage=min_coverage, max_changed=max_changed), form)


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
        raise typer.Exit(GATE_FAILED)
