"""Sentences: how a fact is said, as a value that can be varied, and its text."""

from __future__ import annotations

from typing import NamedTuple

from confute.oracles.facts import dates
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.template import Template, VerbForm

FRAMES = ("According to {}, ", "{} reported that ", "{} claimed that ")


class Sentence(NamedTuple):
    """A sentence in parts: its template and verb form, the texts of its slots, and the frame that attributes it."""

    template: Template
    verb: VerbForm
    texts: dict[str, str]
    speaker: str | None = None
    frame: str = FRAMES[0]

    @property
    def text(self) -> str:
        """The sentence, with its capital and its full stop."""
        body = self.template.fill(self.verb, self.texts)
        if self.speaker is not None:
            inner = body if self.template.starts_with_a_slot else body[0].lower() + body[1:]
            body = self.frame.format(self.speaker) + inner
        return f"{body[0].upper()}{body[1:]}."


class Writing(NamedTuple):
    """The choices that a template leaves open; `value` and `date` count the ways to write them, modulo how many."""

    value: int = 0
    date: int = 0
    frame: str = FRAMES[0]


_PLAIN = Writing()


def sentence(fact: Fact, template: Template, lexicon: Lexicon, writing: Writing = _PLAIN) -> Sentence | None:
    """Return a fact in a template of its relation, or None where the template has no place for all that it says."""
    texts = {"subject": fact.subject}
    if fact.object is not None:
        texts["object"] = fact.object
    if fact.value is not None:
        texts["value"] = _choice(lexicon.units.writings(fact.value), writing.value)
    if fact.date is not None:
        texts["date"] = _choice(dates.writings(fact.date), writing.date)
    if not template.required <= texts.keys() <= template.slots:
        return None
    verb = template.verb(fact.polarity, fact.modality)
    return Sentence(template, verb, texts, fact.attribution, writing.frame)


def render(fact: Fact, style: str, lexicon: Lexicon) -> str | None:
    """Return the text of a fact in one style of its relation, or None where that has no place for all it says."""
    said = sentence(fact, lexicon.templates[fact.relation][style], lexicon)
    return None if said is None else said.text


def _choice(writings: dict[str, str], index: int) -> str:
    return list(writings.values())[index % len(writings)]
