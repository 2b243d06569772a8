"""How fast foreign evidence is mined, against one thin SVD a pair, on one thread and identical inputs.

    python benchmarks/mining.py             the comparison, and the growth up to 10,000 claims
    python benchmarks/mining.py --growth    the growth alone, up to 100,000 claims x 100,000 sets

The reference follows the definition in a loop, in float64. It is timed on a sample of its pairs, scaled to all of them
in proportion, and it does each K by itself; the engine is timed whole. Times of the comparison are processor seconds of
the one thread, so that other work on the machine counts little; ratios are medians over rounds in which both take
turns. The growth is in seconds of the clock. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  the number of threads is read once, at import

from confute.harness.mining import bases, energies, shortlist  # noqa: E402
from confute.harness.mining.bases import Floats  # noqa: E402
from confute.harness.mining.shortlist import Ineligible  # noqa: E402

N, ROWS, DIMENSION = 1_000, 8, 384
SWEEP = (1, 4, 16, 64, 256)
ROUNDS, CALLS, SAMPLE = 5, 5, 4_000
GROWTH = (1_000, 3_000, 10_000, 30_000, 100_000)
GROWTH_K, DEFAULT_END = 256, 10_000
SGEMM_SIDE = 2_048


def drawn(n: int) -> tuple[Floats, Floats]:
    """Return random unit claims (n, dimension) and unit evidence (n, rows, dimension), float32."""
    generator = np.random.default_rng(0)
    claims = generator.standard_normal((n, DIMENSION), dtype=np.float32)
    evidence = generator.standard_normal((n, ROWS, DIMENSION), dtype=np.float32)
    claims /= np.linalg.norm(claims, axis=1, keepdims=True)
    for start in range(0, n, 1000):
        evidence[start : start + 1000] /= np.linalg.norm(evidence[start : start + 1000], axis=2, keepdims=True)
    return claims, evidence


def own_set_alone(n: int) -> Ineligible:
    """Return what excludes set i for claim i."""
    return Ineligible(np.arange(n + 1), np.arange(n))


def energy_of(claim: Floats, rows: Floats) -> float:
    """Return the energy of one pair by its definition: one thin SVD."""
    evidence = rows.astype(np.float64)
    evidence /= np.linalg.norm(evidence, axis=1, keepdims=True)
    unit = claim.astype(np.float64)
    unit /= np.linalg.norm(unit)
    _, values, right = np.linalg.svd(evidence, full_matrices=False)
    basis = right[values > 1e-6 * values[0]]
    return float(np.clip(1 - np.square(basis @ unit).sum(), 0, 1))


def reference_order(claims: Floats, evidence: Floats, k: int) -> Any:
    """Return the k most similar other sets of each claim, by a full stable sort."""
    centroids = evidence.mean(axis=1)
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    similarity = claims @ centroids.T
    np.fill_diagonal(similarity, -np.inf)
    return np.argsort(-similarity, axis=1, kind="stable")[:, :k]


def reference(claims: Floats, evidence: Floats, k: int) -> tuple[float, Any, Any]:
    """Return the seconds of the reference at one K, scaled from a sample of claims, and the sample's energies."""
    start = time.process_time()
    order = reference_order(claims, evidence, k)
    ranked = time.process_time() - start
    sample = np.linspace(0, len(claims) - 1, max(1, SAMPLE // k)).astype(int) if k * len(claims) > SAMPLE else None
    rows = np.arange(len(claims)) if sample is None else np.unique(sample)
    start = time.process_time()
    found = np.array([[energy_of(claims[row], evidence[place]) for place in order[row]] for row in rows])
    return ranked + (time.process_time() - start) * len(claims) / len(rows), rows, found


def mined(claims: Floats, evidence: Floats, k: int) -> Floats:
    """Return what the engine gives for every K up to k: the running minimum over each claim's shortlist."""
    n = len(claims)
    pool = bases.build(evidence.reshape(-1, DIMENSION), np.arange(n + 1) * ROWS)
    chosen = shortlist.nearest(claims, pool.centroids, own_set_alone(n), k)
    found = energies.shortlisted(claims, pool, chosen, ("full",))[0]
    return np.minimum.accumulate(found, axis=1)


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call took."""
    start = time.process_time()
    call()
    return time.process_time() - start


def usual_seconds(call: Callable[[], object]) -> float:
    """Return the median of a short call's seconds over several calls."""
    return statistics.median(seconds(call) for _ in range(CALLS))


def sgemm_rate() -> float:
    """Return the machine's own single-precision rate, in operations a second."""
    square = np.random.default_rng(1).standard_normal((SGEMM_SIDE, SGEMM_SIDE), dtype=np.float32)
    return 2 * SGEMM_SIDE**3 / usual_seconds(lambda: square @ square)


def compare() -> dict[str, float]:
    """Time the reference and the engine in turn, and return the ratios and the largest difference of energies."""
    claims, evidence = drawn(N)
    pool = bases.build(evidence.reshape(-1, DIMENSION), np.arange(N + 1) * ROWS)
    excluded = own_set_alone(N)
    all_pairs = 2 * N * N * ROWS * DIMENSION
    ratios: dict[str, list[float]] = {"k16": [], "k64": [], "curve": [], "sgemm": []}
    differences = []
    for _ in range(ROUNDS):
        slow = {}
        for k in SWEEP:
            slow[k], rows, found = reference(claims, evidence, k)
            running = np.minimum.accumulate(found, axis=1)
            differences.append(float(np.abs(mined(claims, evidence, k)[rows] - running).max()))
        fast = {k: usual_seconds(partial(mined, claims, evidence, k)) for k in (16, 64, 256)}
        ratios["k16"].append(slow[16] / fast[16])
        ratios["k64"].append(slow[64] / fast[64])
        ratios["curve"].append(sum(slow.values()) / fast[256])
        rate = sgemm_rate()
        ratios["sgemm"].append(
            all_pairs / usual_seconds(lambda: energies.least(claims, pool, excluded, ("full",))) / rate
        )
        print(
            f"reference K=16 {slow[16]:.2f} s, K=64 {slow[64]:.2f} s, curve {sum(slow.values()):.1f} s; engine "
            f"{1e3 * fast[16]:.1f}, {1e3 * fast[64]:.1f}, {1e3 * fast[256]:.1f} ms; sgemm {rate / 1e9:.0f} Gflop/s",
            flush=True,
        )
    figures = {name: round(statistics.median(values), 3) for name, values in ratios.items()}
    return {
        "ratio_k16": figures["k16"],
        "ratio_k64": figures["k64"],
        "ratio_curve": figures["curve"],
        "sgemm_share": figures["sgemm"],
        "max_energy_difference": max(differences),
    }


def grow(end: int) -> list[dict[str, float]]:
    """Print and return the seconds and the highest memory of ever larger pools, K = 256."""
    found = []
    for n in (size for size in GROWTH if size <= end):
        claims, evidence = drawn(n)
        took = {}
        start = time.perf_counter()
        pool = bases.build(evidence.reshape(-1, DIMENSION), np.arange(n + 1) * ROWS)
        took["bases"] = time.perf_counter() - start
        chosen = shortlist.nearest(claims, pool.centroids, own_set_alone(n), GROWTH_K)
        took["shortlist"] = time.perf_counter() - start - took["bases"]
        energies.shortlisted(claims, pool, chosen, ("full",))
        total = time.perf_counter() - start
        took["energies"] = total - took["bases"] - took["shortlist"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        parts = ", ".join(f"{name} {value:.2f}" for name, value in took.items())
        print(f"{n:>7,} claims x sets, K=256: {total:8.2f} s ({parts}), peak {peak:.2f} GiB", flush=True)
        found.append({"n": n, "seconds": round(total, 3), "peak_gib": round(peak, 2)})
    return found


def main() -> None:
    """Print the figures, and as JSON on the last line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", action="store_true", help="the growth alone, up to 100,000 claims x 100,000 sets")
    if parser.parse_args().growth:
        print(json.dumps({"growth": grow(GROWTH[-1])}))
        return
    print(f"the reference is timed on at most {SAMPLE} pairs for each K and scaled in proportion")
    figures = compare()
    print(json.dumps(figures | {"growth": grow(DEFAULT_END)}))


if __name__ == "__main__":
    main()
