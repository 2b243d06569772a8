"""Exchanges of two arguments: of an asymmetric relation, of cause and effect, or of a symmetric relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from confute.oracles.text import lexicon
from confute.oracles.text.findings import Effect, Finding, Swap, unsure
from confute.oracles.text.parsing import Parsed, Token
from confute.oracles.text.source import Source
from confute.records import Mechanism

_MAX_ARGUMENT_TOKENS = 10
_COMPARATIVE = "than"
_PRONOUNS = ("PRP", "PRP$", "WP", "WDT", "DT", "EX")
_NOUN_TAGS = ("NN", "NNS", "NNP", "NNPS", "CD")


@dataclass(frozen=True, slots=True)
class _Relation:
    """A relation word with its two arguments, each given by its head token."""

    word: Token
    left: Token
    right: Token
    preposition: str


def swaps(source: Source) -> tuple[Swap, ...]:
    """Return the pairs of arguments of the claim that may be exchanged, and what that does."""
    found = (_swap(source, relation) for relation in _relations(source.claim))
    return tuple(swap for swap in found if swap is not None)


def _relations(claim: Parsed) -> Iterator[_Relation]:
    for token in claim.tokens:
        subjects = claim.children(token, "nsubj", "nsubjpass")
        if subjects:
            yield from _objects_of(claim, token, subjects[0])


def _objects_of(claim: Parsed, verb: Token, subject: Token) -> Iterator[_Relation]:
    yield from (_Relation(verb, subject, direct, "") for direct in claim.children(verb, "dobj"))
    holders = [verb, *claim.children(verb, "acomp", "attr", "advmod")]
    for holder in holders:
        for preposition in claim.children(holder, "prep", "agent"):
            for noun in claim.children(preposition, "pobj"):
                yield _Relation(holder, subject, noun, preposition.text.lower())


def _swap(source: Source, relation: _Relation) -> Swap | None:
    claim = source.claim
    left, right = claim.subtree(relation.left), claim.subtree(relation.right)
    finding = _finding(source, relation, left, right)
    if finding is None or not _exchangeable(claim, left, right):
        return None
    if _agrees(claim, relation) and _plural(claim, left) != _plural(claim, right):
        return None
    first, second = (left[0].start, left[-1].end), (right[0].start, right[-1].end)
    return Swap(
        left=first,
        right=second,
        new_left=_at_start(claim, right, first[0]),
        new_right=_inside(claim, left),
        name=f"arguments@{relation.word.start}",
        finding=finding,
    )


def _finding(source: Source, relation: _Relation, left: tuple[Token, ...], right: tuple[Token, ...]) -> Finding | None:
    if _is_symmetric(source.claim, relation.word, relation.preposition):
        mutual = _holds_both_ways(source.claim, relation, left, right)
        return Finding(Effect.SAME, Mechanism.ROLE_SWAP, "symmetric_relation") if mutual else None
    kind = _kind(relation)
    if kind is None:
        return None
    mechanism, reason = kind
    if source.unasserted or source.negated:
        return unsure(mechanism, source.unasserted or "negated")
    if source.claim.is_quoted(left[0].start, right[-1].end):
        return unsure(mechanism, "quotation")
    if any(word in source.evidence_lemmas for word in lexicon.MUTUAL):
        return unsure(mechanism, "mutual_in_evidence")
    return Finding(Effect.FALSE, mechanism, reason)


def _kind(relation: _Relation) -> tuple[Mechanism, str] | None:
    word, preposition = relation.word, relation.preposition
    if preposition == _COMPARATIVE and word.tag in ("JJR", "RBR", "JJ"):
        return Mechanism.ROLE_SWAP, "arguments_exchanged"
    if (word.lemma, preposition) in lexicon.CAUSAL_PREPOSITIONS or (
        word.lemma in lexicon.CAUSAL and preposition in ("", "by")
    ):
        return Mechanism.CAUSAL, "cause_and_effect_exchanged"
    if word.tag.startswith("V") and word.lemma in lexicon.ASYMMETRIC and preposition in ("", "by"):
        return Mechanism.ROLE_SWAP, "arguments_exchanged"
    return None


def _is_symmetric(claim: Parsed, word: Token, preposition: str) -> bool:
    if preposition == "of":
        return word.lemma in lexicon.SYMMETRIC_NOUNS
    if preposition == "":
        return word.lemma in lexicon.SYMMETRIC
    alone = not claim.children(word, "dobj") and "but" not in claim.words
    return alone and preposition in ("to", "with", "from") and word.lemma in lexicon.SYMMETRIC_WITH


def _holds_both_ways(claim: Parsed, relation: _Relation, left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """Tell whether a claim only says a symmetric relation of two of a kind; a passive may hide who acts: `was met`."""
    verb = claim.tokens[relation.left.head]
    passive = bool(claim.children(verb, "auxpass")) and verb.lemma not in lexicon.SYMMETRIC_PARTICIPLES
    said = {verb.index, relation.word.index, *(token.index for token in (*left, *right))}
    said |= {token.index for token in claim.tokens if token.dep in ("aux", "auxpass", "punct") and token.tag != "MD"}
    said |= {token.index for token in claim.children(relation.word, "det")}
    said |= {token.index for token in claim.tokens if token.index == right[0].index - 1}
    rest = (token for token in claim.tokens if token.index not in said)
    framed = all(token.entity in ("DATE", "GPE") or token.text.lower() in ("in", "on") for token in rest)
    return not passive and framed and _of_a_kind(left, right)


def _of_a_kind(left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """Tell whether two arguments are names of the same kind of entity, or numbers."""
    kinds = {token.entity for token in (*left, *right) if token.tag != "IN"}
    named = all(token.tag in ("NNP", "NNPS") for token in (*left, *right))
    return kinds == {"CARDINAL"} or (named and len(kinds - {""}) == 1)


def _exchangeable(claim: Parsed, left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """Tell whether two arguments are short whole phrases of the same number, apart from each other."""
    if left[-1].index >= right[0].index or max(len(left), len(right)) > _MAX_ARGUMENT_TOKENS:
        return False
    if any(len(part) != part[-1].index - part[0].index + 1 for part in (left, right)):
        return False
    if any(token.tag.startswith("W") for token in (*left, *right)):
        return False
    if any(len(part) == 1 and part[0].tag in _PRONOUNS for part in (left, right)):
        return False
    if any(part[-1].tag not in _NOUN_TAGS or part[0].tag == "IN" for part in (left, right)):
        return False
    texts = [claim.text[part[0].start : part[-1].end].lower() for part in (left, right)]
    return texts[0] != texts[1] and _is_closed(claim, left, right)


def _is_closed(claim: Parsed, left: tuple[Token, ...], right: tuple[Token, ...]) -> bool:
    """Tell whether both phrases begin and end where the words beside them say so, as far as a parse can be trusted."""
    before, after = claim.tokens[right[0].index - 1], claim.tokens[right[-1].index + 1 : right[-1].index + 2]
    one_name = bool(left[0].entity) and len({token.entity for token in (left[-1], before, right[0])}) == 1
    opened = before.tag.startswith(("V", "IN", "TO", "CC", "RB"))
    goes_on = ("NN", "JJ", "CD", "VBG")
    closed = not after or (not after[0].tag.startswith(goes_on) and after[0].text.lower() != _COMPARATIVE)
    return opened and closed and not one_name


def _agrees(claim: Parsed, relation: _Relation) -> bool:
    """Tell whether the verb shows the number of its subject."""
    verb = claim.tokens[relation.left.head]
    return any(
        word.tag in ("VBZ", "VBP") or word.lemma == "be" for word in (verb, *claim.children(verb, "aux", "auxpass"))
    )


def _plural(claim: Parsed, part: tuple[Token, ...]) -> bool:
    inside = {token.index for token in part}
    head = next(token for token in part if token.head not in inside or token.head == token.index)
    return head.tag in ("NNS", "NNPS") or bool(claim.children(head, "conj"))


def _at_start(claim: Parsed, part: tuple[Token, ...], place: int) -> str:
    text = claim.text[part[0].start : part[-1].end]
    opens = not claim.text[:place].strip()
    return text[:1].upper() + text[1:] if opens and claim.text[place].isupper() else text


def _inside(claim: Parsed, part: tuple[Token, ...]) -> str:
    text = claim.text[part[0].start : part[-1].end]
    if part[0].tag == "DT":
        return text[:1].lower() + text[1:]
    named = part[0].tag.startswith("NNP") or (part[0].entity and part[0].tag != "CD") or not text[1:2].islower()
    return text if named else text[:1].lower() + text[1:]
