"""Rows that act on a detector and not on a case: reruns, batches, ranks, best-of-K and thresholds."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import islice, pairwise

import numpy as np

from confute.harness.rates import Mark, rate
from confute.harness.relations.figures import RowFigures, Step, figures, not_applicable
from confute.harness.relations.scenes import Material, Named
from confute.harness.relations.subject import RERUN_CASES, Subject
from confute.harness.relations.trials import Trial
from confute.oracles.facts.closure import Closure
from confute.oracles.relations.evidence_text import claimed
from confute.oracles.relations.relation import Expected, Scene
from confute.records import Decision, Label, Outcome, Pair, Score
from confute.victims.frozen import FrozenVictim

POOLS = (1, 2, 4, 8, 16)
_TAU_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
_MOST_RANKS = 12


def reruns(subject: Subject, material: Material, seed: int) -> RowFigures:
    """P1: the same pairs asked again."""
    drawn = _sample(material.measured, seed, "P1")
    pairs = [one.case.pair for one in drawn]
    return _invariance("P1", subject, drawn, subject.bare.measure(pairs), subject.bare.measure(pairs))


def batches(subject: Subject, material: Material, seed: int) -> RowFigures:
    """P6: the same pairs asked together, and one by one in another order."""
    drawn = _sample(material.measured, seed, "P6")
    together = subject.bare.measure([one.case.pair for one in drawn])
    order = list(range(len(drawn)))
    random.Random(f"{seed}/relations/P6/order").shuffle(order)  # noqa: S311  reproducible, no secret
    alone = {place: subject.bare.measure([drawn[place].case.pair])[0] for place in order}
    return _invariance("P6", subject, drawn, together, [alone[place] for place in range(len(drawn))])


def ranks(subject: Subject, material: Material, seed: int) -> RowFigures:
    """E16: every case at rank r and at r + 1, from 1 to the detector's own rank, or to its longest evidence."""
    if subject.at_rank is None:
        return not_applicable("E16", subject.name, "has no rank", Expected.NOT_ABOVE)
    drawn = _sample(material.measured, seed, "E16")
    longest = max(len(one.case.evidence) for one in drawn)
    own = subject.declared.rank
    last = min(longest if own == "full" else (own or 8), _MOST_RANKS)
    pairs = [one.case.pair for one in drawn]
    scores = [subject.at_rank(rank).measure(pairs) for rank in range(1, last + 2)]
    steps = [
        _step(subject.victim, ("E16", Expected.NOT_ABOVE), one, (before, after))
        for lower, higher in pairwise(scores)
        for one, before, after in zip(drawn, lower, higher, strict=True)
    ]
    return figures("E16", subject.name, Expected.NOT_ABOVE, steps, subject.tolerance.value)


def best_of_k(subject: Subject, material: Material, seed: int) -> RowFigures:
    """P9: the least risk of a supported claim over nested pools of K foreign evidence sets, each pool asked anew."""
    supported = [one for one in material.measured if one.case.label is Label.SUPPORTED]
    drawn = _sample(supported, seed, "P9")
    pools = {one.case.case_id: _foreign(one.scene, seed, one.case.case_id) for one in drawn}
    drawn = [one for one in drawn if len(pools[one.case.case_id]) >= POOLS[-1]]
    best = [[_least(subject, one, pools[one.case.case_id][:k]) for one in drawn] for k in POOLS]
    steps = [
        _step(subject.victim, ("P9", Expected.NOT_ABOVE), one, (before, after))
        for fewer, more in pairwise(best)
        for one, before, after in zip(drawn, fewer, more, strict=True)
    ]
    made = figures("P9", subject.name, Expected.NOT_ABOVE, steps, subject.tolerance.value)
    series = {f"FAR at K = {k}": _accepted(subject.victim, scores) for k, scores in zip(POOLS, best, strict=True)}
    return made.model_copy(update={"series": {name: far for name, far in series.items() if far is not None}})


def thresholds(subject: Subject, material: Material, seed: int) -> RowFigures:
    """P10: claims that are not supported, decided at rising thresholds and asked anew at each."""
    drawn = _sample([one for one in material.measured if one.case.label is not Label.SUPPORTED], seed, "P10")
    pairs = [one.case.pair for one in drawn]
    risks = [score.value for score in subject.victim.measure(pairs) if score.value is not None]
    taus = sorted({float(np.quantile(risks, share, method="lower")) for share in _TAU_SHARES}) if risks else []
    manifest = subject.victim.manifest
    victims = [FrozenVictim(subject.bare, manifest.model_copy(update={"threshold": tau})) for tau in taus]
    decided = [[victim.decide(score) for score in victim.measure(pairs)] for victim in victims]
    marks = [
        Mark(one.case.group, _fallen(lower, higher))
        for fewer, more in pairwise(decided)
        for one, lower, higher in zip(drawn, fewer, more, strict=True)
    ]
    shares = [[one for one in some if one is not None] for some in decided]
    series = {
        f"FAR at {tau:.4g}": some.count(Decision.ACCEPT) / len(some)
        for tau, some in zip(taus, shares, strict=True)
        if some
    }
    return RowFigures(
        row_id="P10",
        victim=subject.name,
        expected="MONOTONE",
        trials=len(marks),
        violations=rate(marks),
        series=series,
    )


PIPELINE: dict[str, Callable[[Subject, Material, int], RowFigures]] = {
    "E16": ranks,
    "P1": reruns,
    "P6": batches,
    "P9": best_of_k,
    "P10": thresholds,
}
"""The rows that are measured on a detector itself."""


def _sample(named: Sequence[Named], seed: int, purpose: str) -> list[Named]:
    draw = random.Random(f"{seed}/relations/{purpose}")  # noqa: S311  reproducible, no secret
    return draw.sample(list(named), min(RERUN_CASES, len(named)))


def _invariance(
    row_id: str, subject: Subject, drawn: Sequence[Named], before: Sequence[Score], after: Sequence[Score]
) -> RowFigures:
    steps = [
        _step(subject.victim, (row_id, Expected.INVARIANT), one, (first, second))
        for one, first, second in zip(drawn, before, after, strict=True)
    ]
    return figures(row_id, subject.name, Expected.INVARIANT, steps, subject.tolerance.value)


def _step(victim: FrozenVictim, row: tuple[str, Expected], one: Named, scores: tuple[Score, Score]) -> Step:
    trial = Trial(*row, one.case.group, one.case.pair, one.case.pair)
    return Step(trial, *scores, (victim.decide(scores[0]), victim.decide(scores[1])))


def _foreign(scene: Scene, seed: int, case_id: str) -> list[tuple[str, ...]]:
    """Return the evidence of other documents that does not entail the claim, in an order of the seed."""
    claim = claimed(scene)
    if claim is None:
        return []
    shuffled = list(scene.others)
    random.Random(f"{seed}/relations/P9/{case_id}").shuffle(shuffled)  # noqa: S311  reproducible, no secret
    eligible = (one for one in shuffled if Closure(one.facts, scene.lexicon).label(claim) is Label.UNSUPPORTED)
    return [tuple(passage.text for passage in one.passages) for one in islice(eligible, POOLS[-1])]


def _least(subject: Subject, one: Named, pool: Sequence[tuple[str, ...]]) -> Score:
    """Return the least risk of a claim over a pool; a pool of which one set was not measured is not measured."""
    scores = subject.victim.measure([Pair(claim=one.case.claim, evidence=evidence) for evidence in pool])
    failed = next((score for score in scores if score.value is None), None)
    if failed is not None:
        return failed
    return min(scores, key=lambda score: score.value if score.value is not None else 0.0)


def _accepted(victim: FrozenVictim, scores: Sequence[Score]) -> float | None:
    decisions = [decision for score in scores if (decision := victim.decide(score)) is not None]
    return decisions.count(Decision.ACCEPT) / len(decisions) if decisions else None


def _fallen(lower: Decision | None, higher: Decision | None) -> Outcome:
    if lower is None or higher is None:
        return Outcome.ERROR
    fallen = lower is Decision.ACCEPT and higher is Decision.REJECT
    return Outcome.SUCCEEDED if fallen else Outcome.RESISTED
