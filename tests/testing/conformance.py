"""Runs a conformance suite outside of pytest's own collection, to see which of its checks fail."""

from __future__ import annotations

from typing import Any

import pytest


def checks_of(suite: type[Any]) -> set[str]:
    return {name for name in dir(suite) if name.startswith("test_")}


def failing(suite: type[Any]) -> set[str]:
    """Return the checks that fail; one that is skipped, or passes, is none of them."""
    return {name for name in checks_of(suite) if fails(suite, name)}


def fails(suite: type[Any], name: str) -> bool:
    """Whether a check fails, by an assertion or by what the planted part raises."""
    try:
        getattr(suite(), name)()
    except pytest.skip.Exception:
        return False
    except Exception:
        return True
    return False
