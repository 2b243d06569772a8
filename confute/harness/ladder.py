"""The difficulty ladder: the same supported claims against evidence that is ever harder to tell from their own.

Level 0 is unrelated evidence, 1 the set's own unsupported items (the baseline arm), 2 evidence of the same domain,
3 the semantic neighbour, 4 the least risky of the neighbours, 5 structural edits (the control arm).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from confute.contract import Segmentation
from confute.harness.mining import bases, shortlist
from confute.harness.mining.pool import kept_apart, pool
from confute.harness.mining.shortlist import NONE
from confute.harness.recorder import Step
from confute.models.embedder import Embedder
from confute.records import Arm, AttackGoal, Case, Label, Pair
from confute.victims.segmentation import passages

NEIGHBOURS = 16
"""How many of the most similar eligible evidence sets level 4 chooses among."""


_DRAWS = 32


@dataclass(frozen=True)
class Ladder:
    """Builds the negatives of levels 0, 2, 3 and 4; levels 3 and 4 need an embedder.

    A claim's eligible evidence is not its own and comes from another source group. Neighbours are the evidence sets,
    cut by the segmentation, whose centroids are nearest, as in mining; ties go by case id. A claim with too few
    eligible sets for a level has no step there.
    """

    cases: Sequence[Case]
    seed: int
    embedder: Embedder | None
    segmentation: Segmentation = field(default_factory=Segmentation)

    def steps(self) -> list[Step]:
        """Return the steps of every level, judged as unsupported since the evidence is another claim's."""
        held = [case for case in self.cases if passages(case.evidence, self.segmentation)]
        claims = [case for case in held if case.label is Label.SUPPORTED]
        own = {domain: [case for case in held if case.domain == domain] for domain in {case.domain for case in held}}
        others = {domain: [case for case in held if case.domain != domain] or held for domain in own}
        steps = [*self._drawn(claims, others, 0), *self._drawn(claims, own, 2)]
        return steps if self.embedder is None else [*steps, *self._neighbours(claims, held, self.embedder)]

    def _drawn(self, claims: Sequence[Case], pools: Mapping[str, Sequence[Case]], level: int) -> Iterator[Step]:
        for claim in claims:
            some = pools[claim.domain]
            order = random.Random(f"{self.seed}/ladder/{level}/{claim.case_id}")  # noqa: S311
            drawn = (some[order.randrange(len(some))] for _ in range(_DRAWS if some else 0))
            chosen = next((other for other in drawn if _is_foreign(claim, other)), None)
            chosen = chosen or next((other for other in some if _is_foreign(claim, other)), None)
            if chosen is not None:
                yield _step(claim, chosen.evidence, level, 0)

    def _neighbours(self, claims: Sequence[Case], held: Sequence[Case], embedder: Embedder) -> Iterator[Step]:
        if not claims:
            return
        made = pool(held, self.segmentation, embedder)
        nearest = shortlist.nearest(
            embedder.embed([claim.claim for claim in claims]),
            bases.build(made.rows, made.offsets).centroids,
            kept_apart(claims, made, guarded=True).out,
            NEIGHBOURS,
        )
        for claim, row in zip(claims, nearest, strict=True):
            others = [made.sets[place].evidence for place in row if place != NONE]
            if others:
                yield _step(claim, others[0], 3, 0)
            if len(others) == NEIGHBOURS:
                yield from (_step(claim, other, 4, index) for index, other in enumerate(others))


def _is_foreign(claim: Case, other: Case) -> bool:
    return other.group != claim.group and other.evidence != claim.evidence


def _step(claim: Case, evidence: tuple[str, ...], level: int, index: int) -> Step:
    return Step(
        case_id=claim.case_id,
        goal=AttackGoal.FALSE_ACCEPTANCE,
        arm=Arm.LADDER,
        index=index,
        pair=Pair(claim=claim.claim, evidence=evidence),
        label=Label.UNSUPPORTED,
        level=level,
        queries=index + 1,
    )
