"""Results kept from run to run, so that an attacker that is added later does not make all others run again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attackers_field import Call, Trace

from confute.harness.files import write_text
from confute.records import digest_of


def kept(folder: Path, known: object, made: Callable[[], list[Trace]]) -> list[Trace]:
    """Return the traces that were kept under everything that they depend on (a JSON value), or make and keep them."""
    path = folder / "results" / f"{digest_of(known)[:24]}.json"
    if path.exists():
        return [_read(one) for one in json.loads(path.read_text(encoding="utf-8"))]
    traces = made()
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"calls": [_written(call) for call in one.calls], "proposals": one.proposals} for one in traces]
    write_text(path, json.dumps(rows))
    return traces


def _written(call: Call) -> list[int]:
    return [int(call.is_valid), int(call.is_accepted), call.tokens, call.chars]


def _read(row: dict[str, Any]) -> Trace:
    calls = [Call(bool(valid), bool(accepted), tokens, chars, ()) for valid, accepted, tokens, chars in row["calls"]]
    return Trace(calls=calls, proposals=row["proposals"])
