"""What the commands `confute judge` share: who is seated by their options, and how a measurement ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from confute.harness.judging.bench import Measured, Seated
    from confute.harness.judging.failures import Failure
    from confute.harness.judging.gates import Limits
    from confute.harness.progress import Bar, Lines
    from confute.judges.families import Family
    from confute.judges.question import JudgeSettings
    from confute.models.chat import ModelSpec

GATE_FAILED = 1
MODEL = "model"
_INTERRUPTED = 130
_FILES = {".yaml", ".yml", ".json"}


class Provider(StrEnum):
    """Where a model is asked."""

    OPENAI = "openai"
    LITELLM = "litellm"
    LOCAL = "local"


def family_of(name: str) -> Family:
    """Return a family by its name or its file."""
    from confute.judges.families import load_family

    return load_family(name)


def spec_of(  # noqa: PLR0913  one parameter for each option
    model: str | None,
    provider: Provider,
    *,
    base_url: str | None,
    api_key_env: str | None,
    timeout: float | None,
    concurrency: int,
) -> ModelSpec | None:
    """Return the specification of the model that options name, or that a file holds, if any."""
    from confute.harness.judging.panels import read_spec
    from confute.models.chat import ModelSpec
    from confute.models.surrogates import well_formed

    if model is None:
        return None
    if Path(model).suffix in _FILES:
        if base_url is not None or api_key_env is not None or timeout is not None:
            raise typer.BadParameter("a specification holds its own base URL, key and timeout; give the file alone")
        return read_spec(Path(model))
    if not model.strip() or any(well_formed(text) != text for text in (model, base_url or "")):
        raise typer.BadParameter("must not be blank, and must be a text that can be sent", param_hint="--model")
    given = {} if timeout is None else {"timeout_s": timeout}
    return ModelSpec(
        provider=provider.value,
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        concurrency=concurrency,
        **given,
    )


def settings_of(temperature: float, max_tokens: int, seed: int) -> JudgeSettings:
    """Return how a model is asked."""
    from confute.judges.question import JudgeSettings

    return JudgeSettings(temperature=temperature, max_tokens=max_tokens, seed=seed)


def seated(  # noqa: PLR0913  what decides who judges
    judge: str,
    spec: ModelSpec | None,
    family: Family,
    *,
    settings: JudgeSettings,
    cache: Path | None,
    wordings: bool = False,
) -> Seated:
    """Seat the judge that options name."""
    from confute.harness.judging.panels import seat_model, seat_without_model

    if judge == MODEL:
        if spec is None:
            raise typer.BadParameter("a judge that asks a model needs --model")
        return seat_model(spec, family, settings=settings, cache=cache, wordings=wordings)
    if spec is not None or wordings:
        raise typer.BadParameter("--model and --wordings are for --judge model alone")
    return seat_without_model(judge, family, seed=settings.seed)


def carried_out(work: Coroutine[Any, Any, Measured]) -> Measured:
    """Return what a measurement gives; one that is interrupted ends with exit code 130."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        typer.echo("\nstopped; every verdict is kept: give the same command again to go on", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def shown() -> AbstractContextManager[Bar | Lines]:
    """Return the progress of a measurement, on standard error."""
    from confute.harness.progress import shown_on_stderr

    return shown_on_stderr()


def finish(measured: Measured, limits: Limits, form: Form) -> None:
    """Write and print the report; exit code 1 where a gate failed."""
    from confute.harness.judging.page import print_in
    from confute.harness.judging.report import report

    made = report(measured, limits)
    print_in(form, made.page(), made.to_json)
    if form is Form.TABLE:
        typer.echo(f"\nreport: {measured.folder / 'report.md'}\nvotes: {measured.folder / 'votes.jsonl'}")
    if form is Form.JSON:
        for warning in made.result.expense.warnings:
            typer.echo(f"! {warning}", err=True)
    if made.failed:
        typer.echo(f"failed gates: {', '.join(made.failed)}", err=True)
    say_how_to_mend(made.failures)
    if made.failed:
        raise typer.Exit(GATE_FAILED)


def say_how_to_mend(failures: Iterable[Failure]) -> None:
    """Print, on standard error, what to do about what failed."""
    from confute.harness.judging.failures import how_to_mend

    for line in how_to_mend(tuple(failures)):
        typer.echo(line, err=True)
