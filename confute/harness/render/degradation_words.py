"""The figures of a degradation curve as the tables and lines that every rendering shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from confute.harness.degradation import Degradation, Negatives, RankCurve, Share
from confute.harness.rates import Estimate
from confute.harness.render import words

_NAMES = {"random": "random (baseline)", "same_domain": "same domain", "all": "all eligible"}


class Table(NamedTuple):
    """A title, the heads of the columns, and rows of text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def lines(result: Degradation) -> Iterator[str]:
    """Yield what was mined, in a few sentences."""
    pool, settings = result.pool, result.settings
    eligible = (
        f"{pool.fewest_eligible}"
        if pool.fewest_eligible == pool.most_eligible
        else f"{pool.fewest_eligible} to {pool.most_eligible}"
    )
    selected = "" if settings.select is None else f", claims {settings.select}"
    yield (
        f"{result.dataset.name}{selected}: {pool.sets} evidence sets of {pool.groups} sources, "
        f"{eligible} eligible for a claim"
    )
    yield f"curve {result.curve_id}, contract {result.contract_digest[:12]}, seed {result.seed}"


def curve_lines(curve: RankCurve) -> Iterator[str]:
    """Yield the figures of a curve that are not of one budget."""
    victim, monotony = curve.victim, curve.monotony
    labels = ", ".join(f"{count} {label}" for label, count in curve.own_labels.items())
    yield (
        f"{curve.claims} claims of {curve.groups} sources, own evidence: mean energy "
        f"{words.decimal(curve.positives_mean, 4)}, accepted at <= {victim.threshold:.4f} ({victim.threshold_source}): "
        f"SAR {share(curve.supported_acceptance)}"
    )
    yield f"AUC of labels on own evidence: {words.estimate(curve.own_label_auc)} ({labels})"
    yield f"lambda_adv (fall of AUC per doubling of K): {words.estimate(curve.lambda_adv, 4)}"
    if curve.largest_drop is not None:
        drop = curve.largest_drop
        yield f"largest fall: {words.estimate(drop.fall)} from K = {drop.start} to {drop.stop}"
    yield f"best-of-K rises with K in {monotony.rises} of {monotony.compared} steps"
    firsts = ", ".join(f"K = {name}: {count}" for name, count in curve.first_accepted_at.items() if name != "never")
    yield f"first accepted at {firsts}; never: {curve.first_accepted_at['never']}"
    met = "no budget" if curve.meets_at is None else f"K = {curve.meets_at}"
    yield f"the AUC's interval reaches one half at: {met}"


def curve_table(curve: RankCurve) -> Table:
    """Return one row a kind of negatives."""
    head = ("K", "mined", "mean", "gap", "AUC", "FAR", "ASR_induced", "overlap", "depth 50 %, 90 %, most")
    negatives = (curve.baseline, curve.same_domain, *curve.points)
    return Table(f"rank {curve.rank}", head, tuple(_row(one) for one in negatives))


def brief_table(curve: RankCurve) -> Table:
    """Return the rows of a curve as they fit on a terminal; the other forms hold every column."""
    head = ("K", "mean", "gap", "AUC", "FAR", "ASR_induced", "depth")
    negatives = (curve.baseline, curve.same_domain, *curve.points)
    return Table(f"rank {curve.rank}", head, tuple(_brief_row(one) for one in negatives))


def ablation_table(result: Degradation) -> Table:
    """Return one column for the safe way to mine, and one for each toggle moved alone."""
    safe = "as set" if result.settings.toggles.moved else "safe"
    curves = {safe: result.curves[-1]} | {f"no {one.toggle}": one.curve for one in result.ablations}
    columns = [_ablated(one) for one in curves.values()]
    names = [*(f"AUC, {_name(point.name)}" for point in result.curves[-1].points), "gap, all", "lambda_adv", "SAR"]
    rows = tuple((name, *(column[at] for column in columns)) for at, name in enumerate(names))
    return Table(f"what each toggle does, rank {result.curves[-1].rank}", ("", *curves), rows)


def share(value: Share) -> str:
    """Return a share with its counts and its bootstrap interval."""
    rate, ends = value.rate, value.bootstrap
    if ends.value is None:
        return words.DASH
    between = words.DASH if ends.low is None or ends.high is None else f"{ends.low * 100:.0f}–{ends.high * 100:.0f} %"
    return f"{words.share(rate)} {words.percent(rate.value)} [{between}]"


def _row(one: Negatives) -> tuple[str, ...]:
    beside = [f"{one.ruled_supported} support it"] if one.ruled_supported else []
    beside += [f"{one.too_few_eligible} too few"] if one.too_few_eligible else []
    depth = words.DASH if one.depth is None else f"{one.depth.median:g}, {one.depth.p90:g}, {one.depth.deepest}"
    return (
        _name(one.name),
        f"{one.mined} ({', '.join(beside)})" if beside else str(one.mined),
        words.decimal(one.mean, 4),
        _spread(one.gap),
        words.estimate(one.auc),
        share(one.false_acceptance),
        words.DASH if one.name == "random" else share(one.induced),
        words.decimal(one.overlap, 2),
        depth,
    )


def _brief_row(one: Negatives) -> tuple[str, ...]:
    left_out = "" if one.mined - one.ruled_supported == one.claims else f" ({one.mined - one.ruled_supported} mined)"
    induced = words.DASH if one.name == "random" else _percent(one.induced)
    return (
        f"{_name(one.name)}{left_out}",
        words.decimal(one.mean),
        _spread(one.gap),
        words.estimate(one.auc),
        _percent(one.false_acceptance),
        induced,
        words.DASH if one.depth is None else f"{one.depth.median:g}, {one.depth.p90:.0f}",
    )


def _percent(value: Share) -> str:
    if value.rate.value is None:
        return words.DASH
    return share(value).removeprefix(words.share(value.rate)).strip()


def _spread(value: Estimate, digits: int = 3) -> str:
    if value.value is None:
        return words.DASH
    known = value.low is not None and value.high is not None
    ends = f"{value.low:+.{digits}f}, {value.high:+.{digits}f}" if known else words.DASH
    return f"{value.value:+.{digits}f} [{ends}]"


def _ablated(curve: RankCurve) -> tuple[str, ...]:
    return (
        *(words.estimate(point.auc, 2) for point in curve.points),
        _spread(curve.points[-1].gap, 2),
        words.decimal(curve.lambda_adv.value, 4),
        _percent(curve.supported_acceptance),
    )


def _name(kind: str) -> str:
    return _NAMES.get(kind, kind)
