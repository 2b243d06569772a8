"""Figures and hostile text as every rendering writes them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from confute.counterexample import Counterexample
from confute.harness.expense import ArmExpense
from confute.harness.rates import Estimate, Rate
from confute.records import AttackGoal

DASH = "—"
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_WRAPPED = str.maketrans({"\n": " ", "\t": " ", "\r": " "})


def percent(value: float | None) -> str:
    """Return a share in per cent; a dash for None. Only an exact 0 or 1 is written as 0 % or 100 %."""
    if value is None:
        return DASH
    if 0 < value < 0.01:
        return "<1 %"
    if 0.99 < value < 1:
        return ">99 %"
    return f"{value * 100:.0f} %"


def decimal(value: float | None, digits: int = 3) -> str:
    """Return a number with so many decimals; a dash for None."""
    return DASH if value is None else f"{value:.{digits}f}"


def share(rate: Rate | None) -> str:
    """Return a rate's numerator over its denominator; a dash where there is none."""
    return DASH if rate is None or not rate.denominator else f"{rate.numerator}/{rate.denominator}"


def figures(one: Rate) -> tuple[str, ...]:
    """Return the cells of a rate: n/N, share, interval, and what was not measured, by kind."""
    return share(one), percent(one.value), interval(one), str(one.errors), str(one.no_evidence), str(one.unknown)


def interval(rate: Rate | None) -> str:
    """Return a rate's 95 % interval, in per cent."""
    if rate is None or rate.low is None or rate.high is None:
        return DASH
    return f"{rate.low * 100:.0f}–{rate.high * 100:.0f} %"


def unmeasured(rate: Rate | None) -> str:
    """Return what a rate could not count, or nothing where it counted everything."""
    if rate is None:
        return ""
    errors = "error" if rate.errors == 1 else "errors"
    parts = ((rate.errors, errors), (rate.no_evidence, "without evidence"), (rate.unknown, "unknown"))
    return ", ".join(f"{count} {name}" for count, name in parts if count)


def cell(rate: Rate | None) -> str:
    """Return a whole rate in one line: counts, share, interval, and what it could not count."""
    left_out = unmeasured(rate)
    beside = f" (+{left_out})" if left_out else ""
    if rate is None or not rate.denominator:
        return f"{DASH}{beside}"
    return f"{share(rate)} {percent(rate.value)} [{interval(rate)}]{beside}"


def estimate(value: Estimate, digits: int = 3) -> str:
    """Return an estimate with its interval."""
    if value.value is None:
        return DASH
    if value.low is None or value.high is None:
        return f"{decimal(value.value, digits)} [{DASH}]"
    return f"{decimal(value.value, digits)} [{decimal(value.low, digits)}–{decimal(value.high, digits)}]"


def _amount(value: float | None) -> str:
    return str(value) if isinstance(value, int) else decimal(value, 4)


def p_value(value: float | None) -> str:
    """Return a p value; a dash for None."""
    if value is None:
        return DASH
    return "<0.001" if value < 0.001 else f"{value:.3f}"


EXPENSE_HEAD = (
    "arm",
    "items",
    "broken",
    "victim queries",
    "attacker calls",
    "attacker tokens",
    "attacker dollars",
    "judge calls",
    "judge tokens",
    "judge dollars",
)
"""What the cells of `expense` are."""


def expense(one: ArmExpense) -> tuple[str, ...]:
    """Return the cells of what an arm cost; a dash where nobody was asked, or where it is not known."""
    attacker, judges, nobody = one.attacker, one.judges, (None, None, None)
    asked = nobody if attacker is None else (attacker.calls, attacker.charged_tokens, attacker.dollars)
    judged = nobody if judges is None else (judges.calls, judges.tokens, judges.dollars)
    amounts = (one.items, one.successes, one.victim_queries, *asked, *judged)
    return one.arm.replace("_", " "), *map(_amount, amounts)


def asks_models(arms: Sequence[ArmExpense]) -> bool:
    """Tell whether a run asked a model for its attacks or its verdicts."""
    return any(one.attacker is not None or one.judges is not None for one in arms)


def goal_words(goal: AttackGoal) -> str:
    """Return a goal in words."""
    return goal.value.replace("_", " ")


def edit_words(counterexample: Counterexample) -> str:
    """Return the size of a change: tokens and characters of the claim, or passages of the evidence."""
    added, removed = counterexample.passages_added, counterexample.passages_removed
    if added or removed:
        return f"{counted(added, 'passage')} added, {removed} removed"
    tokens, characters = counterexample.edit_distance_tokens, counterexample.edit_distance_chars
    return f"{counted(tokens, 'token')}, {counted(characters, 'character')}"


def counted(count: int, name: str) -> str:
    """Return a count with its noun, in the plural but for one."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def visible(text: str, limit: int | None = None) -> str:
    """Return a text in which nothing is hidden: control, format and surrogate characters stand as ⟨U+XXXX⟩.

    Line breaks and tabs become spaces; a text longer than `limit` characters ends in an ellipsis.
    """
    shown = text if limit is None or len(text) <= limit else f"{text[:limit]}…"
    return "".join(
        f"⟨U+{ord(character):04X}⟩" if unicodedata.category(character) in _HIDDEN else character
        for character in shown.translate(_WRAPPED)
    )
