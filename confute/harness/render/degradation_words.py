"""The figures of a degradation curve as the tables and lines that every rendering shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from confute.harness.degradation import Degradation, Negatives, PoolSummary, RankCurve, Share
from confute.harness.rates import Estimate
from confute.harness.render import words

_NAMES = {
    "random": "random (baseline)",
    "same_domain": "same domain",
    "semantic_neighbour": "semantic neighbour",
    "all": "all eligible",
}


class Table(NamedTuple):
    """A title, the heads of the columns, and rows of text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def lines(result: Degradation) -> Iterator[str]:
    """Yield what was mined, in a few sentences."""
    pool, plan = result.pool, result.plan
    eligible = (
        f"{pool.fewest_eligible}"
        if pool.fewest_eligible == pool.most_eligible
        else f"{pool.fewest_eligible} to {pool.most_eligible}"
    )
    selected = "" if plan.select is None else f", claims {plan.select}"
    yield (
        f"{result.dataset.name}{selected}: {words.counted(pool.sets, 'evidence set')} of "
        f"{words.counted(pool.groups, 'source')}, "
        f"{eligible} eligible for a claim"
    )
    sources = result.sources
    yield (
        f"{sources.declared} groups are {sources.joined} sources (at most {sources.largest} in one); "
        f"{pool.kept_apart} pairs of claim and set kept apart beyond their groups, "
        f"{pool.supporting} since the set supports the claim"
    )
    yield f"curve {result.curve_id}, contract {result.contract_digest[:12]}, seed {result.seed}"
    yield (
        f"budgets {', '.join(map(str, plan.budgets))}; ranks {', '.join(map(str, plan.ranks))}; "
        f"{result.measured} of {result.planned} points measured; {plan.resamples} resamples"
    )


def curve_lines(curve: RankCurve) -> Iterator[str]:
    """Yield the figures of a curve that are not of one budget."""
    victim, monotony = curve.victim, curve.monotony
    labels = ", ".join(f"{count} {label}" for label, count in curve.own_labels.items())
    yield (
        f"{words.counted(curve.claims, 'claim')} of {words.counted(curve.groups, 'source')}, own evidence: mean energy "
        f"{words.decimal(curve.positives_mean, 4)}, accepted at <= {victim.threshold:.4f} ({victim.threshold_source}): "
        f"SAR {share(curve.supported_acceptance)}"
    )
    yield f"AUC of labels on own evidence: {words.estimate(curve.own_label_auc)} ({labels})"
    yield (
        f"lambda_adv (fall of AUC per doubling of K): {words.estimate(curve.lambda_adv, 4)}, "
        f"of the {curve.common_claims} claims measured at every K"
    )
    if curve.largest_drop is not None:
        drop = curve.largest_drop
        yield f"largest fall: {words.estimate(drop.fall)} from K = {drop.start} to {drop.stop}"
    yield f"best-of-K rises with K in {monotony.rises} of {monotony.compared} steps"
    firsts = ", ".join(f"K = {one.name}: {_first_accepted(curve, one)}" for one in curve.points)
    yield f"first accepted at {firsts}; never: {curve.first_accepted_at['never']}"
    met = "no budget" if curve.meets_at is None else f"K = {curve.meets_at}"
    yield f"the AUC's interval reaches one half at: {met}"


def curve_table(curve: RankCurve, pool: PoolSummary) -> Table:
    """Return one row for the claims' own evidence and one a kind of negatives, each with its n and its state."""
    head = ("K", "n", "mean", "gap", "AUC", "FAR", "ASR_induced", "overlap", "depth 50 %, 90 %, most", "state")
    own = _own(curve, pool, len(head))
    return Table(f"rank {curve.rank}", head, (own, *(_row(one, pool) for one in _negatives(curve))))


def brief_table(curve: RankCurve, pool: PoolSummary) -> Table:
    """Return the rows of a curve as they fit on a terminal; the other forms hold every column."""
    head = ("K", "n", "mean", "gap", "AUC", "FAR", "ASR_induced", "state")
    own = _own(curve, pool, len(head))
    return Table(f"rank {curve.rank}", head, (own, *(_brief_row(one, pool) for one in _negatives(curve))))


def ablation_table(result: Degradation) -> Table:
    """Return one column for the safe way to mine, and one for each toggle moved alone."""
    safe = "as set" if result.plan.toggles.moved else "safe"
    last = result.curves[-1]
    curves = {safe: last} | {f"{one.toggle} off": one.curve for one in result.ablations}
    columns = [_ablated(one) for one in curves.values()]
    names = [
        "claims",
        "claims at every K",
        *(f"AUC, {_name(point.name)}" for point in last.points),
        f"gap, {_name(last.points[-1].name)}",
        "lambda_adv",
        "SAR",
        "best-of-K rises",
        "drawn at random",
    ]
    rows = tuple((name, *(column[at] for column in columns)) for at, name in enumerate(names))
    return Table(f"what each toggle does, rank {last.rank}", ("", *curves), rows)


def share(value: Share) -> str:
    """Return a share with its counts and its bootstrap interval."""
    rate, ends = value.rate, value.bootstrap
    if ends.value is None:
        return words.DASH
    between = words.DASH if ends.low is None or ends.high is None else f"{ends.low * 100:.0f}–{ends.high * 100:.0f} %"
    return f"{words.share(rate)} {words.percent(rate.value)} [{between}]"


def _first_accepted(curve: RankCurve, point: Negatives) -> str:
    return str(curve.first_accepted_at[point.name]) if point.mined else words.DASH


def _negatives(curve: RankCurve) -> tuple[Negatives, ...]:
    chosen = (curve.baseline, curve.same_domain, curve.semantic_neighbour, *curve.points)
    return tuple(one for one in chosen if one is not None)


def _own(curve: RankCurve, pool: PoolSummary, width: int) -> tuple[str, ...]:
    states = [f"{curve.unmeasured} not measured"] if curve.unmeasured else []
    states += (
        [f"no evidence: {words.counted(pool.cases_without_evidence, 'case')}"] if pool.cases_without_evidence else []
    )
    first = (
        "own evidence",
        f"{curve.claims}/{curve.claims + curve.unmeasured}",
        words.decimal(curve.positives_mean, 4),
    )
    return (*first, *[words.DASH] * (width - len(first) - 1), "; ".join(states) or "measured")


def _state(one: Negatives, pool: PoolSummary) -> str:
    """Say why some claims are not counted in a row, and how many; `measured` where all are."""
    rate = one.false_acceptance.rate
    counts = {
        _lacking(one, pool): one.too_few_eligible,
        "evidence supports the claim": one.ruled_supported,
        "errors": rate.errors,
        "no evidence": rate.no_evidence,
    }
    return "; ".join(f"{reason}: {count} of {one.claims}" for reason, count in counts.items() if count) or "measured"


def _lacking(one: Negatives, pool: PoolSummary) -> str:
    if pool.sets == 1:
        return "one set in all"
    if pool.groups == 1:
        return "one source in all"
    return "no set of the domain" if one.name == "same_domain" else "too few eligible"


def _row(one: Negatives, pool: PoolSummary) -> tuple[str, ...]:
    depth = words.DASH if one.depth is None else f"{one.depth.median:g}, {one.depth.p90:g}, {one.depth.deepest}"
    return (
        _name(one.name),
        f"{one.false_acceptance.rate.denominator}/{one.claims}",
        words.decimal(one.mean, 4),
        _spread(one.gap),
        words.estimate(one.auc),
        share(one.false_acceptance),
        words.DASH if one.name == "random" else share(one.induced),
        words.decimal(one.overlap, 2),
        depth,
        _state(one, pool),
    )


def _brief_row(one: Negatives, pool: PoolSummary) -> tuple[str, ...]:
    induced = words.DASH if one.name == "random" else _percent(one.induced)
    return (
        _name(one.name),
        f"{one.false_acceptance.rate.denominator}/{one.claims}",
        words.decimal(one.mean),
        _spread(one.gap),
        words.estimate(one.auc),
        _percent(one.false_acceptance),
        induced,
        _state(one, pool),
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
        str(curve.claims),
        str(curve.common_claims),
        *(_counted(point, curve.claims) for point in curve.points),
        _spread(curve.points[-1].gap, 2),
        words.decimal(curve.lambda_adv.value, 4),
        _percent(curve.supported_acceptance),
        f"{curve.monotony.rises} of {curve.monotony.compared}",
        str(sum(point.fallen_back for point in curve.points)),
    )


def _counted(point: Negatives, claims: int) -> str:
    n = point.false_acceptance.rate.denominator
    return words.estimate(point.auc, 2) + ("" if n == claims else f", n = {n}")


def _name(kind: str) -> str:
    return _NAMES.get(kind, kind)
