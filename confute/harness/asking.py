"""The models that a run asks besides its victim, and the ledgers of what they said: opened and closed with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import Field

from confute.harness.attacker_model import AttackerModel, run_meter
from confute.harness.campaign import Arena
from confute.harness.files import write_text
from confute.harness.prices import most, used
from confute.harness.replies import Exchange, open_replies
from confute.models.chat import ModelSpec, ReplyCode
from confute.records import Record

_LEDGER = "replies.sqlite"
_VERDICTS = "verdicts.sqlite"
_EXPENSE = "expense.json"


class AttackerExpense(Record):
    """What an attacker's model was asked and what that cost; `dollars` is None where no price is known.

    `charged_tokens` counts an upper bound for the replies that did not tell what they used. `failures` counts replies
    by the code of what kept them from being a text.
    """

    model: str
    calls: int = Field(ge=0)
    charged_tokens: int = Field(ge=0)
    dollars: float | None
    failures: dict[str, int]

    def words(self) -> str:
        """Return it as one line."""
        failed = sum(self.failures.values())
        money = "" if self.dollars is None else f", ${self.dollars:.4f}"
        return f"attacker: {self.calls} calls of {self.model}, {self.charged_tokens} tokens{money}" + (
            f"; {failed} replies failed" if failed else ""
        )


@contextmanager
def asking(folder: Path, arena: Arena) -> Iterator[AttackerModel | None]:
    """Lend a run the attacker's model, None where its attacker asks none; write what it cost when the run ends.

    The ledger of the judges' verdicts is open meanwhile, where there are any.
    """
    spec = arena.contract.attacker.model
    with ExitStack() as opened:
        if arena.referees is not None:
            opened.enter_context(arena.referees.open(folder / _VERDICTS))
        if spec is None or arena.attacker_model is None:
            yield None
            return
        ledger = opened.enter_context(open_replies(folder / _LEDGER))
        ledger.identify({"contract": arena.contract.digest, "model": arena.attacker_model.fingerprint})
        try:
            yield AttackerModel(arena.attacker_model, spec, ledger, run_meter(arena.contract.attacker.total))
        finally:
            write_text(folder / _EXPENSE, expense(spec, ledger.rows).model_dump_json(indent=2))


def expense(spec: ModelSpec, exchanges: Iterable[Exchange]) -> AttackerExpense:
    """Return what exchanges cost together."""
    found = list(exchanges)
    uses = [used(one.reply, spec, most(one.request, spec)) for one in found]
    priced = spec.provider == "local" or None not in {spec.prompt_price, spec.completion_price}
    failed = Counter(one.reply.code.value for one in found if one.reply.code is not ReplyCode.OK)
    return AttackerExpense(
        model=spec.model,
        calls=len(found),
        charged_tokens=sum(use.tokens for use in uses),
        dollars=float(sum(use.dollars for use in uses)) if priced else None,
        failures=dict(sorted(failed.items())),
    )


def expense_of(folder: Path) -> AttackerExpense | None:
    """Return what the attacker's model cost a run; None where it asked none."""
    path = folder / _EXPENSE
    return AttackerExpense.model_validate_json(path.read_text(encoding="utf-8")) if path.is_file() else None
