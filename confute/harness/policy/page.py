"""A policy as a page of tables."""

from __future__ import annotations

from collections.abc import Iterator

from confute.harness.judging.page import Page, Part
from confute.harness.policy.choosing import Chosen
from confute.harness.policy.loads import Load
from confute.harness.policy.measuring import Cost, CurvePoint, Measured, Share
from confute.harness.rates import Estimate, Rate
from confute.harness.render.words import DASH, cell, estimate, unmeasured


def page(found: Measured, claims: int) -> Page:
    """Return a measured policy as a page; loads are told of so many claims."""
    policy = found.chosen.policy
    parts = (
        Part("where claims go", ("claims", "accept", "review", "reject", "not measured"), _routed(found.routed)),
        Part("what a bound on false rejection costs", _COST_HEAD, tuple(map(_cost, found.costs))),
        Part(f"of {claims} claims", _LOAD_HEAD, tuple(_load(one, claims) for one in found.loads)),
        Part("risk-coverage curve", ("accepted", "risk at most", "of these not supported"), _curve(found.curve)),
    )
    title = f"policy of {found.chosen.detector}: accept up to {policy.low:.4g}, reject over {policy.high:.4g}"
    return Page(title, tuple(_warnings(found.chosen)), tuple(_lines(found)), parts)


_COST_HEAD = ("at most", "reject over", "false rejection", "decided without a person", "supported, reviewed")
_LOAD_HEAD = ("not supported", "to review", "rejected", "missed", "alerts that are right")


def _warnings(chosen: Chosen) -> Iterator[str]:
    for warning in sorted({*chosen.accept.warnings, *chosen.reject.warnings}):
        yield f"{warning}: the detector gave two values alone, so that no band can be tuned"
    if chosen.needs_no_review:
        yield "the band is empty: one threshold keeps both error rates on the calibration claims"


def _lines(found: Measured) -> Iterator[str]:
    chosen = found.chosen
    accept, reject = chosen.accept, chosen.reject
    yield (
        f"chosen on {accept.n} claims without support and {reject.n} supported ones: at most "
        f"{chosen.targets.false_acceptance:g} of the former accepted, {chosen.targets.false_rejection:g} of the latter "
        "rejected"
    )
    yield f"measured on {found.cases} other claims of {found.groups} other sources; intervals are clustered by source"
    yield f"decided without a person: {cell(found.coverage)}, of these wrong: {cell(found.selective_risk)}"
    yield (
        f"AURC {estimate(found.aurc)}; {_figure(found.aurc_constant)} would say nothing, {_figure(found.aurc_best)} "
        "is a perfect order"
    )


def _routed(shares: tuple[Share, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            share.kind,
            *(_bare(one) for one in (share.accept, share.review, share.reject)),
            unmeasured(share.accept) or "0",
        )
        for share in shares
    )


def _bare(rate: Rate) -> str:
    return cell(rate.model_copy(update={"errors": 0, "no_evidence": 0, "unknown": 0}))


def _cost(one: Cost) -> tuple[str, ...]:
    rates = (one.false_rejection, one.coverage, one.reviewed_supported)
    return (f"{one.target:g}", f"{one.high:.4g}", *(_bare(rate) for rate in rates))


def _load(one: Load, claims: int) -> tuple[str, ...]:
    counts = (_count(part, claims) for part in (one.review, one.reject, one.missed))
    return (f"{one.base_rate:.1%}", *counts, estimate(one.precision, 2))


def _count(share: Estimate, claims: int) -> str:
    if share.value is None or share.low is None or share.high is None:
        return DASH
    return f"{share.value * claims:.0f} [{share.low * claims:.0f}–{share.high * claims:.0f}]"


def _curve(points: tuple[CurvePoint, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple((f"{point.coverage:.0%}", f"{point.threshold:.4g}", _bare(point.wrong)) for point in points)


def _figure(value: float | None) -> str:
    return DASH if value is None else f"{value:.3f}"
