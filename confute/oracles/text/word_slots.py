"""Guards on words: negation of the main verb, antonyms, and phrases that mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from confute.oracles.text import lexicon
from confute.oracles.text.findings import Effect, Family, Finding, Slot, unsure
from confute.oracles.text.parsing import Parsed, Token, inflected, recased
from confute.oracles.text.source import Source
from confute.records import Mechanism

_DO = {"VBD": "did", "VBN": "did", "VBZ": "does", "VBP": "do"}
_DO_TAG = {"did": "VBD", "does": "VBZ", "do": "VBP"}
_BARE_SUBJECTS = frozenset({"a", "an", "some", "another", "one"})


def slots(source: Source, taken: tuple[tuple[int, int], ...]) -> tuple[Slot, ...]:
    """Return the slots of the claim's verbs and words; words within the spans `taken` are left to their own guards."""
    words = [*_antonyms(source), *_synonyms(source)]
    free = (slot for slot in words if not any(start < slot.end and slot.start < end for start, end in taken))
    return (*_negations(source), *free)


def _negations(source: Source) -> Iterator[Slot]:
    claim = source.claim
    for sentence in claim.sentences():
        for root in sentence:
            if root.head == root.index and claim.children(root, "nsubj", "nsubjpass", "expl"):
                yield from _negation_of(source, root)


def _negation_of(source: Source, root: Token) -> Iterator[Slot]:
    claim = source.claim
    negations = claim.children(root, "neg")
    auxiliaries = claim.children(root, "aux", "auxpass")
    judge = partial(_judge_negation, source, root)
    if negations:
        yield from _removal(root, auxiliaries, negations[0], judge)
        return
    first = auxiliaries[0] if auxiliaries else root
    offers: tuple[str, ...] = ()
    if (
        first.lemma == "be"
        or first.text.lower() in lexicon.BE
        or (auxiliaries and first.tag in ("MD", "VBD", "VBZ", "VBP"))
    ):
        if first.text[0].isalpha():
            offers = (f"{first.text} not", *((f"{first.text} never",) if first.text in ("had", "has", "have") else ()))
    elif first.tag in _DO and first.text.isalpha() and root.lemma != "do" and _is_finite(claim, first):
        never = () if first.tag != "VBD" or _after_an_adverb(claim, first) else (f"never {first.text}",)
        offers = (recased(f"{_DO[first.tag]} not {root.lemma}", first.text), *never)
    if offers:
        yield Slot(first.start, first.end, f"verb@{first.start}", offers, partial(judge, offers))


def _is_finite(claim: Parsed, verb: Token) -> bool:
    """Tell whether a verb is surely the finite one: a participle is, only where it is the sentence's one verb."""
    verbs = [token for token in claim.tokens if token.sentence == verb.sentence and token.tag.startswith(("V", "MD"))]
    return verbs == [verb] or (verb.tag != "VBN" and not _garden_path(verb, verbs))


def _garden_path(verb: Token, verbs: list[Token]) -> bool:
    """Tell whether a finite form of `be` after a past form may make that form a participle: `cells treated are`."""
    return verb.tag == "VBD" and any(other.lemma == "be" and other.index > verb.index for other in verbs)


def _after_an_adverb(claim: Parsed, verb: Token) -> bool:
    return verb.index > 0 and claim.tokens[verb.index - 1].tag.startswith("RB")


def _removal(
    root: Token, auxiliaries: tuple[Token, ...], negation: Token, judge: partial[Finding | None]
) -> Iterator[Slot]:
    """Yield the slot of a negated verb, where taking the negation away leaves a sentence."""
    before = [token for token in auxiliaries if token.index == negation.index - 1]
    lead = before[0] if before else None
    if negation.lemma == "never" and root.index == negation.index + 1:
        yield Slot(negation.start, root.end, f"verb@{root.start}", (root.text,), partial(judge, (root.text,)))
    elif lead and lead.text.lower() in _DO_TAG and root.index == negation.index + 1:
        form = inflected(root.lemma, _DO_TAG[lead.text.lower()])
        if form:
            yield Slot(lead.start, root.end, f"verb@{root.start}", (form,), partial(judge, (form,)))
    else:
        kept = lead or (root if root.index == negation.index - 1 else None)
        if kept and kept.text.lower() in (lexicon.BE | {"has", "have", "had"}) and negation.lemma == "not":
            yield Slot(kept.start, negation.end, f"verb@{kept.start}", (kept.text,), partial(judge, (kept.text,)))


def _judge_negation(source: Source, root: Token, offers: tuple[str, ...], text: str) -> Finding | None:
    if _plain(text) not in {_plain(offer) for offer in offers}:
        return None
    if reason := _not_negatable(source, root):
        return unsure(Mechanism.POLARITY, reason)
    return Finding(Effect.FALSE, Mechanism.POLARITY, "negation", Family.NEGATION)


def _not_negatable(source: Source, root: Token) -> str | None:
    claim = source.claim
    if source.unasserted or source.scoped:
        return source.unasserted or "scope_ambiguous"
    if claim.is_quoted(root.start, root.end):
        return "quotation"
    if root.lemma in lexicon.ATTITUDES and {"i", "we"} & {
        token.text.lower() for token in claim.children(root, "nsubj")
    }:
        return "attitude"
    if not claim.children(root, "neg") and _denied(source, root):
        return "negation_in_evidence"
    subject = claim.subtree(claim.children(root, "nsubj", "nsubjpass", "expl")[0])
    if subject[0].text.lower() in _BARE_SUBJECTS:
        return "scope_ambiguous"
    negatives = [word for word in claim.words if word in lexicon.NEGATIONS]
    return "negated" if len(negatives) > len(claim.children(root, "neg")) else None


def _denied(source: Source, root: Token) -> bool:
    """Tell whether a sentence of the evidence that shares content with the claim holds a negative word."""
    content = {token.lemma for token in source.claim.tokens if token.tag.startswith(("NN", "JJ"))} | {root.lemma}
    sentences = (sentence for passage in source.evidence for sentence in passage.sentences())
    lemmas = ({token.lemma for token in sentence} for sentence in sentences)
    return any(len(content & words) > 1 and words & lexicon.NEGATIONS for words in lemmas)


def _plain(text: str) -> str:
    """Return a verb group in lower case with its contracted negation written out."""
    spaced = " ".join(text.lower().replace("\u2019", "'").split())
    return re.sub(r"(?:\s?n't|\snot)\b", " not", spaced)


def _antonyms(source: Source) -> Iterator[Slot]:
    for token in source.claim.tokens:
        if token.tag.startswith("NNP") or not token.text.isalpha():
            continue
        for mechanism, offers in _opposites(token):
            judge = partial(_judge_antonym, source, token, mechanism, offers)
            yield Slot(token.start, token.end, f"word@{token.start}", offers, judge)


def _opposites(token: Token) -> Iterator[tuple[Mechanism, tuple[str, ...]]]:
    """Yield the antonyms of a token, in its own form, with the mechanism that exchanging them is."""
    if token.tag.startswith("V"):
        for mechanism, pairs in (
            (Mechanism.POLARITY, lexicon.VERB_ANTONYMS),
            (Mechanism.CAUSAL, lexicon.CAUSAL_ANTONYMS),
        ):
            forms = (inflected(lemma, token.tag) for lemma in _partners(pairs, token.lemma))
            if offers := tuple(recased(form, token.text) for form in forms if form):
                yield mechanism, offers
        return
    for mechanism, pairs in ((Mechanism.POLARITY, lexicon.WORD_ANTONYMS), (Mechanism.TEMPORAL, lexicon.TIME_ANTONYMS)):
        if offers := tuple(recased(word, token.text) for word in _partners(pairs, token.text.lower())):
            yield mechanism, offers


def _partners(pairs: tuple[tuple[str, str], ...], word: str) -> tuple[str, ...]:
    return tuple(right if word == left else left for left, right in pairs if word in (left, right))


def _judge_antonym(
    source: Source, token: Token, mechanism: Mechanism, offers: tuple[str, ...], text: str
) -> Finding | None:
    if text.strip().lower() not in {offer.lower() for offer in offers}:
        return None
    if reason := _not_opposable(source, token, text.strip().lower()):
        return unsure(mechanism, reason)
    return Finding(Effect.FALSE, mechanism, "antonym")


def _not_opposable(source: Source, token: Token, opposite: str) -> str | None:
    claim = source.claim
    if source.unasserted or source.negated:
        return source.unasserted or "negated"
    if claim.is_quoted(token.start, token.end):
        return "quotation"
    if token.entity or _in_a_compound(claim, token):
        return "fixed_expression"
    if opposite in source.evidence_lemmas or opposite in source.evidence_text.split():
        return "antonym_in_evidence"
    if token.lemma not in source.evidence_lemmas and token.text.lower() not in source.evidence_lemmas:
        return "word_not_in_evidence"
    return None


def _in_a_compound(claim: Parsed, token: Token) -> bool:
    neighbours = claim.text[max(token.start - 1, 0) : token.start] + claim.text[token.end : token.end + 1]
    if token.index and claim.words[token.index - 1] in ("most", "more", "less", "least"):
        return True
    if token.tag.startswith("V") and token.dep in ("amod", "compound", "prep"):
        return True
    return "-" in neighbours or token.dep == "compound" or claim.tokens[token.head].tag.startswith("NNP")


def _synonyms(source: Source) -> Iterator[Slot]:
    for reason, groups in (("same_meaning", lexicon.SYNONYMS), ("typo_in_function_word", lexicon.TYPOS)):
        for phrase, *others in groups:
            yield from _phrase_slots(source, phrase, tuple(others), reason)


def _phrase_slots(source: Source, phrase: str, others: tuple[str, ...], reason: str) -> Iterator[Slot]:
    claim = source.claim
    for match in re.finditer(rf"(?<![\w'\u2019-]){re.escape(phrase)}(?![\w'\u2019-])", claim.text, re.IGNORECASE):
        start, end = match.span()
        touched = source.covering(start, end)
        title = match.group()[0].isupper() and claim.text[:start].strip() != ""
        named = any(token.tag.startswith("NNP") or token.entity for token in touched)
        if title or named or not touched or claim.is_quoted(start, end):
            continue
        if reason == "typo_in_function_word" or _in_its_usual_sense(source, phrase, touched):
            offers = tuple(recased(other, match.group()) for other in others)
            yield Slot(start, end, f"phrase@{start}", offers, partial(_judge_synonym, offers, reason))


def _in_its_usual_sense(source: Source, phrase: str, touched: tuple[Token, ...]) -> bool:
    """Tell whether a phrase of several senses stands where it has the one that its synonym shares."""
    claim, first, last = source.claim, touched[0], touched[-1]
    before = claim.tokens[first.index - 1].text.lower() if first.index else ""
    after = claim.words[last.index + 1 : last.index + 2]
    if phrase in ("although", "though"):
        opens = first.index == 0 or before in (",", ";") or claim.tokens[first.index - 1].sentence != first.sentence
        return opens and first.dep == "mark" and bool(after) and after[0][0].isalpha()
    if phrase in ("film", "films", "movie", "movies"):
        known = source.evidence_lemmas | claim.lemmas
        return first.tag.startswith("NN") and first.dep != "compound" and len(known & lexicon.CINEMA) > 1
    if phrase in ("located in", "situated in"):
        return before in lexicon.BE and bool(after) and not after[0][0].isdigit()
    if phrase == "entire":
        return before in ("the", "his", "her", "its", "their")
    return first.dep != "compound" or " " in phrase


def _judge_synonym(offers: tuple[str, ...], reason: str, text: str) -> Finding | None:
    if text.strip().lower() not in {offer.lower() for offer in offers}:
        return None
    return Finding(Effect.SAME, Mechanism.PARAPHRASE, reason)
