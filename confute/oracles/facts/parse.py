"""Reading: from a text that the templates can say back to the fact that it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from confute.oracles.facts import dates
from confute.oracles.facts.fact import Fact
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.render import FRAMES, Sentence
from confute.oracles.facts.template import PROPER, Match, Template, words_of

_MAX_CHARS = 600
_FRAMES = tuple(
    (frame, re.compile(re.escape(frame).replace(r"\{\}", f"(?P<speaker>{PROPER})") + "(?P<rest>.+)"))
    for frame in FRAMES
)


class Reading(NamedTuple):
    """What a text says, and how it says it."""

    fact: Fact
    sentence: Sentence


class Parser:
    """Reads the sentences of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._by_anchor: dict[str, list[tuple[str, Template]]] = {}
        for relation, templates in lexicon.templates.items():
            for template in templates.values():
                for anchor in sorted(template.anchors()):
                    self._by_anchor.setdefault(anchor, []).append((relation, template))

    def parse(self, text: str) -> Fact | None:
        """Return the fact that a text says, or None where it says none or more than one."""
        reading = self.read(text)
        return None if reading is None else reading.fact

    def read(self, text: str) -> Reading | None:
        """Return what a text says and how, or None where it says nothing or more than one thing."""
        if len(text) > _MAX_CHARS or not text.endswith("."):
            return None
        readings = [*self._unframed(text[:-1]), *self._framed(text[:-1])]
        if not readings or any(reading.fact != readings[0].fact for reading in readings):
            return None
        return readings[0]

    def _framed(self, body: str) -> Iterator[Reading]:
        for frame, pattern in _FRAMES:
            match = pattern.fullmatch(body)
            if match is not None:
                for reading in self._unframed(match["rest"]):
                    fact = reading.fact.model_copy(update={"attribution": match["speaker"]})
                    yield Reading(fact, reading.sentence._replace(speaker=match["speaker"], frame=frame))

    def _unframed(self, body: str) -> Iterator[Reading]:
        anchors = dict.fromkeys(word for word in words_of(body) if word in self._by_anchor)
        candidates = dict.fromkeys(candidate for anchor in anchors for candidate in self._by_anchor[anchor])
        for relation, template in candidates:
            match = template.match(body)
            fact = None if match is None else self._fact(relation, match)
            if match is not None and fact is not None:
                yield Reading(fact, Sentence(template, match.verb, match.texts))

    def _fact(self, relation: str, match: Match) -> Fact | None:
        texts = match.texts
        value = self._lexicon.units.read(texts["value"]) if "value" in texts else None
        date = dates.read(texts["date"]) if "date" in texts else None
        if ("value" in texts and value is None) or ("date" in texts and date is None):
            return None
        return Fact(
            relation=relation,
            subject=texts["subject"],
            object=texts.get("object"),
            value=value,
            date=date,
            polarity=match.verb.polarity,
            modality=match.verb.modality,
        )
