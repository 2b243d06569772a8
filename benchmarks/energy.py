"""How fast batched Hallucination Energy is against one SVD a pair, on the same vectors and in one process.

Two workloads of ragged evidence: `baseline`, where every pair has evidence of its own, and `search`, where many claims
are scored against the evidence of few cases, again and again. Embeddings are looked up, not computed, so that the
figures are those of the geometry and of what surrounds it. The last line is JSON; ratios are medians over rounds.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from confute.models.embedder import Vectors
from confute.records import Pair
from confute.victims.energy import HallucinationEnergy

DIMENSION, RANK, ROUNDS = 384, 8, 5
SETS, CASES, CLAIMS = 2000, 40, 50


class LookUp:
    """Gives out vectors that were drawn beforehand."""

    fingerprint = "look-up"

    def __init__(self, texts: Sequence[str]) -> None:
        drawn = np.random.default_rng(0).normal(size=(len(texts), DIMENSION))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        self._vectors = drawn.astype(np.float32)
        self._places = {text: place for place, text in enumerate(texts)}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts."""
        return self._vectors[[self._places[text] for text in texts]]


def one_svd_a_pair(embedder: LookUp, pairs: Sequence[Pair]) -> list[float]:
    """Return the energies by the definition, in a loop."""
    energies = []
    for pair in pairs:
        rows = embedder.embed(pair.evidence).astype(np.float64)
        claim = embedder.embed([pair.claim])[0].astype(np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        claim /= np.linalg.norm(claim)
        _, values, right = np.linalg.svd(rows, full_matrices=False)
        basis = right[: min(RANK, int((values > 1e-6 * values[0]).sum()))]
        energies.append(float(np.clip(1 - np.square(basis @ claim).sum(), 0, 1)))
    return energies


def evidence(sets: int) -> list[tuple[str, ...]]:
    """Return ragged evidence: 1 to 12 passages a set, all different."""
    counts = np.random.default_rng(1).integers(1, 13, size=sets)
    return [tuple(f"passage {place}/{index}" for index in range(count)) for place, count in enumerate(counts)]


def seconds(call: Callable[[], list[float]]) -> tuple[float, list[float]]:
    """Return how long a call took, and what it gave."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def compare(rounds: Sequence[Sequence[Pair]], fresh: bool) -> dict[str, float]:
    """Time both ways, round by round in turn; `fresh` forgets the bases between rounds."""
    texts = {text: None for pairs in rounds for pair in pairs for text in (pair.claim, *pair.evidence)}
    embedder = LookUp(list(texts))
    detector = HallucinationEnergy(embedder, RANK)
    one_svd_a_pair(embedder, rounds[0][:50])
    loop_s, batch_s, worst = [], [], 0.0
    for pairs in rounds:
        detector = HallucinationEnergy(embedder, RANK) if fresh else detector
        took, expected = seconds(partial(one_svd_a_pair, embedder, pairs))
        loop_s.append(took)
        took, got = seconds(partial(detector.score, pairs))
        batch_s.append(took)
        worst = max(worst, float(np.abs(np.subtract(expected, got)).max()))
    each = 1e6 / len(rounds[0])
    return {
        "loop_us_per_pair": round(each * statistics.median(loop_s), 1),
        "batch_us_per_pair": round(each * statistics.median(batch_s), 1),
        "ratio": round(statistics.median(loop / batch for loop, batch in zip(loop_s, batch_s, strict=True)), 2),
        "largest_difference": worst,
    }


def main() -> None:
    """Print both workloads, and their figures as JSON on the last line."""
    own = [Pair(claim=f"claim {place}", evidence=passages) for place, passages in enumerate(evidence(SETS))]
    search = [
        [
            Pair(claim=f"claim {turn}/{place}/{index}", evidence=passages)
            for place, passages in enumerate(evidence(CASES))
            for index in range(CLAIMS)
        ]
        for turn in range(ROUNDS)
    ]
    figures = {"baseline": compare([own] * ROUNDS, fresh=True), "search": compare(search, fresh=False)}
    for name, figure in figures.items():
        print(f"{name}: {figure['ratio']} times the speed of one SVD a pair")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
