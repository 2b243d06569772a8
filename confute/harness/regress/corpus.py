"""A corpus of counterexamples: read from JSON Lines or one JSON array, and written back whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISREG
from typing import Generic, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from confute.counterexample import Counterexample
from confute.errors import CorpusError, problem_of, shown
from confute.harness.files import write_text
from confute.harness.persona.attack.counterexample import PersonaCounterexample
from confute.harness.regress.relations import Demand, Relation
from confute.harness.run_lock import locked
from confute.records import Record

COUNTEREXAMPLES = "counterexamples.jsonl"
_MAX_BYTES = 256_000_000
_BOM = b"\xef\xbb\xbf"


class Identified(Protocol):
    """A row that its identifier tells from every other."""

    @property
    def attack_id(self) -> str: ...  # noqa: D102


Row = TypeVar("Row", bound=Record)


@dataclass(frozen=True)
class Corpus(Generic[Row]):
    """The rows of a file, its SHA-256 as it was read, and whether it is one JSON array."""

    path: Path
    rows: tuple[Row, ...]
    digest: str
    is_array: bool

    def with_rows(self, rows: Sequence[Row]) -> Corpus[Row]:
        """Return the corpus with other rows, not yet written."""
        return replace(self, rows=tuple(rows))

    def write(self) -> None:
        """Write the rows in the form in which they were read, whole or not at all.

        Raises CorpusError where the file is not the one that was read any more, and LedgerError where another process
        is at work in its folder.
        """
        path = self.path.resolve()
        lines = [row.model_dump_json() for row in self.rows]
        told = "[" + ",\n".join(lines) + "]\n" if self.is_array else "".join(f"{line}\n" for line in lines)
        with locked(path.parent):
            self.refuse_if_changed()
            write_text(path, told)

    def refuse_if_changed(self) -> None:
        """Raise CorpusError where the file is not the one that was read any more."""
        if hashlib.sha256(_content(self.path)).hexdigest() != self.digest:
            raise CorpusError(
                "was changed by somebody else since it was read, so nothing is written",
                field=str(self.path),
                hint="give the same command again",
            )


def read_corpus(path: Path) -> Corpus[Counterexample]:
    """Read counterexamples: a JSON object a line, one JSON array, or the folder of a run.

    Raises CorpusError, with line and field, for what is unreadable or no counterexample, for an identifier that stands
    twice, and for a relation or a policy that nothing is known about.
    """
    corpus = read_rows(_file(path), Counterexample)
    for at, row in enumerate(corpus.rows, start=1):
        _refuse_unknown(corpus.path, at, "expected_relation", row.expected_relation, list(Relation))
        _refuse_unknown(corpus.path, at, "expected_policy", row.expected_policy, list(Demand))
    _refuse_twice(path, corpus.rows)
    return corpus


def read_persona_corpus(path: Path) -> Corpus[PersonaCounterexample]:
    """Read counterexamples against a persona, in the forms and with the errors of `read_corpus`."""
    corpus = read_rows(_file(path), PersonaCounterexample)
    _refuse_twice(path, corpus.rows)
    return corpus


def asks_a_persona(path: Path) -> bool:
    """Tell whether the first row of a corpus is a counterexample against a persona. Raises as `read_rows`."""
    file = _file(path)
    _, listed = _listed(file, _content(file))
    return bool(listed) and _victim_of(listed[0][1]) == "persona"


def read_rows(path: Path, kind: type[Row]) -> Corpus[Row]:
    """Read records of one kind, a JSON object a line or all in one JSON array.

    Raises CorpusError, with line and field, where the file is unreadable, empty, over 256 MB, or holds anything else,
    such as an object with one key twice.
    """
    content = _content(path)
    is_array, listed = _listed(path, content)
    rows = tuple(_row(path, at, one, kind) for at, one in listed)
    if not rows:
        raise CorpusError("holds no row", field=str(path), allowed=f"one {kind.__name__} a line, as JSON")
    return Corpus(path, rows, hashlib.sha256(content).hexdigest(), is_array)


def _content(path: Path) -> bytes:
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):
            raise CorpusError("cannot be read: is no file", field=str(path), allowed="a file, or the folder of a run")
        if found.st_size > _MAX_BYTES:
            raise CorpusError("is too large", field=str(path), allowed=f"{_MAX_BYTES} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise CorpusError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}",
            field=str(path),
            hint=f"give the {COUNTEREXAMPLES} of a run, or the folder of one",
        ) from error


def _file(path: Path) -> Path:
    return path / COUNTEREXAMPLES if path.is_dir() else path


def _refuse_twice(path: Path, rows: Sequence[Identified]) -> None:
    twice = [name for name, count in Counter(row.attack_id for row in rows).items() if count > 1]
    if twice:
        raise CorpusError("stands twice", field=f"{path}: attack_id", allowed="each identifier once", got=twice[0])


def _listed(path: Path, content: bytes) -> tuple[bool, Sequence[tuple[int, object]]]:
    """Return whether a file is one JSON array, and its rows, not yet read, by their numbers."""
    content = content.removeprefix(_BOM)
    is_array = content.lstrip()[:1] == b"["
    return is_array, _array(path, content) if is_array else [one for one in _lines(content) if one[1].strip()]


def _victim_of(raw: object) -> str | None:
    """Return which of the two kinds of victims a row names, None where that cannot be told."""
    try:
        told = from_json(raw) if isinstance(raw, bytes) else raw
    except ValueError:
        return None
    return next((one for one in ("persona", "detector") if isinstance(told, dict) and one in told), None)


def _lines(content: bytes) -> list[tuple[int, bytes]]:
    return list(enumerate(content.split(b"\n"), start=1))


def _array(path: Path, content: bytes) -> list[tuple[int, object]]:
    try:
        listed = list(enumerate(from_json(content), start=1))
    except ValueError as error:
        raise CorpusError(f"is no JSON: {error}", field=str(path)) from error
    _refuse_repeated(str(path), content)
    return listed


def _row(path: Path, at: int, raw: object, kind: type[Row]) -> Row:
    try:
        if not isinstance(raw, bytes):
            return kind.model_validate(raw)
        row = kind.model_validate_json(raw)
    except ValidationError as error:
        _refuse_mixed(path, at, raw, kind)
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        told = {} if first["type"] in {"missing", "json_invalid"} else {"got": first["input"]}
        raise CorpusError(
            f"no {kind.__name__}: {problem_of(first)}", field=f"{path}:{at}{': ' if where else ''}{where}", **told
        ) from error
    _refuse_repeated(f"{path}:{at}", raw)
    return row


def _refuse_repeated(where: str, content: bytes) -> None:
    """Raise CorpusError where an object of a text, which is JSON, has one key twice: which of both is meant?"""

    def checked(pairs: list[tuple[str, object]]) -> None:
        twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        if twice:
            raise CorpusError(
                "stands twice in one object", field=f"{where}: {shown(twice[0])}", allowed="each key once"
            )

    json.loads(content.decode("utf-8"), object_pairs_hook=checked, parse_int=str, parse_float=str)


def _refuse_mixed(path: Path, at: int, raw: object, kind: type[Record]) -> None:
    wanted = {Counterexample: "detector", PersonaCounterexample: "persona"}.get(kind)
    got = _victim_of(raw)
    if wanted is not None and got not in {wanted, None}:
        raise CorpusError(
            f"is a counterexample against a {got}, where those against a {wanted} are read",
            field=f"{path}:{at}",
            hint="keep counterexamples against detectors and against personas in files of their own",
        )


def _refuse_unknown(path: Path, at: int, field: str, got: str, allowed: Sequence[str]) -> None:
    if got not in allowed:
        raise CorpusError(
            "nothing is known about it", field=f"{path}:{at}: {field}", allowed=", ".join(allowed), got=shown(got)
        )
