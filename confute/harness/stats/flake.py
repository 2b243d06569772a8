"""Repeated runs of one case: how far they disagree, what they mostly say, and how often k of them pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from pydantic import Field

from confute.records import Record

NO_RESULTS = "no_results"

Voted = TypeVar("Voted", bound=Hashable)


class Distribution(Record):
    """What repeated runs of one case said.

    `counts` goes by label, most frequent first, ties by name. `modal` is the most frequent label, None at a tie;
    `majority` is the label of more than half of the runs. `flake_rate` is 1 - modal share (the older number, biased
    low), `disagreement` the share of pairs of runs that differ, `entropy_bits` Shannon's entropy. What is undefined is
    None; without any run `reason` is `no_results`.
    """

    n: int = Field(ge=0)
    counts: dict[str, int]
    modal: str | None
    modal_share: float | None
    majority: str | None
    flake_rate: float | None
    disagreement: float | None
    entropy_bits: float | None
    reason: str | None

    @property
    def pair_agreement(self) -> float | None:
        """The share of pairs of runs that say the same; None for fewer than two runs."""
        return None if self.disagreement is None else 1.0 - self.disagreement


def distribution(labels: Iterable[str]) -> Distribution:
    """Return what repeated runs said, as a distribution over labels rather than a pass or a failure."""
    counts = dict(sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0])))
    n, top = sum(counts.values()), max(counts.values(), default=0)
    leaders = [name for name, count in counts.items() if count == top]
    modal = leaders[0] if len(leaders) == 1 else None
    return Distribution(
        n=n,
        counts=counts,
        modal=modal,
        modal_share=top / n if n else None,
        majority=modal if 2 * top > n else None,
        flake_rate=1.0 - top / n if n else None,
        disagreement=_pairs_that_differ(counts.values()),
        entropy_bits=abs(sum(count / n * math.log2(count / n) for count in counts.values())) if n else None,
        reason=None if n else NO_RESULTS,
    )


def disagreement(passes: int, n: int) -> float | None:
    """Return D = 2k(n-k) / (n(n-1)), unbiased for 2p(1-p); None for fewer than two runs.

    Raises ValueError unless 0 <= passes <= n.
    """
    _check(passes, n)
    return _pairs_that_differ([passes, n - passes])


def minority_share(passes: int, n: int) -> float | None:
    """Return min(k, n-k) / n, at most one half and biased low for few runs; None without a run.

    Raises ValueError unless 0 <= passes <= n.
    """
    _check(passes, n)
    return min(passes, n - passes) / n if n else None


def pass_at_k(passes: int, n: int, k: int) -> float | None:
    """Return the chance that at least one of k runs passes, 1 - C(n-passes, k) / C(n, k); None for k > n.

    Chen et al. 2021 (arXiv 2107.03374). Raises ValueError unless 0 <= passes <= n and k >= 1.
    """
    _check(passes, n, k)
    return None if k > n else 1.0 - math.comb(n - passes, k) / math.comb(n, k)


def pass_hat_k(passes: int, n: int, k: int) -> float | None:
    """Return the chance that all of k runs pass, C(passes, k) / C(n, k); None for k > n.

    Yao et al. 2024 (arXiv 2406.12045), where it is written pass^k. Raises ValueError as `pass_at_k`.
    """
    _check(passes, n, k)
    return None if k > n else math.comb(passes, k) / math.comb(n, k)


def strict_majority(votes: Sequence[Voted | None]) -> Voted | None:
    """Return what more than half of all seats say, an empty seat (None) among them; None where nothing does."""
    counts = Counter(vote for vote in votes if vote is not None)
    return next((value for value, count in counts.items() if 2 * count > len(votes)), None)


def outcomes(results: Iterable[bool | None]) -> Distribution:
    """Return the distribution of passes and failures; None is a run that gave no result, and is left out.

    Raises TypeError for anything that is no bool, since truthy values that differ would pass for a flake.
    """
    known = [result for result in results if result is not None]
    wrong = next((result for result in known if not isinstance(result, bool)), None)
    if wrong is not None:
        raise TypeError(f"results must be True, False or None; got {type(wrong).__name__}")
    return distribution("passed" if result else "failed" for result in known)


def _pairs_that_differ(counts: Iterable[int]) -> float | None:
    listed = list(counts)
    n = sum(listed)
    return None if n < 2 else 1.0 - sum(count * (count - 1) for count in listed) / (n * (n - 1))


def _check(passes: int, n: int, k: int = 1) -> None:
    if not 0 <= passes <= n:
        raise ValueError(f"passes must lie in 0..n; got {passes} of {n}")
    if k < 1:
        raise ValueError(f"k must be at least 1; got {k}")
