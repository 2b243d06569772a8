"""Guards on changed evidence: what other passages do to the label of a claim that stays as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from confute import text
from confute.oracles.constraints import singular, skeleton
from confute.oracles.text.findings import Effect

COMMON_SHARE = 0.05
"""A word that stands in more than this share of all passages is common: it tells nothing of what one is about."""

_COMMON_COUNT = 3
_STEM = 5
_DIGIT = re.compile(r"\d")


class EvidenceGuards:
    """Tells whether evidence that was changed says the same of a claim.

    A foreign passage that shares no name, no number and no rare word with the claim is taken to say nothing of it.
    Words are compared in lower case, without plural endings and by their first five letters. Where the set is too
    small to tell common words from rare ones, all are rare.
    """

    def __init__(self, evidence: Iterable[Sequence[str]]) -> None:
        """`evidence` are the passages of every case, by which words are common or rare."""
        passages = sorted({passage for passages in evidence for passage in passages})
        counts = Counter(stem for passage in passages for stem in _stems(passage))
        least = max(_COMMON_COUNT, COMMON_SHARE * len(passages))
        self._common = frozenset(stem for stem, count in counts.items() if count > least)

    def judge(
        self, claim: str, before: Sequence[str], after: Sequence[str], support: Collection[int] = ()
    ) -> tuple[Effect, str]:
        """Return what the change does to the label of the claim, SAME, FALSE or UNSURE, and why.

        `support` are the places in `before` of all passages that support the claim, where somebody annotated them: the
        claim stays supported where all of them are left, and is no longer where none is.
        """
        own = {text.fold(passage) for passage in before}
        left = {text.fold(passage) for passage in after}
        if not any(left):
            return Effect.UNSURE, "no_evidence_left"
        if own - left and not support:
            return Effect.UNSURE, "support_not_annotated"
        foreign = [passage for passage in after if text.fold(passage) not in own]
        if any(text.fold(passage) != text.fold(claim) and self._touches(claim, passage) for passage in foreign):
            return Effect.UNSURE, "shares_content"
        echoed = any(text.fold(passage) == text.fold(claim) for passage in foreign)
        if own - left:
            return _without(own - left, {text.fold(before[place]) for place in support}, echoed=echoed)
        if not foreign:
            return Effect.SAME, "same_passages"
        return Effect.SAME, "echo" if echoed else "unrelated_passages"

    def _touches(self, claim: str, passage: str) -> bool:
        telling = {stem for stem in _stems(claim) if stem not in self._common} | _names_and_numbers(claim)
        return not telling or bool(telling & _stems(passage))


def _without(gone: set[str], supporting: set[str], *, echoed: bool) -> tuple[Effect, str]:
    """Return what it does that passages are gone, of which some are known to support the claim."""
    if echoed:
        return Effect.UNSURE, "shares_content"
    if not gone & supporting:
        return Effect.SAME, "support_left"
    return (Effect.FALSE, "support_deleted") if supporting <= gone else (Effect.UNSURE, "support_partly_left")


def _stems(passage: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in text.tokens(skeleton(passage)) if word[0].isalnum())


def _names_and_numbers(claim: str) -> set[str]:
    words = text.tokens(skeleton(claim))
    return {_stem(word) for place, word in enumerate(words) if _DIGIT.search(word) or (place and word[0].isupper())}


def _stem(word: str) -> str:
    return word if _DIGIT.search(word) else singular(word.casefold())[:_STEM]
