"""Word overlap: how much of a claim's wording its evidence lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from confute.records import Pair
from confute.text import fold

_WORD = re.compile(r"\w+")


class WordOverlap:
    """Scores 1 - the share of the claim's distinct words that stand in the evidence, in [0, 1].

    Words are compared after Unicode NFKC and case folding. A claim without a word has the risk 1: nothing supports it.
    """

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one risk per pair."""
        return [_risk(_words((pair.claim,)), _words(pair.evidence)) for pair in pairs]


def _risk(claim: frozenset[str], evidence: frozenset[str]) -> float:
    return 1.0 - len(claim & evidence) / len(claim) if claim else 1.0


@lru_cache(maxsize=4096)
def _words(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(fold(text)))
