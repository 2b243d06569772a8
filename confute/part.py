"""What every part of a contract has in common."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a contract: frozen, with no field but its own, and no value turned into another type."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def without_none(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """Leave out fields that hold nothing, so that a contract without them keeps the digest that it had."""
    return {name: value for name, value in fields.items() if name not in names or value is not None}
