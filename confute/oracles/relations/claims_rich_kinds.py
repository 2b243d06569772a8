"""Rows on names and kinds: a declared alias, and broader or narrower kinds of things, affirmed and denied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from confute.oracles.facts.fact import Polarity
from confute.oracles.relations.casts import Cast
from confute.oracles.relations.claim_edits import is_plain, read
from confute.oracles.relations.claims_rich import instances, pair, passages
from confute.oracles.relations.phrases import phrases
from confute.oracles.relations.relation import Expected, Instance, Relation, Scene, Situation
from confute.oracles.relations.statement import Alias, Existential, Subsumption
from confute.records import Label
from confute.text import fold


def _aliased(scene: Scene, random: Random) -> Iterator[Instance]:
    """Call the subject or object of a claim by another name that a passage declares."""
    reading = read(scene)
    if reading is None or not is_plain(reading.fact):
        return
    texts = reading.sentence.texts
    slots = [slot for slot in ("subject", "object") if slot in texts and _is_bare(texts[slot], scene)]
    if not slots:
        return
    slot = random.choice(slots)
    alias = Alias(alias=Cast(scene, random).like(texts[slot]), name=texts[slot])
    after = reading.sentence._replace(texts=texts | {slot: alias.alias}).text
    beside = (*scene.situation.passages, *passages((alias,), scene.lexicon))
    first, second = (Situation(claim=text, passages=beside) for text in (scene.claim, after))
    yield Instance(before=first, after=second, expected=Expected.INVARIANT, label=scene.label)


def _is_bare(name: str, scene: Scene) -> bool:
    """Tell whether a name of the document stands without an article and a common noun."""
    is_known = any(entity.name == name for entity in scene.document.entities)
    told = fold(" ".join((scene.claim, *scene.situation.evidence)))
    return is_known and not re.search(r" [a-z]+$", name) and fold(f"the {name}") not in told


def _generalised(scene: Scene, random: Random) -> Iterator[Instance]:
    """Broaden the kind in what is affirmed; narrow it."""
    yield from _kinds_changed(scene, random, Polarity.POSITIVE)


def _generalised_denial(scene: Scene, random: Random) -> Iterator[Instance]:
    """Narrow the kind in what is denied; broaden it."""
    yield from _kinds_changed(scene, random, Polarity.NEGATIVE)


def _kinds_changed(scene: Scene, random: Random, polarity: Polarity) -> Iterator[Instance]:
    """Say what a passage says of one kind, then of the kind of which it follows, and of that of which it does not."""
    subjects = Cast(scene, random).joiners(2)
    if not subjects:
        return
    edges = _chain(random)
    narrow, broad = edges[0].narrower, edges[-1].broader
    strong, weak = (narrow, broad) if polarity is Polarity.POSITIVE else (broad, narrow)
    relations = random.sample(sorted(phrases().deeds), 2)
    for relation, subject, told, other in zip(relations, subjects, (strong, weak), (weak, strong), strict=True):
        stated = Existential(relation=relation, subject=subject, noun=told, polarity=polarity)
        changed = stated.model_copy(update={"noun": other})
        rises = None if told == strong else Label.UNSUPPORTED
        yield from instances(scene, (stated, *edges), pair(stated, changed, scene.lexicon, random), rises)


def _chain(random: Random) -> list[Subsumption]:
    """Return one or two steps from a kind to broader ones."""
    kinds = phrases().kinds
    narrower = random.choice(sorted(kinds))
    edges = [Subsumption(narrower=narrower, broader=kinds[narrower])]
    if kinds[narrower] in kinds and random.random() < 0.5:
        edges.append(Subsumption(narrower=kinds[narrower], broader=kinds[kinds[narrower]]))
    return edges


_JOINERS = "a document with firms, people or teams; its passages tell that one kind is of the other"
KINDS: tuple[Relation, ...] = (
    Relation("C27", "declared alias", "a plain claim on a thing of the document that stands without 'the'", _aliased),
    Relation("C28", "broader / narrower kind, affirmed", _JOINERS, _generalised),
    Relation("C29", "narrower / broader kind, denied", _JOINERS, _generalised_denial),
)
