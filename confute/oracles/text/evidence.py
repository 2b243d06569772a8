"""Guards on changed evidence: what other passages do to the label of a claim that stays as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from confute import text
from confute.oracles.surface import words
from confute.oracles.text.content import read
from confute.oracles.text.findings import Effect


class EvidenceGuards:
    """Tells whether evidence that was changed says the same of a claim.

    A foreign passage is taken to say nothing of a claim where it is a passage of the set, both are in Latin letters,
    and it shares no content word, name or number with the claim, in whatever form it is written. Synonyms are not seen.
    """

    def __init__(self, evidence: Iterable[Sequence[str]]) -> None:
        """`evidence` are the passages of every case: each may be added to another case, and no other text may."""
        every = (passage for passages in evidence for passage in passages)
        self._pool = frozenset(text.fold(passage) for passage in every if not text.is_blank(passage))

    def judge(
        self, claim: str, before: Sequence[str], after: Sequence[str], support: Collection[int] = ()
    ) -> tuple[Effect, str]:
        """Return what the change does to the label of the claim, SAME, FALSE or UNSURE, and why.

        `support` are the places in `before` of all passages that support the claim, where somebody annotated them: the
        claim stays supported where all of them are left, and is no longer where none is. A passage is left where one
        of the same words is, whatever its case, punctuation and plural endings. Raises OracleError where the extra
        `text` is not installed.
        """
        gone = set(map(_words, before)) - set(map(_words, after))
        own = {text.fold(passage) for passage in before}
        foreign = [passage for passage in after if text.fold(passage) not in own]
        others = [passage for passage in foreign if text.fold(passage) != text.fold(claim)]
        unknown = "support_not_annotated" if gone and not support else None
        doubt = _blank(before, after) or unknown or self._doubt(claim, others)
        if doubt is not None:
            return Effect.UNSURE, doubt
        echoed = len(others) < len(foreign)
        if gone:
            return _without(gone, {_words(before[place]) for place in support}, echoed=echoed)
        if not foreign:
            return Effect.SAME, "same_passages"
        return Effect.SAME, "echo" if echoed else "unrelated_passages"

    def _doubt(self, claim: str, foreign: Sequence[str]) -> str | None:
        """Return why foreign passages may say something of the claim, or None where none of them does."""
        if any(text.fold(passage) not in self._pool for passage in foreign):
            return "unknown_passage"
        about = read(claim) if foreign else None
        for passage in foreign:
            other = read(passage)
            if about is None or other is None:
                return "unreadable"
            if about.shares_with(other):
                return "shares_content"
        return None


def _blank(before: Sequence[str], after: Sequence[str]) -> str | None:
    if all(map(text.is_blank, after)):
        return "no_evidence_left"
    added = sum(map(text.is_blank, after)) - sum(map(text.is_blank, before))
    return "blank_passage" if added > 0 else None


def _without(gone: set[str], supporting: set[str], *, echoed: bool) -> tuple[Effect, str]:
    """Return what it does that passages are gone, of which some are known to support the claim."""
    if echoed:
        return Effect.UNSURE, "shares_content"
    if not gone & supporting:
        return Effect.SAME, "support_left"
    return (Effect.FALSE, "support_deleted") if supporting <= gone else (Effect.UNSURE, "support_partly_left")


def _words(passage: str) -> str:
    return " ".join(words(passage)) or text.fold(passage)
