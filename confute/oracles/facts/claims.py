"""Claims about a document: some follow from it in other words than its own, some do not follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from random import Random

from confute.oracles.facts.closure import Closure
from confute.oracles.facts.document import Document
from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.mutate import variants
from confute.oracles.facts.parse import Parser, Reading
from confute.oracles.facts.render import FRAMES, Sentence, Writing, sentence
from confute.records import Label
from confute.text import tokens

MAX_JACCARD = 0.8
_FALSE = (Label.UNSUPPORTED, Label.REFUTED)
_SUPPORTED_PER_FALSE = 2
_WRITINGS = 6


def claims(document: Document, lexicon: Lexicon, parser: Parser, random: Random) -> tuple[str, ...]:
    """Return the claims of a document without claims: two that follow for each one that does not, as near as can be.

    No claim stands in the evidence, and none shares more than MAX_JACCARD of its words with one of its sentences.
    """
    closure = Closure(document.facts, lexicon)
    told = [*_stated(document), *_denied(document, closure, lexicon, parser, random)]
    supported = [text for fact in told if (text := _reworded(fact, document, lexicon, random)) is not None]
    false: list[str] = []
    for fact in chain(_overstated(document), _altered(document, lexicon, parser, random)):
        if len(false) == len(supported) // _SUPPORTED_PER_FALSE:
            break
        is_false = closure.label(fact) in _FALSE and not closure.has_near(fact)
        text = _reworded(fact, document, lexicon, random) if is_false else None
        if text is not None and text not in false:
            false.append(text)
    return (*dict.fromkeys(supported), *false)


def jaccard(left: str, right: str) -> float:
    """Return the share of two texts' distinct tokens, case folded, that they have in common."""
    one, other = set(tokens(left.casefold())), set(tokens(right.casefold()))
    return len(one & other) / len(one | other)


def _stated(document: Document) -> list[Fact]:
    """Return the actual facts, and the denials, that the text itself states."""
    return [fact for fact in document.facts if fact.modality is Modality.ACTUAL and fact.attribution is None]


def _denied(document: Document, closure: Closure, lexicon: Lexicon, parser: Parser, random: Random) -> Iterator[Fact]:
    """Yield one denial of something that the facts refute."""
    for fact in _altered(document, lexicon, parser, random):
        if fact.polarity is Polarity.POSITIVE and closure.label(fact) is Label.REFUTED and not closure.has_near(fact):
            yield fact.negated
            return


def _overstated(document: Document) -> Iterator[Fact]:
    """Yield what the text only holds possible, or lays to a speaker, as plain fact."""
    for fact in document.facts:
        if fact.modality is Modality.POSSIBLE or fact.attribution is not None:
            yield fact.model_copy(update={"modality": Modality.ACTUAL, "attribution": None})


def _altered(document: Document, lexicon: Lexicon, parser: Parser, random: Random) -> Iterator[Fact]:
    """Yield the facts that content edits of the stated facts would state; mechanisms and slots take turns."""
    found = [
        variant
        for fact in _stated(document)
        for variant in variants(Reading(fact, next(_writings(fact, lexicon, random))), document, lexicon)
    ]
    random.shuffle(found)
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for variant in found:
        turns.append(seen[variant.mechanism, variant.slot])
        seen[variant.mechanism, variant.slot] += 1
    for _, variant in sorted(zip(turns, found, strict=True), key=lambda pair: pair[0]):
        fact = parser.parse(variant.text)
        if fact is not None:
            yield fact


def _reworded(fact: Fact, document: Document, lexicon: Lexicon, random: Random) -> str | None:
    """Return the fact in words that are not the evidence's, or None where every writing is too close to it."""
    sentences = [f"{part}." for passage in document.passages for part in passage.text.removesuffix(".").split(". ")]
    for said in _writings(fact, lexicon, random):
        if max(jaccard(said.text, other) for other in sentences) <= MAX_JACCARD:
            return said.text
    return None


def _writings(fact: Fact, lexicon: Lexicon, random: Random) -> Iterator[Sentence]:
    """Yield the fact in the templates that evidence does not use, in random order and formats."""
    _, *styles = lexicon.templates[fact.relation].values()
    random.shuffle(styles)
    for template in styles:
        for _ in range(_WRITINGS):
            writing = Writing(random.randrange(_WRITINGS), random.randrange(_WRITINGS), random.choice(FRAMES))
            said = sentence(fact, template, lexicon, writing)
            if said is not None:
                verbs = [verb for verb in template.verbs if verb[1:] == said.verb[1:]]
                yield said._replace(verb=random.choice(verbs))
