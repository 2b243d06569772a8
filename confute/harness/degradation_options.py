"""The options of `confute curve`, which take the place of fields of its contract and are told in the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from confute.contract import AttackContract, Evaluation
from confute.curve_plan import MOST, CurvePlan, Toggles
from confute.errors import ContractError, problem_of
from confute.harness.degradation import Override

_Section = TypeVar("_Section", CurvePlan, Evaluation)


def overridden(  # noqa: PLR0913  one parameter for each option
    contract: AttackContract,
    *,
    budgets: str | None = None,
    ranks: str | None = None,
    select: str | None = None,
    ablate: bool | None = None,
    without: Sequence[str] = (),
    seed: int | None = None,
    max_cases: int | None = None,
) -> tuple[AttackContract, tuple[Override, ...]]:
    """Return the contract with the options in place of its fields, and each field that they changed.

    Lists are written as `1,4,16,all`; `without` names toggles to move off, one or several with commas in each item. An
    option that says what the contract says changes nothing. Raises ContractError that names the option, what is allowed
    there and what came; a contract without a curve has no place for the options of one.
    """
    declared = contract.curve
    if declared is None:
        return contract, ()
    given: dict[str, Any] = {
        "budgets": None if budgets is None else [_size(one, "all", "--budgets") for one in budgets.split(",")],
        "ranks": None
        if ranks is None
        else list(dict.fromkeys(_size(one, "full", "--ranks") for one in ranks.split(","))),
        "select": select,
        "ablate": ablate,
        "toggles": _toggles(declared.toggles, without) if without else None,
    }
    curve = _with(declared, given)
    evaluation = _with(contract.evaluation, {"seed": seed, "max_cases": max_cases})
    changed = contract.model_copy(update={"curve": curve, "evaluation": evaluation})
    return changed, (*_changes("curve", declared, curve), *_changes("evaluation", contract.evaluation, evaluation))


def _with(part: _Section, given: dict[str, Any]) -> _Section:
    fields = part.model_dump() | {name: value for name, value in given.items() if value is not None}
    try:
        return type(part).model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        option = f"--{first['loc'][0]}".replace("_", "-")
        raise ContractError(f"cannot be carried out: {problem_of(first)}", field=option, got=first["input"]) from error


def _changes(section: str, declared: CurvePlan | Evaluation, given: CurvePlan | Evaluation) -> list[Override]:
    before, after = declared.model_dump(mode="json"), given.model_dump(mode="json")
    return [
        Override(field=f"{section}.{name}", declared=_written(before[name]), given=_written(after[name]))
        for name in before
        if before[name] != after[name]
    ]


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_written(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "the victim's own"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def _size(text: str, word: str, option: str) -> int | str:
    stripped = text.strip()
    try:
        number = int(stripped)
    except ValueError:
        number = 0
    if stripped != word and not 1 <= number <= MOST:
        allowed = f"numbers from 1 to {MOST} or {word}, with commas"
        raise ContractError("neither a number nor that word", field=option, allowed=allowed, got=text)
    return word if stripped == word else number


def _toggles(declared: Toggles, without: Sequence[str]) -> dict[str, bool]:
    names = tuple(Toggles.model_fields)
    moved = [name.strip() for several in without for name in several.split(",")]
    unknown = [name for name in moved if name not in names]
    if unknown:
        raise ContractError("no such toggle", field="--without", allowed=", ".join(names), got=unknown[0])
    return declared.model_dump() | dict.fromkeys(moved, False)
