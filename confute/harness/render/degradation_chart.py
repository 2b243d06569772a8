"""The drawings of a degradation curve: figures against log2 K, and the histograms of energies, in SVG user units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from confute.harness.degradation import BINS, Negatives, RankCurve
from confute.harness.rates import Estimate
from confute.harness.render import words
from confute.harness.render.plot import Chart, Line, Spot, Tick, framed, level, line, svg_path, x_at, y_at

_STEP_TO_ALL = 1.5
_STEP_FROM_RANDOM = 1.5
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 5


class Outline(NamedTuple):
    """One histogram: its class in the style sheet, its name, and the path around it."""

    style: str
    name: str
    path: str


class Histogram(NamedTuple):
    """Histograms over the same bins, each as shares of its own total, and the threshold among them."""

    outlines: tuple[Outline, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    threshold: float | None
    words: str


def chart(curve: RankCurve) -> Chart | None:
    """Return AUC and false acceptance against log2 K, and those on random evidence before them.

    `all` stands beyond the largest K, off the scale. None where nothing could be mined.
    """
    points = [point for point in curve.points if point.auc.value is not None]
    if not points:
        return None
    first, *places = _places(points)
    random = curve.baseline
    return framed(
        (Tick(first, "random"), *(Tick(place, point.name) for place, point in zip(places, points, strict=True))),
        lambda percent: f"{percent / 100:g}",
        (
            _line("blind", "FAR", points, places, [point.false_acceptance.bootstrap for point in points]),
            _line("search", "AUC", points, places, [point.auc for point in points]),
        ),
        (
            *level("blind", _spot("FAR, random evidence", first, random.false_acceptance.bootstrap)),
            *level("search", _spot("AUC, random evidence", first, random.auc)),
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
        x_ticks=tuple(Tick(x_at(value / 4), f"{value / 4:g}") for value in range(5)),
        y_ticks=tuple(Tick(y_at(share / highest), f"{share * 100:.0f} %") for share in _marks(highest)),
        threshold=x_at(tau) if 0 <= tau <= 1 else None,
        words=f"shares of claims by energy; threshold {tau:.3f}",
    )


def _marks(highest: float) -> list[float]:
    """Return round shares from 0 to the highest, at most five."""
    step = next((one for one in _STEPS if highest / one < _MOST_TICKS), _STEPS[-1])
    return [step * number for number in range(int(highest / step + 1e-9) + 1)]


def _places(points: Sequence[Negatives]) -> list[float]:
    """Return the place of random evidence, and that of each point."""
    last = max((math.log2(point.budget) for point in points if point.budget is not None), default=0.0)
    values = [last + _STEP_TO_ALL if point.budget is None else math.log2(point.budget) for point in points]
    spread = _STEP_FROM_RANDOM + max(values)
    return [x_at(0.0), *(x_at((_STEP_FROM_RANDOM + value) / spread) for value in values)]


def _line(
    style: str, name: str, points: Sequence[Negatives], places: Sequence[float], values: Sequence[Estimate]
) -> Line:
    spots = [
        _spot(f"{name}, K = {point.name}", place, one) for place, point, one in zip(places, points, values, strict=True)
    ]
    return line(style, name, spots)


def _spot(name: str, place: float, value: Estimate) -> Spot:
    return Spot(place, value.value, value.low, value.high, f"{name}: {words.estimate(value)}")


def _steps(bins: Sequence[int], highest: float) -> str:
    total = sum(bins)
    corners = [(x_at(0.0), y_at(0.0))]
    for number, count in enumerate(bins):
        height = y_at(count / total / highest)
        corners += [(x_at(number / BINS), height), (x_at((number + 1) / BINS), height)]
    return svg_path([*corners, (x_at(1.0), y_at(0.0))])
