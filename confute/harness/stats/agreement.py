"""How far two or more raters agree beyond chance, on labels without an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from pydantic import Field

from confute.records import Record

CONSTANT_LABELS = "constant_labels"
NO_RATINGS = "no_ratings"


class Agreement(Record):
    """How far a judge agrees with the labels of the same n items.

    `agreement` is the raw share, `kappa` Cohen's kappa and `ac1` Gwet's AC1, which keeps its meaning where one label is
    rare. What is undefined is None, and `reason` says why: `no_ratings`, or `constant_labels` where both raters gave
    every item one and the same label. `judge_constant` flags a judge that said one thing of two items or more.
    """

    n: int = Field(ge=0)
    agreement: float | None
    kappa: float | None
    ac1: float | None
    reason: str | None
    judge_constant: bool


def agreement(labels: Sequence[Hashable], judge: Sequence[Hashable]) -> Agreement:
    """Return raw agreement, Cohen's kappa (Cohen 1960) and Gwet's AC1 (Gwet 2008) of two raters over the same items.

    Kappa is (Po - Pe) / (1 - Pe) with Pe = sum_l p_l q_l; AC1 has Pe = sum_l m_l (1 - m_l) / (L - 1) with m_l the mean
    of the two raters' shares of label l. Raises ValueError where the lengths differ.
    """
    n = len(labels)
    if n == 0 and not judge:
        return Agreement(n=0, agreement=None, kappa=None, ac1=None, reason=NO_RATINGS, judge_constant=False)
    observed = sum(left == right for left, right in zip(labels, judge, strict=True)) / n
    shares = [Counter(rater) for rater in (labels, judge)]
    names = set(shares[0]) | set(shares[1])
    constant = len(names) == 1
    by_product = sum(shares[0][name] * shares[1][name] for name in names) / (n * n)
    means = [(shares[0][name] + shares[1][name]) / (2 * n) for name in names]
    by_mean = sum(mean * (1.0 - mean) for mean in means) / max(1, len(names) - 1)
    return Agreement(
        n=n,
        agreement=observed,
        kappa=None if constant else (observed - by_product) / (1.0 - by_product),
        ac1=None if constant else (observed - by_mean) / (1.0 - by_mean),
        reason=CONSTANT_LABELS if constant else None,
        judge_constant=n > 1 and len(shares[1]) == 1,
    )


def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Return Krippendorff's alpha for nominal labels, 1 - Do / De; None where it is undefined.

    Each unit holds the labels that its raters gave; None is a rating that is missing, and a unit with fewer than two
    ratings pairs with nothing. Undefined without such pairs, and where every paired rating is the same label.
    Krippendorff 2011, computing alpha-reliability, section D.
    """
    paired = [rated for unit in units if len(rated := [label for label in unit if label is not None]) > 1]
    totals = Counter(label for rated in paired for label in rated)
    n = sum(totals.values())
    if len(totals) < 2:
        return None
    disagreeing = sum(
        (len(rated) ** 2 - sum(count * count for count in Counter(rated).values())) / (len(rated) - 1)
        for rated in paired
    )
    expected = (n * n - sum(count * count for count in totals.values())) / (n - 1)
    return 1.0 - disagreeing / expected
