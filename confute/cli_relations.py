"""The command `confute relations`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from confute.harness.judging.form import Form

_GATE_FAILED = 1


def relations(  # noqa: PLR0913, PLR0917  one parameter for each option
    detector: Annotated[
        list[str] | None,
        typer.Option(
            help="A detector, repeated for more: a built-in one, hallucination_energy@RANK, module:attribute, a URL, "
            "or a command in quotes. Without one and without --contract, the built-in ones.",
            metavar="DETECTOR",
            show_default=False,
        ),
    ] = None,
    contract: Annotated[
        Path | None, typer.Option(help="Contract whose victim is measured too; its seed and suite stand.")
    ] = None,
    own: Annotated[
        list[str] | None,
        typer.Option(
            "--relations",
            help="Your own relation, module:NAME, repeated for more.",
            metavar="RELATION",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[str | None, typer.Option(help="Rows to measure, such as C1,E3; all without.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="A judge of support for P2, P3 and P8: rules, or a YAML file of a model.")
    ] = None,
    judge_cases: Annotated[int, typer.Option(help="Cases that the judge is asked about, for each row.", min=1)] = 40,
    persona: Annotated[Path | None, typer.Option(help="Persona, YAML, for R1 to R8.")] = None,
    persona_rows: Annotated[
        Path | None,
        typer.Option(help="The persona's declared rows, YAML; by default PERSONA_relations.yaml beside it."),
    ] = None,
    repeat: Annotated[int, typer.Option(help="Times that a persona is asked each step.", min=1, max=999)] = 5,
    cases: Annotated[int, typer.Option(help="Cases of each document.", min=1)] = 6,
    higher_is_safer: Annotated[bool, typer.Option("--higher-is-safer", help="The detectors score safety.")] = False,
    contradiction: Annotated[
        bool, typer.Option("--contradiction", help="Your own detectors score contradiction: E18 holds of them.")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one call.", min=0.001, max=86_400)] = 60.0,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw.", min=0, show_default="0")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for relations.json and relations.md.")] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE", show_default="~/.cache/confute"),
    ] = None,
    gate: Annotated[
        float | None,
        typer.Option(
            help="Exit code 1 where a row's violations surely exceed this share, by the one-sided 95 % bound, and "
            "where under 90 % of a row's trials were measured.",
            min=0,
            max=1,
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TABLE,
) -> None:
    """Change cases in ways whose effect is known, and tell how often a detector, a judge or a persona breaks the rule.

    A relation that does not apply to a case is skipped and counted, never passed.
    """
    from confute import contract as contracts
    from confute.harness.cache_folder import cache_folder
    from confute.harness.judging.page import json_of, markdown, print_in
    from confute.harness.progress import shown_on_stderr
    from confute.harness.relations import options
    from confute.harness.relations.judged import bench
    from confute.harness.relations.page import page
    from confute.harness.relations.run import measure, write
    from confute.harness.relations.scenes import built_in

    attack = None if contract is None else contracts.load(contract)
    suite = contracts.Suite.DEVELOPMENT if attack is None else attack.evaluation.suite
    drawn = (0 if attack is None else attack.evaluation.seed) if seed is None else seed
    plan = options.plan(rows, own or [], seed=drawn, suite=suite, contradiction=contradiction, judged_cases=judge_cases)
    names = detector or (list(options.BUILT_IN) if attack is None and plan.asks_detectors else [])
    kept = cache or cache_folder()
    seat = None if judge is None else bench(judge, drawn, kept)
    with shown_on_stderr() as progress:
        material = built_in(drawn, suite, cases)
        subjects = options.subjects(
            names,
            attack,
            material,
            seed=drawn,
            cache_folder=kept,
            timeout_s=timeout,
            higher_is_safer=higher_is_safer,
            progress=progress,
        )
        asked = () if persona is None else options.personas(persona, persona_rows, repeat, drawn)
        made = measure(plan, material, subjects, seat, asked, progress)
    if out is not None:
        write(made, markdown(page(made)), out)
    print_in(form, page(made), partial(json_of, made), most_rows=None)
    if gate is not None:
        failed, missing = options.over(made, gate), options.undecided(made, named=rows is not None)
        if failed:
            typer.echo(f"over {gate:g}: {', '.join(failed)}", err=True)
        if missing:
            typer.echo(f"no verdict, which never passes: {', '.join(missing)}", err=True)
        if failed or missing:
            raise typer.Exit(_GATE_FAILED)
