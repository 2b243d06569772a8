"""The command `confute control`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from confute.harness.judging.form import Form

_DOES_NOT_SEPARATE = 1


def control(  # noqa: PLR0913, PLR0917  one parameter for each option
    detector: Annotated[
        str | None,
        typer.Option(
            help="What to control: a built-in detector, module:attribute, an http(s) URL, or a command in quotes, "
            "which reads a JSON object a line and writes a score a line.",
            metavar="DETECTOR",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims, one JSON object a line, instead of the built-in facts.")
    ] = None,
    text_arms: Annotated[
        bool, typer.Option("--text-arms", help="Build text arms for --data too; needs the extra `text`.")
    ] = False,
    threshold: Annotated[float, typer.Option(help="A risk over it flags a text; a tie does not.")] = 0.5,
    drift: Annotated[float, typer.Option(help="The drift that the gate looks at: 0.05, 0.1, 0.2 or 0.5.")] = 0.1,
    higher_is_safer: Annotated[bool, typer.Option("--higher-is-safer", help="The detector scores safety.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one call.", min=0.001)] = 60.0,
    max_tokens: Annotated[
        int | None, typer.Option(help="Texts with more tokens are errors, and are not sent.", min=1)
    ] = None,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Tell twelve planted bugs from the sound detector, and stop.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of every draw.", min=0)] = 0,
    plot: Annotated[Path | None, typer.Option(help="File for the separation plot, SVG.")] = None,
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TABLE,
) -> None:
    """Ask a detector about texts whose right answer is known, and say whether it may block.

    Exit code 0 where the arms separate, 1 where they do not or where there is no verdict.
    """
    from confute.harness.control import page, selftest
    from confute.harness.control.arms import DRIFTS
    from confute.harness.control.asking import asked, detector_of
    from confute.harness.control.source import from_facts, from_file
    from confute.harness.control.verdict import control as verdict_of
    from confute.harness.judging.page import json_of, print_in

    if drift not in DRIFTS[2:]:
        raise typer.BadParameter(f"one of {', '.join(map(str, DRIFTS[2:]))}", param_hint="--drift")
    if self_test is (detector is not None):
        raise typer.BadParameter("give either --detector or --self-test", param_hint="--detector")
    asks = None if detector is None else detector_of(detector, timeout)
    material = from_facts(seed) if data is None else from_file(data, seed, text_arms=text_arms)
    if asks is None or detector is None:
        tested = selftest.self_test(material, seed)
        print_in(form, selftest.page(tested), partial(json_of, tested))
        raise typer.Exit(0 if tested.passed else _DOES_NOT_SEPARATE)
    scores = asked(
        asks, material.probes, seed=seed, timeout_s=timeout, higher_is_safer=higher_is_safer, max_tokens=max_tokens
    )
    tau = 1.0 - threshold if higher_is_safer else threshold
    found = verdict_of(detector, material, scores, tau, drift)
    print_in(form, page.page(found), partial(json_of, found))
    if plot is not None:
        plot.write_text(page.svg(found), encoding="utf-8")
    if not found.passed:
        raise typer.Exit(_DOES_NOT_SEPARATE)
