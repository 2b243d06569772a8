"""One Italian sentence as words: its noun phrases, its subjects, and what is said of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from confute.harness.persona.italian import function_words as fw
from confute.harness.persona.italian import words
from confute.harness.persona.italian.words import Forms

_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*['’]?|\d+|[^\w\s]")


class Phrase(NamedTuple):
    """A noun phrase: its head's place and forms, and where it ends."""

    head: int
    forms: Forms
    end: int


class Sentence:
    """A sentence's words, as they are `shown` and in lower case as `tokens`; a place is an index into either."""

    def __init__(self, text: str) -> None:
        self.shown = _TOKEN.findall(text)
        self.tokens = [token.lower() for token in self.shown]
        self.question = text.rstrip().endswith("?")

    def at(self, place: int) -> str:
        """Return the word at a place, nothing beyond either end."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def is_name(self, place: int) -> bool:
        """Tell whether a word within the sentence is written as a name."""
        return 0 < place < len(self.shown) and self.shown[place][0].isupper()

    def modifiers(self, place: int) -> list[int]:
        """Return the places of a determiner and of the known adjectives and possessives after it."""
        places = [place]
        if (
            self.at(place) in fw.ALL
            and self.at(place - 1) != "innanzi"
            and words.determiner(self.at(place + 1))
            and not words.is_contraction(self.at(place + 1))
        ):
            places.append(place + 1)
        elif words.determiner(self.at(place)) is None:
            return []
        while (word := self.at(places[-1] + 1)) and (
            words.adjective(word) is not None or (word in {"loro", "grande", "gran", "più"})
        ):
            if words.noun(word) is not None and words.noun(self.at(places[-1] + 2)) is None:
                break
            places.append(places[-1] + 1)
        return places

    def forms_of_modifier(self, place: int) -> Forms | None:
        """Return the forms of a determiner or an adjective."""
        word = self.at(place)
        return words.determiner(word) or words.adjective(word)

    def noun_after(self, modifiers: Sequence[int], head: int) -> Forms | None:
        """Return the forms of the noun after a determiner and adjectives, None where it may be a verb or a name."""
        word, first = self.at(head), self.at(modifiers[0])
        if not word or self.is_name(head):
            return None
        pronoun = first in words.MAYBE_PRONOUNS and len(modifiers) == 1
        if pronoun and words.may_be_verb(word):
            return None
        alone = len(modifiers) == 1
        return words.noun(word, guess=alone and (words.is_contraction(first) or first in fw.NEVER_PRONOUNS))

    def coordinated(self, head: int) -> bool:
        """Tell whether a noun is a later member of a list."""
        start = head
        while start > 0 and (words.determiner(self.at(start - 1)) or words.adjective(self.at(start - 1))):
            start -= 1
        return self.at(start - 1) in {"e", "ed", "o", ",", "né"}

    def reachable(self, head: int, forms: Forms) -> Forms:
        """Return the forms of a noun and of those before it that an adjective after it may belong to as well."""
        reached, place = set(forms), head - 1
        while place >= 0:
            word = self.at(place)
            linked = self.at(place + 1) in fw.PREPOSITIONS or words.is_contraction(self.at(place + 1))
            found = words.noun(word, guess=True) if linked else None
            if found is not None:
                reached |= found
            elif not (
                words.determiner(word) or words.adjective(word) or word in fw.PREPOSITIONS or words.is_contraction(word)
            ):
                break
            place -= 1
        return frozenset(reached)

    def predicates(self, place: int) -> list[tuple[int, Forms]]:
        """Return the participles and adjectives that follow a copula, at most two after stato or stata."""
        found: list[tuple[int, Forms]] = []
        while len(found) < 3:
            while words.is_adverb(self.at(place)) and not self._ends_predicate(place):
                place += 1
            word = self.at(place)
            forms = words.participle(word) if words.determiner(word) is None else None
            a_noun = words.noun(word) and words.adjective(word) is None and word not in fw.LINKS
            if forms is None or self.is_name(place) or a_noun:
                break
            found.append((place, forms))
            if word not in fw.LINKS:
                break
            place += 1
        return found

    def _ends_predicate(self, place: int) -> bool:
        word = self.at(place)
        return word in {"solo", "poco", "molto", "tanto"} and self.at(place + 1) in {"", ".", "!"}

    def starts_clause(self, place: int) -> bool:
        """Tell whether a verb opens its clause, so that its subject may follow."""
        before = place - 1
        while self.at(before) in fw.CLITICS or words.is_adverb(self.at(before)):
            before -= 1
        return before < 0 or self.at(before) in {",", "e", "ma"} | fw.CLAUSE_OPENERS

    def subject_before(self, place: int) -> Phrase | None:
        """Return the noun phrase that is the subject of a verb, None where that cannot be told."""
        end = place
        while self.at(end - 1) in fw.CLITICS or words.is_adverb(self.at(end - 1)):
            end -= 1
        relative = self.at(end - 1) == "che"
        if relative:
            end -= 1
        start = end
        while start > 0 and self.at(start - 1) not in fw.CLAUSE_OPENERS and self.at(start - 1).isalpha():
            start -= 1
        start = self._widened(start)
        phrase = self._phrase_between(start, end)
        if phrase is None or (relative and self.at(phrase.head) in fw.TAKE_A_CLAUSE):
            return None
        if relative and self.reachable(end - 1, phrase.forms) != phrase.forms:
            return None
        before = self.at(start - 1)
        if self.at(place) in fw.PLURAL_COPULAS and before in {",", "e", "ed", "o", "né"}:
            return None
        return phrase

    def _widened(self, start: int) -> int:
        """Go on to the left over words that end in an apostrophe, which are no letters alone."""
        while start > 0 and (
            self.at(start - 1).endswith("'")
            or (self.at(start).endswith("'") and self.at(start - 1).isalpha())
            or (self.at(start - 1).isalpha() and self.at(start - 1) not in fw.CLAUSE_OPENERS)
        ):
            start -= 1
        return start

    def _phrase_between(self, start: int, end: int) -> Phrase | None:
        """Return the noun phrase that fills a stretch, prepositional phrases after its head included."""
        while start < end and words.is_adverb(self.at(start)) and self.at(start) not in fw.PREPOSITIONS:
            start += 1
        modifiers = self.modifiers(start)
        if not modifiers or words.is_contraction(self.at(start)):
            return None
        head = start + len(modifiers)
        forms = self.noun_after(modifiers, head)
        if forms is None or head >= end:
            return None
        place = head + 1
        while place < end:
            word = self.at(place)
            filler = (
                word in fw.PREPOSITIONS
                or words.determiner(word) is not None
                or words.adjective(word) is not None
                or words.noun(word) is not None
                or (self.is_name(place) and self.at(place - 1) in fw.PREPOSITIONS | {"del", "della", "dell'", "di"})
            )
            second = words.determiner(word) is not None and not words.is_contraction(word)
            if not filler or word == "che" or (second and self.at(place - 1) not in fw.PREPOSITIONS):
                return None
            place += 1
        return Phrase(head, self._narrowed(forms, modifiers), end)

    def _narrowed(self, forms: Forms, modifiers: Sequence[int]) -> Forms:
        """Return the forms of a noun that its modifiers leave open: quel giornalista is one man."""
        for modifier in modifiers:
            allowed = self.forms_of_modifier(modifier)
            forms = forms & allowed or forms if allowed is not None else forms
        return forms
