"""How right a panel is on labelled cases that its prompts have not seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

import numpy as np
from pydantic import Field

from confute.harness.judging.cases import is_vulnerable
from confute.harness.judging.expense import Expense, expense
from confute.harness.judging.figures import Figures, Judged, figures, is_right, share
from confute.harness.judging.labelling import Labelled, is_own, labels_of
from confute.harness.rates import Estimate, Mark, Rate, estimate, rate
from confute.harness.stats import cluster
from confute.harness.stats.agreement import Agreement, agreement, krippendorff_alpha
from confute.harness.stats.cluster import Floats
from confute.harness.stats.ranking import with_width
from confute.harness.stats.reliability import PanelSize, panel_size
from confute.records import Outcome, Record
from confute.verdicts import Direction, VerdictState, Vote, VoteState


class LabelStatus(StrEnum):
    """Whether the labels may gate the judge: not where the judge wrote them."""

    INDEPENDENT = "independent"
    CIRCULAR = "circular_labels"


class Slice(Record):
    """The figures of the cases of one category or one language."""

    name: str
    figures: Figures


class Twins(Record):
    """Pairs of cases that differ in one clause and have opposite labels: both right, or neither counts."""

    n: int = Field(ge=0)
    both_right: Rate
    one_right: int = Field(ge=0)
    none_right: int = Field(ge=0)


class Mistake(Record):
    """A case on which the verdict was wrong, or failed."""

    case_id: str
    right: str
    state: VerdictState
    code: str | None


class Validation(Record):
    """How right a panel is on labelled cases of its family.

    `development` counts the cases that are not held out. `agreement` compares the labels with "called succeeded";
    `alpha` is Krippendorff's, with inconclusive and failed verdicts missing. `balanced_accuracy` is the mean of
    sensitivity and specificity. `label_agreement` is the share of verdicts with a label that name the case's own.
    `labels` are those of the cases, so that the figures can be made again from the ledger. `panels` tells by
    direction what its judges are worth together. `codes` counts why votes failed or were turned into abstentions,
    `clamped` the latter.
    """

    family: str
    judge: str
    version: str
    cases_name: str
    cases_digest: str
    clusters: int = Field(ge=0)
    development: int = Field(ge=0)
    label_status: LabelStatus
    overall: Figures
    twins: Twins
    balanced_accuracy: Estimate
    agreement: Agreement
    alpha: float | None
    label_agreement: Rate
    conflicts: int = Field(ge=0)
    clamped: int = Field(ge=0)
    codes: dict[str, int]
    panels: dict[Direction, PanelSize]
    by_category: tuple[Slice, ...]
    by_language: tuple[Slice, ...]
    mistakes: tuple[Mistake, ...]
    labels: tuple[Labelled, ...]
    redrawn: int = Field(ge=0)
    expense: Expense


def label_status(judged: Iterable[Judged], names: Iterable[str], models: Iterable[str] = ()) -> LabelStatus:
    """Tell whether any case was labelled by the judge itself, by name, model or version, or by nobody that is named."""
    sources = {one.case.label_source for one in judged}
    wrote = any(is_own(source, names, models) for source in sources)
    return LabelStatus.CIRCULAR if wrote else LabelStatus.INDEPENDENT


def twins(judged: Iterable[Judged]) -> Twins:
    """Return how many twins are right on both sides; a twin with a failed verdict counts as an error."""
    pairs: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.case.twin is not None:
            pairs[one.case.twin].append(one)
    marks = [Mark(pair[0].case.group, _twin_outcome(pair)) for pair in pairs.values()]
    rights = Counter(sum(is_right(one.case, one.verdict.state) for one in pair) for pair in pairs.values())
    return Twins(n=len(pairs), both_right=rate(marks), one_right=rights[1], none_right=rights[0])


def balanced_accuracy(judged: Sequence[Judged], seed: str) -> Estimate:
    """Return the mean of sensitivity and specificity with a 95 % bootstrap interval over groups.

    None where either class has no measured case.
    """
    measured = [one for one in judged if one.verdict.state is not VerdictState.ERROR]
    names = sorted({one.case.group for one in measured})
    row = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(names), 4))
    for one in measured:
        column = 0 if is_vulnerable(one.case) else 2
        counts[row[one.case.group], column] += one.verdict.state.failed is is_vulnerable(one.case)
        counts[row[one.case.group], column + 1] += 1
    value = float(_balanced(counts.sum(axis=0)[None, :])[0])
    if np.isnan(value):
        return estimate(None, None, len(names))
    interval = cluster.bootstrap(len(names), lambda weights: _balanced(weights @ counts), seed=seed)
    smaller = int(min((counts[:, 1] > 0).sum(), (counts[:, 3] > 0).sum()))
    return estimate(value, with_width(interval, value, smaller), len(names))


def assess(  # noqa: PLR0913  what a validation is made of
    judged: Sequence[Judged],
    *,
    judge: str,
    version: str,
    cases_name: str,
    cases_digest: str,
    identities: Iterable[str],
    redrawn: int,
    seed: int,
) -> Validation:
    """Return the validation that verdicts on labelled cases of one family make. Raises ValueError without a case."""
    if not judged:
        raise ValueError("there must be at least one case")
    verdicts = [one.verdict for one in judged]
    votes = [vote for verdict in verdicts for vote in verdict.votes]
    return Validation(
        family=judged[0].case.family,
        judge=judge,
        version=version,
        cases_name=cases_name,
        cases_digest=cases_digest,
        clusters=len({one.case.group for one in judged}),
        development=sum(one.case.split == "development" for one in judged),
        label_status=label_status(judged, {version, *(vote.judge for vote in votes)}, {judge, *identities}),
        overall=figures(judged),
        twins=twins(judged),
        balanced_accuracy=balanced_accuracy(judged, f"{seed}/balanced"),
        agreement=_agreement(judged),
        alpha=krippendorff_alpha([[is_vulnerable(one.case), _decided(one)] for one in judged]),
        label_agreement=_label_agreement(judged),
        conflicts=sum(verdict.state is VerdictState.CONFLICT for verdict in verdicts),
        clamped=sum(vote.clamped for vote in votes),
        codes=_codes(judged),
        panels=_panels(judged),
        by_category=_slices(judged, lambda one: one.case.category),
        by_language=_slices(judged, lambda one: one.case.language),
        mistakes=tuple(
            Mistake(case_id=one.case.case_id, right=one.case.right, state=one.verdict.state, code=one.verdict.code)
            for one in judged
            if not is_right(one.case, one.verdict.state)
        ),
        labels=labels_of(one.case for one in judged),
        redrawn=redrawn,
        expense=expense(verdicts),
    )


def _twin_outcome(pair: Sequence[Judged]) -> Outcome:
    if any(one.verdict.state is VerdictState.ERROR for one in pair):
        return Outcome.ERROR
    both = all(is_right(one.case, one.verdict.state) for one in pair)
    return Outcome.SUCCEEDED if both else Outcome.RESISTED


def _balanced(sums: Floats) -> Floats:
    found: Floats = np.full((2, len(sums)), np.nan)
    for row, (hits, n) in enumerate(((0, 1), (2, 3))):
        np.divide(sums[:, hits], sums[:, n], out=found[row], where=sums[:, n] > 0)
    mean: Floats = found.sum(axis=0) / 2.0
    return mean


def _agreement(judged: Sequence[Judged]) -> Agreement:
    measured = [one for one in judged if one.verdict.state is not VerdictState.ERROR]
    return agreement([is_vulnerable(one.case) for one in measured], [one.verdict.state.failed for one in measured])


def _decided(one: Judged) -> bool | None:
    undecided = one.verdict.state in {VerdictState.INCONCLUSIVE, VerdictState.ERROR}
    return None if undecided else one.verdict.state.failed


def _label_agreement(judged: Iterable[Judged]) -> Rate:
    named = [one for one in judged if one.case.label is not None]
    return share(named, lambda one: one.verdict.label == one.case.label, left_out=lambda one: one.verdict.label is None)


def _codes(judged: Iterable[Judged]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for _, verdict in judged:
        own = [vote.code for vote in verdict.votes if vote.code is not None]
        found.update(own or ([verdict.code] if verdict.code is not None else []))
    return dict(sorted(found.items()))


def _panels(judged: Sequence[Judged]) -> Mapping[Direction, PanelSize]:
    return {direction: size for direction in Direction if (size := _panel(judged, direction)) is not None}


def _panel(judged: Sequence[Judged], direction: Direction) -> PanelSize | None:
    names = sorted({vote.judge for one in judged for vote in one.verdict.votes if vote.direction is direction})
    if len(names) < 2:
        return None
    rows = [(one, {vote.judge: vote for vote in one.verdict.votes if vote.direction is direction}) for one in judged]
    whole = [(one, votes) for one, votes in rows if _all_completed(votes, names)]
    return panel_size(
        [[votes[name].state is VoteState.FIRED for name in names] for _, votes in whole],
        [is_vulnerable(one.case) for one, _ in whole],
    )


def _all_completed(votes: Mapping[str, Vote], names: Iterable[str]) -> bool:
    return all(name in votes and votes[name].state is not VoteState.ERROR for name in names)


def _slices(judged: Sequence[Judged], key: Callable[[Judged], str]) -> tuple[Slice, ...]:
    parts: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        parts[key(one)].append(one)
    return tuple(Slice(name=name, figures=figures(part)) for name, part in sorted(parts.items()))
