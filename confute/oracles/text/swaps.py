"""Exchanges of two arguments: of an asymmetric relation, of cause and effect, or of a relation that bears it."""

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
        for other in claim.children(token, "conj"):
            if _listed(claim, token, other) and other.index > token.index and token.tag.startswith("NN"):
                yield _Relation(token, token, other, "and")


def _listed(claim: Parsed, first: Token, second: Token) -> bool:
    """Tell whether two members of a list are free of modifiers that may hold for both."""
    if any(link.text.lower() not in ("and", "or") for link in claim.children(first, "cc")):
        return False
    left, right = _without_conjuncts(claim, first), claim.subtree(second)
    both_named = first.tag.startswith("NNP") and second.tag.startswith("NNP")
    bound = left[0].text.lower() in ("both", "either", "neither", "between", "it")
    if bound or any(part.dep == "prep" for part in (*left, *right)):
        return False
    if _begins_a_clause(claim, first, right[-1]):
        return False
    return bool(claim.children(first, "cc")) and (len(left) == 1 or len(right) > 1 or both_named)


def _begins_a_clause(claim: Parsed, first: Token, last: Token) -> bool:
    """Tell whether a verb after a list takes its last member alone: `by Ann and Ben was late`."""
    after = claim.tokens[last.index + 1 : last.index + 2]
    return bool(after) and after[0].tag.startswith(("VB", "MD")) and first.dep not in ("nsubj", "nsubjpass")


def _objects_of(claim: Parsed, verb: Token, subject: Token) -> Iterator[_Relation]:
    yield from (_Relation(verb, subject, direct, "") for direct in claim.children(verb, "dobj"))
    holders = [verb, *claim.children(verb, "acomp", "attr", "advmod")]
    for holder in holders:
        for preposition in claim.children(holder, "prep", "agent"):
            for noun in claim.children(preposition, "pobj"):
                yield _Relation(holder, subject, noun, preposition.text.lower())


def _swap(source: Source, relation: _Relation) -> Swap | None:
    claim = source.claim
    listed = relation.preposition == "and"
    left = _without_conjuncts(claim, relation.left) if listed else claim.subtree(relation.left)
    right = claim.subtree(relation.right)
    finding = _finding(source, relation, left, right)
    if finding is None or not _exchangeable(claim, left, right):
        return None
    if not listed and _agrees(claim, relation) and _plural(claim, left) != _plural(claim, right):
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


def _without_conjuncts(claim: Parsed, noun: Token) -> tuple[Token, ...]:
    tail = {token.index for part in claim.children(noun, "cc", "conj") for token in claim.subtree(part)}
    return tuple(token for token in claim.subtree(noun) if token.index not in tail)


def _finding(source: Source, relation: _Relation, left: tuple[Token, ...], right: tuple[Token, ...]) -> Finding | None:
    kind = _kind(source.claim, relation)
    if kind is None:
        return None
    mechanism, effect, reason = kind
    if effect is Effect.SAME:
        return Finding(effect, mechanism, reason)
    if source.unasserted or source.negated:
        return unsure(mechanism, source.unasserted or "negated")
    if source.claim.is_quoted(left[0].start, right[-1].end):
        return unsure(mechanism, "quotation")
    if any(word in source.evidence_lemmas for word in lexicon.MUTUAL):
        return unsure(mechanism, "mutual_in_evidence")
    return Finding(effect, mechanism, reason)


def _kind(claim: Parsed, relation: _Relation) -> tuple[Mechanism, Effect, str] | None:
    word, preposition = relation.word, relation.preposition
    if preposition == "and":
        plain = "respectively" not in claim.words
        return (Mechanism.PARAPHRASE, Effect.SAME, "order_of_a_list") if plain else None
    if _is_symmetric(claim, word, preposition):
        return Mechanism.ROLE_SWAP, Effect.SAME, "symmetric_relation"
    if preposition == _COMPARATIVE and word.tag in ("JJR", "RBR", "JJ"):
        return Mechanism.ROLE_SWAP, Effect.FALSE, "arguments_exchanged"
    if (word.lemma, preposition) in lexicon.CAUSAL_PREPOSITIONS or (
        word.lemma in lexicon.CAUSAL and preposition in ("", "by")
    ):
        return Mechanism.CAUSAL, Effect.FALSE, "cause_and_effect_exchanged"
    if word.tag.startswith("V") and word.lemma in lexicon.ASYMMETRIC and preposition in ("", "by"):
        return Mechanism.ROLE_SWAP, Effect.FALSE, "arguments_exchanged"
    return None


def _is_symmetric(claim: Parsed, word: Token, preposition: str) -> bool:
    if preposition == "of":
        return word.lemma in lexicon.SYMMETRIC_NOUNS
    if preposition == "":
        return word.lemma in lexicon.SYMMETRIC
    alone = not claim.children(word, "dobj") and "but" not in claim.words
    return alone and preposition in ("to", "with", "from") and word.lemma in lexicon.SYMMETRIC_WITH


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
