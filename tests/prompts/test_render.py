"""Templates: values are data, sources are fingerprinted, mistakes are told."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.errors import PromptError
from confute.prompts.render import Template


def template(folder: Path, source: str, **others: str) -> Template:
    for name, text in {"main": source, **others}.items():
        (folder / f"{name}.j2").write_text(text, encoding="utf-8")
    return Template("main", folder=folder)


def test_braces_in_a_value_stay_single(tmp_path: Path) -> None:  # a44
    assert template(tmp_path, "Reply: {{ reply }}").render({"reply": '{"a": 1}'}) == 'Reply: {"a": 1}'


def test_a_value_that_looks_like_a_template_is_not_rendered(tmp_path: Path) -> None:  # a45
    value = "use {{ 7*7 }} and {{ purpose | trim }} and {% raw %}"
    assert template(tmp_path, "Reply: {{ reply }}").render({"reply": value}) == f"Reply: {value}"


@given(value=st.text(st.characters(codec=None)))
def test_any_text_goes_in_as_it_is(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    one = template(tmp_path_factory.mktemp("any"), "<{{ reply }}>")
    assert one.render({"reply": value}) == f"<{value}>"


class Message:
    text = "I cannot help with that."


@pytest.mark.parametrize("value", [Message(), None, 1.5, {"a": "b"}, [Message()]])
def test_an_object_is_refused_rather_than_shown_by_its_repr(tmp_path: Path, value: Any) -> None:  # a46
    with pytest.raises(PromptError, match="reply: must be text"):
        template(tmp_path, "Reply: {{ reply }}").render({"reply": value})


def test_a_missing_value_is_told_and_not_rendered_as_nothing(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="'reply' is undefined"):
        template(tmp_path, "Reply: {{ reply }}").render({"answer": "x"})


def test_a_missing_value_in_a_condition_is_told(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="'reply' is undefined"):
        template(tmp_path, "{% if reply %}a{% endif %}").render({})


@pytest.mark.parametrize(
    "source",
    [
        "{{ reply.__class__.__mro__ }}",
        "{{ ''.__class__ }}",
        "{{ texts.append('x') }}",
        "{{ '%s' | format(reply.__init__.__globals__) }}",
        "{% for one in range(10000000) %}a{% endfor %}",
    ],
)
def test_a_template_reaches_no_python_and_changes_nothing(tmp_path: Path, source: str) -> None:
    texts = ["a"]
    with pytest.raises(PromptError):
        template(tmp_path, source).render({"reply": "x", "texts": texts})
    assert texts == ["a"]


def test_the_fingerprint_covers_name_and_source_of_each_file(tmp_path: Path) -> None:
    one = template(tmp_path, '{% include "part.j2" %}', part="hello")
    # Name and source, each after its length in eight bytes, the template itself first.
    parts = [b"main.j2", b'{% include "part.j2" %}', b"part.j2", b"hello"]
    expected = hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()
    assert one.fingerprint == expected


def test_a_change_of_an_include_of_an_include_changes_the_fingerprint(tmp_path: Path) -> None:
    files = {"middle": '{% include "leaf.j2" %}'}
    before = template(tmp_path, '{% include "middle.j2" %}', **files, leaf="a").fingerprint
    after = template(tmp_path, '{% include "middle.j2" %}', **files, leaf="b").fingerprint
    assert before != after


def test_what_is_rendered_is_what_was_fingerprinted(tmp_path: Path) -> None:
    one = template(tmp_path, "old")
    (tmp_path / "main.j2").write_text("new", encoding="utf-8")
    assert one.render({}) == "old"


def test_an_include_changed_after_loading_is_not_rendered(tmp_path: Path) -> None:
    one = template(tmp_path, '{% include "part.j2" %}', part="old")
    (tmp_path / "part.j2").write_text("new", encoding="utf-8")
    assert one.render({}) == "old"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% include name %}", "names another template by an expression"),
        ('{% include "absent.j2" %}', "no such template"),
        ('{% include "../secret.j2" %}', "no such template"),
        ("line\n{% if %}", "main.j2:2: no template"),
        ("{{ a" * 3, "main.j2:1: no template"),
    ],
)
def test_a_template_that_cannot_be_fingerprinted_is_refused(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        template(tmp_path, source)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "main.j2").write_bytes(b"\xff\xfe{{")
    with pytest.raises(PromptError, match="cannot be read"):
        Template("main", folder=tmp_path)


@pytest.mark.parametrize("name", ["absent", "../main", "a\0b", ""])
def test_a_name_without_a_template_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(PromptError):
        Template(name, folder=tmp_path)


def test_a_template_that_includes_itself_is_told_and_does_not_crash(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="cannot be rendered"):
        template(tmp_path, '{% include "main.j2" %}').render({})


def test_a_template_that_grows_without_bound_is_refused(tmp_path: Path) -> None:
    source = "{% for one in range(50000) %}{{ 'abcdefghij' * 10 }}{% endfor %}"
    with pytest.raises(PromptError, match="too long"):
        template(tmp_path, source).render({})
