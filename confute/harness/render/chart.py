"""The geometry of the success curve: queries on a log2 axis, share of items on a linear one, in SVG user units."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from confute.harness.curve import Curve, CurvePoint
from confute.harness.rates import Rate

WIDTH, HEIGHT = 520, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 14, 42


class Dot(NamedTuple):
    """A point of a line, with the words that a reader is told about it."""

    x: float
    y: float
    words: str


class Line(NamedTuple):
    """One arm: its class in the style sheet, its name, its dots, and the paths of the line and of its band."""

    style: str
    name: str
    dots: tuple[Dot, ...]
    path: str
    band: str


class Tick(NamedTuple):
    """A mark on an axis, at a place in user units."""

    at: float
    label: str


class Chart(NamedTuple):
    """Everything that is drawn."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]


def chart(curve: Curve, words: Callable[[Rate | None], str]) -> Chart:
    """Return the drawing of a success curve; a budget at which nothing was measured has no dot."""
    shown = [point for point in curve.points if point.search is not None]
    last = max((point.queries for point in shown), default=1)
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        x_ticks=tuple(Tick(_x(point.queries, last), str(point.queries)) for point in shown),
        y_ticks=tuple(Tick(y_at(percent / 100), f"{percent} %") for percent in (0, 25, 50, 75, 100)),
        lines=(
            _line("blind", "no feedback", shown, lambda point: point.no_feedback, last, words),
            _line("search", "search", shown, lambda point: point.search, last, words),
        ),
    )


def _line(  # noqa: PLR0913, PLR0917  one value for each thing drawn
    style: str,
    name: str,
    points: Sequence[CurvePoint],
    arm: Callable[[CurvePoint], Rate | None],
    last: int,
    words: Callable[[Rate | None], str],
) -> Line:
    measured = [(point.queries, rate) for point in points if (rate := arm(point)) is not None]
    dots = tuple(
        Dot(_x(queries, last), y_at(rate.value), f"{name}, q = {queries}: {words(rate)}")
        for queries, rate in measured
        if rate.value is not None
    )
    upper = [(_x(queries, last), y_at(rate.high)) for queries, rate in measured if rate.high is not None]
    lower = [(_x(queries, last), y_at(rate.low)) for queries, rate in measured if rate.low is not None]
    return Line(
        style=style,
        name=name,
        dots=dots,
        path=svg_path([(dot.x, dot.y) for dot in dots]),
        band=svg_path([*upper, *reversed(lower)]),
    )


def svg_path(points: Sequence[tuple[float, float]]) -> str:
    """Return the points as the path of an SVG line."""
    return " ".join(f"{'L' if index else 'M'}{x:.1f} {y:.1f}" for index, (x, y) in enumerate(points))


def _x(queries: int, last: int) -> float:
    share = math.log2(queries) / math.log2(last) if last > 1 else 0.5
    return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)


def y_at(share: float) -> float:
    """Return the height of a share from 0 to 1."""
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
