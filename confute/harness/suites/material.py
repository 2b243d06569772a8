"""The cases of a suite's contract, their digest, and the words that name what they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from confute.contract import AttackContract, OracleChoice
from confute.contract import Suite as Use
from confute.errors import DatasetError
from confute.harness import dataset
from confute.oracles.facts.builtin import builtin
from confute.records import Case, digest_of


class Material(NamedTuple):
    """All cases of a contract, whatever is drawn of them; `digest` is what a run's manifest has.

    `names` are the words that name entities, in lower case, None where the oracle does not know them.
    """

    cases: tuple[Case, ...]
    digest: str
    names: frozenset[str] | None


def material_of(contract: AttackContract, data: Path | None) -> Material:
    """Return the cases of a contract: those of the claims file, or the built-in facts of its seed and suite.

    Raises DatasetError for the claims file.
    """
    if contract.objective.oracle is OracleChoice.FACTS:
        return _facts(contract.evaluation.seed, contract.evaluation.suite)
    if data is None:
        raise DatasetError("the claims file is not there", field="--data")
    found = dataset.read(data)
    return Material(found.cases, found.digest, None)


def without(data: Path, left_out: Collection[str]) -> bytes:
    """Return a claims file without the rows of some cases, and without those that are no cases.

    Raises DatasetError for the claims file.
    """
    found = dataset.read(data)
    kept = {line for case, line in zip(found.cases, found.lines, strict=True) if case.case_id not in left_out}
    lines = data.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return b"".join(raw.rstrip(b"\r") + b"\n" for at, raw in enumerate(lines, start=1) if at in kept)


def digest_of_file(path: Path) -> str | None:
    """Return the SHA-256 of a file, in hex, None where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


@lru_cache(maxsize=8)
def _facts(seed: int, use: Use) -> Material:
    oracle = builtin(seed, use)
    words = (entity.word.lower() for document in oracle.documents for entity in document.entities)
    return Material(
        cases=oracle.cases,
        digest=digest_of([case.model_dump(mode="json") for case in oracle.cases]),
        names=frozenset(words),
    )
