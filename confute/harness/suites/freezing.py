"""Suites frozen for the attacker that a development run left, and refused where they overlap with what was seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from confute import contract as contracts
from confute.contract import AttackContract, OracleChoice
from confute.contract import Suite as Use
from confute.errors import CorpusError
from confute.harness.files import write_text
from confute.harness.suites.material import Material, material_of, without
from confute.harness.suites.past_run import PastRun
from confute.harness.suites.suite import (
    ATTACKER,
    CASES,
    Suite,
    SuiteKind,
    SuiteManifest,
    is_suite,
    suites_in,
    write_suite,
)
from confute.harness.suites.traces import Seen, folded, plain_marks, refuse_shared, traces_of

_HINT = (
    "give other cases by --data or --seed, leave these out with --leave-out, or name what any text may name with "
    "--allow-entity"
)


class Wanted(NamedTuple):
    """What a suite is to hold: its kind, its claims or its seed, and for an exploration the mechanisms that are new.

    With `leave_out`, claims that have something in common with what was seen are left out, and none is refused.
    """

    kind: SuiteKind
    data: Path | None = None
    seed: int | None = None
    max_cases: int | None = None
    mechanisms: tuple[str, ...] = ()
    allowed_entities: tuple[str, ...] = ()
    leave_out: bool = False


def freeze(folder: Path, past: PastRun, wanted: Wanted) -> Suite:
    """Write a suite for the attacker that a finished development run left.

    It has no entity, source or run of eight words in common with any other suite beside it. A held-out suite has the
    run's mechanisms, and shares nothing with the run's cases either; an exploration has mechanisms that the run had
    none of. Raises CorpusError where one of that does not hold, where the folder is taken, and for a run on held-out
    cases; ContractError and DatasetError for what cannot be attacked.
    """
    _check(folder, past, wanted)
    contract = _contract(past, wanted)
    whole = material_of(contract, wanted.data)
    seen = _seen(folder, past, wanted)
    left_out = _sharing(whole, seen) if wanted.leave_out else frozenset()
    material, rows = _without(whole, wanted.data, left_out)
    for one in seen:
        refuse_shared(str(folder), traces_of(material.cases, material.names, plain_marks()), one, _HINT)
    manifest = SuiteManifest(
        kind=wanted.kind,
        contract=contract,
        attacker_fingerprint=past.attacker.fingerprint if contract.attacker.frozen else None,
        attacker_digest=past.attacker_digest if contract.attacker.frozen else None,
        cases_digest=material.digest,
        cases=len(material.cases),
        left_out=len(left_out),
        allowed_entities=folded(wanted.allowed_entities),
    )
    folder.mkdir(parents=True, exist_ok=True)
    if rows is not None:
        (folder / CASES).write_bytes(rows)
    if contract.attacker.frozen is not None:
        write_text(folder / ATTACKER, past.attacker_text)
    return write_suite(folder, manifest)


def _check(folder: Path, past: PastRun, wanted: Wanted) -> None:
    if is_suite(folder):
        raise CorpusError(
            "is frozen already", field=str(folder), hint="give another name: a frozen suite stays as it is"
        )
    if past.contract.evaluation.suite is not Use.DEVELOPMENT:
        raise CorpusError(
            "an attacker is frozen by a development run",
            field=str(past.folder),
            allowed=Use.DEVELOPMENT.value,
            got=past.contract.evaluation.suite.value,
        )
    by_facts = past.contract.objective.oracle is OracleChoice.FACTS
    if by_facts is (wanted.data is not None):
        raise CorpusError(
            "the oracle 'facts' knows its own cases alone" if by_facts else "the run's oracle needs a claims file",
            field="--data",
            hint="leave --data out, and give --seed" if by_facts else "add --data FILE",
        )
    if by_facts and wanted.leave_out:
        raise CorpusError(
            "leaves out rows of a claims file, and the oracle 'facts' has none",
            field="--leave-out",
            hint="give another --seed, or name coined words that coincide with --allow-entity",
        )
    shared = sorted({*wanted.mechanisms} & {*past.contract.attacker.capabilities})
    if wanted.kind is SuiteKind.EXPLORATION and (shared or not wanted.mechanisms):
        raise CorpusError(
            "an exploration is of mechanisms that the run had none of",
            field="--mechanisms",
            allowed=f"any but {', '.join(past.contract.attacker.capabilities)}",
            got=", ".join(shared) or None,
        )
    if wanted.kind is SuiteKind.HELD_OUT and wanted.mechanisms:
        raise CorpusError("a held-out suite has the mechanisms of the run", field="--mechanisms", hint="leave it out")


def _contract(past: PastRun, wanted: Wanted) -> AttackContract:
    """Return the run's contract with the suite's own cases, and the frozen attacker where no case is to teach it."""
    made: dict[str, Any] = past.contract.model_dump(mode="json")
    evaluation = {"seed": wanted.seed, "max_cases": wanted.max_cases}
    made["evaluation"] |= {name: value for name, value in evaluation.items() if value is not None}
    if wanted.kind is SuiteKind.HELD_OUT:
        made["evaluation"]["suite"] = Use.HELD_OUT.value
        made["attacker"]["frozen"] = {"file": ATTACKER, "fingerprint": past.attacker.fingerprint}
    else:
        made["attacker"] |= {"capabilities": list(wanted.mechanisms)}
        made["attacker"].pop("frozen", None)
    return contracts.parse(json.dumps(made), name="the suite's contract")


def _seen(folder: Path, past: PastRun, wanted: Wanted) -> list[Seen]:
    """Return what the suite must have nothing in common with.

    Held-out cases must be unseen by the run, too; an exploration may be of its cases, with other mechanisms.
    """
    allowed = folded(wanted.allowed_entities)
    seen = []
    if wanted.kind is SuiteKind.HELD_OUT:
        known = past.material()
        traces = traces_of(known.cases, known.names, plain_marks())
        seen.append(Seen(f"the cases of {past.folder}", traces, frozenset(allowed)))
    return [*seen, *(other.seen(allowed) for other in suites_in(folder.parent))]


def _sharing(whole: Material, seen: Sequence[Seen]) -> frozenset[str]:
    """Return the cases that have something in common with what was seen."""
    traces = {case.case_id: traces_of([case], whole.names, plain_marks()) for case in whole.cases}
    return frozenset(name for name, mine in traces.items() if any(not one.shared(mine).is_empty for one in seen))


def _without(whole: Material, data: Path | None, left_out: frozenset[str]) -> tuple[Material, bytes | None]:
    """Return what is left of the cases, and the rows of their file, None for the built-in facts."""
    if data is None or not left_out:
        return whole, None if data is None else data.read_bytes()
    cases = tuple(case for case in whole.cases if case.case_id not in left_out)
    if not cases:
        raise CorpusError("no case is left that shares nothing", field=str(data), hint="give claims of other sources")
    rows = without(data, left_out)
    return Material(cases, hashlib.sha256(rows).hexdigest(), None), rows
