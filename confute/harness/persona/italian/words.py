"""Italian words and the genders and numbers that they can have, by a lexicon and by their endings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

Forms = frozenset[str]
"""Gender and number pairs that a word can have: `ms`, `fs`, `mp`, `fp`."""

LEXICON = Path(__file__).with_name("lexicon.yaml")

BOTH_SINGULAR: Forms = frozenset({"ms", "fs"})
BOTH_PLURAL: Forms = frozenset({"mp", "fp"})
BOTH_OF: dict[str, Forms] = {gender: frozenset({gender + "s", gender + "p"}) for gender in "mf"}
_BY_ENDING = {"o": "ms", "a": "fs", "i": "mp", "e": "fp"}

# Endings of nouns that decide a gender, longest first; they are refused for the words that merely look like them.
_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("zione", "fs"), ("zioni", "fp"), ("sione", "fs"), ("sioni", "fp"), ("trice", "fs"), ("trici", "fp"),
    ("aggio", "ms"), ("aggi", "mp"), ("mento", "ms"), ("menti", "mp"), ("tore", "ms"), ("tori", "mp"),
    ("ismo", "ms"), ("ismi", "mp"), ("ezza", "fs"), ("ezze", "fp"), ("enza", "fs"), ("enze", "fp"),
    ("anza", "fs"), ("anze", "fp"), ("udine", "fs"), ("udini", "fp"), ("logia", "fs"), ("logie", "fp"),
)  # fmt: skip
_LOOKS_LIKE_A_SUFFIX = frozenset({"senza", "avanza", "menti", "lamento", "lamenti", "commento", "aumento", "mezza"})
_COMMON_ENDINGS = ("ista", "cida", "iatra", "nauta", "crate")
_SHORTEST_GUESS = 4

_ARTICLES: dict[str, Forms] = {
    "il": frozenset({"ms"}), "lo": frozenset({"ms"}), "la": frozenset({"fs"}), "i": frozenset({"mp"}),
    "gli": frozenset({"mp"}), "le": frozenset({"fp"}), "l'": BOTH_SINGULAR,
    "un": frozenset({"ms"}), "uno": frozenset({"ms"}), "una": frozenset({"fs"}), "un'": frozenset({"fs"}),
}  # fmt: skip
_CONTRACTED = ("de", "a", "da", "ne", "su")
_OTHERS: dict[str, Forms] = {
    "quel": frozenset({"ms"}), "quell'": BOTH_SINGULAR, "quei": frozenset({"mp"}), "quegli": frozenset({"mp"}),
    "quello": frozenset({"ms"}), "quella": frozenset({"fs"}), "quelle": frozenset({"fp"}),
    "questo": frozenset({"ms"}), "questa": frozenset({"fs"}), "questi": frozenset({"mp"}),
    "queste": frozenset({"fp"}), "quest'": BOTH_SINGULAR, "nessun": frozenset({"ms"}), "nessun'": frozenset({"fs"}),
    "alcuni": frozenset({"mp"}), "alcune": frozenset({"fp"}), "ogni": BOTH_SINGULAR, "qualche": BOTH_SINGULAR,
    "bel": frozenset({"ms"}), "bei": frozenset({"mp"}), "begli": frozenset({"mp"}), "buon": frozenset({"ms"}),
}  # fmt: skip
_POSSESSIVES = ("mio mia miei mie", "tuo tua tuoi tue", "suo sua suoi sue")
_POSSESSIVE_STEMS = ("nostr", "vostr")

MAYBE_PRONOUNS = frozenset({"lo", "la", "le", "gli", "l'"})
"""Articles that stand before a verb as pronouns."""


def determiner(word: str) -> Forms | None:
    """Return the forms of an article, a preposition with its article, or a demonstrative; None for any other word."""
    return _determiners().get(word)


def is_contraction(word: str) -> bool:
    """Tell whether a word is a preposition with its article."""
    return word in _contractions()


def noun(word: str, *, guess: bool = False) -> Forms | None:
    """Return the forms of a noun by the lexicon or a deciding ending.

    With `guess`, a last o or a of any other word tells its gender, and no number.
    """
    known = _lexicon().nouns.get(word) or _by_suffix(word)
    if known or not guess or word in _lexicon().no_guess or len(word) < _SHORTEST_GUESS:
        return known
    if word.endswith(_COMMON_ENDINGS):
        return BOTH_SINGULAR
    if word.endswith("o") or (word.endswith("a") and not word.endswith("ma")):
        return BOTH_OF["f" if word.endswith("a") else "m"]
    return None


def adjective(word: str) -> Forms | None:
    """Return the forms of a possessive or of a known adjective or participle of four endings."""
    return _lexicon().adjectives.get(word)


def participle(word: str) -> Forms | None:
    """Return the forms of a participle, by the lexicon or by -ato, -uto, -ito."""
    if (known := _lexicon().participles.get(word)) is not None:
        return known
    if len(word) > _SHORTEST_GUESS and word[-3:-1] in {"at", "ut", "it"} and word[-1] in _BY_ENDING:
        return frozenset({_BY_ENDING[word[-1]]})
    return None


def is_adverb(word: str) -> bool:
    """Tell whether a word is a known adverb, or one in -mente."""
    return word in _lexicon().adverbs or (word.endswith("mente") and len(word) > 6)


def may_be_verb(word: str) -> bool:
    """Tell whether a noun's form is a verb's as well."""
    return word in _lexicon().verbs_too


def is_of_a_person(word: str) -> bool:
    """Tell whether a noun names a person by that person's gender."""
    return word in _lexicon().persons


def is_quantity(word: str) -> bool:
    """Tell whether an adjective says how many: after a noun it belongs to what follows, or is an adverb."""
    return word in _lexicon().quantities


def is_feeling(word: str) -> bool:
    """Tell whether an adjective is one by which a speaker opens a sentence about itself."""
    return word in _lexicon().feelings


class _Lexicon:
    def __init__(self) -> None:
        raw: dict[str, str] = yaml.safe_load(LEXICON.read_text(encoding="utf-8"))
        lists = {name: [word for word in text.split() if not word.endswith(_MARKS)] for name, text in raw.items()}
        self.nouns: dict[str, Forms] = {}
        for name, gender in (("masculine", "m"), ("feminine", "f")):
            for word in lists[name]:
                self._add(word, gender)
        pairs = [pair.split("/") for pair in lists["persons"]]
        for he, she in pairs:
            self._add(he, "m")
            self._add(she, "f")
        for word in lists["common"]:
            self._add_common(word)
        for entry in lists["irregular"]:
            one, gender, many, gender_of_many = entry.split(":")
            of_many = frozenset(each + "p" for each in gender_of_many)
            self.nouns[one] = frozenset(each + "s" for each in gender)
            self.nouns[many] = self.nouns[many] | of_many if many == one else of_many
        self.persons = {word for pair in pairs for word in pair} | set(lists["common"])
        self.adjectives = {**_possessives(), **_of_four_endings(lists["adjectives"])}
        self.participles = _of_four_endings([*lists["participles"], *lists["adjectives"], "stato"])
        self.feelings = set(_of_four_endings(lists["feelings"]))
        self.quantities = set(_of_four_endings(lists["quantities"]))
        self.adverbs = frozenset(lists["adverbs"])
        self.verbs_too = frozenset(lists["verbs_too"])
        self.no_guess = frozenset(lists["no_guess"])

    def _add(self, word: str, gender: str) -> None:
        self._join(word, gender + "s")
        for many in _plurals(word, gender):
            self._join(many, gender + "p")

    def _add_common(self, word: str) -> None:
        for gender in "mf":
            self._add(word, gender)
            if word.endswith("a"):
                self._join(word[:-1] + ("i" if gender == "m" else "e"), gender + "p")

    def _join(self, word: str, form: str) -> None:
        self.nouns[word] = self.nouns.get(word, frozenset()) | {form}


_MARKS = ("-m", "-f", "-x")
"""Entries that were put aside: they have another gender elsewhere, or no ending that tells one."""


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon()


@cache
def _contractions() -> dict[str, Forms]:
    endings = {"l": "ms", "llo": "ms", "lla": "fs", "i": "mp", "gli": "mp", "lle": "fp"}
    found = {stem + end: frozenset({form}) for stem in _CONTRACTED for end, form in endings.items()}
    return found | {stem + "ll'": BOTH_SINGULAR for stem in _CONTRACTED} | {"col": frozenset({"ms"})}


@cache
def _determiners() -> dict[str, Forms]:
    return {**_contractions(), **_OTHERS, **_ARTICLES}


def _plurals(word: str, gender: str) -> Iterator[str]:
    stem, last = word[:-1], word[-1]
    if last == "a":
        end = "i" if gender == "m" else "e"
        yield stem + ("h" if stem[-1] in "cg" else "") + end
        if stem.endswith(("ci", "gi")) and gender == "f":
            yield stem[:-1] + "e"
    elif last == "e" or (last == "o" and gender == "m"):
        if stem.endswith("i"):
            yield stem
        yield stem + "i"
        if last == "o" and stem[-1] in "cg":
            yield stem + "hi"
    else:
        yield word


def _of_four_endings(words: list[str]) -> dict[str, Forms]:
    found: dict[str, Forms] = {}
    for word in words:
        stem = word[:-1]
        for form in {*_plurals(word, "m")}:
            found[form] = frozenset({"mp"})
        for form in {*_plurals(stem + "a", "f")}:
            found[form] = frozenset({"fp"})
        found[stem + "a"] = frozenset({"fs"})
        found[word] = frozenset({"ms"})
    return found


def _possessives() -> dict[str, Forms]:
    ordered = ("ms", "fs", "mp", "fp")
    found = {word: frozenset({form}) for line in _POSSESSIVES for word, form in zip(line.split(), ordered, strict=True)}
    return found | _of_four_endings([stem + "o" for stem in _POSSESSIVE_STEMS])


def _by_suffix(word: str) -> Forms | None:
    if word in _LOOKS_LIKE_A_SUFFIX:
        return None
    if len(word) > _SHORTEST_GUESS and word.endswith(("tà", "tù")):
        return frozenset({"fs", "fp"})
    for suffix, form in _SUFFIXES:
        if word.endswith(suffix) and len(word) > len(suffix) + 1:
            return frozenset({form})
    return None
