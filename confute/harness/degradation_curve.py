"""One curve: a frozen victim on claims with their own evidence, and with what each budget found for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from confute.contract import AttackContract
from confute.harness import arena
from confute.harness import degradation_figures as figures
from confute.harness.campaign import Progress
from confute.harness.degradation import Monotony, Negatives, RankCurve, Settings
from confute.harness.degradation_figures import Resampled, Scored
from confute.harness.mining.miner import Draw, Found, Sweep
from confute.harness.mining.pool import Pool
from confute.harness.mining.shortlist import NONE
from confute.harness.rates import Estimate, estimate
from confute.harness.stats.ranking import auc, auc_interval
from confute.models.embedder import TruncatingEmbedder
from confute.oracles.oracle import Oracle
from confute.records import AttackGoal, Candidate, Case, Label, Outcome, Pair, Score, ScoreState, Validity
from confute.victims.frozen import FrozenVictim

_ROUNDING = 1e-5
_ALL = "all"
_UNMEASURED = {ScoreState.ERROR: Outcome.ERROR, ScoreState.NO_EVIDENCE: Outcome.NO_EVIDENCE}


@dataclass(frozen=True)
class Materials:
    """What every curve of a run shares: the cases of both halves, the pool, the embedder and the oracle."""

    contract: AttackContract
    settings: Settings
    calibrated: tuple[Case, ...]
    attacked: tuple[Case, ...]
    pool: Pool
    embedder: TruncatingEmbedder
    oracle: Oracle
    progress: Progress

    @property
    def labelled(self) -> tuple[Case, ...]:
        """The attacked cases that have evidence."""
        return tuple(case for case in self.attacked if any(passage.strip() for passage in case.evidence))


class Measurement:
    """One frozen victim measured on its claims with their own evidence and with all that was mined for them."""

    def __init__(
        self,
        materials: Materials,
        claims: Sequence[Case],
        victim: FrozenVictim,
        sweep: Sweep,
        draws: dict[Draw, Found],
    ) -> None:
        self._materials = materials
        self._victim = victim
        self._rank = sweep.rank
        own = victim.measure([case.pair for case in claims])
        measured = [row for row, score in enumerate(own) if score.value is not None]
        self._unmeasured = len(own) - len(measured)
        self._claims = [claims[row] for row in measured]
        self._own = [self._scored(claims[row], own[row], Label.SUPPORTED) for row in measured]
        self._budgets = {budget: str(budget) for budget in sweep.budgets}
        found = {str(budget): one for budget, one in sweep.budgets.items()} | {_ALL: sweep.exhaustive}
        found |= {draw.value: one for draw, one in draws.items()}
        self._found = {kind: Found(one.sets[measured], one.depths[measured]) for kind, one in found.items()}
        self._validity = {kind: self._ruled(one) for kind, one in self._found.items()}
        self._scores = {kind: self._measured(kind) for kind in self._found}

    def curve(self) -> RankCurve:
        """Return every figure of the curve."""
        seed = f"curve/{self._materials.contract.evaluation.seed}"
        sampled = Resampled(self._own, self._scores, Draw.RANDOM, seed)
        positives = figures.histogram(self._own)
        points = tuple(self._negatives(kind, sampled, positives) for kind in (*self._budgets.values(), _ALL))
        values = [one.value for one in self._own if one.value is not None]
        reached = (one.name for one in points if one.auc.low is not None and one.auc.low <= 0.5)
        return RankCurve(
            rank=self._rank,
            victim=arena.victim_summary(self._victim),
            claims=len(self._claims),
            groups=len({case.group for case in self._claims}),
            unmeasured=self._unmeasured,
            positives_mean=float(np.mean(values)) if values else None,
            positives_histogram=positives,
            supported_acceptance=sampled.supported_acceptance(),
            own_label_auc=self._own_label_auc(),
            own_labels=self._own_labels(),
            baseline=self._negatives(Draw.RANDOM, sampled, positives),
            same_domain=self._negatives(Draw.SAME_DOMAIN, sampled, positives),
            points=points,
            lambda_adv=sampled.slope(self._budgets),
            largest_drop=sampled.largest_drop(self._budgets),
            monotony=self._monotony(),
            first_accepted_at=self._first_accepted_at(),
            meets_at=next(reached, None),
        )

    def _scored(self, case: Case, score: Score, label: Label) -> Scored:
        decision = self._victim.decide(score)
        outcome = _UNMEASURED[score.state] if decision is None else figures.outcome_of(label, decision)
        return Scored(group=case.group, value=score.value, decision=decision, outcome=outcome)

    def _ruled(self, found: Found) -> list[Validity | None]:
        return [self._ruling(case, place) for case, place in zip(self._claims, found.sets, strict=True)]

    def _ruling(self, case: Case, place: int) -> Validity | None:
        """Return the oracle's word on a claim with mined evidence: INVALID where that evidence supports it."""
        if place == NONE:
            return None
        candidate = Candidate(
            case_id=case.case_id,
            goal=AttackGoal.FALSE_ACCEPTANCE,
            edits=(),
            claim=case.claim,
            evidence=self._materials.pool.sets[place].evidence,
        )
        return self._materials.oracle.rule(case, candidate).validity

    def _measured(self, kind: str) -> list[Scored]:
        sets, validity = self._found[kind].sets, self._validity[kind]
        asked = [row for row, word in enumerate(validity) if word in {Validity.VALID, Validity.UNKNOWN}]
        pairs = [
            Pair(claim=self._claims[row].claim, evidence=self._materials.pool.sets[sets[row]].evidence) for row in asked
        ]
        scores = dict(zip(asked, self._victim.measure(pairs), strict=True))
        return [
            self._scored(case, scores[row], Label.UNSUPPORTED)
            if row in scores
            else Scored(case.group, None, None, Outcome.UNKNOWN)
            for row, case in enumerate(self._claims)
        ]

    def _negatives(self, kind: str, sampled: Resampled, positives: tuple[int, ...]) -> Negatives:
        found = sampled.figures(kind)
        counts = Counter(self._validity[kind])
        bins = figures.histogram(self._scores[kind])
        return Negatives(
            name=kind,
            budget=int(kind) if kind in self._budgets.values() else None,
            claims=len(self._claims),
            mined=len(self._claims) - counts[None],
            too_few_eligible=counts[None],
            ruled_supported=counts[Validity.INVALID],
            unchecked=counts[Validity.UNKNOWN],
            mean=found.mean,
            gap=found.gap,
            auc=found.auc,
            false_acceptance=found.false_acceptance,
            induced=found.induced,
            overlap=figures.overlap(positives, bins),
            histogram=bins,
            depth=figures.depth_of(self._found[kind].depths.tolist()),
        )

    def _own_label_auc(self) -> Estimate:
        """Return how well SUPPORTED rows are told from the rest on each row's own evidence."""
        cases = self._materials.labelled
        sides: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
        for case, score in zip(cases, self._victim.measure([case.pair for case in cases]), strict=True):
            if score.value is not None:
                sides[case.label is Label.SUPPORTED].append((score.value, case.group))
        lower, higher = ([value for value, _ in sides[side]] for side in (True, False))
        lower_groups, higher_groups = ([group for _, group in sides[side]] for side in (True, False))
        interval = auc_interval(lower, higher, lower_groups, higher_groups, seed="curve/own labels")
        return estimate(auc(lower, higher), interval, len({*lower_groups, *higher_groups}))

    def _own_labels(self) -> dict[str, int]:
        return dict(sorted(Counter(case.label.value for case in self._materials.labelled).items()))

    def _monotony(self) -> Monotony:
        kinds = [*self._budgets.values(), _ALL]
        rises = [
            second.value - first.value
            for before, after in pairwise(kinds)
            for first, second in zip(self._scores[before], self._scores[after], strict=True)
            if first.value is not None and second.value is not None
        ]
        return Monotony(
            compared=len(rises),
            rises=sum(rise > _ROUNDING for rise in rises),
            largest=max([0.0, *rises]),
        )

    def _first_accepted_at(self) -> dict[str, int]:
        kinds = [*self._budgets.values(), _ALL]
        firsts = [
            next((kind for kind in kinds if self._scores[kind][row].outcome is Outcome.SUCCEEDED), "never")
            for row in range(len(self._claims))
        ]
        counts = Counter(firsts)
        return {kind: counts[kind] for kind in (*kinds, "never")}
