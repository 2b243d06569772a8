"""Degradation curves on three domains and their control, and CaseHOLD under other pools, written to docs/results/.

python benchmarks/degradation.py DATA              # runs every curve on the claims below the folder DATA
python benchmarks/degradation.py DATA --kept DIR   # and keeps, or takes up again, each curve's JSON in DIR
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from confute.harness.degradation import Degradation, Negatives, RankCurve, Share

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
PUBLISHED_RANK = 8
WIDTH, HEIGHT, MARGIN = 560, 260, 44


class Study(NamedTuple):
    """One curve: its name, its options, and the published means of supported claims and hard negatives, if any."""

    name: str
    title: str
    options: tuple[str, ...]
    published: tuple[float, float] | None


_FEVEROUS = (0.3714, 0.6950)
_PUBMED = (0.3700, 0.6944)
_PUBMED_OPTIONS = ("examples/curve-pubmedqa.yaml", "regimes/pubmedqa.jsonl")
STUDIES = (
    Study("feverous", "FEVEROUS", ("examples/curve-feverous.yaml", "regimes/feverous.jsonl"), _FEVEROUS),
    Study(
        "matched",
        "FEVEROUS, overlap matched",
        ("examples/curve-matched.yaml", "claims/feverous_s_matched.jsonl"),
        None,
    ),
    Study("pubmedqa_long", "PubMedQA, long answers", _PUBMED_OPTIONS, _PUBMED),
    Study("pubmedqa_question", "PubMedQA, questions", (*_PUBMED_OPTIONS, "--select", "*:q"), _PUBMED),
    Study("casehold", "CaseHOLD", ("examples/curve-casehold.yaml", "regimes/casehold.jsonl"), (0.6680, 0.6075)),
)
# The inverted gap of CaseHOLD under other pools than half of the excerpts.
_CASEHOLD = "regimes/casehold.jsonl"
POOLS = (
    Study(
        "casehold_small",
        "excerpts of 200 rows",
        ("examples/curve-casehold.yaml", _CASEHOLD, "--ranks", "8", "--max-cases", "200"),
        None,
    ),
    Study("casehold_all", "all excerpts", ("examples/curve-casehold-all.yaml", _CASEHOLD, "--ranks", "8"), None),
)


def main() -> None:
    """Run or take up every curve, and write the tables and plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--kept", type=Path, default=None)
    given = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        kept = given.kept or Path(scratch)
        results = [(study, curve_of(study, given.data, kept)) for study in STUDIES]
        pools = [(study, curve_of(study, given.data, kept)) for study in POOLS]
    for study, result in results:
        (RESULTS / f"degradation-{study.name}.svg").write_text(plot(study, result), encoding="utf-8")
    (RESULTS / "degradation-tables.md").write_text(
        "\n".join((*page(results), *other_pools(results[-1], pools))) + "\n", encoding="utf-8"
    )


def command(study: Study, data: str) -> list[str]:
    """Return the command that makes a study's curve, with its claims below the folder `data`."""
    contract, claims, *rest = study.options
    return ["confute", "curve", contract, "--data", f"{data}/{claims}", *rest]


def curve_of(study: Study, data: Path, kept: Path) -> Degradation:
    """Return a study's curve from the folder where curves are kept, made first where it is not there."""
    path = kept / f"{study.name}.json"
    if not path.exists():
        kept.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-m", *command(study, str(data)), "--runs", str(kept / "runs"), "--format", "json"]
        made = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
        path.write_text(made.stdout, encoding="utf-8")
    return Degradation.model_validate_json(path.read_text(encoding="utf-8"))


def page(results: Sequence[tuple[Study, Degradation]]) -> Iterator[str]:
    """Yield the lines of the page of tables."""
    yield "# Degradation curves: tables"
    yield ""
    yield "Written by `python benchmarks/degradation.py DATA`. Intervals are 95 %, from resamples of sources;"
    yield "`n` is given where not every claim is measured."
    yield from ("", "## Sources", "")
    yield "| set | declared groups | sources once joined | most groups in one | kept apart beyond groups | supporting |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for study, result in results:
        yield sources_row(study, result)
    yield from ("", "## Beside the published means, rank 8", "")
    yield "| set | claims | supported mean | semantic neighbour mean | gap | all eligible mean | gap | published |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for study, result in results:
        yield beside_published(study, at_rank(result, PUBLISHED_RANK))
    for study, result in results:
        yield from section(study, result)


def beside_published(study: Study, curve: RankCurve) -> str:
    """Return the row that sets a study's means at the published rank beside the published ones."""
    near, far = curve.points[0], curve.points[-1]
    published = "—" if study.published is None else "{:.4f} / {:.4f}".format(*study.published)
    cells = (
        study.title,
        str(curve.claims),
        number(curve.positives_mean),
        number(near.mean),
        gap(near),
        number(far.mean),
    )
    return f"| {' | '.join((*cells, gap(far), published))} |"


def sources_row(study: Study, result: Degradation) -> str:
    """Return how a study's groups were joined, and how many pairs of a claim and a set are not mined for it."""
    sources, pool = result.sources, result.pool
    cells = (sources.declared, sources.joined, sources.largest, pool.kept_apart, pool.supporting)
    return f"| {' | '.join((study.title, *map(str, cells)))} |"


def other_pools(usual: tuple[Study, Degradation], results: Sequence[tuple[Study, Degradation]]) -> Iterator[str]:
    """Yield the gap of CaseHOLD under pools of several sizes, with labels honoured and ignored."""
    yield from ("", "## CaseHOLD under other pools, rank 8", "", "```")
    for study, _ in results:
        yield " ".join(command(study, "DATA"))
    yield from ("```", "")
    yield "| pool | sets | labels | claims | own mean | gap random | gap K = 1 | gap all eligible | AUC all |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for study, result in (
        results[0],
        (usual[0]._replace(title="half of the excerpts, as above"), usual[1]),
        *results[1:],
    ):
        ignored = next(one.curve for one in result.ablations if one.toggle == "honour_labels")
        for labels, curve in (("honoured", at_rank(result, PUBLISHED_RANK)), ("ignored", ignored)):
            cells = (study.title, str(result.pool.sets), labels, str(curve.claims), number(curve.positives_mean))
            points = (gap(curve.baseline), gap(curve.points[0]), gap(curve.points[-1]), estimate(curve, -1))
            yield f"| {' | '.join((*cells, *points))} |"


def section(study: Study, result: Degradation) -> Iterator[str]:
    """Yield a study's plot, its command, one row for each rank, and what each switched-off guard does."""
    yield from ("", f"## {study.title}", "", f"![AUC against K]({f'degradation-{study.name}.svg'})", "", "```")
    yield " ".join(f"'{word}'" if "*" in word else word for word in command(study, "DATA"))
    yield from ("```", "")
    heads = ("rank", "AUC random", "AUC K = 1", "AUC all", "claims at every K", "lambda_adv", "FAR random")
    yield f"| {' | '.join((*heads, 'FAR all', 'SAR', 'ASR_induced all', 'AUC own labels'))} |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for curve in sorted(result.curves, key=lambda one: 10**6 if one.rank == "full" else int(one.rank)):
        yield rank_row(curve)
    yield from (
        "",
        "| at rank 8 | claims | gap K = 1 | mean, all eligible | gap | AUC K = 1 | AUC all | claims at every K "
        "| lambda_adv | best-of-K rises | drawn at random |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    )
    yield toggle_row("every guard on", at_rank(result, PUBLISHED_RANK))
    for ablation in result.ablations:
        yield toggle_row(f"{ablation.toggle} off", ablation.curve)


def rank_row(curve: RankCurve) -> str:
    """Return the row of one rank."""
    last, slope = curve.points[-1], curve.lambda_adv
    cells = (
        str(curve.rank),
        counted(curve.baseline, curve),
        estimate(curve, 0),
        estimate(curve, -1),
        str(curve.common_claims),
        spread(slope.value, slope.low, slope.high, 4),
        share(curve.baseline.false_acceptance),
        share(last.false_acceptance),
        share(curve.supported_acceptance),
        share(last.induced),
        "—"
        if curve.own_label_auc is None
        else spread(curve.own_label_auc.value, curve.own_label_auc.low, curve.own_label_auc.high),
    )
    return f"| {' | '.join(cells)} |"


def toggle_row(name: str, curve: RankCurve) -> str:
    """Return the row of one setting of the guards."""
    first, last, slope = curve.points[0], curve.points[-1], curve.lambda_adv
    cells = (
        name,
        str(curve.claims),
        gap(first),
        number(last.mean),
        gap(last),
        estimate(curve, 0),
        estimate(curve, -1),
        str(curve.common_claims),
        spread(slope.value, slope.low, slope.high, 4),
        f"{curve.monotony.rises} of {curve.monotony.compared}",
        str(sum(point.fallen_back for point in curve.points)),
    )
    return f"| {' | '.join(cells)} |"


def plot(study: Study, result: Degradation) -> str:
    """Return an SVG of AUC against log2 K, one line for each rank, the last point being every eligible set."""
    tones = ("#7b3294", "#c2a5cf", "#2166ac", "#67a9cf", "#1b7837", "#7fbf7b", "#b35806")
    drawn = [line(curve, tone, index) for index, (curve, tone) in enumerate(zip(result.curves, tones, strict=False))]
    names = [point.name for point in result.curves[0].points]
    ticks = [
        f'<text x="{x:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{name}</text>'
        for x, name in zip(places(len(names)), names, strict=True)
    ]
    levels = [
        f'<line x1="{MARGIN}" x2="{WIDTH - 80}" y1="{height(value):.1f}" y2="{height(value):.1f}" stroke="#ccc"/>'
        f'<text x="{MARGIN - 6}" y="{height(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>'
        for value in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11"'
    title = f"{study.title}: AUC of supported claims against foreign evidence, by K"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f'<text x="{MARGIN}" y="16" font-size="13">{title}</text>'
    )
    return "\n".join([head, *levels, *ticks, *drawn, "</svg>"]) + "\n"


def line(curve: RankCurve, tone: str, index: int) -> str:
    """Return one rank's line with its interval as a band, and its name in the legend."""
    points = [
        (x, point.auc)
        for x, point in zip(places(len(curve.points)), curve.points, strict=True)
        if point.auc.value is not None
    ]
    middle = " ".join(f"{x:.1f},{height(auc.value or 0):.1f}" for x, auc in points)
    upper = [f"{x:.1f},{height(auc.high or 0):.1f}" for x, auc in points]
    lower = [f"{x:.1f},{height(auc.low or 0):.1f}" for x, auc in reversed(points)]
    return (
        f'<polygon points="{" ".join(upper + lower)}" fill="{tone}" fill-opacity="0.12"/>'
        f'<polyline points="{middle}" fill="none" stroke="{tone}" stroke-width="1.6"/>'
        f'<text x="{WIDTH - 70}" y="{40 + 16 * index}" fill="{tone}">rank {curve.rank}</text>'
    )


def places(count: int) -> list[float]:
    """Return the x of each point."""
    return [MARGIN + 20 + (WIDTH - 150 - MARGIN) * index / max(count - 1, 1) for index in range(count)]


def height(auc: float) -> float:
    """Return the y of an AUC."""
    return HEIGHT - 30 - (auc - 0.35) / 0.65 * (HEIGHT - 60)


def at_rank(result: Degradation, rank: int) -> RankCurve:
    """Return the curve of one rank."""
    return next(curve for curve in result.curves if curve.rank == rank)


def gap(point: Negatives) -> str:
    """Return the gap of means with its interval."""
    return spread(point.gap.value, point.gap.low, point.gap.high)


def estimate(curve: RankCurve, at: int) -> str:
    """Return the AUC of one point with its interval."""
    return counted(curve.points[at], curve)


def counted(point: Negatives, curve: RankCurve) -> str:
    """Return an AUC with its interval, and with its n where not every claim is measured."""
    n = point.false_acceptance.rate.denominator
    written = spread(point.auc.value, point.auc.low, point.auc.high)
    return written if n == curve.claims else f"{written}, n = {n}"


def share(found: Share | None) -> str:
    """Return a share as numerator, denominator and interval."""
    if found is None or found.rate.value is None:
        return "—"
    low, high = found.bootstrap.low, found.bootstrap.high
    bounds = "" if low is None or high is None else f" [{low:.0%}, {high:.0%}]"
    return f"{found.rate.numerator}/{found.rate.denominator} = {found.rate.value:.0%}{bounds}"


def spread(value: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """Return a figure with its interval."""
    if value is None:
        return "—"
    return f"{value:.{digits}f}" + ("" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]")


def number(value: float | None) -> str:
    """Return a mean."""
    return "—" if value is None else f"{value:.4f}"


if __name__ == "__main__":
    main()
