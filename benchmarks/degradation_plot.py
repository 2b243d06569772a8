"""The plot of a degradation curve over its ranks: AUC on random evidence, then against log2 K."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from confute.harness.degradation import Degradation, RankCurve
from confute.harness.rates import Estimate

WIDTH, HEIGHT = 680, 300
LEFT, RIGHT, TOP, BOTTOM = 54, 520, 34, 254
LOWEST, SAME = 0.35, 0.001
TONES = ("#7b3294", "#2166ac", "#1b7837", "#b35806", "#c51b7d", "#4d4d4d", "#01665e")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4", "12 4")
NOTES = ("ranks within .001", "share a line")


class Arm(NamedTuple):
    """The ranks whose AUCs all differ by less than .001, and the AUC of the least on random evidence and at each K."""

    ranks: tuple[str, ...]
    values: tuple[Estimate, ...]


def by_rank(result: Degradation) -> list[RankCurve]:
    """Return the curves in the order of their ranks, the full one last."""
    return sorted(result.curves, key=lambda one: 10**6 if one.rank == "full" else int(one.rank))


def plot(title: str, result: Degradation) -> str:
    """Return an SVG of the AUC on random evidence and against log2 K, one line for ranks that agree.

    The last point is every eligible set.
    """
    names = ["random", *(point.name for point in result.curves[0].points)]
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f'<text x="{LEFT}" y="18" font-size="13">{title}: own evidence of supported claims against foreign</text>'
    )
    return "\n".join([head, *_axes(names), *_drawn(arms(result)), "</svg>"]) + "\n"


def arms(result: Degradation) -> list[Arm]:
    """Return the lines to draw, by their least rank."""
    found: list[Arm] = []
    for curve in by_rank(result):
        values = (curve.baseline.auc, *(point.auc for point in curve.points))
        at = next((place for place, arm in enumerate(found) if _agree(arm.values, values)), None)
        if at is None:
            found.append(Arm((str(curve.rank),), values))
        else:
            found[at] = Arm((*found[at].ranks, str(curve.rank)), found[at].values)
    return found


def _agree(first: Sequence[Estimate], second: Sequence[Estimate]) -> bool:
    pairs = [(one.value, other.value) for one, other in zip(first, second, strict=True)]
    return all(one == other or (one and other and abs(one - other) < SAME) for one, other in pairs)


def _axes(names: Sequence[str]) -> Iterator[str]:
    for value in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        y = _height(value)
        yield f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>'
    for x, name in zip(_places(len(names)), names, strict=True):
        yield f'<text x="{x:.0f}" y="{BOTTOM + 18}" text-anchor="middle">{name}</text>'
    middle = (LEFT + RIGHT) / 2
    words = "one random set; then K eligible sets, nearest first (log scale), and all"
    yield f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{words}</text>'
    yield f'<text transform="translate(16 {(TOP + BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">AUC</text>'


def _drawn(lines: Sequence[Arm]) -> Iterator[str]:
    for index, (arm, tone) in enumerate(zip(lines, TONES, strict=False)):
        known = [(x, one) for x, one in zip(_places(len(arm.values)), arm.values, strict=True) if one.value is not None]
        at = [f"{x:.1f},{_height(one.value or 0):.1f}" for x, one in known]
        upper = [f"{x:.1f},{_height(one.high or 0):.1f}" for x, one in known[1:]]
        lower = [f"{x:.1f},{_height(one.low or 0):.1f}" for x, one in reversed(known[1:])]
        stroke = f'fill="none" stroke="{tone}" stroke-width="1.8"'
        dash = f' stroke-dasharray="{DASHES[index]}"' if DASHES[index] else ""
        yield f'<polygon points="{" ".join(upper + lower)}" fill="{tone}" fill-opacity="0.10"/>'
        yield f'<polyline points="{" ".join(at[:2])}" {stroke} stroke-opacity="0.45" stroke-dasharray="3 4"/>'
        yield f'<polyline points="{" ".join(at[1:])}" {stroke}{dash}/>'
        yield from (
            f'<circle cx="{x:.1f}" cy="{_height(one.value or 0):.1f}" r="3" fill="{tone}"/>' for x, one in known
        )
        random, start = arm.values[0], _places(len(arm.values))[0]
        ends = [_height(one) for one in (random.low, random.high) if one is not None]
        yield f'<polyline points="{" ".join(f"{start:.1f},{y:.1f}" for y in ends)}" {stroke} stroke-opacity="0.45"/>'
        y = TOP + 8 + 18 * index
        yield f'<line x1="{RIGHT + 12}" x2="{RIGHT + 38}" y1="{y - 4}" y2="{y - 4}" {stroke}{dash}/>'
        yield f'<text x="{RIGHT + 44}" y="{y}">{_named(arm.ranks)}</text>'
    for index, note in enumerate(NOTES):
        yield f'<text x="{RIGHT + 12}" y="{BOTTOM - 14 + 14 * index}" fill="#666">{note}</text>'


def _named(ranks: Sequence[str]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {ranks[0]} to {ranks[-1]}" if len(ranks) > 3 else f"ranks {', '.join(ranks)}"


def _places(count: int) -> list[float]:
    """Return the x of each point."""
    return [LEFT + 22 + (RIGHT - LEFT - 44) * index / max(count - 1, 1) for index in range(count)]


def _height(auc: float) -> float:
    """Return the y of an AUC."""
    return BOTTOM - (auc - LOWEST) / (1 - LOWEST) * (BOTTOM - TOP)
