"""The rows of a curve: one claim with what one point of the sweep gave it, in an append-only ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from confute.curve_plan import Budget, CurvePlan, Rank, Strategy, Toggles
from confute.harness.chain import Chain, readable
from confute.records import Decision, Record, Score, Validity

Kind = Strategy | Literal["own_evidence"]
OWN: Literal["own_evidence"] = "own_evidence"


class Point(NamedTuple):
    """One point of a sweep: the toggles that are off, the rank, and how evidence was chosen; `budget` is K, if any."""

    moved: tuple[str, ...]
    rank: Rank
    kind: Kind
    budget: Budget | None

    @property
    def name(self) -> str:
        """The point's name within its rank: its budget where it has one."""
        return str(self.kind) if self.budget is None else str(self.budget)


class PointRow(Record):
    """One claim at one point.

    `set_id` is the set that was chosen and `depth` its place by similarity, None and 0 where there was none to choose
    or the evidence is the claim's own. `validity` is the oracle's word on a chosen set, `score` None where the victim
    was not asked.
    """

    contract_digest: str
    point: Point
    case_id: str
    set_id: str | None = None
    depth: int = Field(default=0, ge=0)
    validity: Validity | None = None
    score: Score | None = None
    decision: Decision | None = None


class Variant(NamedTuple):
    """A way to mine: its toggles, and the ranks that are measured under them."""

    toggles: Toggles
    ranks: tuple[Rank, ...]

    def points(self, plan: CurvePlan, rank: Rank) -> tuple[Point, ...]:
        """Return the points of one rank, in the order in which they are measured."""
        without_budget = (
            OWN,
            *(one for one in Strategy if one in plan.strategies and one is not Strategy.ENERGY_AWARE),
        )
        kinds: list[tuple[Kind, Budget | None]] = [(kind, None) for kind in without_budget]
        kinds += [(Strategy.ENERGY_AWARE, budget) for budget in plan.budgets]
        return tuple(Point(self.toggles.moved, rank, kind, budget) for kind, budget in kinds)


def variants(plan: CurvePlan) -> tuple[Variant, ...]:
    """Return the plan's own way to mine and, where it ablates, one at the last rank for each toggle moved alone."""
    names = Toggles.model_fields if plan.ablate else ()
    return (
        Variant(plan.toggles, plan.ranks),
        *(Variant(Toggles.model_validate({name: False}), plan.ranks[-1:]) for name in names),
    )


@contextmanager
def opened(path: Path) -> Iterator[PointLedger]:
    """Open the ledger of a curve. Raises LedgerError where the file is unreadable, or was altered."""
    with closing(Chain(path, how_to_go_on="give the same command again")) as chain:
        yield PointLedger(chain)


class PointLedger:
    """The points that a chain holds. A point is written whole, in one transaction, or not at all.

    Raises LedgerError where the chain is unreadable, or was altered.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        with readable(chain.path):
            rows = [PointRow.model_validate_json(body) for body in chain.bodies()]
        self._points = {point: tuple(some) for point, some in groupby(rows, lambda row: row.point)}

    def __contains__(self, point: Point) -> bool:
        return point in self._points

    def rows(self, point: Point) -> tuple[PointRow, ...]:
        """Return the rows of a point that was written."""
        return self._points[point]

    def append(self, rows: Sequence[PointRow]) -> None:
        """Write the rows of one point, all or none. Raises LedgerError where it was written before, or cannot be."""
        self.chain.append(list(_texts(rows)), {})
        self._points |= {rows[0].point: tuple(rows)}


def _texts(rows: Sequence[PointRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        key = json.dumps([*row.point, row.case_id], ensure_ascii=False)
        fields = row.model_dump(mode="json", exclude_defaults=True)
        body = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        yield key, body
