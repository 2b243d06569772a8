"""The judges of a run: one panel for each item, whose calls the item's budget pays for and whose verdicts are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from confute.contract import AttackContract
from confute.harness.attacker_model import half_meters
from confute.harness.judging.judgements import Judgement, JudgementLedger, Key, open_judgements
from confute.harness.meter import Meter
from confute.judges.families import Family, build_panel, load_family
from confute.judges.judge import Exhibit, Panel
from confute.models.chat import ChatModel
from confute.models.chat_load import load_chat
from confute.records import Arm, AttackGoal, Case, digest_of
from confute.verdicts import Verdict, total

FAMILY = "support"


@dataclass
class Referees:
    """Gives each case and goal the panel of the family `support` on the contract's judge model.

    Each call of a judge is spent from the budget `judge_calls` of the item in the present `arm`, and from half of that
    of the run: the search without feedback has one half, whatever else is judged the other. Verdicts are kept in a
    ledger once one is opened, so that a resumed run judges nothing twice.
    """

    contract: AttackContract
    model: ChatModel
    family: Family = field(default_factory=lambda: load_family(FAMILY))
    ledger: JudgementLedger | None = None
    arm: Arm = Arm.SEARCH
    _meters: dict[tuple[Arm, str, AttackGoal], Meter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._totals = half_meters(self.contract.attacker.total)

    def turn_to(self, arm: Arm) -> None:
        """Judge for another arm from now on."""
        self.arm = arm

    @property
    def version(self) -> str:
        """SHA-256, in hex, over the judges, their templates, the model and the rule."""
        return build_panel(self.family, self.model).version

    def of(self, case: Case, goal: AttackGoal) -> Panel:
        """Return the panel of an item."""
        meter = self._meters.setdefault((self.arm, case.case_id, goal), Meter(self.contract.attacker.budgets))
        total = self._totals.of(self.arm)
        panel = build_panel(self.family, self.model, spend=lambda: _spend(meter, total))
        return _Recorded(
            panel, item_name(case.case_id, goal, self.arm), lambda: self.ledger, lambda: _spend(meter, total)
        )

    def open(self, path: Path) -> JudgementLedger:
        """Open the ledger of a run's verdicts. Raises LedgerError where it is another run's."""
        self.ledger = open_judgements(path)
        self.ledger.identify({"contract": self.contract.digest, "panel": self.version})
        return self.ledger


@dataclass(frozen=True)
class _Recorded:
    """A panel whose verdicts are read from the ledger where it has them, at the price that they had."""

    panel: Panel
    item: str
    ledger: Callable[[], JudgementLedger | None]
    spend: Callable[[], bool]

    @property
    def family(self) -> str:
        return self.panel.family

    @property
    def version(self) -> str:
        return self.panel.version

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        ledger, key = self.ledger(), Key(self.item, digest_of(exhibit.model_dump()), repeat, 0)
        known = None if ledger is None else ledger.find(key)
        if known is not None:
            spent = total([*(vote.spent for vote in known.verdict.votes), known.verdict.cancelled_spent])
            for _ in range(spent.calls + spent.cached):
                self.spend()
            return known.verdict
        verdict = await self.panel.conclude(exhibit, repeat=repeat)
        if ledger is not None:
            ledger.append(Judgement(**key._asdict(), verdict=verdict))
        return verdict


def item_name(case_id: str, goal: AttackGoal, arm: Arm) -> str:
    """Return the name under which the ledger keeps the verdicts of an item in an arm."""
    return f"{case_id}/{goal}/{arm}"


def item_of(name: str) -> tuple[str, AttackGoal, Arm]:
    """Return what such a name stands for."""
    case_id, goal, arm = name.rsplit("/", 2)
    return case_id, AttackGoal(goal), Arm(arm)


def referees_of(contract: AttackContract) -> Referees | None:
    """Return the judges of a contract, None where it names no judge model. Raises ModelError where it cannot be had."""
    judge = contract.objective.judge
    return None if judge is None else Referees(contract, load_chat(judge))


def _spend(meter: Meter, total: Meter) -> bool:
    if not meter.try_spend("judge_calls"):
        return False
    if total.try_spend("judge_calls"):
        return True
    meter.give_back("judge_calls", 1)
    return False
