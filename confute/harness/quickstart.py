"""The contracts that `confute attack` and `confute curve` carry out when none is given."""

from __future__ import annotations

from importlib import resources

from confute import contract
from confute.contract import AttackContract
from confute.curve_plan import CurvePlan


def quickstart() -> AttackContract:
    """Return the built-in contract: the energy detector on the built-in facts, no network, no key."""
    source = resources.files("confute.harness").joinpath("quickstart.yaml").read_text(encoding="utf-8")
    return contract.parse(source, name="quickstart.yaml")


def quickstart_curve() -> AttackContract:
    """Return the built-in contract with a curve of every default."""
    return quickstart().model_copy(update={"curve": CurvePlan()})
