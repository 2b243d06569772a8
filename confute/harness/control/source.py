"""Where the probes of a control come from: the built-in facts, or a file of labelled claims."""

from __future__ import annotations

from pathlib import Path

from confute.contract import Suite
from confute.errors import DatasetError, OracleError
from confute.harness import dataset
from confute.harness.control.arms import material, together
from confute.harness.control.probe import Material
from confute.oracles.facts.builtin import builtin
from confute.oracles.oracle import MoveSource
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import Case, Label

_WORLDS = 2


def from_facts(seed: int, per_record: int = 1) -> Material:
    """Return probes over the built-in facts: coined names, so that no detector has seen a word of them."""
    oracles = [builtin(seed + world, Suite.DEVELOPMENT) for world in range(_WORLDS)]
    parts = [material(oracle.cases, oracle, seed, "built-in facts", per_record) for oracle in oracles]
    return together(parts, "built-in facts")


def from_file(path: Path, seed: int, *, per_record: int = 2, text_arms: bool = False) -> Material:
    """Return probes over a file of labelled claims, of which the SUPPORTED ones with a number are used.

    The claims themselves are the faithful arm, or paraphrases of them where `text_arms` asks the guarded text oracle
    for its moves, which needs the extra `text`. Raises DatasetError where no claim can be used.
    """
    cases = dataset.read(path).cases
    usable = [case for case in cases if case.label is Label.SUPPORTED]
    made = material(usable, _moves(usable) if text_arms else None, seed, path.name, per_record)
    if not made.probes:
        raise DatasetError(
            "no SUPPORTED claim that states a number", field=str(path), hint="the arms are built from such claims"
        )
    return made


def _moves(cases: list[Case]) -> MoveSource:
    try:
        return GuardedTextOracle(cases)
    except ImportError as error:
        raise OracleError(f"text arms need the extra `text`: {error}", hint="pip install 'confute[text]'") from error
