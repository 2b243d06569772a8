"""A run of an attacker that is a language model whose answers a test writes down."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from pathlib import Path
from typing import Any

from watching import Quiet

from confute import contract
from confute.harness import arena, run
from confute.harness.expense import AttackerExpense
from confute.harness.replies import open_replies
from confute.models.scripted import ScriptedModel
from confute.oracles.facts.builtin import builtin
from confute.records import Arm

CONTRACT = """
victim: {{detector: word_overlap, threshold: {{calibrate: {{target_rate: 0.2}}}}}}
objective: {{oracle: facts}}
attacker:
  strategy: llm
  knowledge: {knowledge}
  model: {{model: scripted, prompt_price: 1.0, completion_price: 2.0, max_tokens: 100}}
  tree: {{width: 2, branching: 2, depth: 3{tree}}}
  budgets: {{victim_queries: 6, {budgets}}}
  {more}
evaluation: {{max_cases: {cases}, seed: 3}}
"""


def contract_of(
    knowledge: str = "score", budgets: str = "", more: str = "", tree: str = "", cases: int = 4
) -> contract.AttackContract:
    return contract.parse(
        CONTRACT.format(knowledge=knowledge, budgets=budgets, more=more, tree=tree and f", {tree}", cases=cases)
    )


def asked(folder: Path, arm: Arm) -> list[str]:
    """Return the prompts of an arm, as the run's ledger of replies has them."""
    with open_replies(folder / "replies.sqlite") as ledger:
        return [one.request.messages[0].content for one in ledger.rows if one.arm is arm]


def sensible(request: Any, _repeat: int) -> str:
    """Choose the first edit that is offered, and write the claim with its first number raised where a text is asked."""
    prompt = request.messages[0].content
    if "by number" in prompt:
        return '{"improvement": "i", "proposal": [1]}'
    claim = next(line for line in prompt.splitlines() if line.startswith('"'))
    other = re.sub(r"\d", lambda found: str((int(found.group()) + 5) % 10), claim, count=1)
    mechanism = '"mechanism": "quantity", ' if '"mechanism"' in prompt else ""
    return f'{{"improvement": "i", {mechanism}"proposal": {other}}}'


def expense_of(folder: Path) -> AttackerExpense:
    """Return what the run's `expense.json` says."""
    return AttackerExpense.model_validate_json((folder / "expense.json").read_text(encoding="utf-8"))


_builtin = cache(builtin)


def attacked(monkeypatch: Any, folder: Path, model: ScriptedModel, asked: contract.AttackContract) -> Any:
    """Carry a contract out in a folder, the model standing in for the one that the contract names."""
    monkeypatch.setattr(arena, "load_chat", lambda spec: model)
    monkeypatch.setattr(arena, "builtin", _builtin)
    folder.mkdir(exist_ok=True)
    order = run.Order(contract=asked, data=None)
    return run.carry_out(folder, run.prepare(order, None, Quiet()), Quiet())


class Counting(ScriptedModel):
    """A scripted model that takes a few turns of the loop, and counts how many questions it holds at once."""

    running = 0
    most_at_once = 0

    async def complete(self, request: Any, *, repeat: int = 0) -> Any:
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        for _ in range(3):
            await asyncio.sleep(0)
        self.running -= 1
        return await super().complete(request, repeat=repeat)
