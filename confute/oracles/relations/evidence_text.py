"""What the rows on evidence share: what a claim says, what passages make of it, and passages that say a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from confute.oracles.facts.builtin import evidence_sentence
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Parser
from confute.oracles.facts.render import Sentence, sentence
from confute.oracles.relations.relation import Expected, Instance, Said, Scene, Situation
from confute.records import Label


@lru_cache(maxsize=8)
def parser_of(lexicon: Lexicon) -> Parser:
    """Return the parser of a lexicon, made once."""
    return Parser(lexicon)


def claimed(scene: Scene) -> Fact | None:
    """Return the fact that a scene's claim says, None where it says none or more than one."""
    return parser_of(scene.lexicon).parse(scene.claim)


def facts_of(passages: Iterable[Said]) -> list[Fact]:
    """Return the plain facts that passages say, in order."""
    return [said for passage in passages for said in passage.says if isinstance(said, Fact)]


def label_of(claim: Fact, passages: Iterable[Said], lexicon: Lexicon) -> Label:
    """Return what the closure of the passages' facts says of a claim."""
    return Closure(facts_of(passages), lexicon).label(claim)


def said(fact: Fact, lexicon: Lexicon) -> Said:
    """Return a passage that says one fact in the words of the evidence."""
    return Said(text=evidence_sentence(fact, lexicon).text, says=(fact,))


def reworded(fact: Fact, lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield a fact in the templates of its relation that the evidence does not use."""
    for template in list(lexicon.templates[fact.relation].values())[1:]:
        written = sentence(fact, template, lexicon)
        if written is not None:
            yield written


def names_of(passages: Iterable[Said]) -> set[str]:
    """Return the names that stand in the facts of passages."""
    found = [(fact.subject, fact.object, fact.attribution) for fact in facts_of(passages)]
    return {name for names in found for name in names if name is not None}


def changed(scene: Scene, passages: Sequence[Said], expected: Expected, label: Label | None = None) -> Instance:
    """Return the scene with other passages and the same claim; the label is the scene's where none is given."""
    after = Situation(claim=scene.claim, passages=tuple(passages))
    return Instance(before=scene.situation, after=after, expected=expected, label=label or scene.label)
