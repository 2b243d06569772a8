"""Labelled exhibits read from a JSONL file, strictly: one bad row refuses the file, and every bad row is named."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from confute.errors import DatasetError, problem_of, shown
from confute.judges.fence import without_unseen
from confute.judges.judge import Exhibit, JudgeCase
from confute.models.surrogates import well_formed
from confute.records import Record
from confute.text import fold

_SHOWN = 10
_SHORT = 120
_VULNERABLE = {"S", "v"}
_ROW_FORM = (
    '{"case_id": "1", "family": "...", "right": "S", "exhibit": {"reply": "..."}, "group": "...", '
    '"label_source": "...", "split": "held_out"}; right one of S, R, s, v'
)


class CaseFile(Record):
    """The cases of one family in a file, and the SHA-256, in hex, of the whole file."""

    name: str
    digest: str
    family: str
    cases: tuple[JudgeCase, ...]


def is_vulnerable(case: JudgeCase) -> bool:
    """Tell whether the failure is there (`S`, `v`), or not (`R`, `s`)."""
    return case.right in _VULNERABLE


def read_cases(path: Path, family: str) -> CaseFile:
    """Read the JudgeCase rows of one family, one JSON object a line; rows of other families are checked and left out.

    Case ids are unique, and so are exhibits within a family: case, white space, width of letters and characters that
    cannot be seen make none of its own. A `twin` is two cases of one family and one group with opposite labels. Lone
    surrogates become U+FFFD. Raises DatasetError where the file is unreadable, holds no case of the family, or has any
    bad row, naming the first ten by line.
    """
    content = _content(path)
    cases: dict[int, JudgeCase] = {}
    problems: list[tuple[int, str]] = []
    for line, raw in _lines(content):
        found = _row(raw)
        if isinstance(found, JudgeCase):
            cases[line] = found
        else:
            problems.append((line, found))
    problems += [*_repeated(cases), *_copies(cases), *_bad_twins(cases)]
    if problems:
        raise _refusal(path, sorted(problems))
    own = tuple(case for case in cases.values() if case.family == family)
    if not own:
        raise DatasetError(
            f"{path}: holds no case of family {family}",
            allowed=f"one JSON object a line, like {_ROW_FORM}",
            got=", ".join(sorted({case.family for case in cases.values()})) or "no row",
        )
    return CaseFile(name=path.name, digest=hashlib.sha256(content).hexdigest(), family=family, cases=own)


def read_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the line and the JSON value of each row that is not blank; lone surrogates become U+FFFD.

    Raises DatasetError where the file is unreadable, or a row is not JSON.
    """
    for line, raw in _lines(_content(path)):
        try:
            yield line, _decoded(raw)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"not JSON: {error}", field=f"{path}:{line}") from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror or error}") from error


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if raw.strip():
            yield number, raw


def _decoded(raw: bytes) -> Any:
    return _mapped(json.loads(raw.decode("utf-8")), well_formed)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return {change(key): _mapped(item, change) for key, item in value.items()} if isinstance(value, dict) else value


def _row(raw: bytes) -> JudgeCase | str:
    try:
        return JudgeCase.model_validate(_decoded(raw))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "row"
        return f"{place}: {problem_of(first)}; got {shown(first['input']):.{_SHORT}}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"


def _repeated(cases: dict[int, JudgeCase]) -> Iterator[tuple[int, str]]:
    first: dict[str, int] = {}
    for line, case in cases.items():
        if case.case_id in first:
            yield line, f"case_id: {shown(case.case_id)} stands in line {first[case.case_id]} already"
        first.setdefault(case.case_id, line)


def _copies(cases: dict[int, JudgeCase]) -> Iterator[tuple[int, str]]:
    first: dict[tuple[str, str], tuple[int, JudgeCase]] = {}
    for line, case in cases.items():
        known, other = first.setdefault((case.family, _folded(case.exhibit)), (line, case))
        if known == line:
            continue
        where = f"exhibit: {shown(case.case_id)} is the same as {shown(other.case_id)} in line {known}"
        if is_vulnerable(case) is is_vulnerable(other):
            yield line, f"{where}, so that it is no case of its own"
        else:
            yield line, f"{where}, with the opposite label: {case.right} and {other.right}"


def _folded(exhibit: Exhibit) -> str:
    return json.dumps(_mapped(exhibit.model_dump(mode="json"), lambda text: fold(without_unseen(text))))


def _bad_twins(cases: dict[int, JudgeCase]) -> Iterator[tuple[int, str]]:
    twins: dict[tuple[str, str], list[tuple[int, JudgeCase]]] = defaultdict(list)
    for line, case in cases.items():
        if case.twin is not None:
            twins[case.family, case.twin].append((line, case))
    for (_, name), members in twins.items():
        line = members[0][0]
        labels = sorted(is_vulnerable(case) for _, case in members)
        if labels != [False, True]:
            rights = ", ".join(case.right for _, case in members)
            yield line, f"twin: {shown(name)} must be two cases with opposite labels; got {rights}"
        elif len({case.group for _, case in members}) > 1:
            yield line, f"group: both cases of twin {shown(name)} must share one"


def _refusal(path: Path, problems: list[tuple[int, str]]) -> DatasetError:
    listed = [f"  line {line}: {told}" for line, told in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        listed.append(f"  and {len(problems) - _SHOWN} more")
    return DatasetError(
        "\n".join([f"{path}: rows that are not valid: {len(problems)}", *listed]),
        allowed=f"one JSON object a line, like {_ROW_FORM}",
        hint="mend or remove these rows; a file with a bad row is not measured on",
    )
