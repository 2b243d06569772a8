from __future__ import annotations

import pytest
from judge_bench import case

from confute.errors import DatasetError
from confute.harness.judging.overlap import refuse_overlap, shared_words, texts
from confute.judges.families import family_names, load_family
from confute.judges.judge import Exhibit, Turn

EIGHT = "one two three four five six seven eight"


def test_eight_words_in_a_row_in_both_are_refused_and_both_are_named() -> None:
    with pytest.raises(DatasetError, match=r"case-1 and template family/leg\.j2") as raised:
        refuse_overlap([case(1, "S", reply=f"so {EIGHT} so")], {"family/leg.j2": f"say {EIGHT}", "b.j2": "nothing"})
    assert EIGHT in str(raised.value)


def test_seven_words_in_a_row_are_no_overlap() -> None:
    refuse_overlap([case(1, "S", reply=EIGHT.removesuffix(" eight"))], {"a": EIGHT})
    refuse_overlap([case(1, "S", reply="one two three four and five six seven eight")], {"a": EIGHT})
    refuse_overlap([], {"a": EIGHT})


@pytest.mark.parametrize(
    "written",
    [
        EIGHT.upper(),
        EIGHT.replace(" ", ", "),
        EIGHT.replace(" ", "\n\n"),
        EIGHT.replace(" ", " — "),
        "".join(chr(0xFF41 + ord(letter) - ord("a")) if letter.isalpha() else letter for letter in EIGHT),
    ],
)
def test_case_marks_and_width_of_letters_hide_no_overlap(written: str) -> None:
    assert len(shared_words([case(1, "S", reply=written)], {"a": EIGHT})) == 1


def test_every_text_of_an_exhibit_is_compared() -> None:
    fields = ("reply", "prompt", "claim", "truth", "falsehood", "persona", "secret")
    exhibits = [Exhibit(**{name: EIGHT}) for name in fields]
    exhibits += [Exhibit(evidence=("", EIGHT)), Exhibit(capabilities=(EIGHT,))]
    exhibits.append(Exhibit(turns=(Turn(role="tool_result", content=EIGHT),)))
    without_words = {"finish_reason"}
    assert {name for one in exhibits for name in one.model_fields_set} == set(Exhibit.model_fields) - without_words
    for exhibit in exhibits:
        assert EIGHT in list(texts(exhibit))
        assert shared_words([case(1, "S").model_copy(update={"exhibit": exhibit})], {"a": EIGHT})


def test_a_case_is_named_once_for_each_template() -> None:
    found = shared_words([case(1, "S", reply=f"{EIGHT} nine ten")], {"b": f"{EIGHT} nine ten", "a": "x"})
    assert [(one.case_id, one.template) for one in found] == [("case-1", "b")]


@pytest.mark.parametrize("name", family_names())
def test_the_templates_of_a_family_can_be_compared(name: str) -> None:
    sources = dict(load_family(name).template_sources)
    words = next(iter(sources.values())).split()
    assert sources
    assert shared_words([case(1, "S", reply=" ".join(words))], sources)
