"""Templates: one sentence pattern of a relation, filled with texts and matched against texts.

The notation: `{subject}`, `{object}`, `{value}` and `{date}` are slots; `[...]` is a part that stands only where its
one slot is filled; `<...>` is the verb, in one of four notations that give its negative and possible forms:

- `<was bought>` (also is, are, were): was bought, was not bought, was never bought, may have been bought ...
- `<buy|bought|bought>`: base, past, participle: bought, never bought, did not buy, may have bought ...
- `<border|borders>`: base, third person: borders, does not border, may border ...
- `<shares a;shares no;may share a;may share no>`: positive; negative; possible; possible negative, `/` between choices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from confute.oracles.facts import dates
from confute.oracles.facts.fact import Modality, Polarity

SLOTS = ("subject", "object", "value", "date")
_NOT_A_NAME = "|".join(("In", "On", "The", "It", "According", *dates.MONTHS))
PROPER = (
    rf"(?!(?:{_NOT_A_NAME})\b)[A-ZÀ-ÖØ-Þ][^\W\d_]{{1,30}}(?:[-'’][^\W\d_]{{1,30}})?"
    r"(?: [A-ZÀ-ÖØ-Þ][^\W\d_]{1,30}){0,2}"
)
_PART = re.compile(r"\[(?P<optional>[^\]]*)\]|\{(?P<slot>\w+)\}|<(?P<verb>[^>]*)>|(?P<literal>[^\[\{<]+)")
_SLOT = re.compile(r"\{(\w+)\}")
_BE = {
    "was": ("was", "may have been"),
    "were": ("were", "may have been"),
    "is": ("is", "may be"),
    "are": ("are", "may be"),
}


class VerbForm(NamedTuple):
    """One form of a template's verb, and what it makes of the fact."""

    text: str
    polarity: Polarity
    modality: Modality


class Match(NamedTuple):
    """A text as a template reads it: the verb form, and the slots' texts."""

    verb: VerbForm
    texts: dict[str, str]


class Template:
    """One sentence pattern; raises ValueError where its notation is wrong."""

    def __init__(self, name: str, notation: str, nouns: Mapping[str, tuple[str, ...]], values: str) -> None:
        """Compile a notation.

        `nouns` gives, by slot, the common nouns of which one ends a name there; none for bare proper names. `values`
        is the regular expression of a quantity, see Units.pattern.
        """
        self.name = name
        self._parts = [match.groupdict() for match in _PART.finditer(notation)]
        verbs = [part["verb"] for part in self._parts if part["verb"] is not None]
        if len(verbs) != 1:
            raise ValueError(f"a template has one verb in <>, not {len(verbs)}: {notation!r}")
        self.verbs = verb_forms(verbs[0])
        self._by_text = {verb.text: verb for verb in self.verbs}
        optional = [part["optional"] for part in self._parts if part["optional"] is not None]
        if any(len(_SLOT.findall(part)) != 1 for part in optional):
            raise ValueError(f"an optional part has one slot: {notation!r}")
        self.required = frozenset(part["slot"] for part in self._parts if part["slot"] is not None)
        self.slots = self.required | {_SLOT.findall(part)[0] for part in optional}
        if not self.slots <= set(SLOTS) or len(_SLOT.findall(notation)) != len(self.slots):
            raise ValueError(f"slots are each of {', '.join(SLOTS)} at most once: {notation!r}")
        self._slot_patterns = {slot: _slot_pattern(slot, nouns.get(slot, ()), values) for slot in self.slots}
        self._pattern = re.compile("".join(self._pattern_of(part) for part in self._parts))

    @property
    def starts_with_a_slot(self) -> bool:
        """Whether the sentence begins with a slot's text and not with a word of its own."""
        return self._parts[0]["slot"] is not None

    def verb(self, polarity: Polarity, modality: Modality) -> VerbForm:
        """Return the first verb form of a polarity and modality."""
        return next(verb for verb in self.verbs if (verb.polarity, verb.modality) == (polarity, modality))

    def fill(self, verb: VerbForm, texts: Mapping[str, str]) -> str:
        """Return the pattern filled, without capital and full stop; an optional part needs its slot's text."""
        return "".join(self._text_of(part, verb, texts) for part in self._parts)

    def match(self, text: str) -> Match | None:
        """Return what the pattern reads in a whole text without its full stop, or None."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        texts = {slot: found for slot in SLOTS if slot in self.slots and (found := match[slot]) is not None}
        return Match(self._by_text[match["verb"]], texts)

    def anchors(self) -> frozenset[str]:
        """Return one word for each verb form such that every text read as that form has the word, in lower case."""
        fixed = " ".join(part["literal"] for part in self._parts if part["literal"] is not None)
        return frozenset(max(words_of(f"{fixed} {verb.text}"), key=len) for verb in self.verbs)

    def _text_of(self, part: Mapping[str, str | None], verb: VerbForm, texts: Mapping[str, str]) -> str:
        if part["verb"] is not None:
            return verb.text
        if part["slot"] is not None:
            return texts[part["slot"]]
        if part["optional"] is not None:
            slot = _SLOT.findall(part["optional"])[0]
            return part["optional"].replace(f"{{{slot}}}", texts[slot]) if slot in texts else ""
        return part["literal"] or ""

    def _pattern_of(self, part: Mapping[str, str | None]) -> str:
        if part["verb"] is not None:
            choices = sorted(self._by_text, key=len, reverse=True)
            return f"(?P<verb>{'|'.join(map(re.escape, choices))})"
        if part["slot"] is not None:
            return self._slot_patterns[part["slot"]]
        if part["optional"] is not None:
            before, slot, after = _SLOT.split(part["optional"])
            return f"(?:{_literal(before)}{self._slot_patterns[slot]}{_literal(after)})?"
        return _literal(part["literal"] or "")


def verb_forms(notation: str) -> tuple[VerbForm, ...]:
    """Return every form of a verb written in one of the four notations, positive and actual first.

    Raises ValueError for any other notation.
    """
    groups = _spelled_out(notation)
    kinds = (
        (Polarity.POSITIVE, Modality.ACTUAL),
        (Polarity.NEGATIVE, Modality.ACTUAL),
        (Polarity.POSITIVE, Modality.POSSIBLE),
        (Polarity.NEGATIVE, Modality.POSSIBLE),
    )
    return tuple(VerbForm(text, *kind) for group, kind in zip(groups, kinds, strict=True) for text in group)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W\d_]+", text.lower())


def _spelled_out(notation: str) -> list[list[str]]:
    if ";" in notation:
        groups = [[text.strip() for text in group.split("/")] for group in notation.split(";")]
        if len(groups) != 4 or not all(all(group) for group in groups):
            raise ValueError(f"four groups of texts, with ; between: {notation!r}")
        return groups
    first, _, rest = notation.partition(" ")
    tail = f" {rest}" if rest else ""
    if first in _BE:
        be, maybe = _BE[first]
        possible, impossible = f"{maybe}{tail}", f"{maybe.replace('may', 'may not', 1)}{tail}"
        negatives = [f"{be} not{tail}", f"{be} never{tail}"] if first in ("was", "were") else [f"{be} not{tail}"]
        return [[f"{be}{tail}"], negatives, [possible], [impossible]]
    match notation.split("|"):
        case [base, past, participle]:
            return [
                [past],
                [f"did not {base}", f"never {past}"],
                [f"may have {participle}"],
                [f"may not have {participle}"],
            ]
        case [base, third]:
            return [[third], [f"does not {base}"], [f"may {base}"], [f"may not {base}"]]
    raise ValueError(f"not a verb notation: {notation!r}")


def _slot_pattern(slot: str, nouns: tuple[str, ...], values: str) -> str:
    if slot == "value":
        return f"(?P<value>{values})"
    if slot == "date":
        return f"(?P<date>{dates.PATTERN})"
    tail = f" (?:{'|'.join(map(re.escape, nouns))})" if nouns else ""
    return f"(?P<{slot}>{PROPER}{tail})"


def _literal(text: str) -> str:
    return f"(?i:{re.escape(text)})" if text else ""
