"""Labelled claims read from a JSONL file, with every row that was left out counted and named."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from confute import text
from confute.errors import DatasetError
from confute.models.surrogates import well_formed
from confute.records import Case, Label, Record, digest_of

_NAMES = ("id", "domain", "source", "group", "split")
_LABELS = ", ".join(Label)
_NO_CLAIM = "no_claim"
_ROW_FORM = '{"id": "1", "claim": "...", "evidence": ["..."], "label": "SUPPORTED", "domain": "...", "group": "..."}'


class RowProblem(Record):
    """A row that was left out: its line, a reason code, and what stood there."""

    line: int
    reason: str
    detail: str


class Dataset(Record):
    """The cases of a file, its SHA-256, and the rows that were left out.

    `lines` are the lines of the cases, one each. `support` holds, by case id, the places of the passages that support a
    claim, and `sources` the names of the sources that its evidence is of, for the rows that list them.
    """

    name: str
    digest: str
    rows: int
    cases: tuple[Case, ...]
    lines: tuple[int, ...]
    problems: tuple[RowProblem, ...]
    support: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    sources: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def dropped(self) -> dict[str, int]:
        """How many rows were left out for each reason."""
        return dict(sorted(Counter(problem.reason for problem in self.problems).items()))

    @property
    def first_lines(self) -> dict[str, int]:
        """The first line that was left out for each reason."""
        return {problem.reason: problem.line for problem in reversed(self.problems)}


class _Row(NamedTuple):
    line: int
    keys: tuple[str, ...]
    case: Case
    support: tuple[int, ...]
    sources: tuple[str, ...]


def read(path: Path) -> Dataset:
    """Read `{id, claim, evidence, label, domain, group}` rows, one JSON object a line.

    A row that is not valid is left out and listed in `problems`; evidence may be empty, which a victim answers with
    NO_EVIDENCE. `support`, where a row has it, lists the places (from 0) of all its passages that support the claim;
    `sources` lists the names of all documents that its evidence is of, where they are more than `group` says. A
    missing `group` (also looked for in `meta`) is the digest of the evidence. Lone surrogates become U+FFFD. Raises
    DatasetError where the file is unreadable, holds no valid row, or none that has `evidence`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror or error}") from error
    kept: dict[str, _Row] = {}
    problems: list[RowProblem] = []
    rows = 0
    for line, raw in _lines(content):
        rows += 1
        found = _row(line, raw, source=path.stem)
        if isinstance(found, _Row) and found.case.case_id in kept:
            found = RowProblem(line=line, reason="duplicate_id", detail=found.case.case_id)
        if isinstance(found, RowProblem):
            problems.append(found)
        else:
            kept[found.case.case_id] = found
    if not kept:
        raise _nothing_valid(path, rows, problems)
    if all("evidence" not in row.keys for row in kept.values()):
        raise _no_evidence(path, next(iter(kept.values())))
    return Dataset(
        name=path.name,
        digest=hashlib.sha256(content).hexdigest(),
        rows=rows,
        cases=tuple(row.case for row in kept.values()),
        lines=tuple(row.line for row in kept.values()),
        problems=tuple(problems),
        support={name: row.support for name, row in kept.items() if row.support},
        sources={name: row.sources for name, row in kept.items() if row.sources},
    )


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if raw.strip():
            yield number, raw


def _row(line: int, raw: bytes, source: str) -> _Row | RowProblem:
    def problem(reason: str, detail: object) -> RowProblem:
        return RowProblem(line=line, reason=reason, detail=f"{detail!r:.120}")

    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return problem("not_json", str(error))
    if not isinstance(value, dict):
        return problem("not_an_object", value)
    if (fault := _fault(value)) is not None:
        return problem(*fault)
    evidence = value.get("evidence", [])
    passages = tuple([evidence] if isinstance(evidence, str) else evidence)
    return _Row(
        line=line,
        keys=tuple(value),
        case=_case(value, line=line, passages=passages, source=source),
        support=tuple(sorted(set(value.get("support") or ()))),
        sources=tuple(map(well_formed, value.get("sources") or ())),
    )


def _fault(value: dict[str, Any]) -> tuple[str, object] | None:
    """Return what is wrong with a row, as a reason and what stood there."""
    claim, label, evidence = value.get("claim"), value.get("label"), value.get("evidence", [])
    unnamed = {name: value[name] for name in _NAMES if isinstance(value.get(name), bool | list | dict)}
    texts = isinstance(evidence, str) or (isinstance(evidence, list) and all(isinstance(one, str) for one in evidence))
    if not isinstance(claim, str) or not claim.strip():
        return ("empty_claim", claim) if "claim" in value else (_NO_CLAIM, list(value))
    if label not in list(Label):
        return "unknown_label", label
    if unnamed:
        return "not_a_name", unnamed
    if not texts:
        return "evidence_not_strings", evidence
    support, sources = value.get("support"), value.get("sources")
    if support is not None and not _are_places(support, evidence):
        return "support_not_places", support
    return None if sources is None or _are_names(sources) else ("sources_not_names", sources)


def _are_places(support: object, evidence: str | list[str]) -> bool:
    passages = [evidence] if isinstance(evidence, str) else evidence
    seen = {place for place, passage in enumerate(passages) if not text.is_blank(passage)}
    return isinstance(support, list) and all(type(one) is int and one in seen for one in support)


def _are_names(sources: object) -> bool:
    return isinstance(sources, list) and all(isinstance(one, str) and one.strip() for one in sources)


def _case(value: dict[str, Any], *, line: int, passages: tuple[str, ...], source: str) -> Case:
    meta = value.get("meta")
    group = value.get("group") or (meta.get("group") if isinstance(meta, dict) else None)
    identity = value.get("id")
    split = value.get("split")
    return Case(
        case_id=f"line-{line}" if identity is None or not str(identity).strip() else well_formed(str(identity)),
        claim=well_formed(value["claim"]),
        evidence=tuple(map(well_formed, passages)),
        label=Label(value["label"]),
        domain=well_formed(str(value.get("domain") or "unknown")),
        source=well_formed(str(value.get("source") or source)),
        group=well_formed(str(group)) if group and str(group).strip() else digest_of(passages)[:16],
        split=None if split is None else well_formed(str(split)),
    )


def _nothing_valid(path: Path, rows: int, problems: list[RowProblem]) -> DatasetError:
    if not rows:
        return DatasetError(f"{path}: holds no row", allowed=f"one JSON object a line, like {_ROW_FORM}")
    first = problems[0]
    return DatasetError(
        f"none of its {rows} rows is valid; the first: {first.reason}, "
        f"{'its keys are ' if first.reason == _NO_CLAIM else ''}{first.detail}",
        field=f"{path}:{first.line}",
        allowed=f"{_ROW_FORM}; label one of {_LABELS}",
    )


def _no_evidence(path: Path, first: _Row) -> DatasetError:
    return DatasetError(
        f"no row has `evidence`; the keys of the first are {list(first.keys)!r:.120}",
        field=f"{path}:{first.line}",
        allowed=_ROW_FORM,
        hint="give the field that holds the passages the name `evidence`",
    )
