"""Relations made of edits of a claim: which edits a relation takes, and what instance each gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from random import Random
from typing import TypeAlias

from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.mutate import Variant, variants
from confute.oracles.facts.paraphrase import paraphrases
from confute.oracles.facts.parse import Parser, Reading
from confute.oracles.relations.relation import Expected, Instance, Scene
from confute.records import Label
from confute.text import fold, tokens

_BOUNDING = frozenset({"within", "room"})
Transform: TypeAlias = Callable[[Scene, Random], Iterator[Instance]]
Alters: TypeAlias = Callable[[Scene, Reading, Reading], Label | None]
Keeps: TypeAlias = Callable[[Scene, Reading, Reading], bool]


@lru_cache(maxsize=8)
def parser_of(lexicon: Lexicon) -> Parser:
    """Return the parser of a lexicon, built once."""
    return Parser(lexicon)


def read(scene: Scene) -> Reading | None:
    """Return what a scene's claim says and how, or None where it cannot be read."""
    return parser_of(scene.lexicon).read(scene.claim)


def raising(slots: tuple[str, ...], alters: Alters) -> Transform:
    """Return the transform that changes a supported plain claim by one content edit of the slots.

    `alters` gets the scene, and what the claim said before and says after; it returns the label that the edit must
    give, or None where the edit is none of the relation's. One edit is drawn of those that it takes.
    """

    def transform(scene: Scene, random: Random) -> Iterator[Instance]:
        before = read(scene)
        if before is None or scene.label is not Label.SUPPORTED or not is_plain(before.fact):
            return
        found = {}
        for variant in _of(slots, variants(before, scene.document, scene.lexicon)):
            after = parser_of(scene.lexicon).read(variant.text)
            label = None if after is None else alters(scene, before, after)
            if label is not None:
                found[variant.text] = label
        if found:
            text = random.choice(sorted(found))
            yield claimed(scene, scene.claim, text, Expected.RISES, found[text])

    return transform


def keeping(slot: str, keeps: Keeps) -> Transform:
    """Return the transform that says a claim's fact again, by one paraphrase of the slot that `keeps` takes.

    What stands in the evidence word for word is no paraphrase.
    """

    def transform(scene: Scene, random: Random) -> Iterator[Instance]:
        before = read(scene)
        if before is None:
            return
        found = set()
        for variant in _of((slot,), paraphrases(before, scene.lexicon)):
            after = parser_of(scene.lexicon).read(variant.text)
            if after is not None and not _is_told(variant.text, scene) and keeps(scene, before, after):
                found.add(variant.text)
        if texts := sorted(found - {scene.claim}):
            yield claimed(scene, scene.claim, random.choice(texts), Expected.INVARIANT, scene.label)

    return transform


def claimed(scene: Scene, before: str, after: str, expected: Expected, label: Label) -> Instance:
    """Return the instance in which one claim takes another's place against a scene's passages."""
    situation = scene.situation
    first, second = (situation.model_copy(update={"claim": claim}) for claim in (before, after))
    return Instance(before=first, after=second, expected=expected, label=label)


def is_plain(fact: Fact) -> bool:
    """Tell whether a fact is stated as actual, by the text itself, and not denied."""
    return fact.polarity is Polarity.POSITIVE and fact.modality is Modality.ACTUAL and fact.attribution is None


def plain_facts(scene: Scene) -> tuple[Fact, ...]:
    """Return the facts that a scene's document states plainly."""
    return tuple(fact for fact in scene.document.facts if is_plain(fact))


def replaced(slot: str, fact: Fact, lexicon: Lexicon) -> Label:
    """Return the label of a true fact after another filler of a slot: REFUTED where the rest determines that slot."""
    determinants = lexicon.relations[fact.relation].functional.get(slot, ())  # type: ignore[call-overload]
    is_fixed = bool(determinants) and all(getattr(fact, argument) is not None for argument in determinants)
    return Label.REFUTED if is_fixed else Label.UNSUPPORTED


def tells_exactly(reading: Reading) -> bool:
    """Tell whether a sentence gives its value as exact: what is done "within" a time may be done in less of it."""
    return not _BOUNDING & set(tokens(reading.sentence.text))


def style_of(writings: Mapping[str, str], text: str) -> str:
    """Return the name of the way in which a text is written, or nothing where it is none of the ways."""
    return next((style for style, written in writings.items() if written.lower() == text.lower()), "")


def differs_only_in(slots: tuple[str, ...], before: Fact, after: Fact) -> bool:
    """Tell whether two facts differ in each of the slots, and in nothing else."""
    changed = {name for name in Fact.model_fields if getattr(before, name) != getattr(after, name)}
    return changed == set(slots)


def _of(slots: tuple[str, ...], offered: Iterator[Variant]) -> Iterator[Variant]:
    return (variant for variant in offered if variant.slot in slots)


def _is_told(text: str, scene: Scene) -> bool:
    """Tell whether a passage holds a sentence word for word."""
    return any(fold(text) in fold(passage.text) for passage in scene.document.passages)
