"""The command `confute regress`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from confute.harness.judging.form import Form

if TYPE_CHECKING:
    from collections.abc import Callable

    from confute.counterexample import Counterexample
    from confute.harness.judging.page import Page
    from confute.harness.persona.attack.counterexample import PersonaCounterexample
    from confute.harness.policy.policy import Policy
    from confute.harness.regress.corpus import Corpus
    from confute.harness.regress.findings import Findings
    from confute.harness.regress.persona_subject import PersonaSubject
    from confute.harness.regress.regression import Kept
    from confute.harness.regress.subject import Subject
    from confute.records import Record

_NOT_AS_EXPECTED = 1


def regress(  # noqa: PLR0913, PLR0917  one parameter for each option
    corpus: Annotated[
        Path, typer.Argument(help="Counterexamples: JSON Lines, one JSON array, or a run's folder.", metavar="CORPUS")
    ],
    contract: Annotated[
        Path | None,
        typer.Option(
            help="Contract of the victim, a detector or a persona; a threshold is set as an attack sets it.",
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
    persona: Annotated[
        Path | None,
        typer.Option(help="Persona, YAML, for counterexamples against one; or give --contract.", metavar="FILE"),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(help="Policy that `confute policy --save` wrote: its routes decide, and a review catches."),
    ] = None,
    replays: Annotated[
        int | None,
        typer.Option(help="Replays of each counterexample.", min=1, max=999, show_default="5; 20 against a persona"),
    ] = None,
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

    Of a persona: whether it resists what it failed under. Exit code 0 where all is as expected; 1 where a failure is
    still active, a mitigated one fails again, one is flaky or not measured; 2 for a mistake in what was given.
    """
    from confute.harness.cache_folder import cache_folder
    from confute.harness.regress import corpus as corpora
    from confute.harness.regress import page, regression
    from confute.harness.regress import persona as personas
    from confute.harness.regress.replay import REPLAYS

    if (acknowledge is None) is not (reason is None):
        raise typer.BadParameter("give both or neither", param_hint="--acknowledge, --reason")
    known = None if acknowledge is None or reason is None else (acknowledge, reason)
    if corpora.asks_a_persona(corpus):
        given = {"--data": data, "--detector": detector, "--threshold": threshold, "--policy": policy}
        _refuse_for_personas({**given, "--higher-is-safer": higher_is_safer or None})

        def ask_persona(read: Corpus[PersonaCounterexample]) -> _Asked:
            subject, times = _persona(read, contract, persona), replays or personas.PERSONA_REPLAYS
            with _progress(len(read.rows) * times) as advanced:
                found = personas.regress_persona(read, subject, replays=times, advanced=advanced)
            return _Asked(found, page.persona_page(found), found.victim)

        _carry_out(corpora.read_persona_corpus(corpus), ask_persona, known, form, update=update)
        return

    def ask(read: Corpus[Counterexample]) -> _Asked:
        if persona is not None:
            raise typer.BadParameter("the corpus holds counterexamples against a detector", param_hint="--persona")
        subject = _subject(
            read,
            contract,
            data,
            detector,
            threshold=threshold,
            higher_is_safer=higher_is_safer,
            timeout=timeout,
            tolerance=tolerance,
            cache=cache or cache_folder(),
        )
        band, times = _band(policy, subject), replays or REPLAYS
        with _progress(len(read.rows) * times) as advanced:
            found = regression.regress(read, subject, replays=times, band=band, advanced=advanced)
        return _Asked(found, page.page(found), found.victim)

    _carry_out(corpora.read_corpus(corpus), ask, known, form, update=update)


class _Asked(NamedTuple):
    """What a corpus showed, the page of it, and who was asked."""

    found: Findings
    page: Page
    victim: Record


def _carry_out(
    read: Corpus[Kept],
    ask: Callable[[Corpus[Kept]], _Asked],
    known: tuple[str, str] | None,
    form: Form,
    *,
    update: bool,
) -> None:
    """Acknowledge a limitation; or replay, print, write the statuses that are due, and end with the exit code."""
    from confute.harness.judging.page import json_of, print_in
    from confute.harness.regress.regression import updated, with_acknowledged

    if known is not None:
        with_acknowledged(read, *known).write()
        typer.echo(f"{read.path}: {known[0]} is an acknowledged limitation")
        return
    found, page, victim = ask(read)
    print_in(form, page, partial(json_of, found), elsewhere="with --format md")
    if update:
        _update(read, updated(read, found, victim))
    if not found.is_as_expected:
        raise typer.Exit(_NOT_AS_EXPECTED)


def _update(before: Corpus[Kept], after: Corpus[Kept]) -> None:
    moved = [(old, new) for old, new in zip(before.rows, after.rows, strict=True) if old.status is not new.status]
    if moved:
        after.write()
    typer.echo(f"{before.path}: {len(moved)} statuses moved", err=True)
    for old, new in moved:
        typer.echo(f"  {old.attack_id}: {old.status} -> {new.status}", err=True)


@contextmanager
def _progress(replays: int) -> Iterator[Callable[[int], None]]:
    from confute.harness.progress import shown_on_stderr

    with shown_on_stderr() as progress:
        progress.begin("replays", replays)
        yield progress.advance


def _refuse_for_personas(options: dict[str, object]) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise typer.BadParameter("the corpus holds counterexamples against a persona", param_hint=", ".join(given))


def _persona(read: Corpus[PersonaCounterexample], contract: Path | None, file: Path | None) -> PersonaSubject:
    from confute.harness.regress import persona_subject

    if contract is not None and file is not None:
        raise typer.BadParameter("a persona is given instead of a contract", param_hint="--persona")
    if contract is not None:
        return persona_subject.of_contract(contract)
    return persona_subject.of_run(read) if file is None else persona_subject.of_file(file)


def _band(policy: Path | None, subject: Subject) -> Policy | None:
    from confute.harness.policy.choosing import read_band

    return None if policy is None else read_band(policy, subject.victim.manifest, "--policy")


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
