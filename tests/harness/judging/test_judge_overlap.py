from __future__ import annotations

import asyncio

import pytest
from judge_bench import case

from confute.errors import DatasetError
from confute.harness.judging.overlap import refuse_overlap, shared_words, texts
from confute.harness.judging.prompts import asked_prompts
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
        EIGHT.replace("three", "th\u200bree").replace("seven", "se\u00adven"),
        EIGHT.replace("three", "_three_").replace("seven", "**sev**en"),
        EIGHT.replace(" ", "_"),
        EIGHT.replace("three", "thre\u0301e"),
        "".join(chr(0xFF41 + ord(letter) - ord("a")) if letter.isalpha() else letter for letter in EIGHT),
    ],
)
def test_case_marks_markup_unseen_characters_and_width_of_letters_hide_no_overlap(written: str) -> None:
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
def test_every_prompt_that_a_judge_asks_is_compared_as_it_is_asked(name: str) -> None:
    family = load_family(name)
    prompts = asked_prompts(family)
    # Every leg in every wording, on a reply alone and on a conversation.
    assert len(prompts) == len(family.legs) * len(family.variants) * 2
    for prompt in prompts.values():
        assert "<<<" in prompt
        assert "{{" not in prompt
        assert "could not be used" in prompt


def test_words_that_only_the_asked_prompt_joins_are_found() -> None:
    family = load_family("misinformation")
    sources, prompts = dict(family.template_sources), asked_prompts(family)
    name, prompt = next((name, prompt) for name, prompt in prompts.items() if name.startswith("confabulation"))
    words = prompt.split("QUESTION: ")[1].split()[:4]
    copied = "its tone, not its quality. QUESTION: " + " ".join(words)
    assert not shared_words([case(1, "S", reply=copied)], sources)
    assert shared_words([case(1, "S", reply=copied)], {name: prompt})


def test_prompts_can_be_rendered_while_an_event_loop_runs() -> None:
    async def within() -> dict[str, str]:
        return asked_prompts(load_family("support"))

    assert asyncio.run(within()) == asked_prompts(load_family("support"))


@pytest.mark.parametrize("name", family_names())
def test_the_templates_of_a_family_can_be_compared(name: str) -> None:
    sources = dict(load_family(name).template_sources)
    words = next(iter(sources.values())).split()
    assert sources
    assert shared_words([case(1, "S", reply=" ".join(words))], sources)
