"""Whose labels they are: the judge's own, under any of the names that it goes by, or somebody else's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from confute.judges.fence import without_unseen
from confute.judges.judge import JudgeCase
from confute.records import Record, digest_of
from confute.text import fold

NAMELESS = frozenset({"judge", "llm", "llm judge", "model", "rules"})
"""Sources that name nobody, and so may be the judge that is measured."""

_PROVIDER = re.compile(r"^(?:.*/|(?:anthropic|azure|google|litellm|local|mistral|ollama|openai):)")
_RELEASE = re.compile(r"(?:[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest|preview))+$")
_BETWEEN = re.compile(r"[\s,;()\[\]{}\"'+&]+")


class Labelled(Record):
    """A case as its validation used it, without its texts."""

    case_id: str
    right: Literal["S", "R", "s", "v"]
    group: str
    label_source: str
    split: Literal["development", "held_out"]


def labels_of(cases: Iterable[JudgeCase]) -> tuple[Labelled, ...]:
    """Return the labels of cases, in their order."""
    return tuple(Labelled.model_validate(case.model_dump(include=set(Labelled.model_fields))) for case in cases)


def digest_of_labels(labels: Iterable[Labelled]) -> str:
    """Return the SHA-256, in hex, of labels, by which a ledger is bound to them."""
    return digest_of([one.model_dump(mode="json") for one in labels])


def plain_name(name: str) -> str:
    """Return a model's name without case, white space around it, provider before it and date or release behind it."""
    return _RELEASE.sub("", _PROVIDER.sub("", fold(without_unseen(name))))


def is_own(source: str, names: Iterable[str], models: Iterable[str]) -> bool:
    """Tell whether a source of labels is a judge of these names, or names one of its models among other words."""
    asked = {plain_name(one) for one in models}
    known = {plain_name(one) for one in names} | asked | NAMELESS
    words = {plain_name(word) for word in _BETWEEN.split(source)}
    return plain_name(source) in known or bool(words & (asked - NAMELESS))
