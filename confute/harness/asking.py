"""The models that a run asks besides its victim, and the ledgers of what they said: opened and closed with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from confute.harness.attacker_model import AttackerModel, half_meters, run_meter
from confute.harness.campaign import Arena
from confute.harness.expense import Spending, expense
from confute.harness.files import write_text
from confute.harness.judging.judgements import Judgement, open_judgements
from confute.harness.replies import Exchange, open_replies

_LEDGER = "replies.sqlite"
_VERDICTS = "verdicts.sqlite"
_EXPENSE = "expense.json"


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
            attacker = arena.contract.attacker
            total = half_meters(attacker.total) if attacker.model_controls else run_meter(attacker.total)
            yield AttackerModel(arena.attacker_model, spec, ledger, total)
        finally:
            write_text(folder / _EXPENSE, expense(spec, ledger.rows).model_dump_json(indent=2))


def spending_of(folder: Path) -> Spending:
    """Return all that the models of a run were asked, finished or not.

    Raises LedgerError where a ledger was altered.
    """
    exchanges: tuple[Exchange, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    if (folder / _LEDGER).is_file():
        with open_replies(folder / _LEDGER) as replies:
            exchanges = tuple(replies.rows)
    if (folder / _VERDICTS).is_file():
        with open_judgements(folder / _VERDICTS) as verdicts:
            judgements = tuple(verdicts.rows)
    return Spending(exchanges, judgements)
