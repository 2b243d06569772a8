"""The tables of `benchmarks/degradation.py`, in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from degradation_plot import by_rank

from confute import contract
from confute.harness import dataset
from confute.harness.degradation import Degradation, Negatives, RankCurve, Share
from confute.harness.rates import Estimate
from confute.records import Label
from confute.victims.segmentation import passages

PUBLISHED_RANK = 8
NOTE = """# Degradation curves: tables

Written by `python benchmarks/degradation.py DATA`. Intervals are 95 %, from resamples of sources; `n` is given where
not every claim is measured. Means are of energies; a gap is a mean of negatives less that of the claims with their own
evidence."""


class Study(NamedTuple):
    """One curve: its name, its options, and the published means of supported claims and hard negatives, if any."""

    name: str
    title: str
    options: tuple[str, ...]
    published: tuple[float, float] | None

    def command(self, data: str) -> list[str]:
        """Return the command that makes the curve, with its claims below the folder `data`."""
        contract_file, claims, *rest = self.options
        return ["confute", "curve", contract_file, "--data", f"{data}/{claims}", *rest]


class Made(NamedTuple):
    """A study with its result, and how many passages each distinct evidence set of its claims holds."""

    study: Study
    result: Degradation
    lengths: tuple[int, ...]


def lengths(study: Study, root: Path, data: Path) -> tuple[int, ...]:
    """Return how many passages each distinct evidence set holds, cut as the study's contract says."""
    segmentation = contract.load(root / study.options[0]).victim.segmentation
    cases = dataset.read(data / study.options[1]).cases
    sets = {passages(case.evidence, segmentation) for case in cases if case.label is not Label.NEI}
    return tuple(sorted(map(len, sets)))


def page(made: Sequence[Made], pools: Sequence[Made]) -> str:
    """Return the page of tables."""
    sections = [line for one in made for line in _section(one)]
    return "\n".join([NOTE, *_sources(made), *_beside_published(made), *sections, *_pools(made[-1], pools)]) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---"] * len(head)
    return ["", *(f"| {' | '.join(row)} |" for row in (head, rule, *rows))]


def _sources(made: Sequence[Made]) -> Iterator[str]:
    yield from ("", "## Sources")
    head = ("set", "declared groups", "sources once joined", "most groups in one", "sets mined", "of sources")
    more = ("kept apart beyond groups", "supporting", "passages in the median set", "sets of more than 8", "threshold")
    yield from _table((*head, *more), [_sources_row(one) for one in made])


def _sources_row(made: Made) -> tuple[str, ...]:
    sources, pool = made.result.sources, made.result.pool
    long = sum(length > PUBLISHED_RANK for length in made.lengths)
    counts = (sources.declared, sources.joined, sources.largest, pool.sets, pool.groups, pool.kept_apart)
    return (
        made.study.title,
        *map(str, (*counts, pool.supporting)),
        f"{statistics.median(made.lengths):g}",
        f"{long}/{len(made.lengths)} = {long / len(made.lengths):.0%}",
        _threshold(made.result.curves[0]),
    )


def _threshold(curve: RankCurve) -> str:
    found = curve.victim.calibration
    if found is None:
        return f"{curve.victim.threshold:g}, given"
    return f"{found.target_rate:.0%} {found.error.replace('_', ' ')}"


def _beside_published(made: Sequence[Made]) -> Iterator[str]:
    yield from ("", f"## Beside the published means, rank {PUBLISHED_RANK}")
    head = ("set", "claims", "supported mean", "semantic neighbour mean", "gap", "all eligible mean", "gap")
    rows = []
    for study, result, _ in made:
        curve = at_published_rank(result)
        near, far = curve.points[0], curve.points[-1]
        own, found = study.published or (None, None)
        published = "—" if own is None or found is None else f"{own:.4f} / {found:.4f}"
        difference = "—" if own is None or found is None else f"{found - own:+.4f}"
        means = (number(curve.positives_mean), number(near.mean), spread(near.gap), number(far.mean), spread(far.gap))
        rows.append((study.title, str(curve.claims), *means, published, difference))
    yield from _table((*head, "published means", "published gap"), rows)


def _section(made: Made) -> Iterator[str]:
    """Yield a study's plot, its command, one row for each rank, and what each switched-off guard does."""
    study, result, _ = made
    yield from ("", f"## {study.title}", "", f"![AUC against K](degradation-{study.name}.svg)", "", "```")
    yield " ".join(f"'{word}'" if "*" in word else word for word in study.command("DATA"))
    yield "```"
    head = ("rank", "AUC random", "AUC K = 1", "AUC all", "gap K = 1", "gap all", "claims at every K", "lambda_adv")
    more = ("FAR random", "FAR K = 1", "FAR all", "SAR", "ASR_induced all", "AUC own labels")
    yield from _table((*head, *more), [_rank_row(curve) for curve in by_rank(result)])
    ways = {"every guard on": at_published_rank(result)} | {f"{one.toggle} off": one.curve for one in result.ablations}
    yield from _toggles(ways)


def _toggles(ways: Mapping[str, RankCurve]) -> list[str]:
    head = (f"at rank {PUBLISHED_RANK}", "claims", "supported mean", "mean K = 1", "gap K = 1", "mean all", "gap all")
    more = ("AUC K = 1", "AUC all", "FAR K = 1", "FAR all", "claims at every K", "lambda_adv", "best-of-K rises")
    return _table((*head, *more, "drawn at random"), [_toggle_row(name, curve) for name, curve in ways.items()])


def _rank_row(curve: RankCurve) -> tuple[str, ...]:
    first, last = curve.points[0], curve.points[-1]
    return (
        str(curve.rank),
        *(counted(point, curve) for point in (curve.baseline, first, last)),
        spread(first.gap),
        spread(last.gap),
        str(curve.common_claims),
        spread(curve.lambda_adv, 4),
        *(share(point.false_acceptance) for point in (curve.baseline, first, last)),
        share(curve.supported_acceptance),
        share(last.induced),
        spread(curve.own_label_auc),
    )


def _toggle_row(name: str, curve: RankCurve) -> tuple[str, ...]:
    first, last = curve.points[0], curve.points[-1]
    return (
        name,
        str(curve.claims),
        number(curve.positives_mean),
        number(first.mean),
        spread(first.gap),
        number(last.mean),
        spread(last.gap),
        counted(first, curve),
        counted(last, curve),
        share(first.false_acceptance),
        share(last.false_acceptance),
        str(curve.common_claims),
        spread(curve.lambda_adv, 4),
        f"{curve.monotony.rises} of {curve.monotony.compared}",
        str(sum(point.fallen_back for point in curve.points)),
    )


def _pools(usual: Made, others: Sequence[Made]) -> Iterator[str]:
    """Yield the gap of CaseHOLD under pools of several sizes, with labels honoured and ignored."""
    yield from ("", f"## {usual.study.title} under other pools, rank {PUBLISHED_RANK}", "", "```")
    yield from (" ".join(one.study.command("DATA")) for one in others)
    yield "```"
    head = ("pool", "sets", "labels", "claims", "own mean", "mean all", "gap random", "gap K = 1", "gap all", "AUC all")
    shown = (others[0], usual._replace(study=usual.study._replace(title="half of the excerpts, as above")), *others[1:])
    rows = []
    for study, result, _ in shown:
        ignored = next(one.curve for one in result.ablations if one.toggle == "honour_labels")
        for labels, curve in (("honoured", at_published_rank(result)), ("ignored", ignored)):
            first, last = curve.points[0], curve.points[-1]
            means = (number(curve.positives_mean), number(last.mean))
            gaps = (spread(curve.baseline.gap), spread(first.gap), spread(last.gap))
            sets = str(result.pool.sets)
            rows.append((study.title, sets, labels, str(curve.claims), *means, *gaps, counted(last, curve)))
    yield from _table(head, rows)


def at_published_rank(result: Degradation) -> RankCurve:
    """Return the curve of the rank that was published."""
    return next(curve for curve in result.curves if curve.rank == PUBLISHED_RANK)


def counted(point: Negatives, curve: RankCurve) -> str:
    """Return an AUC with its interval, and with its n where not every claim is measured."""
    n = point.false_acceptance.rate.denominator
    return spread(point.auc) if n == curve.claims else f"{spread(point.auc)}, n = {n}"


def share(found: Share | None) -> str:
    """Return a share as numerator, denominator and interval."""
    if found is None or found.rate.value is None:
        return "—"
    low, high = found.bootstrap.low, found.bootstrap.high
    bounds = "" if low is None or high is None else f" [{low:.0%}, {high:.0%}]"
    return f"{found.rate.numerator}/{found.rate.denominator} = {found.rate.value:.0%}{bounds}"


def spread(found: Estimate, digits: int = 3) -> str:
    """Return a figure with its interval."""
    if found.value is None:
        return "—"
    bounds = "" if found.low is None or found.high is None else f" [{found.low:.{digits}f}, {found.high:.{digits}f}]"
    return f"{found.value:.{digits}f}{bounds}"


def number(value: float | None) -> str:
    """Return a mean."""
    return "—" if value is None else f"{value:.4f}"
