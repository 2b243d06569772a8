from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_bench import case, twins, write_cases

from confute.errors import DatasetError
from confute.harness.judging.cases import is_vulnerable, read_cases
from confute.harness.judging.injections import read_injections

ROW: dict[str, Any] = {
    "case_id": "1",
    "family": "misinformation",
    "right": "S",
    "exhibit": {"reply": "text"},
    "group": "g",
    "label_source": "authors",
    "split": "held_out",
}


OTHER = {**ROW, "case_id": "2", "exhibit": {"reply": "other text"}}


def written(path: Path, *rows: Any) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_cases_of_the_family_are_read_and_others_are_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path / "c.jsonl", ROW, {**ROW, "case_id": "2", "family": "support"}, "", {**OTHER, "case_id": "3"}
    )
    read = read_cases(path, "misinformation")
    assert [one.case_id for one in read.cases] == ["1", "3"]
    assert len(read.digest) == 64


def test_s_and_v_are_vulnerable_and_r_is_not() -> None:
    assert [is_vulnerable(case(1, right)) for right in ("S", "v", "R", "s")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "row: Input should be a valid dictionary"),
        ({**ROW, "right": "x"}, "right: Input should be 'S', 'R', 's' or 'v'"),
        ({**ROW, "split": "test"}, "split: Input should be 'development' or 'held_out'"),
        ({**ROW, "group": " "}, "group: must not be blank"),
        ({**ROW, "more": 1}, "more: Extra inputs are not permitted"),
        ({name: value for name, value in ROW.items() if name != "label_source"}, "label_source: Field required"),
        ({**ROW, "exhibit": {"reply": 5}}, "exhibit.reply: Input should be a valid string"),
        ({**ROW, "language": "English"}, "language: String should match"),
    ],
)
def test_a_bad_row_refuses_the_file_and_is_named_by_its_line(tmp_path: Path, row: Any, told: str) -> None:
    path = written(tmp_path / "c.jsonl", {**OTHER, "case_id": "0"}, row)
    with pytest.raises(DatasetError, match="rows that are not valid: 1") as raised:
        read_cases(path, "misinformation")
    assert f"line 2: {told}" in str(raised.value)


def test_many_bad_rows_are_counted_and_ten_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as raised:
        read_cases(written(tmp_path / "c.jsonl", *["{}"] * 25), "misinformation")
    assert "rows that are not valid: 25" in str(raised.value)
    assert "line 10:" in str(raised.value)
    assert "line 11:" not in str(raised.value)
    assert "and 15 more" in str(raised.value)


def test_a_repeated_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="line 2: case_id: '1' stands in line 1 already"):
        read_cases(written(tmp_path / "c.jsonl", ROW, {**OTHER, "case_id": "1"}), "misinformation")


@pytest.mark.parametrize("reply", ["text", " TEXT\n", "te\u200bxt", "\uff54ext"])
def test_a_copy_of_an_exhibit_is_refused_under_any_other_id_and_group(tmp_path: Path, reply: str) -> None:
    copy = {**OTHER, "group": "h", "exhibit": {"reply": reply}}
    with pytest.raises(DatasetError, match="rows that are not valid: 1") as raised:
        read_cases(written(tmp_path / "c.jsonl", ROW, copy), "misinformation")
    assert "line 2: exhibit: '2' is the same as '1' in line 1, so that it is no case of its own" in str(raised.value)
    with pytest.raises(DatasetError) as raised:
        read_cases(written(tmp_path / "c.jsonl", ROW, {**copy, "right": "s"}), "misinformation")
    assert "'2' is the same as '1' in line 1, with the opposite label: s and S" in str(raised.value)


def test_the_same_exhibit_may_stand_in_two_families_and_one_field_apart(tmp_path: Path) -> None:
    apart = {**OTHER, "exhibit": {"reply": "text", "prompt": "p"}}
    path = written(tmp_path / "c.jsonl", ROW, {**ROW, "case_id": "3", "family": "support"}, apart)
    assert len(read_cases(path, "misinformation").cases) == 2


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"right": "v"}, "must be two cases with opposite labels; got S, v"),
        ({"right": "R", "group": "h"}, "both cases of twin 't' must share one"),
        ({"right": "R", "twin": "u"}, "must be two cases with opposite labels; got S"),
        ({"right": "R", "family": "support"}, "must be two cases with opposite labels; got S"),
    ],
)
def test_a_twin_is_two_cases_of_one_group_with_opposite_labels(
    tmp_path: Path, other: dict[str, str], told: str
) -> None:
    path = written(tmp_path / "c.jsonl", {**ROW, "twin": "t"}, {**OTHER, "twin": "t", **other})
    with pytest.raises(DatasetError) as raised:
        read_cases(path, "misinformation")
    assert told in str(raised.value)


def test_twins_that_are_sound_are_read(tmp_path: Path) -> None:
    cases = twins(3)
    assert read_cases(write_cases(tmp_path / "c.jsonl", cases), "misinformation").cases == cases


def test_a_file_without_a_case_of_the_family_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no case of family support") as raised:
        read_cases(written(tmp_path / "c.jsonl", ROW), "support")
    assert "got: 'misinformation'" in str(raised.value)
    with pytest.raises(DatasetError, match="cannot be read"):
        read_cases(tmp_path / "absent.jsonl", "support")
    with pytest.raises(DatasetError, match="holds no case"):
        read_cases(written(tmp_path / "c.jsonl"), "support")


def test_a_lone_surrogate_becomes_a_replacement_character(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(ROW).replace("text", "\\ud800 and \\u0000"), encoding="utf-8")
    assert read_cases(path, "misinformation").cases[0].exhibit.reply == "\ufffd and \0"


@given(raw=st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.jsonl"
    path.write_bytes(raw)
    with pytest.raises(DatasetError):
        read_cases(path, "misinformation")
    with pytest.raises(DatasetError):
        read_injections(path)


def test_injections_are_read_and_a_bad_row_is_named(tmp_path: Path) -> None:
    good = {"id": "1", "kind": "k", "text": "say yes", "aims": "S"}
    read = read_injections(written(tmp_path / "i.jsonl", good, {"id": "2", "kind": "k", "text": ""}))
    assert [(one.id, one.aims) for one in read] == [("1", "S"), ("2", None)]
    for row, told in (
        ({**good, "aims": "X"}, "aims"),
        ({**good, "text": 1}, "text"),
        (good, "twice"),
        ("x", "not JSON"),
    ):
        with pytest.raises(DatasetError, match=told) as raised:
            read_injections(written(tmp_path / "i.jsonl", good, row))
        assert "i.jsonl:2" in str(raised.value)
