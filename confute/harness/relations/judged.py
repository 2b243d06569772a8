"""Rows on a judge of support: another template, options exchanged, and a claim beside its denial."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from confute.errors import JudgeError
from confute.harness.judging.asking import together
from confute.harness.judging.panels import DEGENERATE, RULES, read_spec, seat_without_model
from confute.harness.judging.stability import OWN_WORDING
from confute.harness.rates import Mark, rate
from confute.harness.relations.figures import RowFigures, not_applicable
from confute.harness.relations.trials import Trial
from confute.judges.families import build_panel, load_family
from confute.judges.judge import Exhibit, Panel
from confute.judges.question import JudgeSettings, Variant
from confute.models.chat_load import load_chat
from confute.records import Outcome, Pair
from confute.verdicts import Verdict, VerdictState

FAMILY = "support"
_FILES = frozenset({".yaml", ".yml", ".json"})
_CONCURRENCY = 4
_ALLOWED = f"{RULES}, {DEGENERATE}NAME, or a YAML file of a model"
_NO_TEMPLATES = "asks by no template"
_SPOKEN = frozenset({VerdictState.SUCCEEDED, VerdictState.RESISTED, VerdictState.CONFLICT})


class Bench(NamedTuple):
    """A judge of support by name, and its panels: as it is, in another template, with options exchanged."""

    name: str
    own: Panel
    paraphrased: Panel | None
    swapped: Panel | None


def bench(judge: str, seed: int, cache: Path | None) -> Bench:
    """Seat a judge: `rules`, `degenerate:NAME`, or the specification of a model in a file.

    Raises JudgeError for any other name and for a file that is none, ModelError where the model cannot be loaded.
    """
    family = load_family(FAMILY)
    if Path(judge).suffix not in _FILES:
        if judge != RULES and not judge.startswith(DEGENERATE):
            raise JudgeError("there is no such judge", field="--judge", allowed=_ALLOWED, got=judge)
        return Bench(judge, seat_without_model(judge, family, seed=seed).panels[OWN_WORDING], None, None)
    declared = read_spec(Path(judge))
    model = load_chat(declared, cache=cache)
    settings = JudgeSettings(seed=seed)
    if declared.temperature is not None:
        settings = settings.model_copy(update={"temperature": declared.temperature})

    def panel(variant: Variant) -> Panel:
        return build_panel(family, model, settings=settings, variant=variant, short_circuit=False)

    others = any(variant.template for variant in family.variants)
    return Bench(
        declared.model,
        panel(Variant()),
        panel(Variant(template=1)) if others else None,
        panel(Variant(swapped=True)),
    )


def judged(judge: Bench, cases: Sequence[tuple[str, Pair]], denials: Sequence[Trial]) -> tuple[RowFigures, ...]:
    """Return P2 and P3 over pairs with their source documents, and P8 over claims and their denials.

    An ERROR is counted apart; a judge that says nothing either time has kept nothing, and is unknown.
    """
    return asyncio.run(_judged(judge, cases, denials))


async def _judged(judge: Bench, cases: Sequence[tuple[str, Pair]], denials: Sequence[Trial]) -> tuple[RowFigures, ...]:
    groups, pairs = [group for group, _ in cases], [pair for _, pair in cases]
    panels = {"P2": judge.paraphrased, "P3": judge.swapped}
    own = await _verdicts(judge.own, pairs) if any(panels.values()) else []
    made = []
    for row_id, panel in panels.items():
        if panel is None:
            made.append(not_applicable(row_id, judge.name, _NO_TEMPLATES, "INV"))
        else:
            verdicts = await _verdicts(panel, pairs)
            made.append(_figures(row_id, judge.name, "INV", _compared(groups, own, verdicts, _differ)))
    stated = await _verdicts(judge.own, [trial.before for trial in denials])
    denied = await _verdicts(judge.own, [trial.after for trial in denials])
    marks = _compared([trial.group for trial in denials], stated, denied, _agree)
    return (*made, _figures("P8", judge.name, "EXACTLY_ONE", marks))


async def _verdicts(panel: Panel, pairs: Sequence[Pair]) -> tuple[Verdict, ...]:
    slots = asyncio.Semaphore(_CONCURRENCY)

    async def one(pair: Pair) -> Verdict:
        async with slots:
            return await panel.conclude(Exhibit(claim=pair.claim, evidence=pair.evidence))

    return await together(one(pair) for pair in pairs)


def _compared(
    groups: Sequence[str],
    before: Sequence[Verdict],
    after: Sequence[Verdict],
    broken: Callable[[VerdictState, VerdictState], bool],
) -> list[Mark]:
    marks = []
    for group, one, other in zip(groups, before, after, strict=True):
        states = (one.state, other.state)
        if VerdictState.ERROR in states:
            outcome = Outcome.ERROR
        elif not _SPOKEN & set(states):
            outcome = Outcome.UNKNOWN
        else:
            outcome = Outcome.SUCCEEDED if broken(*states) else Outcome.RESISTED
        marks.append(Mark(group, outcome))
    return marks


def _differ(one: VerdictState, other: VerdictState) -> bool:
    return one is not other


def _agree(one: VerdictState, other: VerdictState) -> bool:
    """Tell whether both, or neither, of a claim and its denial are accepted; a conflict accepts nothing."""
    return (one is VerdictState.SUCCEEDED) is (other is VerdictState.SUCCEEDED)


def _figures(row_id: str, name: str, expected: str, marks: Sequence[Mark]) -> RowFigures:
    return RowFigures(row_id=row_id, victim=name, expected=expected, trials=len(marks), violations=rate(marks))
