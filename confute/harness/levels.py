"""One attack at every knowledge level on equal budgets, and whether more knowledge ever did worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from confute.contract import AttackContract
from confute.harness.manifest import BUDGETS_SHOWN
from confute.harness.outcome import ItemOutcome
from confute.harness.rates import Rate, rate
from confute.harness.stats.paired import mcnemar_exact
from confute.records import AttackGoal, Knowledge, Outcome, Record

_ALPHA = 0.05


class LevelPoint(Record):
    """The success of one level within so many victim queries: of all items, and of those whose control was right.

    `lost` and `won` are the items that the level below alone broke, and that this one alone broke; `p_value` is
    McNemar's exact one, unadjusted. All three are None for the lowest level.
    """

    goal: AttackGoal
    queries: int = Field(ge=1)
    level: Knowledge
    success: Rate
    induced: Rate
    lost: int | None
    won: int | None
    p_value: float | None

    @property
    def is_worse(self) -> bool:
        """Whether the level did worse than the one below, beyond what chance gives one comparison in twenty."""
        return self.p_value is not None and self.p_value < _ALPHA and (self.lost or 0) > (self.won or 0)


class Levels(Record):
    """A contract attacked at each knowledge level, on the same items with the same budgets, and the runs' folders."""

    folders: dict[str, str]
    points: tuple[LevelPoint, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know: each place at which more knowledge did worse."""
        return tuple(
            f"{one.goal.value.replace('_', ' ')}, {one.queries} queries: {one.level} did worse than the level below "
            f"({one.lost} items lost, {one.won} won, p = {one.p_value:.3f})"
            for one in self.points
            if one.is_worse
        )

    def markdown(self) -> str:
        """Return the curves side by side as Markdown."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# Success by knowledge level, on equal budgets"
        for goal in sorted({one.goal for one in self.points}):
            chosen = [one for one in self.points if one.goal is goal]
            yield f"\n## {goal.value.replace('_', ' ')}, share of items broken within q queries\n"
            yield "| q | " + " | ".join(Knowledge) + " |"
            yield "| --- " * (1 + len(Knowledge)) + "|"
            for queries in sorted({one.queries for one in chosen}):
                row = {one.level: one for one in chosen if one.queries == queries}
                yield f"| {queries} | " + " | ".join(_cell(row[level]) for level in Knowledge if level in row) + " |"
        yield ""
        yield from (f"- {warning}" for warning in self.warnings)
        if not self.warnings:
            yield "More knowledge did worse at no budget (McNemar, each level against the one below, p < 0.05)."


def at_level(contract: AttackContract, level: Knowledge) -> AttackContract:
    """Return a contract whose attacker knows as much as a level says."""
    attacker = contract.attacker.model_copy(update={"knowledge": level})
    return contract.model_copy(update={"attacker": attacker})


def compare(runs: Mapping[Knowledge, str], outcomes: Mapping[Knowledge, Sequence[ItemOutcome]], budget: int) -> Levels:
    """Return the curves of finished runs of one contract at several levels; items are matched by case and goal."""
    points = []
    for goal in AttackGoal:
        for queries in (shown for shown in BUDGETS_SHOWN if shown <= budget):
            below: Sequence[ItemOutcome] | None = None
            for level in Knowledge:
                if any(item.goal is goal for item in outcomes.get(level, ())):
                    points.append(_point(goal, queries, level, outcomes[level], below))
                    below = outcomes[level]
    return Levels(folders=dict(runs), points=tuple(points))


def _point(
    goal: AttackGoal, queries: int, level: Knowledge, found: Sequence[ItemOutcome], below: Sequence[ItemOutcome] | None
) -> LevelPoint:
    chosen = [item for item in found if item.goal is goal]
    induced = [(item, item.induced(item.search, item.search.within(queries))) for item in chosen]
    lost, won = (None, None) if below is None else _discordant(goal, queries, below, chosen)
    return LevelPoint(
        goal=goal,
        queries=queries,
        level=level,
        success=rate(item.mark(item.search.within(queries)) for item in chosen),
        induced=rate(item.mark(outcome) for item, outcome in induced if outcome is not None),
        lost=lost,
        won=won,
        p_value=None if lost is None or won is None else mcnemar_exact(lost, won),
    )


def _discordant(
    goal: AttackGoal, queries: int, below: Sequence[ItemOutcome], above: Sequence[ItemOutcome]
) -> tuple[int, int]:
    lower = {item.case.case_id: item.search.within(queries) for item in below if item.goal is goal}
    pairs = [(lower[item.case.case_id], item.search.within(queries)) for item in above if item.case.case_id in lower]
    lost = sum(pair == (Outcome.SUCCEEDED, Outcome.RESISTED) for pair in pairs)
    return lost, sum(pair == (Outcome.RESISTED, Outcome.SUCCEEDED) for pair in pairs)


def _cell(point: LevelPoint) -> str:
    found = point.success
    share = "—" if found.value is None else f"{found.value:.0%} [{found.low:.0%}–{found.high:.0%}]"
    return f"{share} {found.numerator}/{found.denominator}{' (worse)' if point.is_worse else ''}"
