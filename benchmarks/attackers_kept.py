"""Results kept from run to run, so that an attacker that is added later does not make all others run again."""

from __future__ import annotations

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

from attackers_field import Asked, Call, Trace

from confute.harness.files import write_text
from confute.records import digest_of


def find(folder: Path, known: object) -> list[Trace] | None:
    """Return the traces that were kept under everything that they depend on (a JSON value), None where none were."""
    path = _path(folder, known)
    return [_read(one) for one in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else None


def keep(folder: Path, known: object, traces: list[Trace]) -> None:
    """Write traces down under everything that they depend on."""
    path = _path(folder, known)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps([_written(one) for one in traces]))


def _path(folder: Path, known: object) -> Path:
    return folder / "results" / f"{digest_of(known)[:24]}.json"


def _written(trace: Trace) -> dict[str, Any]:
    calls = [[int(one.is_valid), int(one.is_accepted), one.tokens, one.chars] for one in trace.calls]
    return {"calls": calls, "proposals": trace.proposals, "asked": astuple(trace.asked)}


def _read(row: dict[str, Any]) -> Trace:
    calls = [Call(bool(valid), bool(accepted), tokens, chars, ()) for valid, accepted, tokens, chars in row["calls"]]
    return Trace(calls=calls, proposals=row["proposals"], asked=Asked(*row.get("asked", ())))
