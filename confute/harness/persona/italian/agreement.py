"""Gender and number agreement in Italian sentences: within noun phrases, with a subject, and with the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from confute.harness.persona.italian import function_words as fw
from confute.harness.persona.italian import words
from confute.harness.persona.italian.sentence import Sentence
from confute.harness.persona.italian.words import BOTH_PLURAL, Forms

Gender = Literal["feminine", "masculine"]

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"|```.*?```|`[^`]*`|https?://\S+|\S+@\S+", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;:…])\s+|\n+")
_LONGEST_TEXT = 50_000
# Words of a sentence are compared with each other, so a longer one is read in parts.
_SENTENCE = re.compile(r".{1,1000}(?:\s|$)|.{1,1000}", re.DOTALL)


class Mismatch(NamedTuple):
    """Words that do not agree, in the order of the text, and which rule saw it."""

    words: tuple[str, ...]
    rule: Literal["noun phrase", "subject", "speaker"]

    def __str__(self) -> str:
        return f"{' '.join(self.words)} ({self.rule})"


class Agreement(NamedTuple):
    """What a text holds: how many agreements could be checked, and those that fail."""

    checked: int
    mismatches: tuple[Mismatch, ...]


def agreement(text: str, *, speaker: Gender | None = None) -> Agreement:
    """Check the agreements that a lexicon and endings can vouch for; whatever they cannot is let pass.

    Quotations, code and addresses are left out. `speaker` is the gender in which the writer tells of itself; without
    one, that rule is not applied. At most 50,000 characters are read, and at most 1,000 as one sentence.
    """
    plain = _QUOTED.sub(" ", text[:_LONGEST_TEXT].replace("’", "'"))
    findings = [
        found
        for between in _SENTENCE_END.split(plain)
        for sentence in _SENTENCE.findall(between)
        if sentence.strip()
        for found in _Rules(Sentence(sentence), speaker).findings()
    ]
    return Agreement(len(findings), tuple(one for one in findings if isinstance(one, Mismatch)))


Finding = Mismatch | None


class _Rules:
    def __init__(self, sentence: Sentence, speaker: Gender | None) -> None:
        self._sentence = sentence
        self.speaker: Forms | None = None if speaker is None else frozenset({f"{speaker[0]}s", f"{speaker[0]}p"})

    def findings(self) -> Iterator[Finding]:
        """Yield a mismatch, or None for an agreement that holds."""
        seen: set[tuple[str, ...]] = set()
        for found in (*self._noun_phrases(), *self._subjects(), *self._speaker()):
            if not (isinstance(found, Mismatch) and found.words in seen):
                yield found
            if isinstance(found, Mismatch):
                seen.add(found.words)

    def _noun_phrases(self) -> Iterator[Finding]:
        place = 0
        while place < len(self._sentence.tokens):
            modifiers = self._sentence.modifiers(place)
            head = place + len(modifiers)
            forms = self._sentence.noun_after(modifiers, head) if modifiers else None
            if forms is None:
                place += 1
                continue
            for modifier in modifiers:
                allowed = self._sentence.forms_of_modifier(modifier)
                if allowed is not None:
                    yield self._judged(allowed, forms, (modifier, head), "noun phrase")
            place = head + 1
            yield from self._adjectives_after(head, forms)

    def _adjectives_after(self, head: int, forms: Forms) -> Iterator[Finding]:
        if self._sentence.at(head + 1) in {"e", "o"} or self._sentence.coordinated(head):
            return
        place = head + 1
        while self._sentence.at(place) in {"molto", "più", "meno", "già", "troppo", "così"}:
            place += 1
        word = self._sentence.at(place)
        allowed = None if words.is_quantity(word) else words.adjective(word)
        if allowed is None and len(word) > 6 and word[-4:-1].endswith("at"):
            allowed = words.participle(word)
        if (
            allowed is None
            or self._sentence.at(head) == "volta"
            or words.is_adverb(word)
            or self._sentence.is_name(place)
        ):
            return
        if words.noun(word) and words.may_be_verb(word):
            return
        yield self._judged(allowed, self._sentence.reachable(head, forms), (head, place), "noun phrase")

    def _subjects(self) -> Iterator[Finding]:
        for place, word in enumerate(self._sentence.tokens):
            if word not in fw.COPULAS:
                continue
            predicates = self._sentence.predicates(place + 1)
            subject = self._sentence.subject_before(place)
            if subject is not None:
                for predicate, forms in predicates:
                    yield self._judged(subject.forms, forms, (subject.head, predicate), "subject")
            elif predicates and self._sentence.starts_clause(place):
                yield from self._subject_after(word, predicates)

    def _subject_after(self, copula: str, predicates: Sequence[tuple[int, Forms]]) -> Iterator[Finding]:
        last, forms = predicates[-1]
        if self._sentence.at(last) in fw.LINKS or (
            words.adjective(self._sentence.at(last)) is not None and copula != "è"
        ):
            return
        if copula == "sono" and not forms & BOTH_PLURAL:
            return
        modifiers = self._sentence.modifiers(last + 1)
        if not modifiers or words.is_contraction(self._sentence.at(last + 1)):
            return
        head = last + 1 + len(modifiers)
        found = self._sentence.noun_after(modifiers, head)
        if found is None or self._sentence.at(head) in fw.TIMES:
            return
        for predicate, of_predicate in predicates:
            yield self._judged(of_predicate, found, (predicate, head), "subject")

    def _speaker(self) -> Iterator[Finding]:
        if self.speaker is None:
            return
        yield from self._opening_feeling()
        for place, word in enumerate(self._sentence.tokens):
            feels = word in fw.FEELS and self._sentence.at(place - 1) == "mi"
            if not feels and (word not in fw.FIRST_PERSON or self._sentence.subject_before(place) is not None):
                continue
            predicates = self._sentence.predicates(place + 1)
            for predicate, forms in predicates:
                if not forms & BOTH_PLURAL:
                    yield self._judged_speaker(forms, (place, predicate))
            after = predicates[-1][0] + 1 if predicates else place + 1
            yield from self._said_to_be(place, after)

    def _opening_feeling(self) -> Iterator[Finding]:
        if self._sentence.question:
            return
        places = [
            0,
            *(place + 1 for place, word in enumerate(self._sentence.tokens) if word in {",", "e"} and self._own(place)),
        ]
        for start in places:
            place = start
            while words.is_adverb(self._sentence.at(place)):
                place += 1
            word, after = self._sentence.at(place), self._sentence.at(place + 1)
            if words.is_feeling(word) and after in fw.AFTER_A_FEELING:
                forms = words.adjective(word)
                if forms is not None and not forms & BOTH_PLURAL:
                    yield self._judged_speaker(forms, (place, place + 1))

    def _own(self, place: int) -> bool:
        """Tell whether what stands before a comma is said in the first person."""
        before = self._sentence.tokens[:place]
        return bool({"sono", "ho", "posso", "mi", "eccomi", "resto", "io"} & set(before))

    def _said_to_be(self, copula: int, place: int) -> Iterator[Finding]:
        """Yield what follows from sono un assistente, sono la tua assistente, sono Max, il tuo assistente."""
        while words.is_adverb(self._sentence.at(place)) or self._sentence.is_name(place):
            place += 1
        if self._sentence.at(place) == ",":
            place += 1
        modifiers = self._sentence.modifiers(place)
        head = place + len(modifiers)
        if (
            not modifiers
            or not words.is_of_a_person(self._sentence.at(head))
            or words.is_contraction(self._sentence.at(place))
        ):
            return
        described = [self._sentence.forms_of_modifier(modifier) for modifier in modifiers]
        adjective = words.adjective(self._sentence.at(head + 1))
        for forms in (*described, words.noun(self._sentence.at(head)), adjective):
            if forms is not None and not forms & BOTH_PLURAL:
                yield self._judged_speaker(forms, (copula, place, head))

    def _judged_speaker(self, forms: Forms, places: tuple[int, ...]) -> Finding:
        return self._judged(forms, self.speaker or frozenset(), places, "speaker")

    def _judged(
        self,
        left: Forms,
        right: Forms,
        places: tuple[int, ...],
        rule: Literal["noun phrase", "subject", "speaker"],
    ) -> Finding:
        if left & right:
            return None
        return Mismatch(
            tuple(self._sentence.shown[place] for place in sorted(set(places)) if place < len(self._sentence.shown)),
            rule,
        )
