"""The contract that `confute attack` carries out when none is given."""

from __future__ import annotations

from importlib import resources

from confute import contract
from confute.contract import AttackContract


def quickstart() -> AttackContract:
    """Return the built-in contract: the energy detector on the built-in facts, no network, no key."""
    source = resources.files("confute.harness").joinpath("quickstart.yaml").read_text(encoding="utf-8")
    return contract.parse(source, name="quickstart.yaml")
