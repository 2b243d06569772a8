"""The geometry that charts share: a frame with its ticks, and lines with their bands, in SVG user units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

_WIDTH, _HEIGHT = 520, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 14, 42
_INSET = 14


class Spot(NamedTuple):
    """A figure to draw at a place along the x axis, with its interval and the words that a reader is told about it."""

    x: float
    value: float | None
    low: float | None
    high: float | None
    words: str


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


class Level(NamedTuple):
    """A figure that the lines are compared with: a dot with its interval before them, and its height beside them."""

    style: str
    dot: Dot
    low: float | None
    high: float | None


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
    levels: tuple[Level, ...]


def framed(
    x_ticks: Iterable[Tick], y_label: Callable[[int], str], lines: Iterable[Line], levels: Iterable[Level] = ()
) -> Chart:
    """Return a drawing whose y axis runs from 0 to 1; `y_label` names a mark given in per cent."""
    return Chart(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        right=_WIDTH - _RIGHT,
        top=_TOP,
        bottom=_HEIGHT - _BOTTOM,
        x_ticks=tuple(x_ticks),
        y_ticks=tuple(Tick(y_at(percent / 100), y_label(percent)) for percent in (0, 25, 50, 75, 100)),
        lines=tuple(lines),
        levels=tuple(levels),
    )


def line(style: str, name: str, spots: Sequence[Spot]) -> Line:
    """Return the line through the figures that are known, and the band of their intervals."""
    dots = tuple(Dot(one.x, y_at(one.value), one.words) for one in spots if one.value is not None)
    upper = [(one.x, y_at(one.high)) for one in spots if one.high is not None]
    lower = [(one.x, y_at(one.low)) for one in spots if one.low is not None]
    return Line(
        style=style,
        name=name,
        dots=dots,
        path=svg_path([(dot.x, dot.y) for dot in dots]),
        band=svg_path([*upper, *reversed(lower)]),
    )


def level(style: str, spot: Spot) -> Iterator[Level]:
    """Yield the level of a figure, if it is known."""
    if spot.value is not None:
        ends = (None if one is None else y_at(one) for one in (spot.low, spot.high))
        yield Level(style, Dot(spot.x, y_at(spot.value), spot.words), *ends)


def svg_path(points: Sequence[tuple[float, float]]) -> str:
    """Return the points as the path of an SVG line."""
    return " ".join(f"{'L' if index else 'M'}{x:.1f} {y:.1f}" for index, (x, y) in enumerate(points))


def x_at(share: float) -> float:
    """Return the place of a share from 0 to 1 of the x axis."""
    return _LEFT + _INSET + share * (_WIDTH - _LEFT - _RIGHT - 2 * _INSET)


def y_at(share: float) -> float:
    """Return the height of a share from 0 to 1."""
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)
