"""Claims files: what is read, and how every row that is not is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.errors import DatasetError
from confute.harness import dataset
from confute.records import Label

GOOD = {"id": "a", "claim": "Water boils.", "evidence": ["It does."], "label": "SUPPORTED", "meta": {"group": "g1"}}


def written(folder, *rows):
    path = folder / "claims.jsonl"
    path.write_bytes(b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows))
    return path


def test_a_row_becomes_a_case_with_the_group_of_its_meta(tmp_path):
    (case,) = dataset.read(written(tmp_path, GOOD)).cases
    assert (case.case_id, case.group, case.label, case.evidence) == ("a", "g1", Label.SUPPORTED, ("It does.",))
    assert (case.domain, case.source) == ("unknown", "claims")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{not json", "not_json"),
        (b"\xff\xfe", "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[1]", "not_an_object"),
        ({**GOOD, "id": "b", "claim": "  "}, "empty_claim"),
        ({**GOOD, "id": "b", "claim": None}, "empty_claim"),
        ({**GOOD, "id": "b", "label": "TRUE"}, "unknown_label"),
        ({**GOOD, "id": "b", "label": ["SUPPORTED"]}, "unknown_label"),
        ({**GOOD, "id": "b", "evidence": [1]}, "evidence_not_strings"),
        ({**GOOD, "id": "b", "evidence": [" ", "x"], "support": [0]}, "support_not_places"),
        ({**GOOD, "id": "b", "evidence": "\u200b", "support": [0]}, "support_not_places"),
        ({**GOOD, "id": "b", "support": [1]}, "support_not_places"),
        ({**GOOD, "id": "b", "support": [-1]}, "support_not_places"),
        ({**GOOD, "id": "b", "support": [True]}, "support_not_places"),
        ({**GOOD, "id": "b", "support": "0"}, "support_not_places"),
        ({**GOOD, "id": "b", "sources": "page"}, "sources_not_names"),
        ({**GOOD, "id": "b", "sources": ["page", " "]}, "sources_not_names"),
        (GOOD, "duplicate_id"),
    ],
)
def test_a_row_that_is_not_valid_is_left_out_and_counted_with_its_line(tmp_path, row, reason):
    found = dataset.read(written(tmp_path, GOOD, row))
    assert found.dropped == {reason: 1}
    assert [problem.line for problem in found.problems] == [2]
    assert found.first_lines == {reason: 2}
    assert len(found.cases) == 1


def test_the_places_of_the_supporting_passages_are_read_where_a_row_lists_them(tmp_path):
    rows = [
        {**GOOD, "id": "a", "evidence": ["x", "y", "z"], "support": [2, 0, 2]},
        {**GOOD, "id": "b", "evidence": "x", "support": [0]},
        {**GOOD, "id": "c", "support": []},
        {**GOOD, "id": "d", "support": None},
        {**GOOD, "id": "e"},
    ]
    found = dataset.read(written(tmp_path, *rows))
    assert (found.dropped, found.support) == ({}, {"a": (0, 2), "b": (0,)})


def test_the_sources_of_the_evidence_are_read_where_a_row_names_them(tmp_path):
    rows = [{**GOOD, "id": "a", "sources": ["page", "\ud800"]}, {**GOOD, "id": "b", "sources": []}]
    assert dataset.read(written(tmp_path, *rows)).sources == {"a": ("page", "\ufffd")}


def test_missing_evidence_is_kept_for_the_victim_to_answer(tmp_path):
    row = {name: value for name, value in GOOD.items() if name != "evidence"}
    assert dataset.read(written(tmp_path, row, {**GOOD, "id": "b"})).cases[0].evidence == ()


def test_a_file_without_one_evidence_is_refused_with_the_keys_seen_and_the_shape_of_a_row(tmp_path):
    rows = [{"id": name, "claim": "c", "context": ["e"], "label": "REFUTED"} for name in "ab"]
    with pytest.raises(DatasetError) as caught:
        dataset.read(written(tmp_path, {**GOOD, "label": "maybe"}, *rows))
    said = str(caught.value)
    assert (
        "claims.jsonl:2: no row has `evidence`; the keys of the first are ['id', 'claim', 'context', 'label']" in said
    )
    assert '"evidence": ["..."]' in said


def test_evidence_that_is_empty_everywhere_is_no_mistake_of_the_file(tmp_path):
    assert dataset.read(written(tmp_path, {**GOOD, "evidence": []})).cases[0].evidence == ()


def test_a_row_without_a_claim_is_told_by_its_keys(tmp_path):
    row = {"id": "a", "text": "c", "evidence": ["e"], "label": "REFUTED"}
    problem = dataset.read(written(tmp_path, GOOD, {**row, "id": "b"})).problems[0]
    assert (problem.reason, problem.detail) == ("no_claim", "['id', 'text', 'evidence', 'label']")
    with pytest.raises(DatasetError, match=r"the first: no_claim, its keys are \['id', 'text', 'evidence', 'label'\]"):
        dataset.read(written(tmp_path, row))


def test_every_case_has_the_line_that_it_stood_on(tmp_path):
    found = dataset.read(written(tmp_path, b"{", GOOD, b"", {**GOOD, "id": "b"}))
    assert found.lines == (2, 4)


def test_a_lone_surrogate_in_any_field_can_be_written(tmp_path):
    texts = dict.fromkeys(("id", "claim", "domain", "source", "group", "split"), "\ud800 x")
    (case,) = dataset.read(written(tmp_path, {**GOOD, **texts, "evidence": ["\udfff"]})).cases
    assert case.evidence == ("\ufffd",)
    assert json.loads(case.model_dump_json())["case_id"] == case.group == case.split == "\ufffd x"


def test_rows_of_one_evidence_share_a_group_where_none_is_given(tmp_path):
    rows = [{"id": name, "claim": "c", "evidence": ["e"], "label": "REFUTED"} for name in "ab"]
    first, second = dataset.read(written(tmp_path, *rows)).cases
    assert first.group == second.group


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="holds no row"):
        dataset.read(written(tmp_path, b"\n \n"))


def test_a_file_without_one_valid_row_names_the_first_problem(tmp_path):
    with pytest.raises(DatasetError, match=r"claims\.jsonl:1: none of its 1 rows is valid; the first: unknown_label"):
        dataset.read(written(tmp_path, {**GOOD, "label": "maybe"}))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="cannot be read"):
        dataset.read(tmp_path / "none.jsonl")


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_every_line_of_any_bytes_is_a_case_or_a_counted_problem(tmp_path_factory, lines):
    path = written(tmp_path_factory.mktemp("any"), GOOD, *(line.replace(b"\n", b"") for line in lines))
    found = dataset.read(path)
    assert len(found.cases) + len(found.problems) == found.rows


@pytest.mark.parametrize("field", ["id", "domain", "source", "group", "split"])
@pytest.mark.parametrize("value", [["a"], {"a": 1}, True])
def test_a_name_that_is_no_text_is_a_counted_problem(tmp_path, field, value):
    found = dataset.read(written(tmp_path, GOOD, {**GOOD, "id": "b", field: value}))
    assert found.dropped == {"not_a_name": 1}
