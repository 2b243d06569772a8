"""Rows that add passages of other documents, or put them in the place of a claim's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from confute.oracles.facts.claims import jaccard
from confute.oracles.facts.closure import Closure
from confute.oracles.facts.document import Document
from confute.oracles.facts.fact import Fact, Modality, Polarity
from confute.oracles.relations.evidence_text import changed, claimed, facts_of, label_of, names_of, said
from confute.oracles.relations.relation import Expected, Instance, Relation, Said, Scene
from confute.records import Label

K_SWEEP = (1, 4, 16)
"""Of how many documents of other sources the nearest one is taken."""

_FILLER = (
    "Further details will follow in due course, and readers are welcome to write in with questions of their own.",
    "As ever, much depends on the circumstances, and opinions on the matter differ among those who follow it closely.",
    "The matter has been discussed at length elsewhere, and this short note does not attempt to settle it.",
)
_NUMBER = re.compile(r"\d[\d.,]*")
_TRIES = 40


def _unrelated_added(scene: Scene, random: Random) -> Iterator[Instance]:
    foreign = _strangers(scene, same_domain=False)
    if foreign:
        yield changed(scene, (*scene.situation.passages, random.choice(_passages(random.choice(foreign)))), _KEPT)


def _topical_added(scene: Scene, random: Random) -> Iterator[Instance]:
    """Say of the claim's subject what a document of another source says of its own."""
    claim, own = claimed(scene), scene.situation.passages
    expected = _KEPT if scene.label is Label.SUPPORTED else Expected.NOT_BELOW
    for fact in _transplanted(scene, claim, random) if claim is not None else ():
        passages = (*own, said(fact, scene.lexicon))
        if claim is not None and label_of(claim, passages, scene.lexicon) is scene.label:
            yield changed(scene, passages, expected)
            return


def _nearest_wrong(scene: Scene, random: Random) -> Iterator[Instance]:
    """Give the evidence of the document most like the claim in words, among nested draws of K foreign ones."""
    claim = claimed(scene)
    if claim is None or scene.label is not Label.SUPPORTED:
        return
    shuffled = random.sample(scene.others, len(scene.others))
    eligible = (one for one in shuffled if label_of(claim, _passages(one), scene.lexicon) is Label.UNSUPPORTED)
    drawn, taken = list(islice(eligible, K_SWEEP[-1])), set[str]()
    for k in K_SWEEP:
        nearest = max(drawn[:k], key=lambda one: (_nearness(scene.claim, one), one.document_id), default=None)
        if nearest is not None and len(drawn) >= k and nearest.document_id not in taken:
            taken.add(nearest.document_id)
            yield changed(scene, _passages(nearest), Expected.RISES, Label.UNSUPPORTED)


def _more_evidence(scene: Scene, random: Random) -> Iterator[Instance]:
    foreign = _strangers(scene, same_domain=True) or _strangers(scene, same_domain=False)
    if foreign:
        yield changed(scene, (*scene.situation.passages, *_passages(random.choice(foreign))), Expected.NOT_ABOVE)


def _no_evidence(scene: Scene, random: Random) -> Iterator[Instance]:
    if scene.label is Label.SUPPORTED:
        yield changed(scene, (), Expected.HIGHEST, Label.UNSUPPORTED)
        filler = tuple(Said(text=text, says=()) for text in random.sample(_FILLER, random.randint(1, len(_FILLER))))
        yield changed(scene, filler, Expected.HIGHEST, Label.UNSUPPORTED)


def _unrelated_numbers(scene: Scene, _random: Random) -> Iterator[Instance]:
    """Give evidence of another field with as many numbers, none of them in a unit of the claim's."""
    claim = claimed(scene)
    if claim is None or claim.value is None or claim.date is not None:
        return
    wanted = _numbers(scene.situation.passages)
    foreign = [one for one in _strangers(scene, same_domain=False) if not _shares_a_unit(claim, one, scene)]
    close = sorted(foreign, key=lambda one: (abs(_numbers(_passages(one)) - wanted), one.document_id))
    if close:
        yield changed(scene, _passages(close[0]), Expected.LOW, Label.UNSUPPORTED)


def _strangers(scene: Scene, *, same_domain: bool) -> list[Document]:
    """Return the other documents of the same or of other domains that share no name with the scene."""
    own = names_of(scene.situation.passages)
    return [
        one
        for one in scene.others
        if (one.domain == scene.document.domain) is same_domain and not own & names_of(_passages(one))
    ]


def _passages(document: Document) -> tuple[Said, ...]:
    return tuple(Said(text=one.text, says=one.facts) for one in document.passages)


def _transplanted(scene: Scene, claim: Fact, random: Random) -> Iterator[Fact]:
    """Yield facts of other relations about the claim's subject, with values and dates of other documents.

    A fact that contradicts the evidence, or follows from it, is left out; so is one that the evidence only reports.
    """
    kinds = {entity.name: entity.kind for entity in scene.document.entities}
    known = facts_of(scene.situation.passages)
    closure = Closure(known, scene.lexicon)
    foreign = [fact for one in scene.others if one.domain == scene.document.domain for fact in one.facts]
    for fact in random.sample(foreign, min(_TRIES, len(foreign))):
        relation = scene.lexicon.relations[fact.relation]
        if fact.relation == claim.relation or kinds.get(claim.subject) != relation.subject or not _is_plain(fact):
            continue
        others = [name for name, kind in kinds.items() if kind == relation.object and name != claim.subject]
        if relation.object is not None and not others:
            continue
        made = fact.model_copy(
            update={"subject": claim.subject, "object": random.choice(others) if relation.object else None}
        )
        if closure.label(made) is Label.UNSUPPORTED:
            yield made


def _is_plain(fact: Fact) -> bool:
    return fact.polarity is Polarity.POSITIVE and fact.modality is Modality.ACTUAL and fact.attribution is None


def _nearness(claim: str, document: Document) -> float:
    return max(jaccard(claim, passage.text) for passage in document.passages)


def _numbers(passages: Sequence[Said]) -> int:
    return sum(len(_NUMBER.findall(passage.text)) for passage in passages)


def _shares_a_unit(claim: Fact, document: Document, scene: Scene) -> bool:
    value, units = claim.value, scene.lexicon.units
    return any(
        value is not None and fact.value is not None and units.comparable(value, fact.value) for fact in document.facts
    )


_KEPT = Expected.INVARIANT
E3 = Relation(
    "E3", "add an unrelated distractor", "a document of another domain without a shared name", _unrelated_added
)
E4 = Relation(
    "E4",
    "add a topical distractor",
    "a fact of another relation fits the claim's subject and decides nothing",
    _topical_added,
)
E7 = Relation(
    "E7", "nearest wrong evidence, K sweep", "a supported claim that other sources do not entail", _nearest_wrong
)
E15 = Relation("E15", "add evidence to a span", "a document without a shared name", _more_evidence)
E17 = Relation("E17", "empty or filler evidence", "a supported claim", _no_evidence)
E18 = Relation(
    "E18",
    "unrelated numbers, as dense",
    "a claim with a value and no date, and a document without its unit or names",
    _unrelated_numbers,
)
