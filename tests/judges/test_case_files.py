"""The files of labelled cases: what they promise about themselves, checked on every row."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import confute
from confute.judges.judge import JudgeCase
from confute.text import word_grams

DATA = Path(__file__).resolve().parents[2] / "data" / "judges"
PROMPTS = Path(confute.__file__).parent / "prompts"
SPLITS = ("held_out", "development")
FAMILIES = {
    "misinformation": 30,
    "poisoned_fact": 20,
    "capability_disclosure": 14,
    "persona_break": 40,
    "support": 20,
    "instruction_leak": 14,
}
LABELS = {"full", "partial", "none", "false_denial"}
CLAUSE_TOKENS = 32
TOKEN = re.compile(r"\w+|[^\w\s]")


def rows(split: str) -> list[JudgeCase]:
    lines = (DATA / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [JudgeCase.model_validate_json(line) for line in lines]


def injections() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "injections.jsonl").read_text(encoding="ascii").splitlines()]


def twins(split: str) -> dict[str, list[JudgeCase]]:
    found: dict[str, list[JudgeCase]] = defaultdict(list)
    for case in rows(split):
        found[str(case.twin)].append(case)
    return found


def texts(case: JudgeCase) -> list[str]:
    exhibit = case.exhibit
    plain = [exhibit.reply, exhibit.prompt, exhibit.claim, exhibit.truth, exhibit.falsehood, exhibit.persona]
    turns = [turn.content for turn in exhibit.turns]
    return [text for text in [*plain, exhibit.secret, *exhibit.evidence, *exhibit.capabilities, *turns] if text]


def grams_of(cases: list[JudgeCase]) -> set[tuple[str, ...]]:
    return {gram for case in cases for text in texts(case) for gram in word_grams(text)}


def changed(first: str, second: str) -> tuple[list[str], list[str]]:
    """What is left of two texts without the tokens that they share at both ends."""
    left, right = TOKEN.findall(first), TOKEN.findall(second)
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return left, right


def test_the_digests_are_those_of_the_files() -> None:
    digests = json.loads((DATA / "sha256.json").read_text(encoding="utf-8"))
    assert digests == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DATA.glob("*.jsonl")}
    assert set(digests) == {"held_out.jsonl", "development.jsonl", "injections.jsonl"}


def test_the_files_are_what_their_templates_expand_to() -> None:
    maker = runpy.run_path(str(DATA.parents[1] / "benchmarks" / "make_judge_cases.py"))
    for split in SPLITS:
        assert list(maker["cases"](split)) == rows(split)
    assert list(maker["injections"]()) == injections()


def test_every_id_stands_once_over_both_splits() -> None:
    ids = [case.case_id for split in SPLITS for case in rows(split)]
    assert [case_id for case_id, count in Counter(ids).items() if count > 1] == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_file_holds_the_split_that_its_name_says(split: str) -> None:
    assert {case.split for case in rows(split)} == {split}
    assert {case.label_source for case in rows(split)} == {"confute authors"}


def test_english_has_240_held_out_cases_and_every_family_its_share() -> None:
    counts = Counter(case.family for case in rows("held_out") if case.language == "en")
    assert counts.total() >= 240
    assert {family: count for family, count in counts.items() if count < 2 * FAMILIES[family]} == {}
    assert set(counts) == set(FAMILIES)


def test_six_more_languages_have_ten_cases_each_and_sixty_together() -> None:
    counts = Counter(case.language for case in rows("held_out") if case.language != "en")
    assert set(counts) == {"it", "de", "fr", "es", "pt", "tr"}
    assert min(counts.values()) >= 10
    assert counts.total() >= 60


def test_the_development_set_covers_every_family() -> None:
    counts = Counter(case.family for case in rows("development"))
    assert counts.total() >= 120
    assert set(counts) == set(FAMILIES)
    assert min(counts.values()) >= 12


@pytest.mark.parametrize("split", SPLITS)
def test_twins_are_pairs_of_opposite_directions(split: str) -> None:
    for twin, pair in twins(split).items():
        assert len(pair) == 2, twin
        assert {"S": "failed", "v": "failed", "R": "safe", "s": "safe"}[pair[0].right] != {
            "S": "failed",
            "v": "failed",
            "R": "safe",
            "s": "safe",
        }[pair[1].right], twin


@pytest.mark.parametrize("split", SPLITS)
def test_twins_differ_in_one_clause_of_one_text(split: str) -> None:
    for twin, (first, second) in twins(split).items():
        different = [pair for pair in zip(texts(first), texts(second), strict=True) if pair[0] != pair[1]]
        assert len(different) == 1, twin
        assert 0 < max(map(len, changed(*different[0]))) <= CLAUSE_TOKENS, (twin, changed(*different[0]))


@pytest.mark.parametrize("split", SPLITS)
def test_a_text_has_no_open_slot_and_no_stray_blank(split: str) -> None:
    wrong = [text for case in rows(split) for text in texts(case) if re.search(r"\[\[|\|\||\{|\}|  | [.,]|\s$", text)]
    assert wrong == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_capability_label_agrees_with_its_direction(split: str) -> None:
    for case in rows(split):
        if case.family == "capability_disclosure":
            assert case.label in LABELS
            assert (case.label == "false_denial") == (case.right == "S"), case.case_id
        else:
            assert case.label is None


@pytest.mark.parametrize("split", SPLITS)
def test_a_case_has_the_fields_that_its_family_asks_about(split: str) -> None:
    needed = {
        "misinformation": ("reply", "prompt", "truth"),
        "poisoned_fact": ("reply", "prompt", "truth", "falsehood"),
        "capability_disclosure": ("reply", "prompt", "persona", "capabilities"),
        "persona_break": ("reply", "prompt", "persona"),
        "support": ("claim", "evidence"),
        "instruction_leak": ("reply", "prompt", "secret"),
    }
    missing = [
        (case.case_id, name) for case in rows(split) for name in needed[case.family] if not getattr(case.exhibit, name)
    ]
    assert missing == []


def test_no_eight_words_stand_in_both_splits() -> None:
    assert grams_of(rows("held_out")) & grams_of(rows("development")) == set()


@pytest.mark.parametrize("split", SPLITS)
def test_no_eight_words_stand_in_two_twins(split: str) -> None:
    grams = {twin: grams_of(pair) for twin, pair in twins(split).items()}
    shared = {(a, b): grams[a] & grams[b] for a, b in combinations(grams, 2) if grams[a] & grams[b]}
    assert shared == {}


def test_no_eight_words_stand_in_a_case_and_in_a_prompt_template() -> None:
    templates = {gram for path in PROMPTS.rglob("*.j2") for gram in word_grams(path.read_text(encoding="utf-8"))}
    assert templates
    assert (grams_of(rows("held_out")) | grams_of(rows("development"))) & templates == set()


def test_twins_of_one_made_up_name_stand_in_one_split() -> None:
    groups = [{case.group for case in rows(split)} for split in SPLITS]
    assert groups[0] & groups[1] == set()


def test_no_known_name_is_in_use() -> None:
    known = (DATA / "known_names.txt").read_text(encoding="utf-8").split()
    words = {word for split in SPLITS for case in rows(split) for text in texts(case) for word in text.lower().split()}
    assert words.intersection(known) == set()


def test_injections_are_twelve_kinds_of_twelve_and_aim_both_ways() -> None:
    counts = Counter(row["kind"] for row in injections())
    assert len(counts) == 12
    assert min(counts.values()) >= 12
    assert len({row["id"] for row in injections()}) == counts.total() >= 144
    for kind in counts:
        assert {row["aims"] for row in injections() if row["kind"] == kind} == {"S", "R"}


def test_an_injection_has_a_text_and_at_most_a_repeat_count() -> None:
    for row in injections():
        assert {"id", "kind", "text", "aims"} <= set(row) <= {"id", "kind", "text", "aims", "repeat"}
        assert isinstance(row["text"], str)
        assert len(row["text"]) <= 1000
        assert isinstance(row.get("repeat", 1), int)
        assert 1 <= row.get("repeat", 1) * max(1, len(row["text"])) <= 200_000
    assert len({(row["text"], row.get("repeat", 1)) for row in injections()}) == len(injections())


def test_long_paddings_are_declared_by_a_count() -> None:
    padded = [row for row in injections() if row["kind"] == "padding"]
    assert all(row["repeat"] > 1 for row in padded)
    assert max(row["repeat"] * len(row["text"]) for row in padded) >= 100_000
