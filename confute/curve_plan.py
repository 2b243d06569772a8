"""What a degradation curve runs, as the section `curve` of a contract declares it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from confute.part import Part
from confute.records import NonBlank

MOST = 100_000
"""The largest K, and the largest rank."""

Budget = Annotated[int, Field(ge=1, le=MOST)] | Literal["all"]
Rank = Annotated[int, Field(ge=1, le=MOST)] | Literal["full"]


class Strategy(StrEnum):
    """Ways to choose wrong evidence for a claim among the eligible sets; `energy_aware` alone asks the victim.

    `random` and `same_domain` are drawn uniformly, `semantic_neighbour` is the most centroid-similar one, and
    `energy_aware` the one of lowest energy among the K most centroid-similar ones, or among all.
    """

    RANDOM = "random"
    SAME_DOMAIN = "same_domain"
    SEMANTIC_NEIGHBOUR = "semantic_neighbour"
    ENERGY_AWARE = "energy_aware"


class Toggles(Part):
    """The safe way to mine; each one moved repeats a way in which earlier figures went wrong.

    `source_guard` keeps evidence of a claim's own source from it. `honour_labels` takes SUPPORTED rows alone as
    positives. `eligible_budget` counts eligible sets alone in K; without it a claim's own set and its source's take
    places of the shortlist, and where none is left a set is drawn from the whole pool. `drop_null_directions` leaves
    directions without a singular value out of a basis.
    """

    source_guard: bool = True
    honour_labels: bool = True
    eligible_budget: bool = True
    drop_null_directions: bool = True

    @property
    def moved(self) -> tuple[str, ...]:
        """The names of those that are off."""
        return tuple(name for name, value in self.model_dump().items() if not value)


class CurvePlan(Part):
    """What `confute curve` runs on the frozen claims of a contract.

    `budgets` are the K of `energy_aware`, `all` for every eligible set; they are kept in rising order. Without `ranks`
    the victim's own rank is taken; `ablate` adds one more curve at the last of them for each toggle moved alone.
    `select` is a glob on the ids of the claims to take, and of the calibration cases. `passage_source` is a regular
    expression whose first group is the name of the source in a passage that tells it, as a title before a sentence
    does. `random` is the baseline of ASR_induced. Every interval comes from `resamples` resamples of whole sources.
    """

    budgets: Annotated[tuple[Budget, ...], Field(strict=False)] = (1, 4, 16, 64, 256, "all")
    ranks: Annotated[tuple[Rank, ...], Field(strict=False)] = ()
    strategies: Annotated[tuple[Annotated[Strategy, Field(strict=False)], ...], Field(strict=False)] = tuple(Strategy)
    toggles: Toggles = Toggles()
    ablate: bool = False
    select: NonBlank | None = None
    passage_source: NonBlank | None = None
    resamples: int = Field(default=10_000, ge=100, le=1_000_000)

    @field_validator("budgets")
    @classmethod
    def _rising(cls, budgets: tuple[int | str, ...]) -> tuple[int | str, ...]:
        numbers = sorted({one for one in budgets if isinstance(one, int)})
        if not numbers:
            raise ValueError("budgets must name at least one number of sets; 'all' stands beside it")
        return (*numbers, "all") if "all" in budgets else tuple(numbers)

    @field_validator("passage_source")
    @classmethod
    def _has_a_group(cls, pattern: str | None) -> str | None:
        try:
            groups = 1 if pattern is None else re.compile(pattern).groups
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"passage_source must be a regular expression: {error}") from error
        if not groups:
            raise ValueError("passage_source must have a group, the name of the source: like '^(.+?): '")
        return pattern

    @model_validator(mode="after")
    def _is_a_curve(self) -> Self:
        if not {Strategy.RANDOM, Strategy.ENERGY_AWARE} <= set(self.strategies):
            raise ValueError("strategies must name random, the baseline of ASR_induced, and energy_aware, the curve")
        for name in ("strategies", "ranks"):
            if len(set(getattr(self, name))) != len(getattr(self, name)):
                raise ValueError(f"{name} must name each one once")
        return self

    @property
    def numbers(self) -> tuple[int, ...]:
        """The budgets that are numbers, rising."""
        return tuple(one for one in self.budgets if isinstance(one, int))
