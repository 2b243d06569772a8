"""The command `confute regress`."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from confute.counterexample import Counterexample
    from confute.harness.regress.corpus import Corpus
    from confute.harness.regress.subject import Subject

_NOT_AS_EXPECTED = 1


def regress(  # noqa: PLR0913, PLR0917  one parameter for each option
    corpus: Annotated[
        Path, typer.Argument(help="Counterexamples: JSON Lines, one JSON array, or a run's folder.", metavar="CORPUS")
    ],
    contract: Annotated[
        Path | None,
        typer.Option(
            help="Contract of the victim; its threshold is set as an attack sets it.",
            show_default="that of the run whose folder holds CORPUS",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Labelled claims, for a contract that sets its threshold on them.")
    ] = None,
    detector: Annotated[
        str | None,
        typer.Option(help="Victim by name or module:attribute, instead of a contract.", metavar="DETECTOR"),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="The detector's own threshold, on its own scale.", show_default="0.5")
    ] = None,
    higher_is_safer: Annotated[bool, typer.Option("--higher-is-safer", help="The detector scores safety.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one call of the detector.", min=0.001)] = 60.0,
    replays: Annotated[int, typer.Option(help="Replays of each counterexample.", min=1, max=999)] = 5,
    tolerance: Annotated[
        float,
        typer.Option(
            help="A risk stays where at most this share of un-edited claims lies between its two values.", min=0, max=1
        ),
    ] = 0.1,
    update: Annotated[
        bool, typer.Option("--update", help="Write the statuses that are due, with the version that did it.")
    ] = False,
    acknowledge: Annotated[
        str | None, typer.Option(help="Make one a known limitation, with --reason, and stop.", metavar="ID")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why a limitation is acknowledged.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder of the embedding cache.", envvar="CONFUTE_CACHE")] = None,
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TABLE,
) -> None:
    """Replay known failures: whether the risk rises or stays as it should, and the decision is the right one.

    Exit code 0 where all is as expected; 1 where a failure is still active, a mitigated one fails again, one is flaky
    or not measured; 2 for a mistake in what was given.
    """
    from confute.harness.judging.page import markdown, print_page
    from confute.harness.progress import shown_on_stderr
    from confute.harness.regress import corpus as corpora
    from confute.harness.regress import page, regression

    read = corpora.read_corpus(corpus)
    if (acknowledge is None) is not (reason is None):
        raise typer.BadParameter("give both or neither", param_hint="--acknowledge, --reason")
    if acknowledge is not None and reason is not None:
        _acknowledge(read, acknowledge, reason)
        return
    subject = _subject(
        read,
        contract,
        data,
        detector,
        threshold=threshold,
        higher_is_safer=higher_is_safer,
        timeout=timeout,
        tolerance=tolerance,
        cache=cache or _default_cache(),
    )
    with shown_on_stderr() as progress:
        progress.begin("replays", len(read.rows) * replays)
        found = regression.regress(read, subject, replays=replays, advanced=progress.advance)
    if form is Form.TABLE:
        print_page(page.page(found))
    else:
        sys.stdout.write(f"{found.model_dump_json(indent=2)}\n" if form is Form.JSON else markdown(page.page(found)))
    if update:
        _update(read, regression.updated(read, found))
    if not found.is_as_expected:
        raise typer.Exit(_NOT_AS_EXPECTED)


def _acknowledge(read: Corpus[Counterexample], attack_id: str, reason: str) -> None:
    from confute.errors import CorpusError
    from confute.harness.regress.standing import acknowledged

    if attack_id not in {row.attack_id for row in read.rows}:
        raise CorpusError("is not in the corpus", field="--acknowledge", allowed=str(read.path), got=attack_id)
    read.with_rows([acknowledged(row, reason) if row.attack_id == attack_id else row for row in read.rows]).write()
    typer.echo(f"{read.path}: {attack_id} is an acknowledged limitation")


def _update(before: Corpus[Counterexample], after: Corpus[Counterexample]) -> None:
    moved = [(old, new) for old, new in zip(before.rows, after.rows, strict=True) if old.status is not new.status]
    if moved:
        after.write()
    typer.echo(f"{before.path}: {len(moved)} statuses moved", err=True)
    for old, new in moved:
        typer.echo(f"  {old.attack_id}: {old.status} -> {new.status}", err=True)


def _subject(  # noqa: PLR0913
    read: Corpus[Counterexample],
    contract: Path | None,
    data: Path | None,
    detector: str | None,
    *,
    threshold: float | None,
    higher_is_safer: bool,
    timeout: float,
    tolerance: float,
    cache: Path,
) -> Subject:
    from confute import contract as contracts
    from confute.contract import Threshold, Victim
    from confute.harness import run
    from confute.harness.folders import RUN_ORDER
    from confute.harness.regress import subject

    if threshold is not None and not math.isfinite(threshold):
        raise typer.BadParameter("a threshold is finite", param_hint="--threshold")
    if detector is not None:
        if contract is not None or data is not None:
            raise typer.BadParameter("a detector is given instead of a contract", param_hint="--detector")
        victim = Victim(
            detector=detector,
            threshold=Threshold(value=0.5 if threshold is None else threshold),
            higher_is_safer=higher_is_safer,
            timeout_s=timeout,
        )
        return subject.of_victim(victim, cache, tolerance=tolerance)
    if threshold is not None or higher_is_safer:
        raise typer.BadParameter("a contract has its own; these belong to --detector", param_hint="--threshold")
    case_ids = {row.case_id for row in read.rows}
    if contract is not None:
        return subject.of_contract(contracts.load(contract), data, cache, case_ids, tolerance=tolerance)
    if not (read.path.parent / RUN_ORDER).is_file():
        raise typer.BadParameter("give --contract or --detector: which victim is asked?", param_hint="--contract")
    order = run.read_order(read.path.parent)
    source = data or (None if order.data is None else Path(order.data))
    return subject.of_contract(order.contract, source, cache, case_ids, tolerance=tolerance)


def _default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "confute"
