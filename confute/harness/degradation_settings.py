"""The settings of a sweep as they are written on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from confute.errors import ContractError
from confute.harness.degradation import Settings
from confute.harness.mining.miner import Toggles
from confute.victims.energy import Rank

_MOST = 100_000


def settings(
    *, budgets: str | None, ranks: str | None, select: str | None, ablate: bool, without: Sequence[str]
) -> Settings:
    """Return the settings of `1,4,16`-like lists and the names of the toggles that are moved.

    Raises ContractError that names the option, what is allowed there and what came.
    """
    given = {} if budgets is None else {"budgets": tuple(_budget(one) for one in budgets.split(","))}
    return Settings(
        **given,
        ranks=() if ranks is None else tuple(dict.fromkeys(_rank(one.strip()) for one in ranks.split(","))),
        toggles=_toggles(without),
        ablate=ablate,
        select=select,
    )


def _budget(text: str) -> int:
    number = _number(text)
    if number is None:
        raise ContractError(
            "not a budget", field="--budgets", allowed=f"numbers from 1 to {_MOST}, with commas", got=text
        )
    return number


def _rank(text: str) -> Rank:
    number = _number(text)
    if text == "full":
        return "full"
    if number is None:
        allowed = f"numbers from 1 to {_MOST} or full, with commas"
        raise ContractError("not a rank", field="--ranks", allowed=allowed, got=text)
    return number


def _number(text: str) -> int | None:
    try:
        number = int(text)
    except ValueError:
        return None
    return number if 1 <= number <= _MOST else None


def _toggles(without: Sequence[str]) -> Toggles:
    names = tuple(Toggles.model_fields)
    unknown = [name for name in without if name not in names]
    if unknown:
        raise ContractError("no such toggle", field="--without", allowed=", ".join(names), got=unknown[0])
    return Toggles(**dict.fromkeys(without, False))
