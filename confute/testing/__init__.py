"""Tests of your own parts: conformance suites to inherit from, and the pytest plugin `confute`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confute.testing.agent import AgentConformance
    from confute.testing.detector import DetectorConformance
    from confute.testing.judge import JudgeConformance
    from confute.testing.oracle import OracleConformance
    from confute.testing.persona import AskedPersona

__all__ = ["AgentConformance", "AskedPersona", "DetectorConformance", "JudgeConformance", "OracleConformance"]

_LOCATIONS = {
    "AgentConformance": "agent",
    "AskedPersona": "persona",
    "DetectorConformance": "detector",
    "JudgeConformance": "judge",
    "OracleConformance": "oracle",
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use, so that the plugin costs a test run that does not use it nothing."""
    if name not in _LOCATIONS:
        raise AttributeError(f"module 'confute.testing' has no attribute {name!r}")
    return getattr(import_module(f"confute.testing.{_LOCATIONS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
