"""Whether another wording of the questions is right about other cases than the family's own."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from confute.harness.stats.comparisons import holm, sidak
from confute.harness.stats.paired import mcnemar_exact
from confute.records import Record

Rights = Mapping[str, bool | None]
"""By case, whether the usual verdict on it is right; `None` where there is no usual one."""


class Comparison(Record):
    """A wording beside the family's own, on the cases where both have a usual verdict.

    `only_own` and `only_other` count the cases on which one of the two alone is right, `p` is of McNemar's exact test
    on them, and `adjusted` is Holm's for all wordings that were compared.
    """

    name: str
    only_own: int = Field(ge=0)
    only_other: int = Field(ge=0)
    p: float
    adjusted: float


class Comparisons(Record):
    """Every other wording beside the own one; `best` is the smallest p as Sidak adjusts the best of so many."""

    wordings: tuple[Comparison, ...]
    best: float


def compare(own: Rights, others: Mapping[str, Rights]) -> Comparisons | None:
    """Return the comparisons of all other wordings with the own one; None where there is no other one."""
    if not others:
        return None
    counts = {name: _discordant(own, rights) for name, rights in others.items()}
    p_values = [mcnemar_exact(*pair) for pair in counts.values()]
    made = [
        Comparison(name=name, only_own=first, only_other=second, p=p, adjusted=adjusted)
        for (name, (first, second)), p, adjusted in zip(counts.items(), p_values, holm(p_values), strict=True)
    ]
    return Comparisons(wordings=tuple(made), best=sidak(min(p_values), len(p_values)))


def _discordant(own: Rights, other: Rights) -> tuple[int, int]:
    pairs = [(own[case], right) for case, right in other.items()]
    return pairs.count((True, False)), pairs.count((False, True))
