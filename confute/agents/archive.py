"""A quality-diversity archive: of every kind of counterexample the smallest, and how many kinds were found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import Field

from confute.records import Mechanism, Record

_SIZES = ((1, "1"), (2, "2"), (5, "3-5"))


class Elite(Record):
    """A counterexample as the archive compares it: its mechanism, the stage it broke, and its sizes."""

    attack_id: str
    mechanism: Mechanism
    stage: str
    tokens: int = Field(ge=0)
    chars: int = Field(ge=0)
    passages: int = Field(ge=0)


class Cell(NamedTuple):
    """A kind of counterexample; `size` counts changed tokens and passages: `1`, `2`, `3-5` or `more`."""

    mechanism: Mechanism
    stage: str
    size: str


class Archive:
    """Keeps one elite a cell, mechanism x stage x edit size: the smallest (MAP-Elites, Mouret and Clune 2015).

    Smaller means fewer tokens, then fewer characters, then fewer passages; ties go by the identifier.
    """

    def __init__(self, found: Iterable[Elite] = ()) -> None:
        self._elites: dict[Cell, Elite] = {}
        self._found: dict[Cell, int] = {}
        for one in found:
            self.add(one)

    def add(self, one: Elite) -> bool:
        """Take one counterexample in, and tell whether it is its cell's elite now."""
        cell = cell_of(one)
        self._found[cell] = self._found.get(cell, 0) + 1
        known = self._elites.get(cell)
        if known is not None and _size(known) <= _size(one):
            return False
        self._elites[cell] = one
        return True

    @property
    def elites(self) -> tuple[tuple[Cell, Elite], ...]:
        """The cells that are filled, each with its elite, in the order of the cells."""
        return tuple(sorted(self._elites.items(), key=lambda pair: pair[0]))

    @property
    def evenness(self) -> float | None:
        """Shannon's entropy of the counterexamples over the filled cells, as a share of its maximum ln S.

        None with fewer than two cells, where it says nothing.
        """
        if len(self._found) < 2:
            return None
        total = sum(self._found.values())
        entropy = -math.fsum(count / total * math.log(count / total) for count in sorted(self._found.values()))
        return entropy / math.log(len(self._found))


def cell_of(one: Elite) -> Cell:
    """Return the cell of a counterexample."""
    changed = one.tokens + one.passages
    return Cell(one.mechanism, one.stage, next((name for most, name in _SIZES if changed <= most), "more"))


def _size(one: Elite) -> tuple[int, int, int, str]:
    return one.tokens, one.chars, one.passages, one.attack_id
