"""The normal form of a claim: changes of its surface undone, those alone that say nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rapidfuzz.distance import OSA

from confute.oracles.facts import numeral
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.render import FRAMES
from confute.oracles.facts.template import words_of

FUNCTION_WORDS = ("against", "been", "between", "from", "has", "have", "into", "that", "the", "was", "were", "with")
"""The words that a typo may stand in: none of them denies, doubts, counts or orders."""

CONTENT_FREE = (
    "This is stated for the record.",
    "Nothing further is said here.",
    "This sentence adds nothing.",
)
"""Sentences that say nothing of anything; after a claim they are left out."""

_ENGLISH = """
ben bean bee form ham hat have haves here hast haste halve hah hath has hav into it than tat thaw thee then there they
tho thy thew fro fort wan wand war wars wash wasp waste wee were where wit width wither seen ins
"""
_LOOK_LIKE_TYPOS = frozenset(_ENGLISH.split())
_NOTATION = re.compile(r"\{\w+\}|<[^>]*>")
_WORD = re.compile(r"[^\W\d_]+")
_MAX_CHARS = 1200
_SHORTEST_SLIP = 3


class Normaliser:
    """Undoes changes of case, space, final full stop, Unicode form, and typos in function words."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._words = frozenset(words_of(" ".join([*FRAMES, *_notations(lexicon), *_verbs(lexicon)])))

    def restored(self, text: str) -> str:
        """Return a claim as it is normally written; names and numbers stay as they are."""
        if len(text) > _MAX_CHARS:
            return text
        spaced = " ".join(text.split())
        for sentence in CONTENT_FREE:
            spaced = spaced.removesuffix(f" {sentence}")
        worded = _WORD.sub(lambda match: self._word(match.group()), spaced)
        body = worded.removesuffix(".").rstrip()
        return f"{body[:1].upper()}{body[1:]}."

    def _word(self, word: str) -> str:
        """Return a word of the templates without capitals, ligatures and wide letters; or a function word mended."""
        plain = unicodedata.normalize("NFKC", word)
        low = plain.lower()
        if low in self._words:
            return low if plain.isupper() and len(plain) > 1 else plain
        return mended(word) or word


def mended(word: str) -> str | None:
    """Return the one function word that a word in lower case is one slip away from, or None.

    A slip leaves out, adds, changes or exchanges one letter (optimal string alignment distance 1). Words of less than
    three letters, English words and numbers are no slips.
    """
    is_too_short = len(word) < _SHORTEST_SLIP
    if is_too_short or word in _LOOK_LIKE_TYPOS or not word.islower() or numeral.read(word) is not None:
        return None
    close = [one for one in FUNCTION_WORDS if OSA.distance(word, one) == 1]
    return close[0] if len(close) == 1 else None


def _notations(lexicon: Lexicon) -> Iterator[str]:
    for relation in lexicon.relations.values():
        for notation in relation.templates.values():
            yield _NOTATION.sub(" ", notation)


def _verbs(lexicon: Lexicon) -> Iterator[str]:
    for styles in lexicon.templates.values():
        for template in styles.values():
            yield from (verb.text for verb in template.verbs)


def slips(word: str) -> tuple[str, ...]:
    """Return the slips in a function word that can be mended: a letter left out, doubled, or exchanged with the next.

    The first letter stays.
    """
    places = range(1, len(word))
    left_out = [word[:at] + word[at + 1 :] for at in places]
    doubled = [word[:at] + word[at] + word[at:] for at in places]
    exchanged = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]]
    return tuple(slip for slip in dict.fromkeys([*left_out, *doubled, *exchanged]) if mended(slip) == word)
