"""The difficulty ladder: the same supported claims against evidence that is ever harder to tell from their own.

Level 0 is unrelated evidence, 1 the set's own unsupported items (the baseline arm), 2 evidence of the same domain,
3 the semantic neighbour, 4 the least risky of the neighbours, 5 structural edits (the control arm).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from confute.harness.recorder import Step
from confute.models.embedder import Embedder, Vectors
from confute.records import Arm, AttackGoal, Case, Label, Pair

NEIGHBOURS = 16
"""How many of the most similar eligible evidence sets level 4 chooses among."""


_DRAWS = 32


@dataclass(frozen=True)
class Ladder:
    """Builds the negatives of levels 0, 2, 3 and 4; levels 3 and 4 need an embedder.

    A claim's eligible evidence is not its own and comes from another source group; ties in similarity go by case id. A
    claim with too few eligible sets for a level has no step there.
    """

    cases: Sequence[Case]
    seed: int
    embedder: Embedder | None

    def steps(self) -> list[Step]:
        """Return the steps of every level, judged as unsupported since the evidence is another claim's."""
        claims = [case for case in self.cases if case.label is Label.SUPPORTED and _has_evidence(case)]
        pool = [case for case in self.cases if _has_evidence(case)]
        own = {domain: [case for case in pool if case.domain == domain] for domain in {case.domain for case in pool}}
        others = {domain: [case for case in pool if case.domain != domain] or pool for domain in own}
        steps = [*self._drawn(claims, others, 0), *self._drawn(claims, own, 2)]
        return steps if self.embedder is None else [*steps, *self._neighbours(claims, pool, self.embedder)]

    def _drawn(self, claims: Sequence[Case], pools: Mapping[str, Sequence[Case]], level: int) -> Iterator[Step]:
        for claim in claims:
            pool = pools[claim.domain]
            order = random.Random(f"{self.seed}/ladder/{level}/{claim.case_id}")  # noqa: S311
            drawn = (pool[order.randrange(len(pool))] for _ in range(_DRAWS if pool else 0))
            chosen = next((other for other in drawn if _is_foreign(claim, other)), None)
            chosen = chosen or next((other for other in pool if _is_foreign(claim, other)), None)
            if chosen is not None:
                yield _step(claim, chosen, level, 0)

    def _neighbours(self, claims: Sequence[Case], pool: Sequence[Case], embedder: Embedder) -> Iterator[Step]:
        if not claims:
            return
        ordered = sorted(pool, key=lambda case: case.case_id)
        similarity = embedder.embed([claim.claim for claim in claims]) @ _centroids(ordered, embedder).T
        for row, claim in zip(similarity, claims, strict=True):
            ranked = [ordered[index] for index in np.argsort(-row, kind="stable") if _is_foreign(claim, ordered[index])]
            distinct = list({other.evidence: other for other in reversed(ranked)}.values())[::-1]
            if distinct:
                yield _step(claim, distinct[0], 3, 0)
            if len(distinct) >= NEIGHBOURS:
                yield from (_step(claim, other, 4, index) for index, other in enumerate(distinct[:NEIGHBOURS]))


def _is_foreign(claim: Case, other: Case) -> bool:
    return other.group != claim.group and other.evidence != claim.evidence


def _has_evidence(case: Case) -> bool:
    return any(passage.strip() for passage in case.evidence)


def _centroids(cases: Sequence[Case], embedder: Embedder) -> Vectors:
    passages = [passage for case in cases for passage in case.evidence]
    owner = np.repeat(np.arange(len(cases)), [len(case.evidence) for case in cases])
    vectors = embedder.embed(passages)
    sums = np.zeros((len(cases), vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, owner, vectors)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(lengths, 1e-12), dtype=np.float32)


def _step(claim: Case, other: Case, level: int, index: int) -> Step:
    return Step(
        case_id=claim.case_id,
        goal=AttackGoal.FALSE_ACCEPTANCE,
        arm=Arm.LADDER,
        index=index,
        pair=Pair(claim=claim.claim, evidence=other.evidence),
        label=Label.UNSUPPORTED,
        level=level,
        queries=index + 1,
    )
