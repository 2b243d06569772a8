"""Guards on names: another name is an error where the evidence ties the claim's content to the old name alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from confute.oracles.text import lexicon
from confute.oracles.text.findings import Effect, Family, Finding, Slot, unsure
from confute.oracles.text.parsing import Parsed, Token
from confute.oracles.text.source import Source
from confute.records import Mechanism

_KINDS = ("PERSON", "ORG", "GPE")
_CONTENT_TAGS = ("NN", "VB", "JJ")
_LIGHT = lexicon.BE | frozenset(
    ["have", "do", "make", "take", "become", "know", "call", "name", "new", "first", "one", "year", "time"]
)
_MAX_OFFERS = 3


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name in a text, with its type."""

    start: int
    end: int
    text: str
    kind: str
    tokens: tuple[Token, ...]


def names(parsed: Parsed) -> tuple[Name, ...]:
    """Return the names of people, organisations and places in a text, where the tags agree that they are names."""
    groups: list[list[Token]] = []
    for token in parsed.tokens:
        last = groups[-1][-1] if groups else None
        if token.entity not in _KINDS or not token.tag.startswith("NNP"):
            continue
        if last and last.index == token.index - 1 and last.entity == token.entity:
            groups[-1].append(token)
        else:
            groups.append([token])
    return tuple(_name(parsed.text, tuple(group)) for group in groups)


def slots(source: Source) -> tuple[Slot, ...]:
    """Return the slots of the claim's names."""
    return tuple(
        Slot(name.start, name.end, f"name@{name.start}", tuple(_offers(source, name)), partial(_judge, source, name))
        for name in names(source.claim)
    )


def _name(text: str, tokens: tuple[Token, ...]) -> Name:
    start, end = tokens[0].start, tokens[-1].end
    return Name(start, end, text[start:end], tokens[0].entity, tokens)


def _offers(source: Source, name: Name) -> Iterator[str]:
    claimed = {word for other in names(source.claim) for word in other.text.lower().split()}
    rivals = sorted(
        {
            other.text
            for passage in source.evidence
            for other in names(passage)
            if other.kind == name.kind and not claimed & set(other.text.lower().split())
        }
    )
    yield from rivals[:_MAX_OFFERS]
    first = len(source.claim.text) % len(lexicon.STRANGERS[name.kind])
    strangers = lexicon.STRANGERS[name.kind]
    yield from (strangers[first:] + strangers[:first])[:_MAX_OFFERS]


def _judge(source: Source, old: Name, text: str) -> Finding | None:
    new = text.strip()
    rival = any(new == other.text and other.kind == old.kind for passage in source.evidence for other in names(passage))
    if new not in lexicon.STRANGERS[old.kind] and not rival:
        return None
    if reason := _not_a_plain_name(source, old, new):
        return unsure(Mechanism.BINDING, reason)
    reason = _not_strange(source, new) if not rival else _not_apart(source, old, new)
    if reason:
        return unsure(Mechanism.BINDING, reason)
    return Finding(
        Effect.FALSE, Mechanism.BINDING, "name_not_in_evidence" if not rival else "name_elsewhere", Family.NAME
    )


def _not_a_plain_name(source: Source, name: Name, new: str) -> str | None:
    claim = source.claim
    if source.unasserted or source.negated:
        return source.unasserted or "negated"
    if claim.is_quoted(name.start, name.end):
        return "quotation"
    if _inside_a_name(claim, name):
        return "part_of_a_name"
    if claim.text.count(name.text) != 1 or not _is_named(source, name):
        return "name_not_stated"
    return "may_be_an_alias" if set(name.text.lower().split()) & set(new.lower().split()) else None


def _inside_a_name(claim: Parsed, name: Name) -> bool:
    """Tell whether a name belongs to a longer one, or is written so that it may be none."""
    first, last = name.tokens[0].index, name.tokens[-1].index
    before, after = claim.tokens[max(first - 2, 0) : first], claim.tokens[last + 1 : last + 3]
    around = claim.text[max(name.start - 1, 0) : name.start] + claim.text[name.end : name.end + 1]
    beside = [*before[-1:], *after[:1]]
    if set(around) & set("-/&()") or any(token.tag.startswith("NNP") for token in beside):
        return True
    if not all(token.text.istitle() or "." in token.text for token in name.tokens) or not _full(name):
        return True
    linked = [(pair[0], pair[1]) for pair in (before, tuple(reversed(after))) if len(pair) == 2]
    return any(link.text in ("of", "'s", "and", "&") and other.tag.startswith("NNP") for other, link in linked)


def _full(name: Name) -> bool:
    """Tell whether a name is no lone word that a tagger may have mistaken for a person or an organisation."""
    return len(name.tokens) > 1 or name.kind == "GPE"


def _is_named(source: Source, name: Name) -> bool:
    return any(
        name.text == other.text and name.kind == other.kind for passage in source.evidence for other in names(passage)
    )


def _not_strange(source: Source, new: str) -> str | None:
    home = lexicon.STRANGERS_HOME.get(new)
    known = [word for word in new.lower().split() if word in source.evidence_lemmas]
    return "value_elsewhere_in_evidence" if known or (home and home in source.evidence_text) else None


def _not_apart(source: Source, old: Name, new: str) -> str | None:
    """Return why the evidence may say of the new name what the claim says of the old one, or None.

    The claim's content words stand with the old name in some sentence, and none of them in any sentence that holds
    the new name, the other names of the claim left aside.
    """
    if old.kind == "GPE":
        return "place_may_contain_the_other"
    content = _content(source)
    with_old, with_new = _sentences(source, old.text), _sentences(source, new)
    if not content or not any(content & sentence for sentence in with_old):
        return "content_not_stated"
    return "content_stated_of_both" if any(content & sentence for sentence in with_new) else None


def _content(source: Source) -> set[str]:
    named = {token.index for name in names(source.claim) for token in name.tokens}
    return {
        token.lemma
        for token in source.claim.tokens
        if token.tag.startswith(_CONTENT_TAGS) and not token.tag.startswith("NNP")
        if token.index not in named and token.lemma not in _LIGHT
    }


def _sentences(source: Source, phrase: str) -> list[set[str]]:
    return [
        {token.lemma for token in sentence}
        for passage in source.evidence
        for sentence in passage.sentences()
        if phrase in passage.text[sentence[0].start : sentence[-1].end]
    ]
