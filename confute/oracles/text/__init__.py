"""Guarded edits of free text claims, and rulings on what anybody made of such a claim."""

from confute.oracles.text.oracle import GuardedTextOracle

__all__ = ["GuardedTextOracle"]
