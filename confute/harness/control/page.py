"""A control as a page of tables, and its separation plot."""

from __future__ import annotations

from xml.sax.saxutils import escape

from confute.harness.control.probe import ControlArm
from confute.harness.control.verdict import LEAST_APART, MOST_FALSE, ArmResult, Control
from confute.harness.judging.page import Page, Part
from confute.harness.render.plot import Chart, Line, Spot, Tick, framed, line, x_at

_HEAD = ("arm", "flagged", "share", "95 % interval", "over unrelated", "mean risk", "not measured", "as it should")
_COLOURS = {"corrupted": "#b3261e", "faithful": "#1b6e3c", "unrelated": "#5f6368"}


def page(control: Control) -> Page:
    """Return a control as a page: the verdict, what the detector cannot see, and every arm with its counts."""
    said = {True: "the arms separate", False: "the arms do not separate", None: "no verdict"}[control.passed]
    lines = (
        f"{control.records} records, {control.probes} texts from {control.source}; flagged is a risk over "
        f"{control.threshold:g}",
        f"gate: faithful at most {MOST_FALSE:g} (upper bound), wrong by {control.gated_drift:.0%} over unrelated by "
        f"more than {LEAST_APART:g} (lower bound), one-sided 95 %, clustered by record",
        *control.sentences,
        control.earned,
    )
    parts = [Part("arms", _HEAD, tuple(_row(one) for one in control.arms))]
    if control.errors:
        parts.append(
            Part("not measured", ("code", "texts"), tuple((code, str(n)) for code, n in control.errors.items()))
        )
    if control.left_out:
        parts.append(
            Part("could not be built", ("arm", "texts"), tuple((arm, str(n)) for arm, n in control.left_out.items()))
        )
    warnings = () if control.passed else (said,)
    return Page(f"control of {control.detector}: {said}", warnings, lines, tuple(parts))


def _row(one: ArmResult) -> tuple[str, ...]:
    flagged = one.flagged
    interval = "-" if flagged.low is None or flagged.high is None else f"{flagged.low:.3f} to {flagged.high:.3f}"
    return (
        named(one),
        f"{flagged.numerator} of {flagged.denominator}",
        _figure(flagged.value),
        interval,
        "" if one.arm.is_clean else f"at least {_figure(one.apart)}",
        _figure(one.mean_risk),
        str(flagged.unmeasured),
        {True: "yes", False: "NO", None: "-"}[one.as_it_should],
    )


def named(one: ArmResult) -> str:
    """Return an arm's name with its drift, which within 3 % is called rounding."""
    if one.drift is None:
        return str(one.arm)
    return f"{one.arm} {one.drift:.0%}" + (" (rounding)" if one.drift <= 0.03 else "")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def chart(control: Control) -> Chart:
    """Return the separation plot: the flagged share over the drift, between the faithful and the unrelated arm."""
    sweep = [one for one in control.arms if one.arm is ControlArm.CORRUPTED]
    at = {one.drift: x_at(place / max(1, len(sweep) - 1)) for place, one in enumerate(sweep)}
    flat = {
        arm: next((one for one in control.arms if one.arm is arm), None)
        for arm in (ControlArm.FAITHFUL, ControlArm.UNRELATED)
    }
    lines = [line("corrupted", "corrupted", [_spot(one, at[one.drift]) for one in sweep])]
    lines += [line(arm, arm, [_spot(one, x) for x in at.values()]) for arm, one in flat.items() if one is not None]
    ticks = [Tick(x, f"{drift or 0:.0%}") for drift, x in at.items()]
    return framed(ticks, lambda percent: f"{percent} %", lines)


def _spot(one: ArmResult, x: float) -> Spot:
    return Spot(x, one.flagged.value, one.flagged.low, one.flagged.high, f"{named(one)}: {_figure(one.flagged.value)}")


def svg(control: Control) -> str:
    """Return the separation plot as an SVG file, readable on any background."""
    drawn = chart(control)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawn.width} {drawn.height}" font-family="sans-serif" '
        f'font-size="11" role="img"><title>{escape(control.detector)}: flagged share by drift</title>',
        f'<rect width="{drawn.width}" height="{drawn.height}" fill="white"/>',
    ]
    for tick in drawn.y_ticks:
        parts.append(
            f'<path d="M{drawn.left} {tick.at:.1f} H{drawn.right}" stroke="#ddd"/>'
            f'<text x="{drawn.left - 6}" y="{tick.at + 4:.1f}" text-anchor="end">{tick.label}</text>'
        )
    for tick in drawn.x_ticks:
        parts.append(f'<text x="{tick.at:.1f}" y="{drawn.bottom + 16}" text-anchor="middle">{tick.label}</text>')
    parts += [_drawn(one) for one in drawn.lines]
    middle = (drawn.left + drawn.right) / 2
    parts.append(f'<text x="{middle:.1f}" y="{drawn.bottom + 34}" text-anchor="middle">how wrong the number is</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(one: Line) -> str:
    colour = _COLOURS[one.style]
    dots = "".join(
        f'<circle cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="3" fill="{colour}"><title>{escape(dot.words)}</title></circle>'
        for dot in one.dots
    )
    label = ""
    if one.dots:
        label = (
            f'<text x="{one.dots[0].x + 8:.1f}" y="{one.dots[0].y - 6:.1f}" fill="{colour}">{escape(one.name)}</text>'
        )
    band = f'<path d="{one.band} Z" fill="{colour}" fill-opacity="0.15"/>' if one.band else ""
    return f'{band}<path d="{one.path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}{label}'
