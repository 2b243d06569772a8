"""The drawings of a degradation curve: figures against log2 K, and the histograms of energies, in SVG user units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from confute.harness.degradation import BINS, Negatives, RankCurve
from confute.harness.rates import Estimate
from confute.harness.render import words
from confute.harness.render.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Chart, Dot, Line, Tick, svg_path, y_at

_INSET = 14
_STEP_TO_ALL = 1.5


class Outline(NamedTuple):
    """One histogram: its class in the style sheet, its name, and the path around it."""

    style: str
    name: str
    path: str


class Histogram(NamedTuple):
    """Histograms over the same bins, each as shares of its own total, and the threshold among them."""

    outlines: tuple[Outline, ...]
    x_ticks: tuple[Tick, ...]
    threshold: float | None
    words: str


def chart(curve: RankCurve) -> Chart:
    """Return AUC and false acceptance against log2 K; `all` stands beyond the largest K, off the scale."""
    points = [point for point in curve.points if point.auc.value is not None]
    places = _places(points)
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        x_ticks=tuple(Tick(place, point.name) for place, point in zip(places, points, strict=True)),
        y_ticks=tuple(Tick(y_at(percent / 100), f"{percent / 100:g}") for percent in (0, 25, 50, 75, 100)),
        lines=(
            _line("blind", "FAR", points, places, [point.false_acceptance.bootstrap for point in points]),
            _line("search", "AUC", points, places, [point.auc for point in points]),
        ),
    )


def histogram(curve: RankCurve) -> Histogram:
    """Return the energies of the claims with their own evidence, the baseline's, and those of the widest searches."""
    searched = [point for point in curve.points if sum(point.histogram)]
    adversarial = [("hot", f"K = {point.name}", point.histogram) for point in searched[-1:]]
    shown = [
        ("own", "own evidence", curve.positives_histogram),
        ("cool", "random evidence", curve.baseline.histogram),
        *adversarial,
    ]
    highest = max((max(bins) / sum(bins) for _, _, bins in shown if sum(bins)), default=1.0)
    tau = curve.victim.threshold
    return Histogram(
        outlines=tuple(Outline(style, name, _steps(bins, highest)) for style, name, bins in shown if sum(bins)),
        x_ticks=tuple(Tick(_x(value / 4), f"{value / 4:g}") for value in range(5)),
        threshold=_x(tau) if 0 <= tau <= 1 else None,
        words=f"shares of claims by energy; threshold {tau:.3f}",
    )


def _places(points: Sequence[Negatives]) -> list[float]:
    logs = [math.log2(point.budget) for point in points if point.budget is not None]
    last = max(logs, default=0.0)
    values = [last + _STEP_TO_ALL if point.budget is None else math.log2(point.budget) for point in points]
    spread = max(values, default=0.0) or 1.0
    return [_x(value / spread) for value in values]


def _line(
    style: str, name: str, points: Sequence[Negatives], places: Sequence[float], values: Sequence[Estimate]
) -> Line:
    dots = [
        Dot(place, y_at(one.value), f"{name}, K = {point.name}: {words.estimate(one)}")
        for place, point, one in zip(places, points, values, strict=True)
        if one.value is not None
    ]
    upper = [(place, y_at(one.high)) for place, one in zip(places, values, strict=True) if one.high is not None]
    lower = [(place, y_at(one.low)) for place, one in zip(places, values, strict=True) if one.low is not None]
    return Line(
        style=style,
        name=name,
        dots=tuple(dots),
        path=svg_path([(dot.x, dot.y) for dot in dots]),
        band=svg_path([*upper, *reversed(lower)]),
    )


def _steps(bins: Sequence[int], highest: float) -> str:
    total = sum(bins)
    corners = [(_x(0.0), y_at(0.0))]
    for number, count in enumerate(bins):
        height = y_at(count / total / highest)
        corners += [(_x(number / BINS), height), (_x((number + 1) / BINS), height)]
    return svg_path([*corners, (_x(1.0), y_at(0.0))])


def _x(share: float) -> float:
    return LEFT + _INSET + share * (WIDTH - LEFT - RIGHT - 2 * _INSET)
