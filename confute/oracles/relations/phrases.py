"""The lexicon with leagues and charters, and the words for what is said of more than one fact."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import yaml
from pydantic import Field

from confute.oracles.facts.lexicon import Lexicon
from confute.records import NonBlank, Record

MEMBERSHIP = "belongs_to"
"""The relation between a member and its league."""


class Superlative(Record):
    """How the subject that stands above all others in an order is called, and the verb that says so."""

    verb: NonBlank
    word: NonBlank


class Phrases(Record):
    """The words for ranks, totals, ratios and kinds of things; the file says what each part is."""

    joiners: tuple[NonBlank, ...]
    superlatives: dict[NonBlank, Superlative]
    measures: dict[NonBlank, NonBlank]
    additive: tuple[NonBlank, ...]
    kinds: dict[NonBlank, NonBlank]
    deeds: dict[NonBlank, tuple[NonBlank, ...]] = Field(min_length=1)

    @property
    def nouns(self) -> tuple[str, ...]:
        """All kinds of things, narrow and broad, in the order of the file."""
        return tuple(dict.fromkeys([*self.kinds, *self.kinds.values()]))


@cache
def relations_lexicon() -> Lexicon:
    """Return the lexicon that comes with the package, and with it leagues, their members, and charters."""
    sources: dict[str, Any] = {}
    for package in ("confute.oracles.facts", "confute.oracles.relations"):
        folder = resources.files(package) / "lexicon"
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".yaml"):
                sources[file.name.removesuffix(".yaml")] = yaml.safe_load(file.read_text("utf-8"))
    return Lexicon(sources)


@cache
def phrases() -> Phrases:
    """Return the words that come with the package."""
    file = resources.files("confute.oracles.relations") / "phrases.yaml"
    return Phrases.model_validate(yaml.safe_load(file.read_text("utf-8")))


def is_article_needed(relation: str, lexicon: Lexicon) -> bool:
    """Tell whether the names of a relation's subjects stand after "the", as those of rivers do."""
    notation = next(iter(lexicon.relations[relation].templates.values()))
    return notation.startswith(("The {subject}", "the {subject}"))
