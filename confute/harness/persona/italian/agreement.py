"""Gender and number agreement in Italian sentences: within noun phrases, with a subject, and with the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from confute.harness.persona.italian import words
from confute.harness.persona.italian.words import BOTH_PLURAL, Forms

Gender = Literal["feminine", "masculine"]

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"|```.*?```|`[^`]*`|https?://\S+|\S+@\S+", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;:…])\s+|\n+")
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*['’]?|\d+|[^\w\s]")
_LONGEST_TEXT = 50_000

_SINGULAR_COPULAS = frozenset(
    "è era sarà sia fosse sarebbe sembra pare diventa resta rimane viene venne veniva fu risulta".split()
)
_PLURAL_COPULAS = frozenset(
    "sono erano saranno siano fossero sarebbero sembrano paiono diventano restano rimangono vengono furono".split()
)
_COPULAS = _SINGULAR_COPULAS | _PLURAL_COPULAS
_FIRST_PERSON = frozenset("sono ero sarò sarei fui resto rimango divento".split())
_FEELS = frozenset({"sento", "trovo", "sono", "ero", "sarei", "ritengo", "considero"})
_CLITICS = frozenset("mi ti si ci vi ne lo la le li gli me te se ce ve non".split())
_PREPOSITIONS = frozenset("di a da in con su per tra fra d' senza sotto sopra dopo verso".split())
_BEFORE_A_CLAUSE = frozenset("e ed ma o oppure se quando perché che poiché mentre però quindi dove come".split())
_NO_RELATIVE = frozenset(
    "fatto idea notizia speranza possibilità dubbio motivo modo momento caso giorno volta ora anno detto".split()
)
_TIMES = frozenset(
    "giorno mese anno settimana sera mattina notte ora volta minuto secondo momento giornata estate inverno "
    "lunedì martedì mercoledì giovedì venerdì sabato domenica".split()
)
_ALL = frozenset("tutto tutta tutti tutte".split())
_LINKS = frozenset({"stato", "stata", "stati", "state", "diventato", "diventata", "rimasto", "rimasta"})
_AFTER_A_FEELING = frozenset({"di", "d'", "a", "ad", "per", "che", "come", "da"})


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
    one, that rule is not applied. At most 50,000 characters are read.
    """
    plain = _QUOTED.sub(" ", text[:_LONGEST_TEXT].replace("’", "'"))
    findings = [
        found
        for sentence in _SENTENCE_END.split(plain)
        if sentence.strip()
        for found in _Sentence(sentence, speaker).findings()
    ]
    return Agreement(len(findings), tuple(one for one in findings if isinstance(one, Mismatch)))


class _Phrase(NamedTuple):
    """A noun phrase: its head's place and forms, where it ends, and every noun that an adjective there may refer to."""

    head: int
    forms: Forms
    end: int


Finding = Mismatch | None


class _Sentence:
    def __init__(self, text: str, speaker: Gender | None) -> None:
        self.shown = _TOKEN.findall(text)
        self.tokens = [token.lower() for token in self.shown]
        self.speaker: Forms | None = None if speaker is None else frozenset({f"{speaker[0]}s", f"{speaker[0]}p"})
        self.question = text.rstrip().endswith("?")

    def findings(self) -> Iterator[Finding]:
        """Yield a mismatch, or None for an agreement that holds."""
        seen: set[tuple[str, ...]] = set()
        for found in (*self._noun_phrases(), *self._subjects(), *self._speaker()):
            if not (isinstance(found, Mismatch) and found.words in seen):
                yield found
            if isinstance(found, Mismatch):
                seen.add(found.words)

    def _at(self, place: int) -> str:
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def _is_name(self, place: int) -> bool:
        return 0 < place < len(self.shown) and self.shown[place][0].isupper()

    # Noun phrases: determiner, adjectives, noun, adjectives.

    def _noun_phrases(self) -> Iterator[Finding]:
        place = 0
        while place < len(self.tokens):
            modifiers = self._modifiers(place)
            head = place + len(modifiers)
            forms = self._noun_after(modifiers, head) if modifiers else None
            if forms is None:
                place += 1
                continue
            for modifier in modifiers:
                allowed = self._forms_of_modifier(modifier)
                if allowed is not None:
                    yield self._judged(allowed, forms, (modifier, head), "noun phrase")
            place = head + 1
            yield from self._adjectives_after(head, forms)

    def _modifiers(self, place: int) -> list[int]:
        """Return the places of a determiner and of the known adjectives and possessives after it."""
        places = [place]
        if (
            self._at(place) in _ALL
            and words.determiner(self._at(place + 1))
            and not words.is_contraction(self._at(place + 1))
        ):
            places.append(place + 1)
        elif words.determiner(self._at(place)) is None:
            return []
        while (word := self._at(places[-1] + 1)) and (
            words.adjective(word) is not None or (word in {"loro", "grande", "gran", "più"})
        ):
            if words.noun(word) is not None and words.noun(self._at(places[-1] + 2)) is None:
                break
            places.append(places[-1] + 1)
        return places

    def _forms_of_modifier(self, place: int) -> Forms | None:
        word = self._at(place)
        return words.determiner(word) or words.adjective(word)

    def _noun_after(self, modifiers: Sequence[int], head: int) -> Forms | None:
        word, first = self._at(head), self._at(modifiers[0])
        if not word or self._is_name(head):
            return None
        pronoun = first in words.MAYBE_PRONOUNS and len(modifiers) == 1
        if pronoun and words.may_be_verb(word):
            return None
        alone = len(modifiers) == 1
        return words.noun(word, guess=alone and not pronoun and words.is_contraction(first))

    def _adjectives_after(self, head: int, forms: Forms) -> Iterator[Finding]:
        if self._at(head + 1) in {"e", "o"} or self._coordinated(head):
            return
        place = head + 1
        while self._at(place) in {"molto", "più", "meno", "già", "troppo", "così"}:
            place += 1
        word = self._at(place)
        allowed = None if words.is_quantity(word) else words.adjective(word)
        if allowed is None and len(word) > 6 and word[-4:-1].endswith("at"):
            allowed = words.participle(word)
        if allowed is None or words.is_adverb(word) or self._is_name(place):
            return
        if words.noun(word) and words.may_be_verb(word):
            return
        yield self._judged(allowed, self._reachable(head, forms), (head, place), "noun phrase")

    def _coordinated(self, head: int) -> bool:
        start = head
        while start > 0 and (words.determiner(self._at(start - 1)) or words.adjective(self._at(start - 1))):
            start -= 1
        return self._at(start - 1) in {"e", "ed", "o", ",", "né"}

    def _reachable(self, head: int, forms: Forms) -> Forms:
        """Return the forms of a noun and of those before it that an adjective after it may belong to as well."""
        reached, place = set(forms), head - 1
        while place >= 0:
            word = self._at(place)
            linked = self._at(place + 1) in _PREPOSITIONS or words.is_contraction(self._at(place + 1))
            found = words.noun(word, guess=True) if linked else None
            if found is not None:
                reached |= found
            elif not (
                words.determiner(word) or words.adjective(word) or word in _PREPOSITIONS or words.is_contraction(word)
            ):
                break
            place -= 1
        return frozenset(reached)

    # Subjects: a noun phrase, a copula, an adjective or a participle.

    def _subjects(self) -> Iterator[Finding]:
        for place, word in enumerate(self.tokens):
            if word not in _COPULAS:
                continue
            predicates = self._predicates(place + 1)
            subject = self._subject_before(place)
            if subject is not None:
                for predicate, forms in predicates:
                    yield self._judged(subject.forms, forms, (subject.head, predicate), "subject")
            elif predicates and self._starts_clause(place):
                yield from self._subject_after(word, predicates)

    def _predicates(self, place: int) -> list[tuple[int, Forms]]:
        """Return the participles and adjectives that follow a copula, at most two after stato or stata."""
        found: list[tuple[int, Forms]] = []
        while len(found) < 3:
            while words.is_adverb(self._at(place)) and not self._is_last_word_of_predicate(place):
                place += 1
            word = self._at(place)
            forms = words.participle(word) if words.determiner(word) is None else None
            a_noun = words.noun(word) and words.adjective(word) is None and word not in _LINKS
            if forms is None or self._is_name(place) or a_noun:
                break
            found.append((place, forms))
            if word not in _LINKS:
                break
            place += 1
        return found

    def _is_last_word_of_predicate(self, place: int) -> bool:
        word = self._at(place)
        return word in {"solo", "poco", "molto", "tanto"} and self._at(place + 1) in {"", ".", "!"}

    def _starts_clause(self, place: int) -> bool:
        before = place - 1
        while self._at(before) in _CLITICS or words.is_adverb(self._at(before)):
            before -= 1
        return before < 0 or self._at(before) in {",", "e", "ma"} | _BEFORE_A_CLAUSE

    def _subject_before(self, place: int) -> _Phrase | None:
        end = place
        while self._at(end - 1) in _CLITICS or words.is_adverb(self._at(end - 1)):
            end -= 1
        relative = self._at(end - 1) == "che"
        if relative:
            end -= 1
        start = end
        while start > 0 and self._at(start - 1) not in _BEFORE_A_CLAUSE and self._at(start - 1).isalpha():
            start -= 1
        start = self._widened(start)
        phrase = self._phrase_between(start, end)
        if phrase is None or (relative and self._at(phrase.head) in _NO_RELATIVE):
            return None
        if relative and self._reachable(end - 1, phrase.forms) != phrase.forms:
            return None
        before = self._at(start - 1)
        if self._at(place) in _PLURAL_COPULAS and before in {",", "e", "ed", "o", "né"}:
            return None
        return phrase

    def _widened(self, start: int) -> int:
        """Go on to the left over words that end in an apostrophe, which are no letters alone."""
        while start > 0 and (
            self._at(start - 1).endswith("'")
            or (self._at(start).endswith("'") and self._at(start - 1).isalpha())
            or (self._at(start - 1).isalpha() and self._at(start - 1) not in _BEFORE_A_CLAUSE)
        ):
            start -= 1
        return start

    def _phrase_between(self, start: int, end: int) -> _Phrase | None:
        """Return the noun phrase that fills a stretch, prepositional phrases after its head included."""
        while start < end and words.is_adverb(self._at(start)):
            start += 1
        modifiers = self._modifiers(start)
        if not modifiers or words.is_contraction(self._at(start)):
            return None
        head = start + len(modifiers)
        forms = self._noun_after(modifiers, head)
        if forms is None or head >= end:
            return None
        place = head + 1
        while place < end:
            word = self._at(place)
            filler = (
                word in _PREPOSITIONS
                or words.determiner(word) is not None
                or words.adjective(word) is not None
                or words.noun(word) is not None
                or (self._is_name(place) and self._at(place - 1) in _PREPOSITIONS | {"del", "della", "dell'", "di"})
            )
            second = words.determiner(word) is not None and not words.is_contraction(word)
            if not filler or word == "che" or (second and self._at(place - 1) not in _PREPOSITIONS):
                return None
            place += 1
        return _Phrase(head, self._narrowed(forms, modifiers), end)

    def _narrowed(self, forms: Forms, modifiers: Sequence[int]) -> Forms:
        """Return the forms of a noun that its modifiers leave open: quel giornalista is one man."""
        for modifier in modifiers:
            allowed = self._forms_of_modifier(modifier)
            forms = forms & allowed or forms if allowed is not None else forms
        return forms

    def _subject_after(self, copula: str, predicates: Sequence[tuple[int, Forms]]) -> Iterator[Finding]:
        last, forms = predicates[-1]
        if self._at(last) in _LINKS or (words.adjective(self._at(last)) is not None and copula != "è"):
            return
        if copula == "sono" and not forms & BOTH_PLURAL:
            return
        modifiers = self._modifiers(last + 1)
        if not modifiers or words.is_contraction(self._at(last + 1)):
            return
        head = last + 1 + len(modifiers)
        found = self._noun_after(modifiers, head)
        if found is None or self._at(head) in _TIMES:
            return
        for predicate, of_predicate in predicates:
            yield self._judged(of_predicate, found, (predicate, head), "subject")

    # The speaker: first person, and what is said of it.

    def _speaker(self) -> Iterator[Finding]:
        if self.speaker is None:
            return
        yield from self._opening_feeling()
        for place, word in enumerate(self.tokens):
            feels = word in _FEELS and self._at(place - 1) == "mi"
            if not feels and (word not in _FIRST_PERSON or self._subject_before(place) is not None):
                continue
            predicates = self._predicates(place + 1)
            for predicate, forms in predicates:
                if not forms & BOTH_PLURAL:
                    yield self._judged_speaker(forms, (place, predicate))
            after = predicates[-1][0] + 1 if predicates else place + 1
            yield from self._said_to_be(place, after)

    def _opening_feeling(self) -> Iterator[Finding]:
        if self.question:
            return
        places = [0, *(place + 1 for place, word in enumerate(self.tokens) if word in {",", "e"} and self._own(place))]
        for start in places:
            place = start
            while words.is_adverb(self._at(place)):
                place += 1
            word, after = self._at(place), self._at(place + 1)
            if words.is_feeling(word) and after in _AFTER_A_FEELING:
                forms = words.adjective(word)
                if forms is not None and not forms & BOTH_PLURAL:
                    yield self._judged_speaker(forms, (place, place + 1))

    def _own(self, place: int) -> bool:
        """Tell whether what stands before a comma is said in the first person."""
        before = self.tokens[:place]
        return bool({"sono", "ho", "posso", "mi", "eccomi", "resto", "io"} & set(before))

    def _said_to_be(self, copula: int, place: int) -> Iterator[Finding]:
        """Yield what follows from sono un assistente, sono la tua assistente, sono Max, il tuo assistente."""
        while words.is_adverb(self._at(place)) or self._is_name(place):
            place += 1
        if self._at(place) == ",":
            place += 1
        modifiers = self._modifiers(place)
        head = place + len(modifiers)
        if not modifiers or not words.is_of_a_person(self._at(head)) or words.is_contraction(self._at(place)):
            return
        described = [self._forms_of_modifier(modifier) for modifier in modifiers]
        adjective = words.adjective(self._at(head + 1))
        for forms in (*described, words.noun(self._at(head)), adjective):
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
        return Mismatch(tuple(self.shown[place] for place in sorted(set(places)) if place < len(self.shown)), rule)
