"""The drawing of the success curve: queries on a log2 axis, share of items on a linear one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from confute.harness.curve import Curve, CurvePoint
from confute.harness.rates import Rate
from confute.harness.render.plot import Chart, Line, Spot, Tick, framed, line, x_at

Words = Callable[[Rate | None], str]


def chart(curve: Curve, words: Words) -> Chart:
    """Return the drawing of a success curve; a budget at which nothing was measured has no dot."""
    shown = [point for point in curve.points if point.search is not None]
    places = _places(shown)
    return framed(
        (Tick(place, str(point.queries)) for place, point in zip(places, shown, strict=True)),
        lambda percent: f"{percent} %",
        (
            _line("blind", "no feedback", shown, places, [point.no_feedback for point in shown], words),
            _line("search", "search", shown, places, [point.search for point in shown], words),
        ),
    )


def _line(  # noqa: PLR0913, PLR0917  one value for each thing drawn
    style: str,
    name: str,
    points: Sequence[CurvePoint],
    places: Sequence[float],
    rates: Sequence[Rate | None],
    words: Words,
) -> Line:
    measured = [(place, point, one) for place, point, one in zip(places, points, rates, strict=True) if one is not None]
    spots = [
        Spot(place, one.value, one.low, one.high, f"{name}, q = {point.queries}: {words(one)}")
        for place, point, one in measured
    ]
    return line(style, name, spots)


def _places(points: Sequence[CurvePoint]) -> list[float]:
    last = math.log2(max((point.queries for point in points), default=1))
    return [x_at(math.log2(point.queries) / last if last else 0.5) for point in points]
