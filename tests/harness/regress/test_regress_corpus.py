"""A corpus is read, refused or written whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_failures import known_failure, paraphrase

from confute.counterexample import Counterexample, Mitigation, Status
from confute.errors import CorpusError, LedgerError
from confute.harness.regress.corpus import asks_a_persona, read_corpus
from confute.harness.run_lock import locked

ROWS = (known_failure("one"), paraphrase("two"))


def lines(*rows: Counterexample) -> str:
    return "".join(f"{row.model_dump_json()}\n" for row in rows)


def array(*rows: Counterexample) -> str:
    return json.dumps([row.model_dump(mode="json") for row in rows], indent=1)


@pytest.mark.parametrize("written", [lines, array])
def test_lines_and_an_array_hold_the_same_rows_and_are_written_as_they_were_read(tmp_path: Path, written) -> None:
    file = tmp_path / "c.json"
    file.write_text(written(*ROWS), encoding="utf-8")
    corpus = read_corpus(file)
    assert corpus.rows == ROWS
    changed = ROWS[0].model_copy(update={"reason": "x", "status": Status.ACKNOWLEDGED_LIMITATION})
    corpus.with_rows([changed, ROWS[1]]).write()
    again = read_corpus(file)
    assert again.rows == (changed, ROWS[1])
    assert again.is_array is corpus.is_array
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "c.json"]


def test_a_runs_folder_stands_for_its_counterexamples(tmp_path: Path) -> None:
    (tmp_path / "counterexamples.jsonl").write_text(lines(*ROWS), encoding="utf-8")
    assert read_corpus(tmp_path).rows == ROWS


def test_a_row_from_before_there_were_mitigations_is_read(tmp_path: Path) -> None:
    old = ROWS[0].model_dump(mode="json", exclude={"mitigated_by", "reason"})
    (tmp_path / "c").write_text(json.dumps(old), encoding="utf-8")
    assert read_corpus(tmp_path / "c").rows == (ROWS[0],)


def test_a_mitigation_comes_back_as_it_was_written(tmp_path: Path) -> None:
    by = Mitigation(detector="d", version="2", fingerprint="f")
    row = known_failure(status=Status.MITIGATED, mitigated_by=by)
    (tmp_path / "c").write_text(lines(row), encoding="utf-8")
    assert read_corpus(tmp_path / "c").rows == (row,)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no row"),
        (b"\n \n", "holds no row"),
        (b"[]", "holds no row"),
        (b"[1", "is no JSON"),
        (b"{}", ":1: attack_id"),
        (b"\xff\xfe", ":1"),
        (b"null", ":1"),
        (b"[" * 100_000, "is no JSON"),
        (b'{"a":' * 100_000, ":1"),
        (lines(ROWS[0]).encode() + b"{}", ":2: attack_id"),
        (lines(*ROWS, ROWS[0]).encode(), "stands twice"),
        (lines(known_failure(expected_relation="sideways")).encode(), "expected_relation"),
        (lines(known_failure(expected_policy="\x00<b>")).encode(), "expected_policy"),
        (lines(ROWS[0]).replace('"threshold":0.5', '"threshold":NaN').encode(), ":1: threshold"),
        (lines(ROWS[0]).replace('"status":', '"statuz":').encode(), ":1: status"),
        (lines(ROWS[0]).replace("3 metres", "\\ud800", 1).encode(), ":1"),
        (lines(ROWS[0]).encode() + b'{"persona": {}}\n', ":2: is a counterexample against a persona, where those"),
    ],
)
def test_what_is_no_corpus_is_refused_by_line_and_field(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(CorpusError) as told:
        read_corpus(tmp_path / "c")
    assert said in str(told.value)
    assert len(str(told.value)) < 2000


@pytest.mark.parametrize("written", [lines, array])
def test_a_mark_of_byte_order_is_no_part_of_a_corpus(tmp_path: Path, written) -> None:
    (tmp_path / "c").write_bytes(b"\xef\xbb\xbf" + written(*ROWS).encode())
    assert read_corpus(tmp_path / "c").rows == ROWS
    assert not asks_a_persona(tmp_path / "c")


@pytest.mark.parametrize("written", [lines, array])
def test_an_object_with_one_key_twice_is_refused(tmp_path: Path, written) -> None:
    told = written(*ROWS)
    at = told.rindex("}")
    (tmp_path / "c").write_text(told[:at] + ', "attack_id": "three"' + told[at:], encoding="utf-8")
    with pytest.raises(CorpusError, match="stands twice in one object") as refused:
        read_corpus(tmp_path / "c")
    assert "attack_id" in str(refused.value)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "c")
    for path in (tmp_path / "c", Path("/dev/zero")):
        with pytest.raises(CorpusError, match="is no file"):
            read_corpus(path)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path, Path("a\0b")):
        with pytest.raises(CorpusError, match="cannot be read"):
            read_corpus(path)


def test_a_file_that_somebody_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "c"
    file.write_text(lines(*ROWS), encoding="utf-8")
    corpus = read_corpus(file)
    file.write_text(lines(ROWS[1]), encoding="utf-8")
    with pytest.raises(CorpusError, match="changed by somebody else"):
        corpus.write()
    assert read_corpus(file).rows == (ROWS[1],)


def test_a_file_in_a_folder_that_another_process_holds_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "c"
    file.write_text(lines(*ROWS), encoding="utf-8")
    with locked(tmp_path), pytest.raises(LedgerError, match="is at work in this folder"):
        read_corpus(file).with_rows(ROWS[:1]).write()
    assert read_corpus(file).rows == ROWS


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_every_text_comes_back_as_it_was(tmp_path_factory, text: str) -> None:
    file = tmp_path_factory.mktemp("corpus") / "c"
    row = known_failure(adversarial_claim=text)
    file.write_text(lines(row), encoding="utf-8")
    corpus = read_corpus(file)
    corpus.write()
    assert read_corpus(file).rows == (row,)


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("corpus") / "c"
    file.write_bytes(content)
    with pytest.raises(CorpusError):
        read_corpus(file)
